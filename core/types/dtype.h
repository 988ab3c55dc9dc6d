#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace retracescope::types {

/// What one element of a tensor is. Float16, BFloat16 and the complex ones have a name and a size, but no
/// kernel yet.
enum class DType : std::uint8_t {
    None, ///< no tensor
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    BFloat16,
    Float32,
    Float64,
    Complex64,
    Complex128,
    String,   ///< bytes of any length
    Resource, ///< the handle of a variable
    Variant,
};

inline constexpr int kDTypeCount = static_cast<int>(DType::Variant) + 1;

/// "float32", "bool", "string", ...; "none" for None.
std::string_view dtypeName(DType dtype);

/// The dtype of that name, or none.
std::optional<DType> dtypeFromName(std::string_view name);

/// Bytes of one element in a buffer; 0 for String, Resource, Variant and None, whose elements are objects.
std::size_t dtypeBytes(DType dtype);

constexpr bool isFloating(DType dtype) {
    return dtype >= DType::Float16 && dtype <= DType::Float64;
}

constexpr bool isInteger(DType dtype) {
    return dtype >= DType::Int8 && dtype <= DType::UInt64;
}

/// Integer or floating: what arithmetic accepts. Bool is not a number.
constexpr bool isNumeric(DType dtype) {
    return isInteger(dtype) || isFloating(dtype);
}

/// The dtype of a C++ element type: dtypeOf<float>() is Float32. Does not compile for types that have none.
template <class T>
constexpr DType dtypeOf();
template <>
constexpr DType dtypeOf<bool>() {
    return DType::Bool;
}
template <>
constexpr DType dtypeOf<std::int8_t>() {
    return DType::Int8;
}
template <>
constexpr DType dtypeOf<std::int16_t>() {
    return DType::Int16;
}
template <>
constexpr DType dtypeOf<std::int32_t>() {
    return DType::Int32;
}
template <>
constexpr DType dtypeOf<std::int64_t>() {
    return DType::Int64;
}
template <>
constexpr DType dtypeOf<std::uint8_t>() {
    return DType::UInt8;
}
template <>
constexpr DType dtypeOf<std::uint16_t>() {
    return DType::UInt16;
}
template <>
constexpr DType dtypeOf<std::uint32_t>() {
    return DType::UInt32;
}
template <>
constexpr DType dtypeOf<std::uint64_t>() {
    return DType::UInt64;
}
template <>
constexpr DType dtypeOf<float>() {
    return DType::Float32;
}
template <>
constexpr DType dtypeOf<double>() {
    return DType::Float64;
}

} // namespace retracescope::types
