#pragma once

#include <retracescope/engine/ir/graph.h>

namespace retracescope::passes {

/// Drops nodes that neither an output nor an effect needs; a variable's read counts as needed only if its
/// value is (features.md, row 79). Arguments and captures stay: they are the graph's interface. A graph
/// without such nodes comes back as it is.
ir::Graph removeDeadNodes(ir::Graph graph);

} // namespace retracescope::passes
