#pragma once

#include <optional>
#include <vector>

#include <retracescope/engine/autodiff/gradients.h>

namespace retracescope::autodiff {

/// Where a value comes from that a backward graph takes.
struct Saved {
    enum class From : std::uint8_t {
        Input,  ///< of the forward graph, by place
        Result, ///< of the forward graph, by place
    };
    From from = From::Input;
    std::size_t place = 0;
};

/// A graph and its gradient, so that the second computes nothing again: the first returns, behind the
/// outputs, the values in between that the second needs.
struct ForwardBackward {
    ir::Graph forward;
    /// Takes the gradients of the outputs `seeded`, then `saved`. What the forward graph captures, it
    /// captures itself.
    ir::Graph backward;
    std::vector<std::size_t> seeded;
    std::vector<Saved> saved;
    /// By input of `forward`, then by capture of it, those of graphs that it runs included (or as split() was
    /// given them): which output of `backward` is the gradient, if any is.
    std::vector<std::optional<std::size_t>> gradientOf;
};

/// Splits a graph whose nodes from `count` on compute gradients: `seeds` are the gradients of `outputs`,
/// inputs of the graph from `count` on (kNoNode: not seeded). Inputs from `count` on that are no seeds belong
/// to both graphs.
ForwardBackward split(const ir::Graph& graph, ir::NodeId count, std::span<const ir::NodeId> outputs,
                      std::span<const ir::NodeId> seeds, std::span<const ir::NodeId> gradients);

/// The gradient for a call of `graphs.forward`, whose first `results` outputs it belongs to; `gradientsOf`
/// are the inputs whose gradients `graphs.backward` returns.
ir::OwnGradient ownGradientFrom(const ForwardBackward& graphs, std::size_t results,
                                std::vector<std::size_t> gradientsOf);

/// The graph and its gradient with respect to all floating inputs and captures, and variables by their
/// handles. Effects happen in the forward graph, once; what it reads of variables is kept. Reads before and
/// after an assignment in the graph both count, as in TensorFlow.
///
/// Throws UsageError for an op without a gradient.
ForwardBackward forwardBackward(const ir::Graph& graph, const MakeCallee& makeCallee);

} // namespace retracescope::autodiff
