#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <retracescope/engine/nn/initialiser.h>
#include <retracescope/engine/trace/variable.h>

namespace retracescope::nn {

using trace::Variable;

struct SGDOptions {
    /// From 0 to below 1. Above 0 each variable has a velocity v: v = momentum * v - rate * gradient, and it
    /// moves by v.
    double momentum = 0;
};

/// Stochastic gradient descent: variable -= rate * gradient. Works eagerly and in traced functions. Copies
/// share the velocities.
///
///     const nn::SGD sgd(0.1);
///     rs::Function step("step", {"x", "y"}, [&](rs::Tensor x, rs::Tensor y) {
///         return sgd.minimize([&] { return nn::meanSquaredError(y, model(x)); });
///     });
class SGD {
public:
    /// A number is frozen in a trace; a variable, a scalar of the variables' dtype, may change between calls.
    /// Throws UsageError for a negative rate, or a momentum outside of 0 to below 1.
    explicit SGD(double learningRate, SGDOptions options = {}, Where where = Where::current());
    explicit SGD(const Variable& learningRate, SGDOptions options = {}, Where where = Where::current());

    /// One step. A variable whose gradient is empty stays as it is. Throws UsageError if there are not as
    /// many gradients as variables, or all of them are empty; with momentum, for a variable that is an
    /// argument of the traced function: which one it is, and so its velocity, is not known.
    void applyGradients(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
                        Where where = Where::current()) const;
    /// Computes `loss()` under a tape, and takes a step with its gradients with respect to `variables`, or to
    /// all trainable variables that it has read if none are given. Returns the loss from before the step.
    Tensor minimize(const std::function<Tensor()>& loss, const std::vector<Variable>& variables = {},
                    Where where = Where::current()) const;

    /// The velocities made so far; not trainable. None without momentum.
    std::vector<Variable> variables() const;

private:
    struct Velocities;

    Tensor rateFor(types::DType dtype, Where where) const;
    Variable velocityOf(const Variable& variable, Where where) const;
    void move(const Variable& variable, const Tensor& gradient, Where where) const;

    std::variant<double, Variable> m_rate;
    double m_momentum;
    std::shared_ptr<Velocities> m_velocities;
};

} // namespace retracescope::nn
