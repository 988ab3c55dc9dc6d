#include <retracescope/layout/graph_layout.h>

#include <algorithm>
#include <cmath>

namespace retracescope::layout {

namespace {

bool isSize(double value) {
    return std::isfinite(value) && value >= 0 && value < 1e6;
}

} // namespace

bool isWellFormed(const BoxGraph& graph) {
    const auto clusterExists = [&](std::int32_t cluster, std::size_t limit) {
        return cluster >= kNoCluster && cluster < static_cast<std::int32_t>(limit);
    };
    for (std::size_t c = 0; c < graph.clusters.size(); ++c) {
        const LayoutCluster& cluster = graph.clusters[c];
        if (!clusterExists(cluster.parent, c) || !isSize(cluster.header) || !isSize(cluster.minWidth))
            return false;
    }
    for (const LayoutBox& box : graph.boxes) {
        if (!isSize(box.width) || !isSize(box.height) || !isSize(box.left) || !isSize(box.right) ||
            !clusterExists(box.cluster, graph.clusters.size()))
            return false;
    }
    return std::ranges::all_of(graph.edges, [&](const LayoutEdge& edge) {
        return edge.from < graph.boxes.size() && edge.to < graph.boxes.size() && edge.from != edge.to;
    });
}

} // namespace retracescope::layout
