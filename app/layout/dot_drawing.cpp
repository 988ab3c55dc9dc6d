#include "app/layout/dot_drawing.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gvc.h>

extern "C" {
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
}

namespace retracescope::layout {

namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMargin = 8;             // around the drawing
constexpr double kFontSizeOfHeader = 0.6; // dot adds line spacing and a margin
constexpr double kWidthOfX = 0.5;         // of the font size, in dot's built-in Times metrics

/// The caller's strings are copied by cgraph, which asks for char* all the same.
char* text(const char* constant) {
    return const_cast<char*>(constant);
}

void set(void* object, const char* name, const std::string& value) {
    agsafeset(object, text(name), text(value.c_str()), text(""));
}

std::string inches(double pixels) {
    return fmt::format("{:.6f}", pixels / kPointsPerInch);
}

class DotDrawing {
public:
    explicit DotDrawing(const BoxGraph& graph) : m_graph(graph) {}

    Result<GraphLayout> run() {
        lt_symlist_t builtIn[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                                  {nullptr, nullptr}};
        GVC_t* context = gvContextPlugins(builtIn, 0);
        build();
        if (gvLayout(context, m_root, "dot") != 0)
            return Error{"dot could not lay out the graph"};
        return read();
    }

private:
    void build() {
        m_root = agopen(text("g"), Agdirected, nullptr);
        set(m_root, "rankdir", "TB");
        set(m_root, "nodesep", inches(24));
        set(m_root, "ranksep", inches(30));
        // Bounds on the network simplex: 107 s -> 2.4 s on 1000 boxes with long edges.
        set(m_root, "nslimit", "2");
        set(m_root, "nslimit1", "2");
        set(m_root, "mclimit", "1");
        agattr(m_root, AGNODE, text("shape"), text("box"));
        agattr(m_root, AGNODE, text("fixedsize"), text("true"));
        agattr(m_root, AGNODE, text("label"), text(""));
        agattr(m_root, AGNODE, text("width"), text("1"));
        agattr(m_root, AGNODE, text("height"), text("1"));
        agattr(m_root, AGEDGE, text("tailport"), text("s"));
        agattr(m_root, AGEDGE, text("headport"), text("n"));
        agattr(m_root, AGEDGE, text("dir"), text("none"));
        for (std::size_t c = 0; c < m_graph.clusters.size(); ++c)
            addCluster(c);
        for (std::size_t b = 0; b < m_graph.boxes.size(); ++b)
            addBox(b);
        for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
            const LayoutEdge& edge = m_graph.edges[e];
            m_edges.push_back(
                agedge(m_root, m_nodes[edge.from], m_nodes[edge.to], text(std::to_string(e).c_str()), 1));
        }
    }

    void addCluster(std::size_t c) {
        const LayoutCluster& cluster = m_graph.clusters[c];
        Agraph_t* around =
            cluster.parent == kNoCluster ? m_root : m_clusters[static_cast<std::size_t>(cluster.parent)];
        Agraph_t* sub = agsubg(around, text(fmt::format("cluster_{}", c).c_str()), 1);
        set(sub, "margin", "14");
        set(sub, "labeljust", "l");
        set(sub, "fontsize", fmt::format("{:.1f}", cluster.header * kFontSizeOfHeader));
        // Nobody draws this label: it only makes dot keep room for the caller's title.
        const double letter = cluster.header * kFontSizeOfHeader * kWidthOfX;
        const auto letters = letter > 0 ? static_cast<std::size_t>(cluster.minWidth / letter) : 0;
        set(sub, "label", std::string(std::min<std::size_t>(letters + 1, 400), 'x'));
        m_clusters.push_back(sub);
    }

    /// Pill room is kept on both sides alike, so that edges, which meet a node in its middle, meet the box.
    void addBox(std::size_t b) {
        const LayoutBox& box = m_graph.boxes[b];
        Agraph_t* around =
            box.cluster == kNoCluster ? m_root : m_clusters[static_cast<std::size_t>(box.cluster)];
        Agnode_t* node = agnode(around, text(std::to_string(b).c_str()), 1);
        set(node, "width", inches(box.width + 2 * std::max(box.left, box.right)));
        set(node, "height", inches(box.height));
        m_nodes.push_back(node);
    }

    GraphLayout read() const {
        const boxf all = GD_bb(m_root);
        const auto toPoint = [&](const pointf& p) {
            return Point{p.x - all.LL.x + kMargin, all.UR.y - p.y + kMargin};
        };
        GraphLayout out;
        out.bounds = {0, 0, all.UR.x - all.LL.x + 2 * kMargin, all.UR.y - all.LL.y + 2 * kMargin};
        for (std::size_t b = 0; b < m_graph.boxes.size(); ++b) {
            const LayoutBox& box = m_graph.boxes[b];
            const Point middle = toPoint(ND_coord(m_nodes[b]));
            out.boxes.push_back({middle.x - box.width / 2, middle.y - box.height / 2, box.width, box.height});
        }
        for (Agraph_t* cluster : m_clusters) {
            const boxf frame = GD_bb(cluster);
            const Point corner = toPoint({frame.LL.x, frame.UR.y});
            const bool drawn = agnnodes(cluster) > 0;
            out.clusters.push_back(
                drawn ? Rect{corner.x, corner.y, frame.UR.x - frame.LL.x, frame.UR.y - frame.LL.y} : Rect{});
        }
        for (std::size_t e = 0; e < m_edges.size(); ++e)
            out.edges.push_back(readCurve(m_edges[e], out, m_graph.edges[e], toPoint));
        return out;
    }

    template <class ToPoint>
    static Curve readCurve(Agedge_t* edge, const GraphLayout& out, const LayoutEdge& ends,
                           const ToPoint& toPoint) {
        const splines* drawn = ED_spl(edge);
        if (drawn == nullptr || drawn->size == 0 || drawn->list[0].size % 3 != 1) {
            const Rect& from = out.boxes[ends.from];
            const Rect& to = out.boxes[ends.to];
            const Point start{from.centre().x, from.bottom()};
            const Point end{to.centre().x, to.y};
            return {start, start, end, end};
        }
        Curve curve;
        for (int i = 0; i < drawn->list[0].size; ++i)
            curve.push_back(toPoint(drawn->list[0].list[i]));
        return curve;
    }

    const BoxGraph& m_graph;
    Agraph_t* m_root = nullptr;
    std::vector<Agraph_t*> m_clusters;
    std::vector<Agnode_t*> m_nodes;
    std::vector<Agedge_t*> m_edges;
};

} // namespace

Result<GraphLayout> drawWithDot(const BoxGraph& graph) {
    return DotDrawing(graph).run();
}

} // namespace retracescope::layout
