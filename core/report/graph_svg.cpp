#include <retracescope/report/graph_svg.h>

#include <fmt/format.h>

#include <retracescope/layout/node_roles.h>

namespace retracescope::report {

namespace {

using namespace layout;

constexpr double kMargin = 16;

// Light theme of the program (its tokens: view, text, muted, line2, execute, expected, warning).
constexpr const char* kStyle =
    "text{font-family:'DejaVu Sans',Verdana,sans-serif;font-size:11px;fill:#525A66}"
    ".t{font-weight:bold;font-size:12px;fill:#1A1E24;text-anchor:middle}.s{text-anchor:middle}"
    ".box{fill:#DFECF8;stroke:#1C4F9C}.scope{fill:#DFECF8;stroke:#1C4F9C;stroke-width:1.5}"
    ".end{fill:#FFFFFF;stroke:#A9B1BD}.pill{fill:#ECEEF1;stroke:#A9B1BD}.weight{fill:#F7F0D2;stroke:#B98C00}"
    ".cluster{fill:#F6F7F9;fill-opacity:.7;stroke:#A9B1BD;stroke-dasharray:5 3}"
    ".edge{fill:none;stroke:#525A66;stroke-width:1.2}.dash{stroke-dasharray:4 3}"
    ".head{fill:#525A66}.label{font-family:'DejaVu Sans Mono',monospace;font-size:9px}";

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
        m_out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>{2}</title>\n<style>{3}</style>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n<g transform=\"translate({4} {4})\">\n",
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
        writeRect("cluster", r, 4);
        writeText("c", r.x + 10, r.y + 16, cluster.title + "  " + cluster.subtitle);
    }

    void writeEdge(const FoldedEdge& edge, const Curve& curve) {
        std::string path = fmt::format("M{:.1f} {:.1f}", curve[0].x, curve[0].y);
        for (std::size_t i = 1; i + 2 < curve.size(); i += 3)
            path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", curve[i].x, curve[i].y,
                                curve[i + 1].x, curve[i + 1].y, curve[i + 2].x, curve[i + 2].y);
        m_out += fmt::format("<path class=\"edge{}\" d=\"{}\"/>\n", edge.control ? " dash" : "", path);
        const Point tip = curve.back();
        m_out += fmt::format("<path class=\"head\" d=\"M{:.1f} {:.1f}l-3.5 -7h7z\"/>\n", tip.x, tip.y);
        const std::string_view type = m_session.text(edge.type);
        if (!type.empty() && curve.size() == 4)
            writeText("label", (curve[0].x + tip.x) / 2 + 5, (curve[0].y + tip.y) / 2 + 3, type);
    }

    void writePills(const std::vector<Pill>& pills, const Rect& box, bool left) {
        const double step = kPillStep;
        double y = box.centre().y - static_cast<double>(pills.size()) * step / 2 + (step - kPillHeight) / 2;
        for (const Pill& pill : pills) {
            const double width = pillWidth(pill, estimatedTextWidth);
            const double x = left ? box.x - kPillGap - width : box.right() + kPillGap;
            const double from = left ? x + width : box.right();
            const double middle = y + kPillHeight / 2;
            m_out +=
                fmt::format("<path class=\"edge dash\" d=\"M{:.1f} {:.1f}h{}\"/>\n", from, middle, kPillGap);
            writeRect(pill.kind == PillKind::Weights ? "weight" : "pill", {x, y, width, kPillHeight},
                      kPillHeight / 2);
            writeText("s", x + width / 2, y + 13, pill.text);
            y += step;
        }
    }

    void writeBox(const FoldedBox& box, const Rect& r) {
        const bool isScope = box.kind == BoxKind::Scope;
        writeRect(box.kind == BoxKind::Output ? "end"
                  : isScope                   ? "scope"
                                              : "box",
                  r, box.kind == BoxKind::Output ? r.height / 2 : 4);
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
