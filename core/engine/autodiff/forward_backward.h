#pragma once

#include <optional>
#include <vector>

#include <retracescope/engine/autodiff/gradients.h>

namespace retracescope::autodiff {

/// Where a value comes from that a backward graph takes.
struct Saved {
    enum class From : std::uint8_t {
        Input,   ///< of the forward graph, by place
        Capture, ///< of the forward graph, by place
        Result,  ///< of the forward graph, by place
    };
    From from = From::Input;
    std::size_t place = 0;
};

/// A graph and its gradient, so that the second computes nothing again: the first returns, behind the
/// outputs, the values in between that the second needs.
struct ForwardBackward {
    ir::Graph forward;
    /// Takes the gradients of the outputs `seeded`, then `saved`.
    ir::Graph backward;
    std::vector<std::size_t> seeded;
    std::vector<Saved> saved;
    /// By input of `forward`, then by capture of it: which output of `backward` is the gradient, if any is.
    std::vector<std::optional<std::size_t>> gradientOf;
};

/// Splits a graph whose nodes from `count` on compute gradients: `seeds` are the gradients of `outputs`,
/// inputs of the graph from `count` on (kNoNode: not seeded); `gradients` are by input and capture before
/// `count`.
ForwardBackward split(const ir::Graph& graph, ir::NodeId count, std::span<const ir::NodeId> outputs,
                      std::span<const ir::NodeId> seeds, std::span<const ir::NodeId> gradients);

/// The graph and its gradient with respect to all floating inputs and captures, and variables by their
/// handles. Calls are put in place of what they call. Empty for a graph with a cond or a while in it: these
/// are computed again for their gradients, when a variable may hold another value. And for one with a host
/// call, which has no gradient, though perhaps none is asked for.
///
/// Reads of a variable before and after an assignment in the graph both count, as in TensorFlow: what was
/// read is kept. Throws UsageError for an op without a gradient.
std::optional<ForwardBackward> forwardBackward(const ir::Graph& graph, const MakeCallee& makeCallee);

} // namespace retracescope::autodiff
