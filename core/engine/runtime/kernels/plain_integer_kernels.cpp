// Arithmetic of the integer dtypes that are too rare to be compiled per instruction set.
#define RETRACESCOPE_ISA plain
#include <retracescope/engine/runtime/kernels/elementwise.h>

namespace retracescope::runtime {

namespace {

template <class T>
const DTypeKernels* kernelsOfInteger() {
    static const DTypeKernels kernels = [] {
        DTypeKernels result;
        plain::setArithmetic<T>(result);
        return result;
    }();
    return &kernels;
}

} // namespace

const DTypeKernels* plainIntegerKernels(types::DType dtype) {
    switch (dtype) {
    case types::DType::Int8:
        return kernelsOfInteger<std::int8_t>();
    case types::DType::Int16:
        return kernelsOfInteger<std::int16_t>();
    case types::DType::UInt8:
        return kernelsOfInteger<std::uint8_t>();
    case types::DType::UInt16:
        return kernelsOfInteger<std::uint16_t>();
    case types::DType::UInt32:
        return kernelsOfInteger<std::uint32_t>();
    case types::DType::UInt64:
        return kernelsOfInteger<std::uint64_t>();
    default:
        return nullptr;
    }
}

} // namespace retracescope::runtime
