#pragma once

#include <cmath>
#include <random>
#include <sstream>

#include <QString>

#include <retracescope/layout/graph_layout.h>

namespace retracescope::test {

/// Boxes of different widths and the edges "0>1 1>2".
inline layout::BoxGraph boxes(const std::string& edges) {
    layout::BoxGraph graph;
    std::istringstream words(edges);
    std::uint32_t last = 0;
    for (std::string word; words >> word;) {
        const auto split = word.find('>');
        layout::LayoutEdge edge{static_cast<std::uint32_t>(std::stoi(word.substr(0, split))),
                                static_cast<std::uint32_t>(std::stoi(word.substr(split + 1)))};
        last = std::max({last, edge.from, edge.to});
        graph.edges.push_back(edge);
    }
    for (std::uint32_t i = 0; i <= last; ++i)
        graph.boxes.push_back({80.0 + 14 * (i % 5), 38, 0, 0, layout::kNoCluster});
    return graph;
}

/// Acyclic, with some long edges, pills and nested frames (none for even seeds).
inline layout::BoxGraph randomGraph(unsigned seed, unsigned count) {
    std::mt19937 random(seed);
    layout::BoxGraph graph;
    if (seed % 2 == 1) {
        for (int c = 0; c < 8; ++c)
            graph.clusters.push_back({c < 3 ? layout::kNoCluster : static_cast<int>(random() % 3), 22, 50});
    }
    for (unsigned i = 0; i < count; ++i) {
        layout::LayoutBox box{60.0 + static_cast<double>(random() % 100), 38, 0, 0, layout::kNoCluster};
        box.left = random() % 4 == 0 ? 70 : 0;
        if (!graph.clusters.empty())
            box.cluster = static_cast<int>(random() % 9) - 1;
        graph.boxes.push_back(box);
        for (unsigned e = 0; i > 0 && e < 1 + random() % 2; ++e) {
            const unsigned reach = random() % 8 == 0 ? i : std::min(i, 6u);
            graph.edges.push_back({i - 1 - static_cast<unsigned>(random() % reach), i});
        }
    }
    return graph;
}

inline bool isInside(const layout::Rect& inner, const layout::Rect& outer) {
    constexpr double kSlack = 0.5;
    return inner.x >= outer.x - kSlack && inner.y >= outer.y - kSlack &&
           inner.right() <= outer.right() + kSlack && inner.bottom() <= outer.bottom() + kSlack;
}

inline layout::Point onCurve(const layout::Curve& c, std::size_t piece, double t) {
    const double s = 1 - t;
    const auto mix = [&](double a, double b, double d, double e) {
        return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * d + t * t * t * e;
    };
    const layout::Point* p = &c[3 * piece];
    return {mix(p[0].x, p[1].x, p[2].x, p[3].x), mix(p[0].y, p[1].y, p[2].y, p[3].y)};
}

/// True if edge `e` runs through the inside of a box.
inline bool crossesABox(const layout::BoxGraph& graph, const layout::GraphLayout& drawn, std::size_t e) {
    (void)graph;
    for (std::size_t piece = 0; 3 * piece + 3 < drawn.edges[e].size(); ++piece) {
        for (int step = 0; step <= 20; ++step) {
            const layout::Point p = onCurve(drawn.edges[e], piece, step / 20.0);
            for (const layout::Rect& box : drawn.boxes) {
                const layout::Rect core{box.x + 1, box.y + 1, box.width - 2, box.height - 2};
                if (core.contains(p))
                    return true;
            }
        }
    }
    return false;
}

enum class Direction { Down, Any };

/// The first rule that a drawing breaks, in words; empty if it keeps all.
inline QString faults(const layout::BoxGraph& graph, const layout::GraphLayout& drawn,
                      Direction direction = Direction::Down) {
    const auto withPills = [&](std::size_t b) {
        layout::Rect r = drawn.boxes[b];
        r.x -= graph.boxes[b].left;
        r.width += graph.boxes[b].left + graph.boxes[b].right;
        return r;
    };
    const auto holds = [&](std::int32_t outer, std::int32_t inner) {
        while (inner != layout::kNoCluster && inner != outer)
            inner = graph.clusters[static_cast<std::size_t>(inner)].parent;
        return inner == outer;
    };
    if (drawn.boxes.size() != graph.boxes.size() || drawn.edges.size() != graph.edges.size() ||
        drawn.clusters.size() != graph.clusters.size())
        return QStringLiteral("counts differ");
    for (std::size_t a = 0; a < graph.boxes.size(); ++a) {
        if (std::abs(drawn.boxes[a].width - graph.boxes[a].width) > 0.01)
            return QStringLiteral("box %1 has another size").arg(a);
        if (!isInside(withPills(a), drawn.bounds))
            return QStringLiteral("box %1 is outside the picture").arg(a);
        for (std::size_t b = a + 1; b < graph.boxes.size(); ++b) {
            if (withPills(a).intersects(withPills(b)))
                return QStringLiteral("boxes %1 and %2 overlap").arg(a).arg(b);
        }
        for (std::size_t c = 0; c < graph.clusters.size(); ++c) {
            const bool inside = holds(static_cast<std::int32_t>(c), graph.boxes[a].cluster);
            if (inside && !isInside(withPills(a), drawn.clusters[c]))
                return QStringLiteral("box %1 sticks out of its frame %2").arg(a).arg(c);
            if (!inside && withPills(a).intersects(drawn.clusters[c]))
                return QStringLiteral("box %1 is in the foreign frame %2").arg(a).arg(c);
        }
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const layout::Curve& curve = drawn.edges[e];
        const layout::Rect& from = drawn.boxes[graph.edges[e].from];
        const layout::Rect& to = drawn.boxes[graph.edges[e].to];
        if (curve.size() % 3 != 1 || curve.size() < 4)
            return QStringLiteral("edge %1 is no chain of curves").arg(e);
        if (std::abs(curve.front().y - from.bottom()) > 1.5 || std::abs(curve.back().y - to.y) > 1.5 ||
            std::abs(curve.front().x - from.centre().x) > 1.5 ||
            std::abs(curve.back().x - to.centre().x) > 1.5)
            return QStringLiteral("edge %1 misses its ends").arg(e);
        for (std::size_t i = 3; direction == Direction::Down && i < curve.size(); i += 3) {
            if (curve[i].y < curve[i - 3].y - 0.5)
                return QStringLiteral("edge %1 goes up").arg(e);
        }
    }
    return {};
}

} // namespace retracescope::test
