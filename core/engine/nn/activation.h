#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include <retracescope/engine/trace/ops.h>

namespace retracescope::nn {

using tensor::Tensor;
using trace::Where;

/// What a layer does with its result: an op such as relu, tanh or softmax (along the last axis), any callable
/// from Tensor to Tensor, or nothing.
class Activation {
public:
    /// The result stays as it is.
    Activation() = default;
    // Ops, which are told the line of the layer's call.
    Activation(Tensor (*op)(const trace::Operand&))
        : m_function([op](const Tensor& x, Where where) { return op(trace::Operand(x, where)); }) {}
    Activation(Tensor (*op)(const Tensor&, Where)) : m_function(op) {}
    Activation(Tensor (*op)(const Tensor&, std::int64_t, Where))
        : m_function([op](const Tensor& x, Where where) { return op(x, -1, where); }) {}
    template <class F>
        requires(!std::is_same_v<F, Activation> && std::is_invocable_r_v<Tensor, const F&, const Tensor&>)
    Activation(F function) : m_function([function](const Tensor& x, Where) { return function(x); }) {}

    Tensor operator()(const Tensor& x, Where where) const { return m_function ? m_function(x, where) : x; }

private:
    std::function<Tensor(const Tensor&, Where)> m_function;
};

} // namespace retracescope::nn
