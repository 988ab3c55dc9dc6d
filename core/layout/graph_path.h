#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <retracescope/layout/graph_fold.h>

namespace retracescope::layout {

/// By box: the boxes that read what it makes, or whose values it reads; values shown as pills count like
/// lines.
std::vector<std::vector<std::uint32_t>> readersOf(const FoldedGraph& graph);
std::vector<std::vector<std::uint32_t>> makersOf(const FoldedGraph& graph);

/// All boxes that can be reached from `box` along `next`, itself included; by box.
std::vector<bool> reachable(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t box);

/// The ways from one box to another along the edges.
struct BoxPaths {
    std::vector<std::uint32_t> shortest; ///< boxes from the first to the last
    std::vector<bool> onAny;             ///< by box: lies on some way
    std::size_t onAnyCount = 0;
};

/// None if no way leads there.
std::optional<BoxPaths> pathsBetween(const FoldedGraph& graph, std::uint32_t from, std::uint32_t to);

} // namespace retracescope::layout
