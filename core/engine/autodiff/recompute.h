#pragma once

#include <retracescope/engine/ir/graph.h>

namespace retracescope::autodiff {

/// A graph like `graph` (a callee's or a branch's) that computes its values again, without effects and
/// without outputs: what its gradient is appended to. Node ids stay. Throws UsageError "[gradient] ..." if an
/// effect cannot be left out without changing a value: a variable that is written and read afterwards, a call
/// or cond that writes.
ir::Graph copyForRecompute(const ir::Graph& graph);

/// Throws UsageError if a variable that node `inner` (a call or cond) may read is written behind it: its
/// value would be another one when it is computed again.
void requireUnchangedSince(const ir::Graph& graph, ir::NodeId inner);

} // namespace retracescope::autodiff
