#pragma once

#include <algorithm>
#include <vector>

#include <retracescope/engine/trace/variable.h>

namespace retracescope::nn {

using trace::Variable;

namespace detail {

inline void appendTrainable(const Variable& variable, std::vector<Variable>& all) {
    const auto isSame = [&](const Variable& one) { return one.id() == variable.id(); };
    if (variable.isTrainable() && std::ranges::none_of(all, isSame))
        all.push_back(variable);
}

template <class Part>
void appendTrainable(const Part& part, std::vector<Variable>& all) {
    if constexpr (requires { part.trainableVariables(); }) {
        for (const Variable& variable : part.trainableVariables())
            appendTrainable(variable, all);
    } else {
        for (const auto& one : part) // a list of parts
            appendTrainable(one, all);
    }
}

} // namespace detail

/// The trainable variables of all parts in order, each once. A part is a layer, a variable, anything else
/// that has trainableVariables(), or a list of parts:
///
///     struct Model {
///         nn::Dense hidden{8, {.activation = rs::relu}};
///         nn::Dense output{1};
///         rs::Tensor operator()(const rs::Tensor& x) const { return output(hidden(x)); }
///         auto trainableVariables() const { return nn::trainableVariables(hidden, output); }
///     };
///
/// Layers have their variables from their first call on.
template <class... Parts>
std::vector<Variable> trainableVariables(const Parts&... parts) {
    std::vector<Variable> all;
    (detail::appendTrainable(parts, all), ...);
    return all;
}

} // namespace retracescope::nn
