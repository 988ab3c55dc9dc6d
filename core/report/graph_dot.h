#pragma once

#include <string>

#include <retracescope/session/session.h>

namespace retracescope::report {

/// The graph in Graphviz's language: one node per node, scopes as clusters, control edges dashed, types on
/// edges, results as their own nodes. Every text of the session is quoted, so that any name draws.
std::string graphDot(const session::Session& session, const session::Graph& graph);

} // namespace retracescope::report
