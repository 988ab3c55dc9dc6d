#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/autodiff/inner_gradients.h>

namespace retracescope::autodiff {

/// Of a while, by its body's ops.
///
/// Two loops. The one in the place of the node counts its trips and keeps, in lists with an element per trip,
/// what the gradient of a trip needs of it; effects and reads of variables happen there, once. The other one
/// goes through the trips from the last to the first; what is cheap (Again::Cheap) it computes again. What is
/// the same in every trip gets the sum over all trips. Both are plain while nodes, so that they nest and have
/// gradients themselves.
InnerGradient loopGradient(const ir::Graph& graph, ir::NodeId loop, const std::vector<bool>& isSeeded,
                           std::span<const Target> targets, const MakeCallee& makeCallee);

} // namespace retracescope::autodiff
