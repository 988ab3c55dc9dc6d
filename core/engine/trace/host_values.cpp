#include <retracescope/engine/trace/host_values.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/half.h>

namespace retracescope::trace {

namespace {

using tensor::Tensor;
using types::DType;
using types::Literal;

template <class T>
std::optional<T> whole(const Literal& literal) {
    const auto* integer = std::get_if<std::int64_t>(&literal.value());
    if (integer == nullptr || !std::in_range<T>(*integer))
        return std::nullopt;
    return static_cast<T>(*integer);
}

std::optional<double> floating(const Literal& literal) {
    if (const auto* integer = std::get_if<std::int64_t>(&literal.value()))
        return static_cast<double>(*integer);
    if (const auto* number = std::get_if<double>(&literal.value()))
        return *number;
    return std::nullopt;
}

std::optional<std::complex<double>> complex(const Literal& literal) {
    if (const auto* number = std::get_if<std::complex<double>>(&literal.value()))
        return *number;
    return floating(literal);
}

/// A negative number becomes the one with the same bits.
std::optional<std::uint64_t> bitsOfWhole(const Literal& literal) {
    const auto integer = whole<std::int64_t>(literal);
    return integer ? std::optional(static_cast<std::uint64_t>(*integer)) : std::nullopt;
}

/// Calls `write` with the function that makes an element of `dtype` from a literal; false for a dtype whose
/// elements are no numbers or bools. Of what wraps around only uint64 is left: literals have no such number.
template <class Write>
bool withElementOf(DType dtype, Conversion conversion, const Write& write) {
    const bool mayOverflow = conversion != Conversion::Exact;
    const auto rounded = [mayOverflow](auto round, auto widen) {
        return [=](const Literal& literal) {
            const auto number = floating(literal);
            auto element = number ? std::optional(round(*number)) : std::nullopt;
            if (number && !mayOverflow && std::isinf(widen(*element)) && !std::isinf(*number))
                element.reset();
            return element;
        };
    };
    switch (dtype) {
    case DType::Bool:
        write([](const Literal& literal) {
            const auto* flag = std::get_if<bool>(&literal.value());
            return flag != nullptr ? std::optional(*flag) : std::nullopt;
        });
        return true;
    case DType::Int8:
        write(whole<std::int8_t>);
        return true;
    case DType::Int16:
        write(whole<std::int16_t>);
        return true;
    case DType::Int32:
        write(whole<std::int32_t>);
        return true;
    case DType::Int64:
        write(whole<std::int64_t>);
        return true;
    case DType::UInt8:
        write(whole<std::uint8_t>);
        return true;
    case DType::UInt16:
        write(whole<std::uint16_t>);
        return true;
    case DType::UInt32:
        write(whole<std::uint32_t>);
        return true;
    case DType::UInt64:
        write(conversion == Conversion::AsNumPy ? bitsOfWhole : whole<std::uint64_t>);
        return true;
    case DType::Float16:
        write(rounded([](double number) { return tensor::toFloat16(static_cast<float>(number)); },
                      tensor::fromFloat16));
        return true;
    case DType::BFloat16:
        write(rounded([](double number) { return tensor::toBFloat16(static_cast<float>(number)); },
                      tensor::fromBFloat16));
        return true;
    case DType::Float32:
        write(rounded([](double number) { return static_cast<float>(number); }, std::identity()));
        return true;
    case DType::Float64:
        write(floating);
        return true;
    case DType::Complex64:
        write([](const Literal& literal) {
            const auto number = complex(literal);
            return number ? std::optional(std::complex<float>(*number)) : std::nullopt;
        });
        return true;
    case DType::Complex128:
        write(complex);
        return true;
    default:
        return false;
    }
}

std::optional<std::string> text(const Literal& literal) {
    if (const auto* words = std::get_if<std::string>(&literal.value()))
        return *words;
    if (const auto* bytes = std::get_if<Literal::Bytes>(&literal.value()))
        return bytes->value;
    return std::nullopt;
}

[[noreturn]] void refuse(const Literal& literal, DType dtype, std::string_view what) {
    throw UsageError(fmt::format("{}expected {}, got the host value {}", what, types::dtypeName(dtype),
                                 types::toText(literal)));
}

template <class T>
T elementAt(const Tensor& tensor, std::int64_t index) {
    T element;
    std::memcpy(&element, tensor.bytes() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
    return element;
}

/// The integer of `dtype` that has the last bits of `integer`.
std::int64_t wrapped(std::int64_t integer, DType dtype) {
    switch (dtype) {
    case DType::Int8:
        return static_cast<std::int8_t>(integer);
    case DType::Int16:
        return static_cast<std::int16_t>(integer);
    case DType::Int32:
        return static_cast<std::int32_t>(integer);
    case DType::UInt8:
        return static_cast<std::uint8_t>(integer);
    case DType::UInt16:
        return static_cast<std::uint16_t>(integer);
    case DType::UInt32:
        return static_cast<std::uint32_t>(integer);
    default:
        return integer;
    }
}

/// As a processor cuts off a floating number: what has no integer becomes the least one.
std::int64_t cutOff(double number) {
    constexpr double kLimit = 9223372036854775808.0; // 2^63
    return number >= -kLimit && number < kLimit ? static_cast<std::int64_t>(number)
                                                : std::numeric_limits<std::int64_t>::min();
}

bool isNotZero(const Literal& literal) {
    if (const auto words = text(literal))
        return !words->empty();
    const auto* flag = std::get_if<bool>(&literal.value());
    return flag != nullptr ? *flag : complex(literal).value_or(0.0) != 0.0;
}

Literal asNumPy(const Literal& literal, DType dtype) {
    if (dtype == DType::Bool)
        return isNotZero(literal);
    if (text(literal) || literal.isNone() || dtype == DType::String)
        return literal;
    if (const auto* flag = std::get_if<bool>(&literal.value()))
        return static_cast<std::int64_t>(*flag);
    if (dtype == DType::Complex64 || dtype == DType::Complex128)
        return literal;
    const auto* pair = std::get_if<std::complex<double>>(&literal.value());
    const Literal real = pair != nullptr ? Literal(pair->real()) : literal;
    if (!types::isInteger(dtype))
        return real;
    const auto* integer = std::get_if<std::int64_t>(&real.value());
    return wrapped(integer != nullptr ? *integer : cutOff(*floating(real)), dtype);
}

/// Python's numbers as TensorFlow takes them: for some dtypes one by one, for the others as numbers of the
/// kind that the first of them has.
Literal asTensorFlow(const Literal& literal, DType dtype, const Literal& first) {
    const auto* integer = std::get_if<std::int64_t>(&literal.value());
    if (integer != nullptr && types::isInteger(dtype))
        return wrapped(*integer, dtype);
    const bool takesEachAlone = dtype == DType::Int32 || dtype == DType::Int64 || dtype == DType::UInt64 ||
                                dtype == DType::Float16 || dtype == DType::Float32 ||
                                dtype == DType::Float64 || dtype == DType::Complex128;
    const std::string_view kind = types::kindName(first);
    const auto* flag = std::get_if<bool>(&literal.value());
    if (flag != nullptr && dtype != DType::Bool && (takesEachAlone || kind == "int" || kind == "float"))
        return static_cast<std::int64_t>(*flag);
    const bool isComplex = std::holds_alternative<std::complex<double>>(literal.value());
    return isComplex && !takesEachAlone && kind != "complex" ? Literal() : literal;
}

} // namespace

DType defaultDType(const Literal& literal) {
    const std::string_view kind = types::kindName(literal);
    if (kind == "int")
        return whole<std::int32_t>(literal) ? DType::Int32 : DType::Int64;
    return kind == "bool"      ? DType::Bool
           : kind == "float"   ? DType::Float32
           : kind == "complex" ? DType::Complex128
           : kind == "none"    ? DType::None
                               : DType::String;
}

Tensor tensorOf(std::span<const Literal> literals, DType dtype, const types::Shape& shape,
                std::string_view what, Conversion conversion) {
    RETRACESCOPE_CHECK(shape.elementCount() == static_cast<std::int64_t>(literals.size()));
    Tensor result = Tensor::uninitialized(types::tensorType(dtype, shape));
    const auto converted = [&](const Literal& literal) {
        return conversion == Conversion::AsNumPy        ? asNumPy(literal, dtype)
               : conversion == Conversion::AsTensorFlow ? asTensorFlow(literal, dtype, literals.front())
                                                        : literal;
    };
    const bool isNumeric = withElementOf(dtype, conversion, [&](const auto& elementOf) {
        std::byte* place = result.mutableBytes();
        for (const Literal& literal : literals) {
            const auto element = elementOf(converted(literal));
            if (!element)
                refuse(literal, dtype, what);
            std::memcpy(place, &*element, sizeof(*element));
            place += sizeof(*element);
        }
    });
    if (isNumeric)
        return result;
    RETRACESCOPE_CHECK(dtype == DType::String);
    for (std::size_t i = 0; i < literals.size(); ++i) {
        auto element = text(converted(literals[i]));
        if (!element)
            refuse(literals[i], dtype, what);
        result.mutableStrings()[i] = std::move(*element);
    }
    return result;
}

Tensor tensorOf(const Literal& literal, std::string_view what) {
    if (literal.isNone())
        throw UsageError(fmt::format("{}expected a tensor, got None", what));
    return tensorOf(std::span(&literal, 1), defaultDType(literal), types::Shape{}, what);
}

Literal literalAt(const Tensor& tensor, std::int64_t index) {
    switch (tensor.dtype()) {
    case DType::Bool:
        return elementAt<bool>(tensor, index);
    case DType::Int8:
        return static_cast<std::int64_t>(elementAt<std::int8_t>(tensor, index));
    case DType::Int16:
        return static_cast<std::int64_t>(elementAt<std::int16_t>(tensor, index));
    case DType::Int32:
        return static_cast<std::int64_t>(elementAt<std::int32_t>(tensor, index));
    case DType::Int64:
        return elementAt<std::int64_t>(tensor, index);
    case DType::UInt8:
        return static_cast<std::int64_t>(elementAt<std::uint8_t>(tensor, index));
    case DType::UInt16:
        return static_cast<std::int64_t>(elementAt<std::uint16_t>(tensor, index));
    case DType::UInt32:
        return static_cast<std::int64_t>(elementAt<std::uint32_t>(tensor, index));
    case DType::UInt64: {
        const auto element = elementAt<std::uint64_t>(tensor, index);
        return std::in_range<std::int64_t>(element) ? Literal(static_cast<std::int64_t>(element))
                                                    : Literal(static_cast<double>(element));
    }
    case DType::Float16:
        return static_cast<double>(tensor::fromFloat16(elementAt<std::uint16_t>(tensor, index)));
    case DType::BFloat16:
        return static_cast<double>(tensor::fromBFloat16(elementAt<std::uint16_t>(tensor, index)));
    case DType::Float32:
        return static_cast<double>(elementAt<float>(tensor, index));
    case DType::Float64:
        return elementAt<double>(tensor, index);
    case DType::Complex64:
        return std::complex<double>(elementAt<std::complex<float>>(tensor, index));
    case DType::Complex128:
        return elementAt<std::complex<double>>(tensor, index);
    case DType::String:
        return tensor.strings()[static_cast<std::size_t>(index)];
    default:
        break;
    }
    throw UsageError(
        fmt::format("[element] expected numbers, bools or text, got {}", types::toText(tensor.type())));
}

} // namespace retracescope::trace
