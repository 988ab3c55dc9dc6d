#pragma once

#include <cstdint>
#include <vector>

/// Geometry without a toolkit: what a graph layout is asked for, and what it answers. Pixels at 100 %, y
/// downwards.
namespace retracescope::layout {

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

struct Rect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
    Point centre() const { return {x + width / 2, y + height / 2}; }
    bool contains(const Point& p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
    bool intersects(const Rect& o) const {
        return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
    }
    bool operator==(const Rect&) const = default;
};

inline constexpr std::int32_t kNoCluster = -1;

/// A box to place. `left` and `right` keep room beside it, for pills.
struct LayoutBox {
    double width = 0;
    double height = 0;
    double left = 0;
    double right = 0;
    std::int32_t cluster = kNoCluster;
};

struct LayoutEdge {
    std::uint32_t from = 0; ///< box
    std::uint32_t to = 0;   ///< another box
};

/// A frame around boxes and other clusters, with a title line of `header` pixels that needs `minWidth`.
struct LayoutCluster {
    std::int32_t parent = kNoCluster; ///< a cluster with a smaller number
    double header = 0;
    double minWidth = 0;
};

struct BoxGraph {
    std::vector<LayoutBox> boxes;
    std::vector<LayoutEdge> edges;
    std::vector<LayoutCluster> clusters;
};

/// True if every number refers to something, sizes are finite and clusters come after their parents.
bool isWellFormed(const BoxGraph& graph);

/// A chain of cubic Bezier curves: point, then (control, control, point) per curve. Starts at the bottom of
/// the edge's source, ends at the top of its target.
using Curve = std::vector<Point>;

struct GraphLayout {
    std::vector<Rect> boxes; ///< without the room for pills
    std::vector<Curve> edges;
    std::vector<Rect> clusters;
    Rect bounds; ///< of everything, pills included; starts at 0, 0

    bool operator==(const GraphLayout&) const = default;
};

} // namespace retracescope::layout
