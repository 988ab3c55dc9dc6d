#include <atomic>
#include <vector>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/op_table.h>
#include <retracescope/engine/runtime/kernels/vector_kernels.h>

namespace retracescope::runtime {

namespace {

std::vector<const VectorKernels*> findSupported() {
    std::vector<const VectorKernels*> result{&baseline::vectorKernels()};
#if defined(RETRACESCOPE_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        result.push_back(&avx2::vectorKernels());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma"))
        result.push_back(&avx512::vectorKernels());
#endif
    return result;
}

std::atomic<const VectorKernels*>& current() {
    static std::atomic<const VectorKernels*> kernels{supportedVectorKernels().back()};
    return kernels;
}

} // namespace

std::span<const VectorKernels* const> supportedVectorKernels() {
    static const std::vector<const VectorKernels*> kernels = findSupported();
    return kernels;
}

void useVectorKernels(const VectorKernels& kernels) {
    current().store(&kernels, std::memory_order_release);
}

const DTypeKernels* kernelsOf(types::DType dtype) {
    const VectorKernels& kernels = *current().load(std::memory_order_acquire);
    switch (dtype) {
    case types::DType::Float32:
        return &kernels.float32;
    case types::DType::Float64:
        return &kernels.float64;
    case types::DType::Int32:
        return &kernels.int32;
    case types::DType::Int64:
        return &kernels.int64;
    case types::DType::Bool:
        return &kernels.boolean;
    default:
        return plainIntegerKernels(dtype);
    }
}

void throwDivisionByZero(ir::Op op) {
    throw UsageError(ir::messageStart(op) + "an integer was divided by zero");
}

void throwNegativeExponent() {
    throw UsageError(ir::messageStart(ir::Op::Pow) +
                     "expected an exponent of 0 or more for integers, got a negative one; cast to floating");
}

} // namespace retracescope::runtime
