#pragma once

#include <cstdint>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// The number in an int32 or int64 scalar.
inline std::int64_t integerIn(const tensor::Tensor& scalar) {
    return scalar.dtype() == types::DType::Int32 ? scalar.data<std::int32_t>()[0]
                                                 : scalar.data<std::int64_t>()[0];
}

} // namespace retracescope::runtime
