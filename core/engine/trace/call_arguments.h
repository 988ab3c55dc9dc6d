#pragma once

#include <string>
#include <type_traits>
#include <utility>
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

/// The arguments of one call as written.
struct CallArguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    Where where;

    /// From values and what arg() returns.
    template <class... Given>
    static CallArguments of(const Given&... given) {
        CallArguments arguments;
        (arguments.add(given), ...);
        return arguments;
    }

private:
    template <class One>
    void add(const One& one) {
        if constexpr (std::is_same_v<One, NamedArgument>) {
            named.emplace_back(one.name, one.value);
            where = one.where;
        } else {
            positional.push_back(Value(one));
        }
    }
};

} // namespace retracescope::trace
