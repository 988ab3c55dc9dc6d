#pragma once

#include <retracescope/engine/ir/graph.h>

namespace retracescope::passes {

/// A check_numerics node behind every node with a floating result that has none yet, in branches, too; what
/// used the result uses the checked one. Not behind calls and control flow, whose graphs have checks of their
/// own.
ir::Graph checkNumerics(const ir::Graph& graph);

} // namespace retracescope::passes
