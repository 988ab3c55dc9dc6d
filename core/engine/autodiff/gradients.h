#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::autodiff {

/// Makes what a call node of a gradient runs out of a graph; runtime::Executable::compile is one.
using MakeCallee = std::function<std::shared_ptr<const ir::Callee>(ir::Graph)>;

/// Appends to `graph` the nodes that compute the gradient of the sum of all elements of `outputs`, each
/// weighed with its node of `outputGradients` (kNoNode = ones), with respect to each node of `wrt`: reverse
/// mode, from the graph to the same graph, so that a gradient can be differentiated again. A node of `wrt`
/// that is the handle of a variable stands for what the variable holds wherever the graph reads it. One node
/// per `wrt`, of its type (of a variable: what it holds); kNoNode if no path of floating values leads from it
/// to an output.
///
/// Only floating values carry gradients. At ties, maximum and reduce_max follow TensorFlow: maximum and
/// minimum give all to the first input, reduce_max shares equally; relu and abs have gradient 0 at 0.
///
/// A call, cond or while that gradients go through is replaced by a call that returns what they need of it
/// behind its results (Graph::replaceByCall), so that nothing is computed twice, effects happen once, and
/// what was read of a variable is kept, whatever is assigned to it before the gradient is taken.
/// Throws UsageError for an op without a gradient.
std::vector<ir::NodeId> appendGradients(ir::Graph& graph, std::span<const ir::NodeId> outputs,
                                        std::span<const ir::NodeId> outputGradients,
                                        std::span<const ir::NodeId> wrt, const MakeCallee& makeCallee);

/// What is said where a gradient would have to go through a call of the program's own code.
std::string hostCallRefusal(std::string_view function);

} // namespace retracescope::autodiff
