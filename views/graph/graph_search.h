#pragma once

#include <string>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// Rows of the nodes that fit `query`, ascending. Words all have to fit: plain ones are looked for in the
/// name, `op:`, `shape:` and `file:` in that fact; upper and lower case are the same. An empty query finds
/// nothing.
std::vector<std::uint32_t> findNodes(const session::Session& session, const session::Graph& graph,
                                     const std::string& query);

} // namespace retracescope::views
