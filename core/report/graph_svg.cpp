#include <retracescope/report/graph_svg.h>

#include <cmath>

#include <fmt/format.h>

#include <retracescope/layout/node_roles.h>

namespace retracescope::report {

namespace {

using namespace layout;

constexpr double kMargin = 16;

// As the graph view paints in the light theme of the program (its tokens: view, raised, text, muted, line2,
// execute, warning; lines and borders are mixed from two).
constexpr const char* kStyle =
    "text{font-family:'DejaVu Sans',Verdana,sans-serif;font-size:11px;fill:#525A66}"
    ".t{font-weight:bold;font-size:12px;fill:#1A1E24;text-anchor:middle}.s{text-anchor:middle}"
    ".n{font-weight:bold;font-size:12px;fill:#1A1E24}.w{text-anchor:middle;fill:#6F5A00}"
    ".box{fill:#DFECF8;stroke:#739EC7}.end{fill:#FFFFFF;stroke:#82A6CA}"
    ".pill{fill:#FAFBFC;stroke:#A9B1BD}.weight{fill:#F7F0D2;stroke:#B98C00}"
    ".cluster{fill:#FAFAFB;stroke:#A9B1BD;stroke-dasharray:5 4}"
    ".edge{fill:none;stroke:#7D838C;stroke-width:1.1}.many{stroke-width:1.7}.dash{stroke-dasharray:4 3}"
    ".side{stroke:#A9B1BD;stroke-dasharray:3 3}.sign{stroke:#1A1E24;stroke-width:1.5}"
    ".minus{stroke:#525A66;stroke-width:1.5}"
    ".head{fill:#7D838C}.label{font-family:'DejaVu Sans Mono',monospace;font-size:10px}";

constexpr double kArrow = 7;
constexpr double kWing = 0.45; // of the arrow's head, in radians from its line
constexpr double kRadius = 4;
constexpr double kStraight = 12; // pixels that the ends of a straight line are apart across
constexpr double kCard = 3;      // between the cards of a stack

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            if (static_cast<unsigned char>(c) >= 0x20)
                out += c;
        }
    }
    return out;
}

class SvgWriter {
public:
    SvgWriter(const session::Session& session, const FoldedGraph& folded, const GraphLayout& drawn)
        : m_session(session), m_folded(folded), m_drawn(drawn) {}

    std::string run(std::string_view title) {
        const double width = m_drawn.bounds.width + 2 * kMargin;
        const double height = m_drawn.bounds.height + 2 * kMargin;
        m_out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                            "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>{2}</title>\n<style>{3}</style>\n"
                            "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#FFFFFF\"/>\n<g "
                            "transform=\"translate({4} {4})\">\n",
                            width, height, escaped(title), kStyle, kMargin);
        for (std::size_t c = 0; c < m_folded.clusters.size(); ++c)
            writeCluster(m_folded.clusters[c], m_drawn.clusters[c]);
        for (std::size_t e = 0; e < m_folded.edges.size(); ++e)
            writeEdge(m_folded.edges[e], m_drawn.edges[e]);
        for (std::size_t b = 0; b < m_folded.boxes.size(); ++b)
            writeBox(m_folded.boxes[b], m_drawn.boxes[b]);
        return m_out + "</g>\n</svg>\n";
    }

private:
    void writeRect(const char* kind, const Rect& r, double radius) {
        m_out += fmt::format(
            "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\"/>\n",
            kind, r.x, r.y, r.width, r.height, radius);
    }

    void writeText(const char* kind, double x, double y, std::string_view text) {
        m_out += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y,
                             escaped(text));
    }

    void writeCluster(const FoldedCluster& cluster, const Rect& r) {
        if (r.width == 0)
            return; // without boxes
        writeRect("cluster", r, 6);
        m_out += fmt::format("<path class=\"minus\" d=\"M{:.1f} {:.1f}h9\"/>\n", r.x + 8, r.y + 12);
        writeText("n", r.x + 24, r.y + 16, cluster.title);
        writeText("c", r.x + 32 + estimatedTextWidth(cluster.title, TextRole::Title), r.y + 16,
                  cluster.subtitle);
    }

    void writeEdge(const FoldedEdge& edge, const Curve& curve) {
        std::string path = fmt::format("M{:.1f} {:.1f}", curve[0].x, curve[0].y);
        for (std::size_t i = 1; i + 2 < curve.size(); i += 3)
            path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", curve[i].x, curve[i].y,
                                curve[i + 1].x, curve[i + 1].y, curve[i + 2].x, curve[i + 2].y);
        m_out += fmt::format("<path class=\"edge{}{}\" d=\"{}\"/>\n", edge.count > 1 ? " many" : "",
                             edge.control ? " dash" : "", path);
        const Point tip = curve.back();
        const Point before = curve[curve.size() - 2];
        const double angle = std::atan2(tip.y - before.y, tip.x - before.x);
        m_out += fmt::format(
            "<path class=\"head\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f} {:.1f} {:.1f}z\"/>\n", tip.x, tip.y,
            tip.x - kArrow * std::cos(angle + kWing), tip.y - kArrow * std::sin(angle + kWing),
            tip.x - kArrow * std::cos(angle - kWing), tip.y - kArrow * std::sin(angle - kWing));
        const std::string label = edgeLabel(m_session.text(edge.type), edge.count);
        const bool straight = curve.size() == 4 && std::abs(curve[0].x - tip.x) < kStraight;
        if (!label.empty() && straight) // beside any other line it would lie on it
            writeText("label", (curve[0].x + tip.x) / 2 + 6, (curve[0].y + tip.y) / 2 + 3, label);
    }

    void writePills(const std::vector<Pill>& pills, const Rect& box, bool left) {
        const double step = kPillStep;
        double y = box.centre().y - static_cast<double>(pills.size()) * step / 2 + (step - kPillHeight) / 2;
        for (const Pill& pill : pills) {
            const double width = pillWidth(pill, estimatedTextWidth);
            const double x = left ? box.x - kPillGap - width : box.right() + kPillGap;
            const double from = left ? x + width : box.right();
            const double middle = y + kPillHeight / 2;
            m_out += fmt::format("<path class=\"side\" d=\"M{:.1f} {:.1f}h{}\"/>\n", from, middle, kPillGap);
            writeRect(pill.kind == PillKind::Weights ? "weight" : "pill", {x, y, width, kPillHeight},
                      kPillHeight / 2);
            writeText(pill.kind == PillKind::Weights ? "w" : "s", x + width / 2, y + 13, pill.text);
            y += step;
        }
    }

    void writeBox(const FoldedBox& box, const Rect& r) {
        const bool isScope = box.kind == BoxKind::Scope;
        const bool isEnd = box.kind == BoxKind::Output || box.isInput;
        for (int card = !isScope ? 0 : box.isRun ? 3 : 1; card > 0; --card) // more is inside
            writeRect("box", {r.x + kCard * card, r.y + kCard * card, r.width, r.height}, kRadius);
        writeRect(isEnd ? "end" : "box", r, isEnd ? r.height / 2 : kRadius);
        if (isScope)
            m_out +=
                fmt::format("<path class=\"sign\" d=\"M{:.1f} {:.1f}h8m-4 -4v8\"/>\n", r.x + 8, r.centre().y);
        const bool hasSecond = !box.subtitle.empty();
        writeText("t", r.centre().x, r.centre().y + (hasSecond ? -2 : 4), box.title);
        if (hasSecond)
            writeText("s", r.centre().x, r.centre().y + 12, box.subtitle);
        writePills(box.left, r, true);
        writePills(box.right, r, false);
    }

    const session::Session& m_session;
    const FoldedGraph& m_folded;
    const GraphLayout& m_drawn;
    std::string m_out;
};

} // namespace

std::string graphSvg(const session::Session& session, const FoldedGraph& folded, const GraphLayout& drawn,
                     std::string_view title) {
    return SvgWriter(session, folded, drawn).run(title);
}

Result<std::string> graphSvg(const session::Session& session, const session::Graph& graph,
                             LayoutEngine engine, const Job& job) {
    const ScopeTree tree = buildScopeTree(session, graph);
    const FoldedGraph folded = foldGraph(session, graph, tree, initiallyOpen(session, graph, tree));
    const Result<ChosenLayout> drawn = layoutBoxes(sizeBoxes(folded, estimatedTextWidth), engine, {}, job);
    if (!drawn)
        return drawn.error();
    return graphSvg(session, folded, drawn->layout, session.text(graph.name));
}

} // namespace retracescope::report
