#pragma once

#include <string>

#include <retracescope/session/session.h>

namespace retracescope::report {

/// {"graph": {"name", "library", "nodes": [{"name", "op", "type", "device", "file", "line", "inputs":
/// [{"from", "output", "control", "type"}], "attributes": {name: value}, "calls": [{"role", "name"}]}],
/// "outputs": [{"from", "output", "type"}]}}. `from` is a node's name, or what the source wrote where it
/// leads outside.
std::string graphJson(const session::Session& session, const session::Graph& graph);

} // namespace retracescope::report
