#include "views/graph/node_panel.h"

#include <map>

#include <retracescope/base/units.h>

#include "views/shared/numbers.h"

namespace retracescope::views {

using namespace layout;

namespace {

constexpr int kMostLinks = 12;    // per list; the rest is counted
constexpr int kMostLetters = 400; // of an attribute
constexpr int kLinesAround = 2;

QString html(std::string_view text) {
    return toQString(text).toHtmlEscaped();
}

QString code(const QString& escaped) {
    return QStringLiteral("<span style='font-family:\"DejaVu Sans Mono\"; font-size:11px'>%1</span>")
        .arg(escaped);
}

} // namespace

NodePanel::NodePanel(ViewState& state, QWidget* parent) : QTextBrowser(parent), m_state(state) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Node"));
    setFont(textFont(TextSize::Body));
    document()->setDocumentMargin(kMargin - 4);
    connect(this, &QTextBrowser::anchorClicked, this, &NodePanel::onLink);
    connect(&state, &ViewState::themeChanged, this, [this] {
        if (m_node)
            showNode(m_scene, *m_node);
        else
            showBox(m_scene, m_box);
    });
}

void NodePanel::showBox(const GraphScenePtr& scene, std::optional<std::uint32_t> box) {
    m_scene = scene;
    m_box = box;
    m_node.reset();
    if (!scene)
        return render({});
    if (!box)
        return render(ofGraph(*scene));
    const FoldedBox& b = scene->folded.boxes[*box];
    if (b.kind == BoxKind::Node)
        return showNode(scene, b.id);
    if (b.kind == BoxKind::Scope)
        return render(ofScope(*scene, b.id, *box));
    QString body = QStringLiteral("<b>%1</b>").arg(html(b.title)) + heading(tr("Made by"));
    for (const session::GraphEdge& edge : scene->graph().outputs) {
        if (edge.from < scene->graph().nodes.size())
            body += QStringLiteral("<div>%1 %2</div>")
                        .arg(nodeLink(*scene, edge.from), code(html(scene->text(edge.type))));
    }
    render(body);
}

void NodePanel::showNode(const GraphScenePtr& scene, std::uint32_t node) {
    m_scene = scene;
    m_node = node;
    render(ofNode(*scene, node));
}

void NodePanel::render(const QString& body) {
    const Theme& theme = m_state.theme();
    QPalette colours = palette();
    colours.setColor(QPalette::Base, theme.view);
    colours.setColor(QPalette::Text, theme.text);
    setPalette(colours);
    document()->setDefaultStyleSheet(
        QStringLiteral("a{color:%1;text-decoration:none} td{padding:2px 10px 2px 0} "
                       ".m{color:%2} .h{font-weight:bold}")
            .arg(theme.accent.name(), theme.muted.name()));
    setHtml(body);
}

QString NodePanel::row(const QString& label, const QString& value) const {
    return QStringLiteral("<tr><td class='m'>%1</td><td>%2</td></tr>").arg(label, value);
}

QString NodePanel::heading(const QString& text) const {
    return QStringLiteral("<p style='margin-top:12px; margin-bottom:4px'><b>%1</b></p>").arg(text);
}

QString NodePanel::nodeLink(const GraphScene& scene, std::uint32_t node) const {
    return QStringLiteral("<a href='node:%1'>%2</a>")
        .arg(node)
        .arg(html(shortName(scene.text(scene.graph().nodes[node].name))));
}

/// The line that made the node with two lines around it, where the session has the text.
QString NodePanel::source(const GraphScene& scene, const session::GraphNode& node) const {
    const std::string_view file = scene.text(node.file);
    if (file.empty())
        return {};
    QString out = heading(tr("Made at %1:%2").arg(html(file)).arg(node.line));
    for (const session::Source& source : scene.session->sources) {
        if (scene.text(source.path) != file)
            continue;
        const QStringList lines = toQString(scene.text(source.text)).split(QLatin1Char('\n'));
        const int first = std::max(1, static_cast<int>(node.line) - kLinesAround);
        const int last = std::min(static_cast<int>(lines.size()), static_cast<int>(node.line) + kLinesAround);
        out += QStringLiteral("<table width='100%' cellspacing='0'>");
        for (int line = first; line <= last; ++line) {
            const bool here = line == static_cast<int>(node.line);
            out += QStringLiteral("<tr%1><td class='m' align='right' style='white-space:pre'>%2</td><td "
                                  "width='100%' style='white-space:pre'>%3</td></tr>")
                       .arg(here ? QStringLiteral(" bgcolor='%1'").arg(m_state.theme().accentTint.name())
                                 : QString())
                       .arg(line)
                       .arg(code(lines[line - 1].toHtmlEscaped().replace(QLatin1Char(' '),
                                                                         QStringLiteral("&nbsp;"))));
        }
        return out + QStringLiteral("</table>");
    }
    return out + QStringLiteral("<div class='m'>%1</div>").arg(tr("The source text was not kept."));
}

QString NodePanel::ofNode(const GraphScene& scene, std::uint32_t index) const {
    const session::Graph& graph = scene.graph();
    const session::GraphNode& node = graph.nodes[index];
    const std::string_view name = scene.text(node.name);
    QString out = QStringLiteral("<div style='font-size:13px'><b>%1</b></div><div class='m'>%2</div><table "
                                 "style='margin-top:8px'>")
                      .arg(html(shortName(name)), code(html(name)));
    out += row(tr("Op"), code(html(scene.text(node.op))));
    out += row(tr("Type"),
               scene.text(node.type).empty() ? tr("not recorded") : code(html(scene.text(node.type))));
    if (!scene.text(node.device).empty())
        out += row(tr("Device"), html(scene.text(node.device)));
    out += row(tr("Time per call"), scene.timeOfNode.empty()
                                        ? tr("not recorded")
                                        : durationText(std::llround(scene.timeOfNode[index])));
    out += QStringLiteral("</table>");
    if (node.inputCount > 0)
        out += heading(tr("Inputs"));
    out += QStringLiteral("<table>");
    for (std::uint32_t i = 0; i < node.inputCount && i < kMostLinks; ++i) {
        const session::GraphEdge& edge = graph.inputs[node.firstInput + i];
        const QString from =
            edge.from < graph.nodes.size() ? nodeLink(scene, edge.from) : html(scene.text(edge.external));
        out += QStringLiteral("<tr><td class='m'>%1</td><td>%2</td><td>%3</td></tr>")
                   .arg(edge.control ? tr("after") : QString::number(i), from,
                        code(html(scene.text(edge.type))));
    }
    out += QStringLiteral("</table>");
    if (node.inputCount > kMostLinks)
        out += QStringLiteral("<div class='m'>%1</div>")
                   .arg(tr("and %1 more").arg(node.inputCount - kMostLinks));
    QStringList readers;
    int count = 0;
    for (std::uint32_t reader = 0; reader < graph.nodes.size(); ++reader) {
        for (std::uint32_t i = 0; i < graph.nodes[reader].inputCount; ++i) {
            if (graph.inputs[graph.nodes[reader].firstInput + i].from != index)
                continue;
            if (++count <= kMostLinks)
                readers += nodeLink(scene, reader);
            break;
        }
    }
    if (count > 0)
        out += heading(tr("Read by")) + readers.join(QStringLiteral(", "));
    if (count > kMostLinks)
        out += QStringLiteral(" <span class='m'>%1</span>").arg(tr("and %1 more").arg(count - kMostLinks));
    if (node.calleeCount > 0)
        out += heading(tr("Runs"));
    for (std::uint32_t i = 0; i < node.calleeCount; ++i) {
        const session::GraphCallee& callee = graph.callees[node.firstCallee + i];
        const QString text = html(scene.text(callee.name));
        out += QStringLiteral("<div>%1: %2</div>")
                   .arg(html(scene.text(callee.role)),
                        callee.graph.isValid()
                            ? QStringLiteral("<a href='graph:%1'>%2</a>").arg(callee.graph.value).arg(text)
                            : text + tr(" <span class='m'>(not recorded)</span>"));
    }
    out += source(scene, node);
    if (node.attributeCount > 0)
        out += heading(tr("Attributes")) + QStringLiteral("<table>");
    for (std::uint32_t i = 0; i < node.attributeCount; ++i) {
        const session::GraphAttribute& a = graph.attributes[node.firstAttribute + i];
        out += row(html(scene.text(a.name)),
                   code(toQString(scene.text(a.value)).left(kMostLetters).toHtmlEscaped()));
    }
    return out + (node.attributeCount > 0 ? QStringLiteral("</table>") : QString());
}

QString NodePanel::ofScope(const GraphScene& scene, std::uint32_t index, std::uint32_t box) const {
    const Scope& scope = scene.tree.scopes[index];
    QString out = QStringLiteral("<div style='font-size:13px'><b>%1</b></div><div class='m'>%2</div><table "
                                 "style='margin-top:8px'>")
                      .arg(html(scope.name), code(html(scope.path)));
    out += row(tr("Holds"), toQString(formatPlural(scope.nodeCount, "node", "nodes")));
    out +=
        row(tr("Time per call"),
            scene.timeOfBox.empty() ? tr("not recorded") : durationText(std::llround(scene.timeOfBox[box])));
    std::map<std::string_view, int> ops;
    for (std::uint32_t node = 0; node < scene.graph().nodes.size(); ++node) {
        if (scene.tree.isWithin(scene.tree.scopeOfNode[node], index))
            ++ops[scene.text(scene.graph().nodes[node].op)];
    }
    std::vector<std::pair<int, std::string_view>> ordered;
    for (const auto& [op, count] : ops)
        ordered.emplace_back(count, op);
    std::ranges::stable_sort(ordered, std::greater(), [](const auto& pair) { return pair.first; });
    out += QStringLiteral("</table><p><a href='scope:%1'>%2</a></p>").arg(index).arg(tr("Open this scope"));
    out += heading(tr("Ops inside")) + QStringLiteral("<table>");
    for (std::size_t i = 0; i < ordered.size() && i < kMostLinks; ++i)
        out += row(QString::number(ordered[i].first), code(html(ordered[i].second)));
    return out + QStringLiteral("</table>");
}

QString NodePanel::ofGraph(const GraphScene& scene) const {
    const session::Graph& graph = scene.graph();
    std::size_t control = 0;
    for (const session::GraphEdge& edge : graph.inputs)
        control += edge.control;
    QString out = QStringLiteral("<div style='font-size:13px'><b>%1</b></div><table style='margin-top:8px'>")
                      .arg(html(scene.text(graph.name)));
    out += row(tr("Nodes"), toQString(formatCount(static_cast<std::int64_t>(graph.nodes.size()))));
    out += row(tr("Data edges"),
               toQString(formatCount(static_cast<std::int64_t>(graph.inputs.size() - control))));
    out += row(tr("Control edges"), toQString(formatCount(static_cast<std::int64_t>(control))));
    out += row(tr("Results"), toQString(formatCount(static_cast<std::int64_t>(graph.outputs.size()))));
    return out + QStringLiteral("</table><p class='m'>%1</p>")
                     .arg(tr("Select a box to see its op, its inputs and the line that made it."));
}

void NodePanel::onLink(const QUrl& link) {
    const std::uint32_t id = link.path().toUInt();
    if (link.scheme() == QLatin1String("node"))
        Q_EMIT nodeWanted(id);
    else if (link.scheme() == QLatin1String("graph"))
        Q_EMIT graphWanted(session::GraphId(id));
    else if (link.scheme() == QLatin1String("scope"))
        Q_EMIT scopeWanted(id);
}

} // namespace retracescope::views
