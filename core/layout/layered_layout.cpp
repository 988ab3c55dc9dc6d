#include <retracescope/layout/layered_layout.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <retracescope/base/check.h>
#include <retracescope/layout/flat_layers.h>

namespace retracescope::layout {

namespace {

constexpr double kPadding = 16; // between a frame and what it holds
constexpr double kPortWidth = 2;

/// Part of an edge inside one level. Edges that carry the same box's value share their parts.
struct Part {
    std::size_t level = 0;
    std::uint32_t edge = 0; ///< in the level's FlatGraph
};

/// The inside of one cluster, or the whole drawing (level 0).
struct Level {
    std::int32_t parent = kNoCluster;
    FlatGraph graph;
    std::unordered_map<std::uint32_t, std::uint32_t> items;            ///< box -> item
    std::unordered_map<std::size_t, std::uint32_t> children;           ///< level -> item
    std::unordered_map<std::uint32_t, std::uint32_t> entrances, exits; ///< source box -> port item
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> edges;
    std::vector<std::uint32_t> sources; ///< per edge: the box whose value it carries
    FlatLayout layout;
    double width = 0;
    double height = 0;
    Point origin; ///< of the frame's upper left corner, absolute
    double header = 0;
    double padding = 0;
};

class LayeredLayout {
public:
    LayeredLayout(const BoxGraph& graph, const Job& job) : m_graph(graph), m_job(job) {}

    Result<GraphLayout> run() {
        makeLevels();
        for (const LayoutEdge& edge : m_graph.edges)
            m_parts.push_back(split(edge));
        // Inner levels have larger numbers: they are done, hence have a size, before the level around them.
        for (std::size_t level = m_levels.size(); level-- > 0;) {
            if (m_job.cancel.requested())
                return Error{std::string(kCancelled)};
            const Status status = layoutLevel(level);
            if (!status)
                return status.error();
        }
        placeLevels();
        return result();
    }

private:
    static std::size_t levelOf(std::int32_t cluster) { return static_cast<std::size_t>(cluster + 1); }
    std::size_t parentOf(std::size_t level) const { return levelOf(m_levels[level].parent); }

    void makeLevels();
    std::vector<Part> split(const LayoutEdge& edge);
    std::uint32_t itemIn(std::size_t level, std::uint32_t box) const;
    Part partOf(std::size_t level, std::uint32_t from, std::uint32_t to, std::uint32_t source);
    Status layoutLevel(std::size_t level);
    void attachEdges(Level& level) const;
    void placeLevels();
    GraphLayout result() const;
    Curve curveOf(const std::vector<Part>& parts) const;
    Point contentOf(const Level& level) const {
        return {level.origin.x + level.padding, level.origin.y + level.padding + level.header};
    }

    const BoxGraph& m_graph;
    const Job& m_job;
    std::vector<Level> m_levels;
    std::vector<std::vector<Part>> m_parts; // per edge
};

std::uint32_t addItem(Level& level, const FlatItem& item) {
    level.graph.items.push_back(item);
    return static_cast<std::uint32_t>(level.graph.items.size() - 1);
}

void LayeredLayout::makeLevels() {
    m_levels.resize(m_graph.clusters.size() + 1);
    for (std::size_t c = 0; c < m_graph.clusters.size(); ++c) {
        Level& level = m_levels[c + 1];
        level.parent = m_graph.clusters[c].parent;
        level.header = m_graph.clusters[c].header;
        level.padding = kPadding;
    }
    // Boxes and clusters become items in the order of the first box in them, which is the order of the
    // source.
    for (std::uint32_t box = 0; box < m_graph.boxes.size(); ++box) {
        const LayoutBox& b = m_graph.boxes[box];
        std::size_t inner = levelOf(b.cluster);
        m_levels[inner].items[box] = addItem(m_levels[inner], {b.left + b.width + b.right, b.height});
        while (inner != 0) {
            Level& around = m_levels[parentOf(inner)];
            if (around.children.contains(inner))
                break;
            around.children[inner] = addItem(around, {});
            inner = parentOf(inner);
        }
    }
}

/// The item of `level` that is, or holds, `box`.
std::uint32_t LayeredLayout::itemIn(std::size_t level, std::uint32_t box) const {
    std::size_t inner = levelOf(m_graph.boxes[box].cluster);
    if (inner == level)
        return m_levels[level].items.at(box);
    while (parentOf(inner) != level)
        inner = parentOf(inner);
    return m_levels[level].children.at(inner);
}

Part LayeredLayout::partOf(std::size_t index, std::uint32_t from, std::uint32_t to, std::uint32_t source) {
    Level& level = m_levels[index];
    const auto [it, isNew] =
        level.edges.try_emplace({source, from, to}, static_cast<std::uint32_t>(level.graph.edges.size()));
    if (isNew) {
        level.graph.edges.push_back({from, to, 0, 0});
        level.sources.push_back(source);
    }
    return {index, it->second};
}

/// Out of the source's scopes by their exits, across the level both ends share, into the target's by
/// entrances.
std::vector<Part> LayeredLayout::split(const LayoutEdge& edge) {
    const auto chain = [&](std::uint32_t box) {
        std::vector<std::size_t> levels{levelOf(m_graph.boxes[box].cluster)};
        while (levels.back() != 0)
            levels.push_back(parentOf(levels.back()));
        return levels;
    };
    std::vector<std::size_t> out = chain(edge.from);
    std::vector<std::size_t> in = chain(edge.to);
    std::size_t shared = 0;
    while (!out.empty() && !in.empty() && out.back() == in.back()) {
        shared = out.back();
        out.pop_back();
        in.pop_back();
    }
    const auto port = [&](std::unordered_map<std::uint32_t, std::uint32_t>& ports, Level& level, Pin pin) {
        const auto it = ports.find(edge.from);
        if (it != ports.end())
            return it->second;
        return ports[edge.from] = addItem(level, {kPortWidth, 0, pin});
    };
    std::vector<Part> parts;
    for (const std::size_t level : out) {
        const std::uint32_t exit = port(m_levels[level].exits, m_levels[level], Pin::Bottom);
        parts.push_back(partOf(level, itemIn(level, edge.from), exit, edge.from));
    }
    parts.push_back(partOf(shared, itemIn(shared, edge.from), itemIn(shared, edge.to), edge.from));
    for (auto it = in.rbegin(); it != in.rend(); ++it) {
        const std::uint32_t entrance = port(m_levels[*it].entrances, m_levels[*it], Pin::Top);
        parts.push_back(partOf(*it, entrance, itemIn(*it, edge.to), edge.from));
    }
    return parts;
}

/// Sets where each edge of `level` meets its ends: the middle of a box, the port of a frame.
void LayeredLayout::attachEdges(Level& level) const {
    std::vector<double> middle(level.graph.items.size(), kPortWidth / 2);
    for (const auto& [box, item] : level.items)
        middle[item] = m_graph.boxes[box].left + m_graph.boxes[box].width / 2;
    std::vector<const Level*> inside(level.graph.items.size(), nullptr);
    for (const auto& [child, item] : level.children)
        inside[item] = &m_levels[child];
    for (std::size_t e = 0; e < level.graph.edges.size(); ++e) {
        FlatEdge& edge = level.graph.edges[e];
        const std::uint32_t source = level.sources[e];
        edge.fromX = middle[edge.from];
        edge.toX = middle[edge.to];
        if (const Level* from = inside[edge.from])
            edge.fromX = from->layout.corners[from->exits.at(source)].x + kPortWidth / 2 + from->padding;
        if (const Level* to = inside[edge.to])
            edge.toX = to->layout.corners[to->entrances.at(source)].x + kPortWidth / 2 + to->padding;
    }
}

Status LayeredLayout::layoutLevel(std::size_t index) {
    Level& level = m_levels[index];
    for (const auto& [child, item] : level.children) {
        level.graph.items[item].width = m_levels[child].width;
        level.graph.items[item].height = m_levels[child].height;
    }
    attachEdges(level);
    Result<FlatLayout> flat = layoutFlat(level.graph, m_job);
    if (!flat)
        return flat.error();
    level.layout = std::move(*flat);
    const double minWidth = index == 0 ? 0 : m_graph.clusters[index - 1].minWidth;
    level.width = std::max(level.layout.width + 2 * level.padding, minWidth);
    level.height = level.layout.height + 2 * level.padding + level.header;
    return Done{};
}

void LayeredLayout::placeLevels() {
    for (std::size_t index = 1; index < m_levels.size(); ++index) {
        const Level& around = m_levels[parentOf(index)];
        const auto item = around.children.find(index);
        if (item == around.children.end())
            continue; // a frame without boxes is not drawn
        const Point content = contentOf(around);
        const Point corner = around.layout.corners[item->second];
        m_levels[index].origin = {content.x + corner.x, content.y + corner.y};
    }
}

Curve LayeredLayout::curveOf(const std::vector<Part>& parts) const {
    std::vector<Point> bends;
    for (const Part& part : parts) {
        const Point content = contentOf(m_levels[part.level]);
        for (const Point& p : m_levels[part.level].layout.paths[part.edge])
            bends.push_back({content.x + p.x, content.y + p.y});
    }
    Curve curve{bends.front()};
    for (std::size_t i = 1; i < bends.size(); ++i) {
        const Point from = curve.back();
        const Point to = bends[i];
        if (from == to)
            continue;
        const double reach = (to.y - from.y) / 2;
        curve.push_back({from.x, from.y + reach});
        curve.push_back({to.x, to.y - reach});
        curve.push_back(to);
    }
    return curve;
}

GraphLayout LayeredLayout::result() const {
    GraphLayout out;
    for (std::uint32_t box = 0; box < m_graph.boxes.size(); ++box) {
        const LayoutBox& b = m_graph.boxes[box];
        const Level& level = m_levels[levelOf(b.cluster)];
        const Point content = contentOf(level);
        const Point corner = level.layout.corners[level.items.at(box)];
        out.boxes.push_back({content.x + corner.x + b.left, content.y + corner.y, b.width, b.height});
    }
    for (std::size_t c = 0; c < m_graph.clusters.size(); ++c) {
        const Level& level = m_levels[c + 1];
        const bool drawn = !level.items.empty() || !level.children.empty();
        out.clusters.push_back(drawn ? Rect{level.origin.x, level.origin.y, level.width, level.height}
                                     : Rect{});
    }
    for (const std::vector<Part>& parts : m_parts)
        out.edges.push_back(curveOf(parts));
    out.bounds = {0, 0, m_levels[0].width, m_levels[0].height};
    return out;
}

} // namespace

Result<GraphLayout> layoutLayered(const BoxGraph& graph, const Job& job) {
    RETRACESCOPE_CHECK(isWellFormed(graph));
    return LayeredLayout(graph, job).run();
}

} // namespace retracescope::layout
