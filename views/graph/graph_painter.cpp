#include "views/graph/graph_painter.h"

#include <map>

#include <QPainterPath>

#include <retracescope/layout/node_roles.h>

#include "views/shared/numbers.h"

namespace retracescope::views {

using namespace layout;

namespace {

constexpr double kRadius = 4;
constexpr double kArrow = 7;
constexpr double kFocusGap = 4; // between a box and its selection ring

QPen hairline(const QColor& colour, double scale, double width = 1) {
    QPen pen(colour, std::max(width, width / std::max(scale, 0.01) * std::min(scale, 1.0)));
    return pen;
}

/// `share` of `over` on `under`.
QColor mixed(const QColor& under, const QColor& over, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {mix(under.red(), over.red()), mix(under.green(), over.green()), mix(under.blue(), over.blue())};
}

/// The one op of a node, or what most nodes of a scope have; the caller says what is counted.
template <class KeyOf>
auto mostCommon(const GraphScene& scene, const KeyOf& keyOf) {
    using Key = decltype(keyOf(session::GraphNode()));
    std::vector<std::map<Key, int>> counts(scene.folded.boxes.size());
    for (std::uint32_t row = 0; row < scene.graph().nodes.size(); ++row) {
        if (const auto box = scene.boxOf(row))
            ++counts[*box][keyOf(scene.graph().nodes[row])];
    }
    std::vector<std::optional<Key>> out;
    for (const auto& perBox : counts) {
        const auto best = std::ranges::max_element(perBox, {}, [](const auto& pair) { return pair.second; });
        out.push_back(best == perBox.end() ? std::nullopt : std::optional<Key>(best->first));
    }
    return out;
}

} // namespace

QString dtypeOf(std::string_view type) {
    return toQString(type.substr(0, type.find('[')));
}

QPainterPath pathOf(const Curve& curve) {
    QPainterPath path(QPointF(curve[0].x, curve[0].y));
    for (std::size_t i = 1; i + 2 < curve.size(); i += 3)
        path.cubicTo(curve[i].x, curve[i].y, curve[i + 1].x, curve[i + 1].y, curve[i + 2].x, curve[i + 2].y);
    return path;
}

GraphPainter::GraphPainter(const GraphScene& scene, const Theme& theme, GraphColour colour)
    : m_scene(scene), m_theme(theme), m_colour(colour) {
    const std::size_t count = scene.folded.boxes.size();
    m_fills.assign(count, theme.execute.tint);
    for (std::size_t b = 0; b < count; ++b) {
        if (scene.folded.boxes[b].kind == BoxKind::Output || scene.folded.boxes[b].isInput)
            m_fills[b] = theme.view;
    }
    if (colour == GraphColour::Time && !scene.timeOfBox.empty()) {
        m_slowestNs = *std::ranges::max_element(scene.timeOfBox);
        for (std::size_t b = 0; b < count && m_slowestNs > 0; ++b)
            m_fills[b] = theme.heat(scene.timeOfBox[b] / m_slowestNs);
    } else if (colour == GraphColour::Family) {
        const auto families = mostCommon(
            scene, [&](const session::GraphNode& node) { return familyOfOp(scene.text(node.op)); });
        std::array<bool, 8> used{};
        for (std::size_t b = 0; b < count; ++b) {
            if (!families[b])
                continue;
            m_fills[b] = theme.categories[static_cast<std::size_t>(*families[b])];
            used[static_cast<std::size_t>(*families[b])] = true;
        }
        for (std::size_t f = 0; f < used.size(); ++f) {
            if (used[f])
                m_legend.push_back({theme.categories[f], toQString(familyName(static_cast<OpFamily>(f)))});
        }
    } else if (colour == GraphColour::Dtype) {
        const auto dtypes =
            mostCommon(scene, [&](const session::GraphNode& node) { return dtypeOf(scene.text(node.type)); });
        std::map<QString, int> order;
        for (std::size_t b = 0; b < count; ++b) {
            if (dtypes[b] && !dtypes[b]->isEmpty())
                order.emplace(*dtypes[b], 0);
        }
        int next = 0;
        for (auto& [dtype, place] : order) {
            place = std::min(next++, 7);
            m_legend.push_back({theme.categories[static_cast<std::size_t>(place)], dtype});
        }
        for (std::size_t b = 0; b < count; ++b) {
            if (dtypes[b] && order.contains(*dtypes[b]))
                m_fills[b] = theme.categories[static_cast<std::size_t>(order[*dtypes[b]])];
        }
    }
}

std::vector<LegendEntry> GraphPainter::legend() const {
    return m_legend;
}

QColor GraphPainter::fillOf(std::uint32_t box) const {
    return m_fills[box];
}

void GraphPainter::paint(QPainter& painter, const QRectF& area, double scale,
                         const GraphEmphasis& emphasis) const {
    const Rect visible{area.x(), area.y(), area.width(), area.height()};
    painter.setRenderHint(QPainter::Antialiasing, scale >= kPlainScale);
    paintClusters(painter, area, scale);
    paintEdges(painter, visible, scale, emphasis);
    if (scale >= kTextScale)
        paintClusterTitles(painter, area);
    // Pills and badges stick out beside their boxes.
    const Rect around{visible.x - 300, visible.y - 40, visible.width + 600, visible.height + 80};
    for (const std::uint32_t box : m_scene.boxIndex.near(around))
        paintBox(painter, box, scale, emphasis);
    if (scale >= kTextScale)
        paintTypes(painter, visible, emphasis);
}

QColor GraphPainter::clusterFill() const {
    return mixed(m_theme.view, m_theme.isDark() ? m_theme.raised : m_theme.alt, 0.6);
}

void GraphPainter::paintClusters(QPainter& painter, const QRectF& area, double scale) const {
    for (std::size_t c = 0; c < m_scene.folded.clusters.size(); ++c) {
        const QRectF frame = toRect(m_scene.drawn.clusters[c]);
        if (!frame.intersects(area))
            continue;
        QPen pen = hairline(m_theme.line2, scale);
        pen.setDashPattern({5, 4});
        painter.setPen(pen);
        painter.setBrush(clusterFill());
        painter.drawRoundedRect(frame, 6, 6);
    }
}

/// Where the title of an open scope stands; the minus is left of the text.
QRectF GraphPainter::titleOf(std::size_t cluster) const {
    const QRectF frame = toRect(m_scene.drawn.clusters[cluster]);
    const FoldedCluster& facts = m_scene.folded.clusters[cluster];
    const double wide =
        QFontMetricsF(fontOf(TextRole::Title)).horizontalAdvance(toQString(facts.title)) +
        QFontMetricsF(fontOf(TextRole::Subtitle)).horizontalAdvance(toQString(facts.subtitle));
    return {frame.x() + 6, frame.y() + 2, std::min(wide + 38, frame.width() - 8), kClusterHeader - 2};
}

/// Above the edges, which may cross a frame where its title is.
void GraphPainter::paintClusterTitles(QPainter& painter, const QRectF& area) const {
    for (std::size_t c = 0; c < m_scene.folded.clusters.size(); ++c) {
        if (!toRect(m_scene.drawn.clusters[c]).intersects(area))
            continue;
        const QRectF title = titleOf(c);
        const FoldedCluster& cluster = m_scene.folded.clusters[c];
        painter.fillRect(title.adjusted(0, 1, 0, -2), clusterFill());
        painter.setPen(QPen(m_theme.muted, 1.5));
        painter.drawLine(QPointF(title.x() + 2, title.center().y()),
                         QPointF(title.x() + 11, title.center().y()));
        painter.setFont(fontOf(TextRole::Title));
        painter.setPen(m_theme.text);
        const QString name = toQString(cluster.title);
        const double after = QFontMetricsF(painter.font()).horizontalAdvance(name);
        painter.drawText(title.adjusted(18, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setFont(fontOf(TextRole::Subtitle));
        painter.setPen(m_theme.muted);
        painter.drawText(title.adjusted(18 + after + 8, 0, 8, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         toQString(cluster.subtitle));
    }
}

bool GraphPainter::isStrong(std::uint32_t edge, const GraphEmphasis& emphasis) const {
    const FoldedEdge& e = m_scene.folded.edges[edge];
    const bool atSelection =
        emphasis.selected && (e.from == *emphasis.selected || e.to == *emphasis.selected);
    const auto at = std::ranges::find(emphasis.path, e.from);
    const bool onPath =
        at != emphasis.path.end() && std::next(at) != emphasis.path.end() && *std::next(at) == e.to;
    if (!emphasis.path.empty())
        return onPath;
    return atSelection || emphasis.hoveredEdge == edge;
}

void GraphPainter::paintEdges(QPainter& painter, const Rect& area, double scale,
                              const GraphEmphasis& emphasis) const {
    const auto isDim = [&](std::uint32_t edge) {
        const FoldedEdge& e = m_scene.folded.edges[edge];
        return !emphasis.kept.empty() && !(emphasis.kept[e.from] && emphasis.kept[e.to]);
    };
    const std::vector<std::uint32_t> visible = m_scene.edgeIndex.near(area);
    for (const std::uint32_t edge : visible) {
        if (!isStrong(edge, emphasis))
            paintEdge(painter, edge, scale, false, isDim(edge));
    }
    for (const std::uint32_t edge : visible) { // on top
        if (isStrong(edge, emphasis))
            paintEdge(painter, edge, scale, true, false);
    }
}

void GraphPainter::paintEdge(QPainter& painter, std::uint32_t edge, double scale, bool strong,
                             bool dim) const {
    const FoldedEdge& e = m_scene.folded.edges[edge];
    const Curve& curve = m_scene.drawn.edges[edge];
    const QColor quiet = mixed(m_theme.view, m_theme.muted, m_theme.isDark() ? 0.62 : 0.75);
    const QColor colour = strong ? m_theme.accent : dim ? mixed(m_theme.view, m_theme.muted, 0.25) : quiet;
    const double width = (strong ? 2.2 : 1.1) + (e.count > 1 ? 0.6 : 0);
    QPen pen = hairline(colour, scale, width);
    if (e.control)
        pen.setDashPattern({4, 3});
    painter.setPen(pen);
    if (scale < kPlainScale) {
        for (std::size_t i = 3; i < curve.size(); i += 3)
            painter.drawLine(QPointF(curve[i - 3].x, curve[i - 3].y), QPointF(curve[i].x, curve[i].y));
        return;
    }
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(pathOf(curve));
    const Point& tip = curve.back();
    const Point& before = curve[curve.size() - 2];
    const double angle = std::atan2(tip.y - before.y, tip.x - before.x);
    const auto wing = [&](double turn) {
        return QPointF(tip.x - kArrow * std::cos(angle + turn), tip.y - kArrow * std::sin(angle + turn));
    };
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF head[3] = {QPointF(tip.x, tip.y), wing(0.45), wing(-0.45)};
    painter.drawPolygon(head, 3);
}

/// Types of values beside their lines: those of the selection and the pointer always, others where nothing is
/// in the way.
void GraphPainter::paintTypes(QPainter& painter, const Rect& area, const GraphEmphasis& emphasis) const {
    painter.setFont(codeFont(TextSize::Axis));
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> taken;
    for (std::size_t c = 0; c < m_scene.folded.clusters.size(); ++c) {
        if (m_scene.drawn.clusters[c].width > 0 && m_scene.drawn.clusters[c].intersects(area))
            taken.push_back(titleOf(c));
    }
    const auto isFree = [&](const QRectF& r) {
        if (std::ranges::any_of(taken, [&](const QRectF& t) { return t.intersects(r); }))
            return false;
        const Rect wanted{r.x(), r.y(), r.width(), r.height()};
        for (const std::uint32_t box : m_scene.boxIndex.near(wanted)) {
            Rect whole = m_scene.drawn.boxes[box];
            if (whole.intersects(wanted))
                return false;
        }
        // A label that lies on another edge reads as if it were that one's.
        for (const std::uint32_t other : m_scene.edgeIndex.near(wanted)) {
            const QPainterPath path = pathOf(m_scene.drawn.edges[other]);
            if (path.boundingRect().adjusted(-1, -1, 1, 1).intersects(r) && path.intersects(r))
                return false;
        }
        return true;
    };
    for (const bool strongOnes : {true, false}) {
        for (const std::uint32_t edge : m_scene.edgeIndex.near(area)) {
            const FoldedEdge& e = m_scene.folded.edges[edge];
            const QString text = toQString(edgeLabel(m_scene.text(e.type), e.count));
            const bool strong = isStrong(edge, emphasis);
            if (strong != strongOnes || text.isEmpty())
                continue;
            const Curve& curve = m_scene.drawn.edges[edge];
            const Point middle = curve[curve.size() / 2 / 3 * 3];
            const Point from = curve.size() == 4
                                   ? Point{(curve[0].x + curve[3].x) / 2, (curve[0].y + curve[3].y) / 2}
                                   : middle;
            const QRectF place(from.x + 6, from.y - 7, metrics.horizontalAdvance(text) + 2, 14);
            if (!strong && (curve.size() > 4 || !isFree(place)))
                continue;
            taken.push_back(place);
            if (strong)
                painter.fillRect(place.adjusted(-2, 0, 2, 0), m_theme.view);
            painter.setPen(strong ? m_theme.accent : m_theme.muted);
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
        }
    }
}

void GraphPainter::paintBox(QPainter& painter, std::uint32_t index, double scale,
                            const GraphEmphasis& emphasis) const {
    const FoldedBox& box = m_scene.folded.boxes[index];
    const QRectF r = toRect(m_scene.drawn.boxes[index]);
    const bool dim = !emphasis.kept.empty() && !emphasis.kept[index];
    const QColor fill = dim ? mixed(m_theme.view, m_fills[index], 0.25) : m_fills[index];
    if (scale < kPlainScale) {
        painter.fillRect(r, fill == m_theme.view ? m_theme.line : fill);
        if (emphasis.selected == index || emphasis.matches.contains(index)) {
            painter.setPen(
                QPen(emphasis.selected == index ? m_theme.accent : m_theme.warning.fill, 3 / scale));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(r);
        }
        return;
    }
    const double radius = box.kind == BoxKind::Output || box.isInput ? r.height() / 2 : kRadius;
    const QColor border = emphasis.hovered == index
                              ? m_theme.accent
                              : mixed(fill, m_theme.isDark() ? m_theme.text : m_theme.execute.text,
                                      m_theme.isDark() ? 0.3 : 0.55);
    if (box.kind == BoxKind::Scope) { // the edge of a card below tells that there is more inside
        painter.setPen(QPen(border, 1));
        painter.setBrush(fill);
        for (int card = box.isRun ? 3 : 1; card > 0; --card) // several equal ones: a stack
            painter.drawRoundedRect(r.adjusted(3 * card, 3 * card, 3 * card, 3 * card), radius, radius);
    }
    painter.setPen(QPen(border, emphasis.hovered == index ? 1.6 : 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(r, radius, radius);
    if (emphasis.matches.contains(index)) {
        QPen pen(m_theme.warning.fill, 2);
        pen.setStyle(emphasis.currentMatch == index ? Qt::SolidLine : Qt::DashLine);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(r.adjusted(-2, -2, 2, 2), radius + 2, radius + 2);
    }
    if (emphasis.selected == index) {
        painter.setPen(QPen(m_theme.accent, 2.4));
        painter.setBrush(Qt::NoBrush);
        const double gap = kFocusGap;
        painter.drawRoundedRect(r.adjusted(-gap, -gap, gap, gap), radius + gap, radius + gap);
    }
    if (scale < kTextScale)
        return;
    const QColor ink = dim ? m_theme.muted : m_theme.textOn(fill);
    const QColor second = contrast(m_theme.muted, fill) >= 4.5 ? m_theme.muted : ink;
    paintTitles(painter, index, ink, second);
    paintPills(painter, box.left, r, true);
    paintPills(painter, box.right, r, false);
    const auto match = emphasis.matches.find(index);
    if (match != emphasis.matches.end() && box.kind == BoxKind::Scope)
        paintBadge(painter, r, match->second);
}

void GraphPainter::paintTitles(QPainter& painter, std::uint32_t index, const QColor& ink,
                               const QColor& second) const {
    const FoldedBox& box = m_scene.folded.boxes[index];
    const QRectF r = toRect(m_scene.drawn.boxes[index]);
    if (box.kind == BoxKind::Scope) {
        const QPointF c(r.x() + 12, r.center().y());
        painter.setPen(QPen(ink, 1.5));
        painter.drawLine(c - QPointF(4, 0), c + QPointF(4, 0));
        painter.drawLine(c - QPointF(0, 4), c + QPointF(0, 4));
    }
    QString below = toQString(box.subtitle);
    if (m_colour == GraphColour::Time && !m_scene.timeOfBox.empty() && box.kind != BoxKind::Output) {
        const QString time = durationText(std::llround(m_scene.timeOfBox[index]));
        below = box.kind == BoxKind::Scope ? below + QStringLiteral(" · ") + time
                                           : toQString(m_scene.text(m_scene.graph().nodes[box.id].op)) +
                                                 QStringLiteral(" · ") + time;
    }
    const QPointF centre = r.center();
    QRectF first(r.x(), centre.y() - 16, r.width(), 16);
    painter.setPen(ink);
    painter.setFont(fontOf(TextRole::Title));
    if (below.isEmpty())
        first.moveCenter(centre);
    painter.drawText(first, Qt::AlignCenter, toQString(box.title));
    painter.setPen(second);
    painter.setFont(fontOf(TextRole::Subtitle));
    painter.drawText(QRectF(r.x(), centre.y() + 1, r.width(), 15), Qt::AlignCenter, below);
}

void GraphPainter::paintPills(QPainter& painter, const std::vector<Pill>& pills, const QRectF& box,
                              bool left) const {
    painter.setFont(fontOf(TextRole::Pill));
    const QFontMetricsF metrics(painter.font());
    double y =
        box.center().y() - static_cast<double>(pills.size()) * kPillStep / 2 + (kPillStep - kPillHeight) / 2;
    for (const Pill& pill : pills) {
        const QString text = toQString(pill.text);
        const double width = metrics.horizontalAdvance(text) + 16;
        const QRectF r(left ? box.left() - kPillGap - width : box.right() + kPillGap, y, width, kPillHeight);
        QPen line(m_theme.line2, 1);
        line.setDashPattern({3, 3});
        painter.setPen(line);
        painter.drawLine(QPointF(left ? r.right() : box.right(), r.center().y()),
                         QPointF(left ? box.left() : r.left(), r.center().y()));
        const bool isWeight = pill.kind == PillKind::Weights;
        painter.setPen(QPen(isWeight ? m_theme.warning.fill : m_theme.line2, 1));
        painter.setBrush(isWeight ? m_theme.warning.tint : m_theme.raised);
        painter.drawRoundedRect(r, kPillHeight / 2, kPillHeight / 2);
        painter.setPen(isWeight ? m_theme.warning.text : m_theme.muted);
        painter.drawText(r, Qt::AlignCenter, text);
        y += kPillStep;
    }
}

void GraphPainter::paintBadge(QPainter& painter, const QRectF& box, int matches) const {
    const QString text = matches == 1 ? QStringLiteral("1 match") : QStringLiteral("%1 matches").arg(matches);
    painter.setFont(textFont(TextSize::Axis, true));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 14;
    const QRectF r(box.right() - width / 2, box.top() - 10, width, 17);
    painter.setPen(QPen(m_theme.warning.fill, 1.5));
    painter.setBrush(m_theme.warning.tint);
    painter.drawRoundedRect(r, 8, 8);
    painter.setPen(m_theme.warning.text);
    painter.drawText(r, Qt::AlignCenter, text);
}

} // namespace retracescope::views
