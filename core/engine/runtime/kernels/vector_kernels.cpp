// Compiled once per instruction set, with RETRACESCOPE_ISA = baseline, avx2 or avx512 and the matching flags.
// Eigen's inline functions have the same names under all flags; renaming its namespace keeps the linker from
// merging them.
#define RETRACESCOPE_JOIN2(a, b) a##b
#define RETRACESCOPE_JOIN(a, b) RETRACESCOPE_JOIN2(a, b)
#define RETRACESCOPE_TEXT2(a) #a
#define RETRACESCOPE_TEXT(a) RETRACESCOPE_TEXT2(a)
#define Eigen RETRACESCOPE_JOIN(retracescope_eigen_, RETRACESCOPE_ISA)
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG
#include <Eigen/Core>

#include <retracescope/engine/runtime/kernels/elementwise.h>

namespace retracescope::runtime::RETRACESCOPE_ISA {

namespace {

template <class T>
using ArrayMap = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using ConstArrayMap = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

#define RETRACESCOPE_EIGEN_ROW(Name, expression)                                                             \
    template <class T>                                                                                       \
    void Name(std::byte* out, const std::byte* a, std::int64_t n) {                                          \
        const ConstArrayMap<T> x(reinterpret_cast<const T*>(a), n);                                          \
        ArrayMap<T>(reinterpret_cast<T*>(out), n) = expression;                                              \
    }
RETRACESCOPE_EIGEN_ROW(expRow, x.exp())
RETRACESCOPE_EIGEN_ROW(logRow, x.log())
RETRACESCOPE_EIGEN_ROW(tanhRow, x.tanh())
RETRACESCOPE_EIGEN_ROW(sigmoidRow, T(1) / (T(1) + (-x).exp()))
#undef RETRACESCOPE_EIGEN_ROW

template <class T>
T pairwiseSum(const T* a, std::int64_t n) {
    constexpr std::int64_t kBlock = 1024; // in which lanes add up a few dozen numbers each
    if (n <= kBlock)
        return ConstArrayMap<T>(a, n).sum();
    const std::int64_t half = (n / 2 + kBlock - 1) / kBlock * kBlock;
    return pairwiseSum(a, half) + pairwiseSum(a + half, n - half);
}

/// Halves are added, so that rounding grows with the logarithm of the count.
template <class T>
void floatSumRow(std::byte* accumulator, const std::byte* a, std::int64_t n) {
    *reinterpret_cast<T*>(accumulator) += pairwiseSum(reinterpret_cast<const T*>(a), n);
}

template <class T>
void floatProdRow(std::byte* accumulator, const std::byte* a, std::int64_t n) {
    *reinterpret_cast<T*>(accumulator) *= ConstArrayMap<T>(reinterpret_cast<const T*>(a), n).prod();
}

template <class T>
void floatMinRow(std::byte* accumulator, const std::byte* a, std::int64_t n) {
    T& min = *reinterpret_cast<T*>(accumulator);
    if (n > 0)
        min = MinimumOp::apply(
            min, ConstArrayMap<T>(reinterpret_cast<const T*>(a), n).template minCoeff<Eigen::PropagateNaN>());
}

template <class T>
void floatMaxRow(std::byte* accumulator, const std::byte* a, std::int64_t n) {
    T& max = *reinterpret_cast<T*>(accumulator);
    if (n > 0)
        max = MaximumOp::apply(
            max, ConstArrayMap<T>(reinterpret_cast<const T*>(a), n).template maxCoeff<Eigen::PropagateNaN>());
}

template <class T>
void matMul(std::byte* out, const std::byte* a, const std::byte* b, const MatMulSizes& sizes) {
    const auto [m, k, n, transposeA, transposeB] = sizes;
    Eigen::Map<Matrix<T>> result(reinterpret_cast<T*>(out), m, n);
    const Eigen::Map<const Matrix<T>> left(reinterpret_cast<const T*>(a), transposeA ? k : m,
                                           transposeA ? m : k);
    const Eigen::Map<const Matrix<T>> right(reinterpret_cast<const T*>(b), transposeB ? n : k,
                                            transposeB ? k : n);
    if (k == 0)
        result.setZero();
    else if (transposeA && transposeB)
        result.noalias() = left.transpose() * right.transpose();
    else if (transposeA)
        result.noalias() = left.transpose() * right;
    else if (transposeB)
        result.noalias() = left * right.transpose();
    else
        result.noalias() = left * right;
}

void setRow(DTypeKernels& kernels, ir::Op op, UnaryRow row, Kernel kernel) {
    kernels.unary[static_cast<int>(op) - kFirstUnary] = {row, kernel};
}

template <class T>
void setFloating(DTypeKernels& kernels) {
    setArithmetic<T>(kernels);
    setBinary<Atan2Op, T>(kernels, ir::Op::Atan2);
    setUnary<SqrtOp, T>(kernels, ir::Op::Sqrt); // not Eigen's: with AVX-512 its root of infinity is a NaN
    setRow(kernels, ir::Op::Exp, &expRow<T>, &runUnary<&expRow<T>>);
    setRow(kernels, ir::Op::Log, &logRow<T>, &runUnary<&logRow<T>>);
    setRow(kernels, ir::Op::Tanh, &tanhRow<T>, &runUnary<&tanhRow<T>>);
    setRow(kernels, ir::Op::Sigmoid, &sigmoidRow<T>, &runUnary<&sigmoidRow<T>>);
    setUnary<SinOp, T>(kernels, ir::Op::Sin);
    setUnary<CosOp, T>(kernels, ir::Op::Cos);
    setUnary<TanOp, T>(kernels, ir::Op::Tan);
    setUnary<ErfOp, T>(kernels, ir::Op::Erf);
    setUnary<Log1pOp, T>(kernels, ir::Op::Log1p);
    setUnary<Expm1Op, T>(kernels, ir::Op::Expm1);
    setUnary<RsqrtOp, T>(kernels, ir::Op::Rsqrt);
    setUnary<FloorOp, T>(kernels, ir::Op::Floor);
    setUnary<CeilOp, T>(kernels, ir::Op::Ceil);
    setUnary<RoundOp, T>(kernels, ir::Op::Round);
    kernels.sum = &floatSumRow<T>;
    kernels.prod = &floatProdRow<T>;
    kernels.min = &floatMinRow<T>;
    kernels.max = &floatMaxRow<T>;
    kernels.matMul = &matMul<T>;
}

VectorKernels makeKernels() {
    VectorKernels kernels;
    kernels.name = RETRACESCOPE_TEXT(RETRACESCOPE_ISA);
    setFloating<float>(kernels.float32);
    setFloating<double>(kernels.float64);
    setArithmetic<std::int32_t>(kernels.int32);
    setArithmetic<std::int64_t>(kernels.int64);
    setUnary<NotOp, bool>(kernels.boolean, ir::Op::LogicalNot);
    setBinary<EqualOp, bool>(kernels.boolean, ir::Op::Equal);
    setBinary<NotEqualOp, bool>(kernels.boolean, ir::Op::NotEqual);
    setBinary<AndOp, bool>(kernels.boolean, ir::Op::LogicalAnd);
    setBinary<OrOp, bool>(kernels.boolean, ir::Op::LogicalOr);
    kernels.boolean.max = &foldRow<OrOp, bool>;
    kernels.boolean.min = &foldRow<AndOp, bool>;
    return kernels;
}

} // namespace

const VectorKernels& vectorKernels() {
    static const VectorKernels kernels = makeKernels();
    return kernels;
}

} // namespace retracescope::runtime::RETRACESCOPE_ISA
