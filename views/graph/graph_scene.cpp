#include "views/graph/graph_scene.h"

#include <QFontMetricsF>

#include <retracescope/base/units.h>

#include "views/shared/theme.h"

namespace retracescope::views {

using namespace layout;

QFont fontOf(TextRole role) {
    return role == TextRole::Title ? textFont(TextSize::Body, true) : textFont(TextSize::Caption);
}

LetterWidths::LetterWidths() {
    for (const TextRole role : {TextRole::Title, TextRole::Subtitle, TextRole::Pill}) {
        const QFontMetricsF metrics(fontOf(role));
        Table& table = m_tables[static_cast<std::size_t>(role)];
        for (std::size_t c = 0; c < table.ascii.size(); ++c)
            table.ascii[c] = metrics.horizontalAdvance(QChar(static_cast<char16_t>(c)));
        table.other = metrics.horizontalAdvance(QChar(u'\u2026'));
    }
}

double LetterWidths::operator()(std::string_view utf8, TextRole role) const {
    const Table& table = m_tables[static_cast<std::size_t>(role)];
    double width = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            width += table.ascii[byte];
        else if (byte >= 0xC0)
            width += table.other;
    }
    return width;
}

namespace {

Rect boundsOf(const Curve& curve) {
    double left = curve[0].x, right = left, top = curve[0].y, bottom = top;
    for (const Point& p : curve) {
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        top = std::min(top, p.y);
        bottom = std::max(bottom, p.y);
    }
    return {left, top, right - left, bottom - top};
}

/// Kernels know their entry and node; a call's share is the sum over the calls that the entry served.
void measureTimes(GraphScene& scene) {
    const session::KernelTable& kernels = scene.session->kernels;
    if (!scene.entry.isValid() || kernels.size() == 0)
        return;
    const auto calls = std::ranges::count(scene.session->calls.entry, scene.entry);
    std::vector<double> times(scene.graph().nodes.size(), 0);
    bool any = false;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (kernels.entry[k] != scene.entry || kernels.node[k] >= times.size())
            continue;
        times[kernels.node[k]] += static_cast<double>(kernels.durationNs[k]) /
                                  static_cast<double>(std::max<std::ptrdiff_t>(calls, 1));
        any = true;
    }
    if (!any)
        return;
    scene.timeOfBox.assign(scene.folded.boxes.size(), 0);
    for (std::uint32_t row = 0; row < times.size(); ++row) {
        if (const auto box = scene.boxOf(row))
            scene.timeOfBox[*box] += times[row];
    }
    scene.timeOfNode = std::move(times);
}

} // namespace

std::optional<std::uint32_t> GraphScene::boxAt(const Point& point) const {
    for (const std::uint32_t box : boxIndex.near({point.x, point.y, 0, 0})) {
        if (drawn.boxes[box].contains(point))
            return box;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> GraphScene::clusterAt(const Point& point) const {
    for (std::size_t c = drawn.clusters.size(); c-- > 0;) { // inner ones come after outer ones
        if (drawn.clusters[c].contains(point))
            return static_cast<std::uint32_t>(c);
    }
    return std::nullopt;
}

std::optional<std::uint32_t> GraphScene::boxOf(std::uint32_t row) const {
    if (row >= folded.boxOfNode.size() || folded.boxOfNode[row] == kNoBox)
        return std::nullopt;
    return folded.boxOfNode[row];
}

std::optional<std::uint32_t> GraphScene::boxOfScope(std::uint32_t scope) const {
    for (std::uint32_t b = 0; b < folded.boxes.size(); ++b) {
        if (folded.boxes[b].kind == BoxKind::Scope && folded.boxes[b].id == scope)
            return b;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> GraphScene::clusterOfScope(std::uint32_t scope) const {
    for (std::uint32_t c = 0; c < folded.clusters.size(); ++c) {
        if (folded.clusters[c].scope == scope)
            return c;
    }
    return std::nullopt;
}

std::string GraphScene::summary() const {
    const auto nodes = static_cast<std::int64_t>(graph().nodes.size());
    std::size_t boxes = 0;
    bool anyFolded = false;
    for (const FoldedBox& box : folded.boxes) {
        boxes += box.kind != BoxKind::Output;
        anyFolded |= box.kind == BoxKind::Scope;
    }
    std::string out = formatPlural(nodes, "node", "nodes");
    if (anyFolded)
        out += ", folded to " + formatPlural(static_cast<std::int64_t>(boxes), "box", "boxes");
    else if (!folded.sideNodes.empty())
        out += ", " + formatCount(static_cast<std::int64_t>(folded.sideNodes.size())) + " of them as pills";
    return out;
}

Result<GraphScenePtr> buildScene(const SceneRequest& request, const LetterWidths& widths, const Job& job) {
    auto scene = std::make_shared<GraphScene>();
    scene->session = request.session;
    scene->id = request.graph;
    scene->entry = request.entry;
    scene->foldSides = request.foldSides;
    const session::Graph& graph = scene->graph();
    job.report(0.0, "scopes");
    scene->tree = request.foldEqual && opensFolded(*request.session, graph)
                      ? buildScopeTreeWithRuns(*request.session, graph)
                      : buildScopeTree(*request.session, graph);
    scene->open = request.open && request.open->size() == scene->tree.scopes.size()
                      ? *request.open
                      : initiallyOpen(*request.session, graph, scene->tree);
    scene->folded = foldGraph(*request.session, graph, scene->tree, scene->open, request.foldSides);
    job.report(0.3, "layout of " +
                        formatPlural(static_cast<std::int64_t>(scene->folded.boxes.size()), "box", "boxes"));
    Result<ChosenLayout> drawn = layoutBoxes(sizeBoxes(scene->folded, widths), request.engine, {}, job);
    if (!drawn)
        return drawn.error();
    scene->drawn = std::move(drawn->layout);
    scene->engine = drawn->engine;
    scene->note = std::move(drawn->note);
    scene->boxIndex = GridIndex(scene->drawn.bounds, scene->drawn.boxes);
    std::vector<Rect> edges;
    for (const Curve& curve : scene->drawn.edges)
        edges.push_back(boundsOf(curve));
    scene->edgeIndex = GridIndex(scene->drawn.bounds, edges);
    measureTimes(*scene);
    return GraphScenePtr(scene);
}

} // namespace retracescope::views
