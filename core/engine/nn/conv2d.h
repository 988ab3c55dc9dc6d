#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <retracescope/engine/nn/activation.h>
#include <retracescope/engine/nn/initialiser.h>
#include <retracescope/engine/nn/layer_variables.h>
#include <retracescope/engine/trace/neural_ops.h>

namespace retracescope::nn {

/// Height and width of a filter: 3 is 3 x 3.
struct KernelSize {
    KernelSize(std::int64_t both) : height(both), width(both) {}
    KernelSize(std::int64_t itsHeight, std::int64_t itsWidth) : height(itsHeight), width(itsWidth) {}

    std::int64_t height;
    std::int64_t width;
};

struct Conv2DOptions {
    trace::Window window = {}; ///< strides, edges (Valid or Same) and dilation
    Activation activation = {};
    bool useBias = true;
    Initialiser kernel = Initialiser::glorotUniform();
    Initialiser bias = Initialiser::zeros();
    std::string name = "conv2d"; ///< in messages, before the names of its variables, scope of its nodes
};

/// A convolution over images: of x [batch, height, width, channels] it is [batch, ..., ..., filters]. The
/// first call makes kernel [height, width, channels, filters] and bias [filters] in the input's dtype
/// (layer_variables.h); later inputs must have as many channels. Copies are the same layer.
///
///     const nn::Conv2D edges(16, 3, {.window = {.edges = rs::WindowEdges::Same}, .activation = rs::relu});
class Conv2D {
public:
    /// Throws UsageError for filters or kernel sizes below 1.
    Conv2D(std::int64_t filters, KernelSize kernelSize, Conv2DOptions options = {},
           Where where = Where::current());

    Tensor operator()(const Tensor& x, Where where = Where::current()) const;

    /// Kernel and bias; none before the first call.
    std::vector<Variable> trainableVariables() const { return m_variables.all(); }

private:
    std::int64_t m_filters;
    KernelSize m_kernelSize;
    Conv2DOptions m_options;
    LayerVariables m_variables;
};

} // namespace retracescope::nn
