#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/autodiff/gradient_flow.h>
#include <retracescope/engine/autodiff/gradients.h>

namespace retracescope::autodiff {

/// Appends what computes the gradients of `targets` (targetsOf() the while node `loop`), one node per target,
/// of the type of what it stands for. `resultGradients` has one per result of the loop, kNoNode where none
/// flows.
///
/// Two loops: the first runs the loop again, effects left out, counts its trips and keeps in lists what the
/// gradient of a trip needs of the values before it; the second goes through the trips from the last to the
/// first and computes each again for its gradient. What is the same in every trip gets the sum over all
/// trips. Both are plain while nodes, so that they nest and have gradients themselves.
std::vector<ir::NodeId> loopGradients(ir::Graph& graph, ir::NodeId loop,
                                      std::span<const ir::NodeId> resultGradients,
                                      std::span<const Target> targets, const MakeCallee& makeCallee);

} // namespace retracescope::autodiff
