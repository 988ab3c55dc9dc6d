#pragma once

#include <retracescope/engine/autodiff/gradients.h>
#include <retracescope/engine/passes/rewrite.h>

namespace retracescope::autodiff {

/// Copies a graph (a callee's or a branch's) into one that computes the same values again and has no effect:
/// neither its own nor those of the graphs that it runs. The result knows which new node stands for which old
/// one.
passes::Rewrite withoutEffects(const ir::Graph& graph, const MakeCallee& makeCallee);

/// The same into a copy that already has nodes for some of the old ones, at least if they are inputs.
void copyWithoutEffects(passes::Rewrite& copy, const MakeCallee& makeCallee);

/// Throws UsageError "[gradients] ..." if a variable that node `inner` (a call, cond or while) reads is
/// written by it or behind it: its value would be another one when it is computed again.
void requireUnchangedSince(const ir::Graph& graph, ir::NodeId inner);

} // namespace retracescope::autodiff
