#pragma once

#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::ir {
class Graph;
}

namespace retracescope::record {

/// A graph of the engine and those that its nodes run, as sessions hold them: the first is the one asked for.
/// Texts are in a pool of their own and callees' ids are rows of `graphs`.
struct EngineGraphs {
    session::StringPool strings;
    std::vector<session::Graph> graphs;
};

EngineGraphs convertGraph(const ir::Graph& graph);

} // namespace retracescope::record
