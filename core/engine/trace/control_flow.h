#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// One side of a cond; may return nothing.
using Branch = std::function<Value()>;

namespace detail {

/// What a branch or body returns: None for void, a host number as a tensor.
template <class Callable, class... Arguments>
Value valueOfCall(Callable&& callable, Arguments&&... arguments) {
    using Result = std::invoke_result_t<Callable, Arguments...>;
    if constexpr (std::is_void_v<Result>) {
        callable(arguments...);
        return {};
    } else if constexpr (std::is_arithmetic_v<Result>) {
        return Value(constant(callable(arguments...)));
    } else {
        return Value(callable(arguments...));
    }
}

} // namespace detail

/// How messages about a cond speak of it.
struct CondWords {
    std::string op = "cond";
    std::string then = "the then branch";
    std::string otherwise = "the else branch";
    /// It stands for its effects: one that returns nothing, assigns no Local and has no effect is refused.
    bool isStatement = false;
};

/// `then()` or `otherwise()`, decided when the graph runs: inside a traced function both are traced once, and
/// what they return and the locals (local.h) that they assign must agree in structure and dtype (their shapes
/// may differ and are then unknown where they do). Outside, and for a host bool, the chosen one is simply
/// called. `predicate` is a bool scalar. Throws UsageError that names branch and value.
Value condValue(const Tensor& predicate, const Branch& then, const Branch& otherwise, Where where,
                const CondWords& words = {});

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
