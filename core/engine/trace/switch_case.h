#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <vector>

#include <retracescope/engine/trace/control_flow.h>

namespace retracescope::trace {

/// The branch with that number, decided when the graph runs; see switchCase().
Value switchValue(const Tensor& index, std::span<const Branch> branches, Where where);

/// Branch number `index`, an integer scalar, counted from 0; the last one for every other number
/// (tf.switch_case). Inside a traced function all branches are traced and become conds that halve their
/// range, so that one of n is found by log2(n) comparisons; outside the chosen one is called.
///
///     switchCase(index, [&] { return x; }, [&] { return x * 2.0f; }, [&] { return -x; });
///
/// They return nothing or all the same type, and agree as the branches of a cond do. Throws UsageError that
/// names the first two branches that do not.
template <class First, class... More>
    requires std::invocable<First>
auto switchCase(const Operand& index, First&& first, More&&... more) {
    using Result = std::invoke_result_t<First>;
    static_assert((std::is_same_v<Result, std::invoke_result_t<More>> && ...),
                  "all branches must return the same C++ type");
    const auto branch = [](auto& one) { return Branch([&one] { return detail::valueOfCall(one); }); };
    const std::vector<Branch> branches{branch(first), branch(more)...};
    if constexpr (std::is_void_v<Result>)
        switchValue(index.tensor(), branches, index.where());
    else
        return fromValue<detail::Held<Result>>(switchValue(index.tensor(), branches, index.where()));
}

/// The same of branches whose number only the program knows; at least one.
template <class Result>
Result switchCase(const Operand& index, const std::vector<std::function<Result()>>& branches) {
    std::vector<Branch> all;
    for (const auto& one : branches)
        all.emplace_back([&one] { return detail::valueOfCall(one); });
    const Value result = switchValue(index.tensor(), all, index.where());
    if constexpr (!std::is_void_v<Result>)
        return fromValue<Result>(result);
}

} // namespace retracescope::trace
