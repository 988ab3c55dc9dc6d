#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/buffer.h>
#include <retracescope/types/dtype.h>

namespace retracescope::runtime {

/// Calls visit.operator()<T>() with a type that copies as the elements of `dtype` do: an unsigned integer of
/// their size, or std::string.
template <class Visit>
auto withStorage(types::DType dtype, const Visit& visit) {
    if (dtype == types::DType::String)
        return visit.template operator()<std::string>();
    if (tensor::holdsResources(dtype))
        return visit.template operator()<std::shared_ptr<tensor::Resource>>();
    switch (types::dtypeBytes(dtype)) {
    case 1:
        return visit.template operator()<std::uint8_t>();
    case 2:
        return visit.template operator()<std::uint16_t>();
    case 4:
        return visit.template operator()<std::uint32_t>();
    case 8:
        return visit.template operator()<std::uint64_t>();
    default:
        RETRACESCOPE_CHECK(types::dtypeBytes(dtype) == 16);
        return visit.template operator()<std::complex<double>>();
    }
}

/// Calls visit.operator()<T>() with the C++ type of a bool, integer, float32 or float64; false for other
/// dtypes.
template <class Visit>
bool withNumber(types::DType dtype, const Visit& visit) {
    using types::DType;
    switch (dtype) {
    case DType::Bool:
        visit.template operator()<bool>();
        return true;
    case DType::Int8:
        visit.template operator()<std::int8_t>();
        return true;
    case DType::Int16:
        visit.template operator()<std::int16_t>();
        return true;
    case DType::Int32:
        visit.template operator()<std::int32_t>();
        return true;
    case DType::Int64:
        visit.template operator()<std::int64_t>();
        return true;
    case DType::UInt8:
        visit.template operator()<std::uint8_t>();
        return true;
    case DType::UInt16:
        visit.template operator()<std::uint16_t>();
        return true;
    case DType::UInt32:
        visit.template operator()<std::uint32_t>();
        return true;
    case DType::UInt64:
        visit.template operator()<std::uint64_t>();
        return true;
    case DType::Float32:
        visit.template operator()<float>();
        return true;
    case DType::Float64:
        visit.template operator()<double>();
        return true;
    default:
        return false;
    }
}

/// Integers wrap around.
template <class T>
T wrappingSum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a + b;
    else
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class T>
T wrappingProduct(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a * b;
    else
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

} // namespace retracescope::runtime
