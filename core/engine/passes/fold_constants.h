#pragma once

#include <functional>
#include <optional>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::passes {

/// Runs one op without effects on eager tensors; none if it fails, which is then left for the run.
using Evaluate =
    std::function<std::optional<tensor::Tensor>(ir::Op, std::span<const tensor::Tensor>, ir::AttributeView)>;

/// Replaces nodes whose value follows from constants (or, for shape_of, ones_like and zeros_like, from types)
/// by that value, where it takes at most 64 KiB. A graph without such nodes comes back as it is.
ir::Graph foldConstants(ir::Graph graph, const Evaluate& evaluate);

} // namespace retracescope::passes
