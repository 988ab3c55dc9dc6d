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

/// As Python quotes text: double quotes where only single ones occur inside.
std::string quoted(const std::string& text, bool isBytes) {
    const bool useDouble = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
    const char quote = useDouble ? '"' : '\'';
    std::string result(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            result += fmt::format("\\{}", c);
        else if (c == '\n')
            result += "\\n";
        else if (c == '\t')
            result += "\\t";
        else if (c == '\r')
            result += "\\r";
        else if (byte < 0x20 || byte == 0x7f || (isBytes && byte >= 0x80))
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result + quote;
}

std::string numberText(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// One part of a complex number: whole numbers without ".0".
std::string partText(double value) {
    std::string text = numberText(value);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string complexText(std::complex<double> value) {
    const std::string imaginary = partText(value.imag()) + "j";
    if (value.real() == 0 && !std::signbit(value.real()))
        return imaginary;
    const bool needsPlus = imaginary[0] != '-';
    return fmt::format("({}{}{})", partText(value.real()), needsPlus ? "+" : "", imaginary);
}

std::uint64_t bitsOf(std::complex<double> value) {
    return mixBits(bitsOf(value.real())) ^ bitsOf(value.imag());
}

bool isNumber(const Literal& literal) {
    const std::string_view kind = kindName(literal);
    return kind == "bool" || kind == "int" || kind == "float" || kind == "complex";
}

/// For ordering; integers beyond 2^53 are told apart by their kind's own comparison.
double numberOf(const Literal& literal) {
    if (const auto* flag = std::get_if<bool>(&literal.value()))
        return *flag ? 1.0 : 0.0;
    if (const auto* integer = std::get_if<std::int64_t>(&literal.value()))
        return static_cast<double>(*integer);
    if (const auto* number = std::get_if<double>(&literal.value()))
        return *number;
    return std::get<std::complex<double>>(literal.value()).real();
}

int groupOf(const Literal& literal) {
    if (literal.isNone())
        return 0;
    return isNumber(literal) ? 1 : std::holds_alternative<std::string>(literal.value()) ? 2 : 3;
}

} // namespace

bool Literal::operator==(const Literal& other) const {
    if (const auto* a = std::get_if<double>(&m_value))
        if (const auto* b = std::get_if<double>(&other.m_value))
            return bitsOf(*a) == bitsOf(*b);
    if (const auto* a = std::get_if<std::complex<double>>(&m_value))
        if (const auto* b = std::get_if<std::complex<double>>(&other.m_value))
            return bitsOf(a->real()) == bitsOf(b->real()) && bitsOf(a->imag()) == bitsOf(b->imag());
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
    if (const auto* number = std::get_if<std::complex<double>>(&m_value))
        return kind ^ bitsOf(*number);
    return kind;
}

std::string_view kindName(const Literal& literal) {
    static constexpr std::array<std::string_view, 7> kNames{"none", "bool",  "int",    "float",
                                                            "str",  "bytes", "complex"};
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
        return quoted(*text, false);
    if (const auto* bytes = std::get_if<Literal::Bytes>(&literal.value()))
        return "b" + quoted(bytes->value, true);
    if (const auto* number = std::get_if<std::complex<double>>(&literal.value()))
        return complexText(*number);
    return "None";
}

Literal sharedLiteral(const Literal& literal) {
    if (const auto* flag = std::get_if<bool>(&literal.value()))
        return Literal(static_cast<std::int64_t>(*flag));
    if (const auto* pair = std::get_if<std::complex<double>>(&literal.value())) {
        if (std::isnan(pair->real()) || std::isnan(pair->imag()))
            return Literal(std::numeric_limits<double>::quiet_NaN());
        if (pair->imag() == 0)
            return sharedLiteral(Literal(pair->real()));
        return Literal(*pair + 0.0); // a zero part loses its sign
    }
    if (const auto* number = std::get_if<double>(&literal.value())) {
        constexpr double kLimit = 9223372036854775808.0; // 2^63
        if (std::trunc(*number) == *number && *number >= -kLimit && *number < kLimit)
            return Literal(static_cast<std::int64_t>(*number));
    }
    return literal;
}

std::strong_ordering keyOrder(const Literal& a, const Literal& b) {
    if (const auto order = groupOf(a) <=> groupOf(b); order != 0)
        return order;
    if (isNumber(a)) {
        if (const auto order = std::strong_order(numberOf(a), numberOf(b)); order != 0)
            return order;
        if (const auto order = a.value().index() <=> b.value().index(); order != 0)
            return order;
        if (const auto* left = std::get_if<std::int64_t>(&a.value()))
            return *left <=> std::get<std::int64_t>(b.value());
        if (const auto* left = std::get_if<std::complex<double>>(&a.value()))
            return std::strong_order(left->imag(), std::get<std::complex<double>>(b.value()).imag());
        return std::strong_ordering::equal;
    }
    if (const auto* left = std::get_if<std::string>(&a.value()))
        return *left <=> std::get<std::string>(b.value());
    if (const auto* left = std::get_if<Literal::Bytes>(&a.value()))
        return left->value <=> std::get<Literal::Bytes>(b.value()).value;
    return std::strong_ordering::equal;
}

bool areSortable(const Literal& a, const Literal& b) {
    const auto takesPart = [](const Literal& literal) {
        return !literal.isNone() && !std::holds_alternative<std::complex<double>>(literal.value());
    };
    return groupOf(a) == groupOf(b) && takesPart(a) && takesPart(b);
}

} // namespace retracescope::types
