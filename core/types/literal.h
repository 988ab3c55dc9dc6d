#pragma once

#include <compare>
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace retracescope::types {

/// A host value that is part of a signature by value: none, bool, integer, floating, text, bytes or complex.
/// Equal means: same kind and same bits, all NaNs being one, so that 1, true and 1.0 are three literals and
/// 0.0 is not -0.0. sharedLiteral() has TensorFlow's rule.
class Literal {
public:
    struct Bytes {
        std::string value;
        bool operator==(const Bytes&) const = default;
    };
    using Value =
        std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, std::complex<double>>;

    /// None.
    Literal() = default;
    Literal(bool value) : m_value(value) {}
    Literal(int value) : m_value(static_cast<std::int64_t>(value)) {}
    Literal(std::int64_t value) : m_value(value) {}
    Literal(double value) : m_value(value) {}
    Literal(std::string value) : m_value(std::move(value)) {}
    Literal(std::string_view value) : m_value(std::string(value)) {}
    Literal(const char* value) : m_value(std::string(value)) {}
    Literal(Bytes value) : m_value(std::move(value)) {}
    Literal(std::complex<double> value) : m_value(value) {}

    const Value& value() const { return m_value; }
    bool isNone() const { return m_value.index() == 0; }

    bool operator==(const Literal& other) const;
    std::uint64_t hash() const;

private:
    Value m_value;
};

/// "none", "bool", "int", "float", "str", "bytes", "complex": what a component's ".type" says.
std::string_view kindName(const Literal& literal);

/// As Python's repr writes it: None, True, 3, 0.5, 'fast', b'raw', (1+2j).
std::string toText(const Literal& literal);

/// The literal whose trace serves `literal` under TensorFlow's rule, which is Python's equality: 1, True, 1.0
/// and 1+0j are one (the integer), 0.0 and -0.0 are one, every number with a NaN in it is one. The one place
/// that knows this rule.
Literal sharedLiteral(const Literal& literal);

/// The order in which the keys of a dict are flattened: None, then numbers by size, text, bytes; what is
/// equal there, by kind.
std::strong_ordering keyOrder(const Literal& a, const Literal& b);

/// Whether Python's < compares the two: numbers but complex ones with each other, text with text, bytes with
/// bytes.
bool areSortable(const Literal& a, const Literal& b);

} // namespace retracescope::types
