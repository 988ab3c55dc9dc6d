#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/layout/graph_layout.h>

/// Layered drawing of one level: ranks by longest path, order by barycentre sweeps, coordinates by isotonic
/// regression. The compound layout (layered_layout.h) calls it once per open scope.
namespace retracescope::layout {

enum class Pin : std::uint8_t { None, Top, Bottom };

struct FlatItem {
    double width = 0;
    double height = 0;
    Pin pin = Pin::None; ///< Top: entrance of the level, Bottom: exit; both of no height
};

struct FlatEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double fromX = 0; ///< where it leaves, from the left side of `from`
    double toX = 0;
};

struct FlatGraph {
    std::vector<FlatItem> items;
    std::vector<FlatEdge> edges;
};

struct FlatLayout {
    std::vector<Point> corners;            ///< upper left, per item
    std::vector<std::vector<Point>> paths; ///< per edge, from its source's bottom to its target's top
    double width = 0;
    double height = 0;
};

/// Deterministic; equal input gives equal output. Edges that close a cycle are led back up beside their ends.
/// The only error is that `job` was cancelled.
Result<FlatLayout> layoutFlat(const FlatGraph& graph, const Job& job);

} // namespace retracescope::layout
