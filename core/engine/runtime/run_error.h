#pragma once

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/graph.h>

namespace retracescope::runtime {

/// A mistake that only the run of a graph could see. Its message names the user's line that made the node
/// and, behind it, the functions that called that node's.
class RunError : public UsageError {
public:
    using UsageError::UsageError;
};

/// What a node threw, with its line.
[[noreturn]] void throwAtNode(const ir::Graph& graph, ir::NodeId node, const UsageError& error);

/// What came out of the graphs that a node runs, with the function it stands in if it is a call.
[[noreturn]] void throwThroughNode(const ir::Graph& graph, ir::NodeId node, const RunError& error);

} // namespace retracescope::runtime
