#include <retracescope/types/literal.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <retracescope/types/intern_table.h>

namespace retracescope::types {

namespace {

/// The bits that stand for a double: all NaNs have the same.
std::uint64_t bitsOf(double value) {
    return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\'' || c == '\\')
            result += fmt::format("\\{}", c);
        else if (c == '\n')
            result += "\\n";
        else if (byte < 0x20)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result + "'";
}

std::string numberText(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace

bool Literal::operator==(const Literal& other) const {
    if (const auto* a = std::get_if<double>(&m_value))
        if (const auto* b = std::get_if<double>(&other.m_value))
            return bitsOf(*a) == bitsOf(*b);
    return m_value == other.m_value;
}

std::uint64_t Literal::hash() const {
    const std::uint64_t kind = mixBits(m_value.index() + 1);
    if (const auto* flag = std::get_if<bool>(&m_value))
        return kind ^ static_cast<std::uint64_t>(*flag);
    if (const auto* integer = std::get_if<std::int64_t>(&m_value))
        return kind ^ static_cast<std::uint64_t>(*integer);
    if (const auto* number = std::get_if<double>(&m_value))
        return kind ^ bitsOf(*number);
    if (const auto* text = std::get_if<std::string>(&m_value))
        return kind ^ std::hash<std::string>{}(*text);
    if (const auto* bytes = std::get_if<Bytes>(&m_value))
        return kind ^ std::hash<std::string>{}(bytes->value);
    return kind;
}

std::string_view kindName(const Literal& literal) {
    static constexpr std::array<std::string_view, 6> kNames{"none", "bool", "int", "float", "str", "bytes"};
    return kNames[literal.value().index()];
}

std::string toText(const Literal& literal) {
    if (const auto* flag = std::get_if<bool>(&literal.value()))
        return *flag ? "True" : "False";
    if (const auto* integer = std::get_if<std::int64_t>(&literal.value()))
        return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&literal.value()))
        return numberText(*number);
    if (const auto* text = std::get_if<std::string>(&literal.value()))
        return quoted(*text);
    if (const auto* bytes = std::get_if<Literal::Bytes>(&literal.value()))
        return "b" + quoted(bytes->value);
    return "None";
}

Literal sharedLiteral(const Literal& literal) {
    if (const auto* flag = std::get_if<bool>(&literal.value()))
        return Literal(static_cast<std::int64_t>(*flag));
    if (const auto* number = std::get_if<double>(&literal.value())) {
        constexpr double kLimit = 9223372036854775808.0; // 2^63
        if (std::trunc(*number) == *number && *number >= -kLimit && *number < kLimit)
            return Literal(static_cast<std::int64_t>(*number));
    }
    return literal;
}

} // namespace retracescope::types
