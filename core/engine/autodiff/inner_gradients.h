#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <retracescope/engine/autodiff/forward_backward.h>
#include <retracescope/engine/autodiff/gradient_flow.h>

namespace retracescope::autodiff {

/// What computes the gradient of a call, cond or while: a call in the node's place that returns, behind its
/// results, what the gradient needs of it, and a call that takes that. Made of the node, and added to no
/// graph yet.
struct InnerGradient {
    std::shared_ptr<const ir::Callee> forward; ///< null if the node returns all that is needed
    /// Takes the gradients of the node's results `seeded`, each of the type of its result, then `saved`.
    std::shared_ptr<const ir::Callee> backward;
    std::vector<std::size_t> seeded;
    std::vector<Saved> saved; ///< of the node's inputs, and its results with those of `forward` behind them
    std::vector<std::optional<std::size_t>> gradientOf; ///< by target: which result of `backward`, if any
};

/// Of a call, by its callee's ops.
InnerGradient callGradient(const ir::Graph& graph, ir::NodeId node, const std::vector<bool>& isSeeded,
                           std::span<const Target> targets, const MakeCallee& makeCallee);
/// Of a cond: a cond of the gradients of its branches. What those need is kept in one list, which the branch
/// that was taken fills.
InnerGradient condGradient(const ir::Graph& graph, ir::NodeId node, const std::vector<bool>& isSeeded,
                           std::span<const Target> targets, const MakeCallee& makeCallee);

/// The gradients through a call, cond or while node of `graph` from its results that are `isSeeded` to
/// `targets`: one, or two where only some of the results have a gradient of the node's own. Puts what they
/// need into the node's place, so that `forward` is null in all of them. Asked again for the same, gives the
/// same.
std::vector<std::shared_ptr<const InnerGradient>> gradientsThrough(ir::Graph& graph, ir::NodeId node,
                                                                   const std::vector<bool>& isSeeded,
                                                                   std::span<const Target> targets,
                                                                   const MakeCallee& makeCallee);

/// By result of a node: its type if it is seeded, else None.
std::vector<types::TensorTypeId> seedTypes(const ir::Graph& graph, ir::NodeId node,
                                           const std::vector<bool>& isSeeded);

/// The gradients of an inner graph's targets in a copy of it.
struct Differentiated {
    ir::Graph whole;
    ir::NodeId count = 0;              ///< nodes from here on compute gradients
    std::vector<ir::NodeId> seeds;     ///< by output, kNoNode if it has none
    std::vector<ir::NodeId> gradients; ///< by target, kNoNode if nothing leads there
    std::vector<ir::NodeId> insideOf;  ///< by target: its node
};

/// `seedTypes` is by output, None for those that are not seeded.
Differentiated differentiate(const ir::Graph& inner, std::span<const types::TensorTypeId> seedTypes,
                             std::span<const Target> targets, const MakeCallee& makeCallee);

} // namespace retracescope::autodiff
