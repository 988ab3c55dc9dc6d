#pragma once

#include <span>
#include <string_view>

#include <retracescope/engine/ir/op.h>
#include <retracescope/engine/runtime/kernels/command.h>
#include <retracescope/types/dtype.h>

/// Loops over contiguous elements, compiled once per instruction set and picked once by what the CPU has.
/// In-place use (output equals an input) is allowed in elementwise rows.
namespace retracescope::runtime {

using UnaryRow = void (*)(std::byte* out, const std::byte* a, std::int64_t n);
using BinaryRow = void (*)(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t n);
/// *accumulator = fold of it and the n elements.
using FoldRow = void (*)(std::byte* accumulator, const std::byte* a, std::int64_t n);

/// [m,n] = [m,k] x [k,n], row-major; a transposed operand is stored the other way round.
struct MatMulSizes {
    std::int64_t m, k, n;
    bool transposeA, transposeB;
};
using MatMul = void (*)(std::byte* out, const std::byte* a, const std::byte* b, const MatMulSizes& sizes);

struct UnaryEntry {
    UnaryRow row = nullptr;
    Kernel kernel = nullptr; ///< the row on operand a, Command::count elements
};

/// Which operand is one element used for the whole row.
enum class RowMode : std::uint8_t { VectorVector, VectorScalar, ScalarVector };

struct BinaryEntry {
    BinaryRow row[3] = {}; ///< by RowMode
    Kernel kernel[3] = {}; ///< the row on operands a and b, Command::count elements
};

inline constexpr int kFirstUnary = static_cast<int>(ir::Op::Neg);
inline constexpr int kUnaryCount = static_cast<int>(ir::Op::LogicalNot) - kFirstUnary + 1;
inline constexpr int kFirstBinary = static_cast<int>(ir::Op::Add);
inline constexpr int kBinaryCount = static_cast<int>(ir::Op::LogicalOr) - kFirstBinary + 1;

/// What one instruction set has for one dtype; null where an op is not defined for it.
struct DTypeKernels {
    UnaryEntry unary[kUnaryCount] = {};
    BinaryEntry binary[kBinaryCount] = {};
    FoldRow sum = nullptr;
    FoldRow prod = nullptr;
    FoldRow max = nullptr; ///< of bool: any
    FoldRow min = nullptr; ///< of bool: all
    MatMul matMul = nullptr;

    const UnaryEntry& unaryOf(ir::Op op) const { return unary[static_cast<int>(op) - kFirstUnary]; }
    const BinaryEntry& binaryOf(ir::Op op) const { return binary[static_cast<int>(op) - kFirstBinary]; }
};

/// The dtypes that are compiled per instruction set: float32, float64, int32, int64, bool.
struct VectorKernels {
    std::string_view name; ///< "baseline", "avx2", "avx512"
    DTypeKernels float32, float64, int32, int64, boolean;
};

/// Those of this CPU, best last; never empty.
std::span<const VectorKernels* const> supportedVectorKernels();

/// What ops use for that dtype: the best instruction set's kernels, or plain ones for the other integers.
/// Null for dtypes without arithmetic.
const DTypeKernels* kernelsOf(types::DType dtype);

/// Makes kernelsOf() answer from another of supportedVectorKernels(); for tests and measurements.
void useVectorKernels(const VectorKernels& kernels);

[[noreturn]] void throwDivisionByZero(ir::Op op);
[[noreturn]] void throwNegativeExponent();

namespace baseline {
const VectorKernels& vectorKernels();
}
namespace avx2 {
const VectorKernels& vectorKernels();
}
namespace avx512 {
const VectorKernels& vectorKernels();
}

/// int8, int16, uint8 ... uint64 by dtype number; compiled for the baseline only.
const DTypeKernels* plainIntegerKernels(types::DType dtype);

} // namespace retracescope::runtime
