#pragma once

#include <retracescope/base/result.h>
#include <retracescope/layout/graph_layout.h>

namespace retracescope::layout {

/// Runs Graphviz's dot in this process and on this thread. Not thread-safe, not cancellable, deep recursion.
Result<GraphLayout> drawWithDot(const BoxGraph& graph);

} // namespace retracescope::layout
