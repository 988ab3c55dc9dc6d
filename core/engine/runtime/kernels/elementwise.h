#pragma once

// Included by files that are compiled for one instruction set each, inside the namespace RETRACESCOPE_ISA:
// nothing here may call an inline function of the standard library that could be emitted as a shared symbol
// (see isa_symbols_test).

#include <cmath>
#include <type_traits>

#include <retracescope/engine/runtime/kernels/vector_kernels.h>

namespace retracescope::runtime::RETRACESCOPE_ISA {

/// Arithmetic of integers wraps around; it is done on an unsigned type of at least 32 bits.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

struct AddOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>)
            return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
        else
            return a + b;
    }
};

struct SubOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>)
            return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
        else
            return a - b;
    }
};

struct MulOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>)
            return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
        else
            return a * b;
    }
};

/// Integers: towards zero, as C++ divides.
struct DivOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>) {
            if (b == 0)
                throwDivisionByZero(ir::Op::Div);
            if constexpr (std::is_signed_v<T>) {
                if (b == T(-1))
                    return SubOp::apply(T(0), a);
            }
            return static_cast<T>(a / b);
        } else {
            return a / b;
        }
    }
};

/// Rounded down.
struct FloorDivOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>) {
            if (b == 0)
                throwDivisionByZero(ir::Op::FloorDiv);
            if constexpr (std::is_signed_v<T>) {
                if (b == T(-1))
                    return SubOp::apply(T(0), a);
                return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
            } else {
                return static_cast<T>(a / b);
            }
        } else {
            return std::floor(a / b);
        }
    }
};

/// What is left of a beyond the multiple of b below it.
struct FloorModOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>) {
            if (b == 0)
                throwDivisionByZero(ir::Op::FloorMod);
            if constexpr (std::is_signed_v<T>) {
                if (b == T(-1))
                    return T(0);
                const T rest = static_cast<T>(a % b);
                return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
            } else {
                return static_cast<T>(a % b);
            }
        } else {
            const T rest = std::fmod(a, b);
            return rest != T(0) && (rest < T(0)) != (b < T(0)) ? rest + b : rest;
        }
    }
};

struct Atan2Op {
    template <class T>
    static T apply(T a, T b) {
        return std::atan2(a, b);
    }
};

/// Integers wrap around, as a product of b factors does.
struct PowOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (kIsInteger<T>) {
            if constexpr (std::is_signed_v<T>) {
                if (b < 0)
                    throwNegativeExponent();
            }
            T result = 1;
            for (; b != 0; b = static_cast<T>(b / 2)) {
                if (b % 2 != 0)
                    result = MulOp::apply(result, a);
                a = MulOp::apply(a, a);
            }
            return result;
        } else {
            return std::pow(a, b);
        }
    }
};

/// A NaN on either side is the result.
struct MaximumOp {
    template <class T>
    static T apply(T a, T b) {
        return (a > b || a != a) ? a : b;
    }
};

struct MinimumOp {
    template <class T>
    static T apply(T a, T b) {
        return (a < b || a != a) ? a : b;
    }
};

struct EqualOp {
    template <class T>
    static bool apply(T a, T b) {
        return a == b;
    }
};

struct NotEqualOp {
    template <class T>
    static bool apply(T a, T b) {
        return a != b;
    }
};

struct LessOp {
    template <class T>
    static bool apply(T a, T b) {
        return a < b;
    }
};

struct LessEqualOp {
    template <class T>
    static bool apply(T a, T b) {
        return a <= b;
    }
};

struct GreaterOp {
    template <class T>
    static bool apply(T a, T b) {
        return a > b;
    }
};

struct GreaterEqualOp {
    template <class T>
    static bool apply(T a, T b) {
        return a >= b;
    }
};

struct AndOp {
    template <class T>
    static bool apply(T a, T b) {
        return a & b;
    }
};

struct OrOp {
    template <class T>
    static bool apply(T a, T b) {
        return a | b;
    }
};

struct NotOp {
    template <class T>
    static T apply(T a) {
        return !a;
    }
};

struct NegOp {
    template <class T>
    static T apply(T a) {
        if constexpr (kIsInteger<T>)
            return SubOp::apply(T(0), a);
        else
            return -a;
    }
};

struct AbsOp {
    template <class T>
    static T apply(T a) {
        if constexpr (std::is_floating_point_v<T>)
            return std::fabs(a);
        else
            return a < T(0) ? NegOp::apply(a) : a;
    }
};

struct SquareOp {
    template <class T>
    static T apply(T a) {
        return MulOp::apply(a, a);
    }
};

struct SqrtOp {
    template <class T>
    static T apply(T a) {
        return std::sqrt(a);
    }
};

/// A NaN stays one.
struct ReluOp {
    template <class T>
    static T apply(T a) {
        return a < T(0) ? T(0) : a;
    }
};

#define RETRACESCOPE_UNARY_OP(Name, expression)                                                              \
    struct Name {                                                                                            \
        template <class T>                                                                                   \
        static T apply(T a) {                                                                                \
            return expression;                                                                               \
        }                                                                                                    \
    };
RETRACESCOPE_UNARY_OP(SinOp, std::sin(a))
RETRACESCOPE_UNARY_OP(CosOp, std::cos(a))
RETRACESCOPE_UNARY_OP(TanOp, std::tan(a))
RETRACESCOPE_UNARY_OP(ErfOp, std::erf(a))
RETRACESCOPE_UNARY_OP(Log1pOp, std::log1p(a))
RETRACESCOPE_UNARY_OP(Expm1Op, std::expm1(a))
RETRACESCOPE_UNARY_OP(RsqrtOp, T(1) / std::sqrt(a))
RETRACESCOPE_UNARY_OP(FloorOp, std::floor(a))
RETRACESCOPE_UNARY_OP(CeilOp, std::ceil(a))
RETRACESCOPE_UNARY_OP(RoundOp, std::rint(a)) // halves to even, as no program here changes the rounding
RETRACESCOPE_UNARY_OP(SignOp, a > T(0) ? T(1) : (a < T(0) ? static_cast<T>(-1) : a)) // a NaN stays one
#undef RETRACESCOPE_UNARY_OP

template <class Op, class T>
using ResultOf = decltype(Op::apply(T{}, T{}));

template <class Op, class T>
void unaryRow(std::byte* out, const std::byte* a, std::int64_t n) {
    auto* result = reinterpret_cast<T*>(out);
    const auto* x = reinterpret_cast<const T*>(a);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i)
        result[i] = Op::apply(x[i]);
}

template <class Op, class T, RowMode mode>
void binaryRow(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t n) {
    auto* result = reinterpret_cast<ResultOf<Op, T>*>(out);
    const auto* x = reinterpret_cast<const T*>(a);
    const auto* y = reinterpret_cast<const T*>(b);
    if constexpr (mode == RowMode::VectorVector) {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < n; ++i)
            result[i] = Op::apply(x[i], y[i]);
    } else if constexpr (mode == RowMode::VectorScalar) {
        const T scalar = *y;
#pragma GCC ivdep
        for (std::int64_t i = 0; i < n; ++i)
            result[i] = Op::apply(x[i], scalar);
    } else {
        const T scalar = *x;
#pragma GCC ivdep
        for (std::int64_t i = 0; i < n; ++i)
            result[i] = Op::apply(scalar, y[i]);
    }
}

template <UnaryRow row>
void runUnary(const Command& command, Frame& frame) {
    row(frame.pointers[command.output], frame.pointers[command.a], command.count);
}

template <BinaryRow row>
void runBinary(const Command& command, Frame& frame) {
    row(frame.pointers[command.output], frame.pointers[command.a], frame.pointers[command.b], command.count);
}

template <class Op, class T>
void setUnary(DTypeKernels& kernels, ir::Op op) {
    kernels.unary[static_cast<int>(op) - kFirstUnary] = {&unaryRow<Op, T>, &runUnary<&unaryRow<Op, T>>};
}

template <class Op, class T, RowMode mode>
void setBinaryMode(BinaryEntry& entry) {
    entry.row[static_cast<int>(mode)] = &binaryRow<Op, T, mode>;
    entry.kernel[static_cast<int>(mode)] = &runBinary<&binaryRow<Op, T, mode>>;
}

template <class Op, class T>
void setBinary(DTypeKernels& kernels, ir::Op op) {
    BinaryEntry& entry = kernels.binary[static_cast<int>(op) - kFirstBinary];
    setBinaryMode<Op, T, RowMode::VectorVector>(entry);
    setBinaryMode<Op, T, RowMode::VectorScalar>(entry);
    setBinaryMode<Op, T, RowMode::ScalarVector>(entry);
}

/// Folds a row with a binary op.
template <class Op, class T>
void foldRow(std::byte* accumulator, const std::byte* a, std::int64_t n) {
    const auto* x = reinterpret_cast<const T*>(a);
    T result = *reinterpret_cast<T*>(accumulator);
    for (std::int64_t i = 0; i < n; ++i)
        result = Op::apply(result, x[i]);
    *reinterpret_cast<T*>(accumulator) = result;
}

/// What integers and floating numbers have in common.
template <class T>
void setArithmetic(DTypeKernels& kernels) {
    setUnary<NegOp, T>(kernels, ir::Op::Neg);
    setUnary<AbsOp, T>(kernels, ir::Op::Abs);
    setUnary<SquareOp, T>(kernels, ir::Op::Square);
    setUnary<ReluOp, T>(kernels, ir::Op::Relu);
    setUnary<SignOp, T>(kernels, ir::Op::Sign);
    setBinary<AddOp, T>(kernels, ir::Op::Add);
    setBinary<SubOp, T>(kernels, ir::Op::Sub);
    setBinary<MulOp, T>(kernels, ir::Op::Mul);
    setBinary<DivOp, T>(kernels, ir::Op::Div);
    setBinary<PowOp, T>(kernels, ir::Op::Pow);
    setBinary<MaximumOp, T>(kernels, ir::Op::Maximum);
    setBinary<MinimumOp, T>(kernels, ir::Op::Minimum);
    setBinary<FloorDivOp, T>(kernels, ir::Op::FloorDiv);
    setBinary<FloorModOp, T>(kernels, ir::Op::FloorMod);
    setBinary<EqualOp, T>(kernels, ir::Op::Equal);
    setBinary<NotEqualOp, T>(kernels, ir::Op::NotEqual);
    setBinary<LessOp, T>(kernels, ir::Op::Less);
    setBinary<LessEqualOp, T>(kernels, ir::Op::LessEqual);
    setBinary<GreaterOp, T>(kernels, ir::Op::Greater);
    setBinary<GreaterEqualOp, T>(kernels, ir::Op::GreaterEqual);
    kernels.sum = &foldRow<AddOp, T>;
    kernels.prod = &foldRow<MulOp, T>;
    kernels.max = &foldRow<MaximumOp, T>;
    kernels.min = &foldRow<MinimumOp, T>;
}

} // namespace retracescope::runtime::RETRACESCOPE_ISA
