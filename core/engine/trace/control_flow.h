#pragma once

#include <concepts>
#include <functional>
#include <utility>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// One side of a cond; may return nothing.
using Branch = std::function<Value()>;

/// `then()` or `otherwise()`, decided when the graph runs: inside a traced function both are traced once, and
/// their results must agree in structure and dtype (their shapes may differ and are then unknown where they
/// do). Outside, and for a host bool, the chosen one is simply called. `predicate` is a bool scalar.
Value condValue(const Tensor& predicate, const Branch& then, const Branch& otherwise, Where where);

template <class Then, class Else>
auto cond(const Tensor& predicate, Then&& then, Else&& otherwise, Where where = Where::current()) {
    using Result = std::invoke_result_t<Then>;
    static_assert(std::is_same_v<Result, std::invoke_result_t<Else>>,
                  "both branches must return the same C++ type");
    if constexpr (std::is_void_v<Result>) {
        const auto nothing = [](auto& branch) {
            return [&branch] {
                branch();
                return Value();
            };
        };
        condValue(predicate, nothing(then), nothing(otherwise), where);
    } else {
        return fromValue<Result>(condValue(
            predicate, [&] { return Value(then()); }, [&] { return Value(otherwise()); }, where));
    }
}

template <std::same_as<bool> Bool, class Then, class Else>
auto cond(Bool predicate, Then&& then, Else&& otherwise) {
    return predicate ? then() : otherwise();
}

} // namespace retracescope::trace
