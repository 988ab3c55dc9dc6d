#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::autodiff {

/// What the gradient of one node is made from. The node's ids are of `graph`, which the rule appends to.
struct NodeGradient {
    ir::Graph& graph;
    ir::NodeId node;
    ir::NodeId gradient; ///< of the node's value
    std::vector<ir::NodeId> inputs;
};

/// The gradients of a node's inputs, kNoNode where none flows (integers, conditions, shapes). Throws
/// UsageError "[gradients]
/// ..." for an op without a rule. Not for call, cond and read_variable.
std::vector<ir::NodeId> inputGradients(const NodeGradient& of);

} // namespace retracescope::autodiff
