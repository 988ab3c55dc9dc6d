#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// An argument given by name: f(arg("steps", 10), arg("x", x)).
struct NamedArgument {
    std::string name;
    Value value;
    Where where;
};

inline NamedArgument arg(std::string name, Value value, Where where = Where::current()) {
    return {std::move(name), std::move(value), where};
}

/// An argument as a call writes it: a value, what arg() returns, or nothing. Knows the line of the call.
class Argument {
public:
    using Given = std::variant<std::monostate, Value, NamedArgument>;

    Argument() = default;
    Argument(NamedArgument named) : m_where(named.where), m_given(std::move(named)) {}
    template <class T>
        requires std::is_constructible_v<Value, const T&>
    Argument(const T& value, Where where = Where::current()) : m_where(where), m_given(Value(value)) {}

    Where where() const { return m_where; }
    const Given& given() const { return m_given; }

private:
    Where m_where;
    Given m_given;
};

/// The arguments of one call as written.
struct CallArguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    Where where;

    /// From values, what arg() returns, and Arguments.
    template <class... Given>
    static CallArguments of(const Given&... given) {
        CallArguments arguments;
        (arguments.add(given), ...);
        return arguments;
    }

    CallArguments from(Where itsPlace) && {
        where = itsPlace;
        return std::move(*this);
    }

private:
    template <class One>
    void add(const One& one) {
        if constexpr (std::is_same_v<One, NamedArgument>) {
            named.emplace_back(one.name, one.value);
            where = one.where;
        } else if constexpr (std::is_same_v<One, Argument>) {
            if (const auto* value = std::get_if<Value>(&one.given()))
                positional.push_back(*value);
            else if (const auto* byName = std::get_if<NamedArgument>(&one.given()))
                add(*byName);
        } else {
            positional.push_back(Value(one));
        }
    }
};

} // namespace retracescope::trace
