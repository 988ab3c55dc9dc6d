#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <retracescope/engine/nn/activation.h>
#include <retracescope/engine/nn/initialiser.h>
#include <retracescope/engine/nn/layer_variables.h>

namespace retracescope::nn {

struct DenseOptions {
    Activation activation = {};
    bool useBias = true;
    Initialiser kernel = Initialiser::glorotUniform();
    Initialiser bias = Initialiser::zeros();
    std::string name = "dense"; ///< in messages, before the names of its variables, scope of its nodes
};

/// A fully connected layer: activation(x * kernel + bias) of x [batch, ..., features] is [batch, ..., units].
/// The first call makes kernel [features, units] and bias [units] in the input's dtype (layer_variables.h);
/// later inputs must have as many features. Copies are the same layer.
///
///     const nn::Dense hidden(8, {.activation = rs::relu});
///     hidden(x);
class Dense {
public:
    /// Throws UsageError for units below 1.
    explicit Dense(std::int64_t units, DenseOptions options = {}, Where where = Where::current());

    Tensor operator()(const Tensor& x, Where where = Where::current()) const;

    /// Kernel and bias; none before the first call.
    std::vector<Variable> trainableVariables() const { return m_variables.all(); }

private:
    std::int64_t m_units;
    DenseOptions m_options;
    LayerVariables m_variables;
};

} // namespace retracescope::nn
