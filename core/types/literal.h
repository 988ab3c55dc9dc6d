#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace retracescope::types {

/// A host value that is part of a signature by value: none, bool, integer, floating, text or bytes
/// (tracing_semantics.md 4.4). Equal means: same kind and same bits, all NaNs being one, so that 1, true
/// and 1.0 are three literals and 0.0 is not -0.0. sharedLiteral() has TensorFlow's rule.
class Literal {
public:
    struct Bytes {
        std::string value;
        bool operator==(const Bytes&) const = default;
    };
    using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes>;

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

    const Value& value() const { return m_value; }
    bool isNone() const { return m_value.index() == 0; }

    bool operator==(const Literal& other) const;
    std::uint64_t hash() const;

private:
    Value m_value;
};

/// "none", "bool", "int", "float", "str", "bytes": what a component's ".type" says.
std::string_view kindName(const Literal& literal);

/// As the signature texts write it: None, True, 3, 0.5, 'fast', b'raw'.
std::string toText(const Literal& literal);

/// The literal whose trace serves `literal` under TensorFlow's rule: 1, True and 1.0 are one (the integer),
/// and so are 0.0 and -0.0. The one place that knows this rule (tracing_semantics.md 26).
Literal sharedLiteral(const Literal& literal);

} // namespace retracescope::types
