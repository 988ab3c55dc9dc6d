#include <retracescope/layout/graph_path.h>

#include <algorithm>

namespace retracescope::layout {

namespace {

/// Calls `link(maker, reader)` for every pair of boxes.
void forEachLink(const FoldedGraph& graph, const auto& link) {
    for (const FoldedEdge& edge : graph.edges)
        link(edge.from, edge.to);
    for (std::uint32_t box = 0; box < graph.boxes.size(); ++box) {
        for (const Pill& pill : graph.boxes[box].left) {
            for (const std::uint32_t node : pill.nodes) {
                if (graph.boxOfNode[node] != kNoBox)
                    link(graph.boxOfNode[node], box);
            }
        }
    }
}

} // namespace

std::vector<std::vector<std::uint32_t>> readersOf(const FoldedGraph& graph) {
    std::vector<std::vector<std::uint32_t>> next(graph.boxes.size());
    forEachLink(graph, [&](std::uint32_t maker, std::uint32_t reader) { next[maker].push_back(reader); });
    return next;
}

std::vector<std::vector<std::uint32_t>> makersOf(const FoldedGraph& graph) {
    std::vector<std::vector<std::uint32_t>> next(graph.boxes.size());
    forEachLink(graph, [&](std::uint32_t maker, std::uint32_t reader) { next[reader].push_back(maker); });
    return next;
}

std::vector<bool> reachable(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t box) {
    std::vector<bool> seen(next.size());
    std::vector<std::uint32_t> open{box};
    while (!open.empty()) {
        const std::uint32_t present = open.back();
        open.pop_back();
        if (seen[present])
            continue;
        seen[present] = true;
        open.insert(open.end(), next[present].begin(), next[present].end());
    }
    return seen;
}

std::optional<BoxPaths> pathsBetween(const FoldedGraph& graph, std::uint32_t from, std::uint32_t to) {
    const auto readers = readersOf(graph);
    std::vector<std::uint32_t> cameFrom(graph.boxes.size(), kNoBox);
    std::vector<std::uint32_t> open{from};
    cameFrom[from] = from;
    for (std::size_t at = 0; at < open.size() && cameFrom[to] == kNoBox; ++at) {
        for (const std::uint32_t next : readers[open[at]]) {
            if (cameFrom[next] != kNoBox)
                continue;
            cameFrom[next] = open[at];
            open.push_back(next);
        }
    }
    if (cameFrom[to] == kNoBox)
        return std::nullopt;
    BoxPaths paths;
    for (std::uint32_t box = to; box != from; box = cameFrom[box])
        paths.shortest.push_back(box);
    paths.shortest.push_back(from);
    std::ranges::reverse(paths.shortest);
    const std::vector<bool> after = reachable(readers, from);
    const std::vector<bool> before = reachable(makersOf(graph), to);
    paths.onAny.resize(graph.boxes.size());
    for (std::size_t box = 0; box < paths.onAny.size(); ++box)
        paths.onAny[box] = after[box] && before[box];
    paths.onAnyCount = static_cast<std::size_t>(std::ranges::count(paths.onAny, true));
    return paths;
}

} // namespace retracescope::layout
