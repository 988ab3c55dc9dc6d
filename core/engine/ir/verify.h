#pragma once

#include <optional>
#include <string>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::ir {

/// The first rule that the graph breaks, in words, or none: inputs stand before their users and have a value,
/// types are what the op table infers, attributes are the op's own, results follow their call, table rows
/// exist, effects are marked, outputs have values.
std::optional<std::string> findFault(const Graph& graph);

/// CHECKs that there is none.
void verify(const Graph& graph);

} // namespace retracescope::ir
