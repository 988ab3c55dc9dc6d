#include "views/graph/graph_canvas.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include "views/shared/numbers.h"

namespace retracescope::views {

using namespace layout;

namespace {

constexpr double kSmallest = 0.05; // 5 to 400 %
constexpr double kLargest = 4;
constexpr double kWheelStep = 1.25; // per notch
constexpr double kKeyStep = 1.25;
constexpr double kPanStep = 80;  // pixels per key
constexpr double kDragStart = 4; // pixels before a press becomes a drag
constexpr double kEdgeReach = 5; // pixels beside a line that still mean it
constexpr double kFitMargin = 24;
constexpr double kReadable = 0.75; // of the full size: titles of 9 pixels

} // namespace

GraphCanvas::GraphCanvas(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Graph"));
    connect(&state, &ViewState::themeChanged, this, [this] { setColour(m_colour); });
}

void GraphCanvas::setScene(GraphScenePtr scene, std::optional<Anchor> anchor) {
    m_scene = std::move(scene);
    m_emphasis = {};
    m_choice = 0;
    setColour(m_colour);
    if (anchor)
        setView(m_scale, anchor->widgetAt - anchor->sceneAt * m_scale);
    else
        showTop();
    setAccessibleDescription(m_scene ? toQString(m_scene->summary()) : QString());
    update();
}

void GraphCanvas::setColour(GraphColour colour) {
    m_colour = colour;
    m_painter = m_scene ? std::make_unique<GraphPainter>(*m_scene, m_state.theme(), colour) : nullptr;
    update();
}

void GraphCanvas::setNotice(const QString& notice) {
    m_notice = notice;
    update();
}

void GraphCanvas::selectBox(std::optional<std::uint32_t> box) {
    m_emphasis.selected = box;
    m_emphasis.kept.clear();
    m_emphasis.path.clear();
    if (box && m_scene) {
        const FoldedBox& b = m_scene->folded.boxes[*box];
        setAccessibleDescription(QStringLiteral("%1, %2").arg(
            toQString(b.title), b.kind == BoxKind::Scope
                                    ? tr("scope, %1, collapsed").arg(toQString(b.subtitle))
                                    : toQString(b.subtitle)));
    }
    update();
}

void GraphCanvas::setMatches(std::unordered_map<std::uint32_t, int> matches,
                             std::optional<std::uint32_t> current) {
    m_emphasis.matches = std::move(matches);
    m_emphasis.currentMatch = current;
    m_emphasis.kept.clear();
    if (!m_emphasis.matches.empty() && m_scene) {
        m_emphasis.kept.assign(m_scene->folded.boxes.size(), false);
        for (const auto& [box, count] : m_emphasis.matches)
            m_emphasis.kept[box] = true;
    }
    update();
}

QRectF GraphCanvas::visibleArea() const {
    return {toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))};
}

QRectF GraphCanvas::boxOnWidget(std::uint32_t box) const {
    const QRectF r = toRect(m_scene->drawn.boxes[box]);
    return {toWidget(r.topLeft()), toWidget(r.bottomRight())};
}

void GraphCanvas::setView(double scale, const QPointF& offset) {
    m_scale = std::clamp(scale, kSmallest, kLargest);
    m_offset = offset;
    m_fitted = m_topShown = false;
    Q_EMIT viewChanged();
    update();
}

/// A first look has to be readable: what does not fit at kReadable is shown from its top, as graphs are read.
void GraphCanvas::showTop() {
    fitAll();
    if (!m_scene || m_scale >= kReadable)
        return;
    const Rect& all = m_scene->drawn.bounds;
    const double scale = std::clamp((width() - 2 * kFitMargin) / all.width, kReadable, 1.0);
    // Wider than the canvas: the first box stays in the middle.
    const double middle =
        all.width * scale <= width() ? all.width / 2 : m_scene->drawn.boxes.front().centre().x;
    setView(scale, {width() / 2.0 - middle * scale, kFitMargin});
    m_topShown = true;
}

void GraphCanvas::fitAll() {
    if (!m_scene || m_scene->drawn.bounds.width <= 0)
        return;
    const Rect& all = m_scene->drawn.bounds;
    const double fit =
        std::min((width() - 2 * kFitMargin) / all.width, (height() - 2 * kFitMargin) / all.height);
    const double scale = std::clamp(fit, kSmallest, 1.0);
    // What does not fit is shown from its top: graphs are read downwards.
    const double y =
        all.height * scale + 2 * kFitMargin > height() ? kFitMargin : (height() - all.height * scale) / 2;
    setView(scale, {(width() - all.width * scale) / 2, y});
    m_fitted = true;
}

void GraphCanvas::zoomBy(double factor, const QPointF& about) {
    const QPointF fixed = toScene(about);
    const double scale = std::clamp(m_scale * factor, kSmallest, kLargest);
    setView(scale, about - fixed * scale);
}

void GraphCanvas::zoomTo(double scale) {
    zoomBy(scale / m_scale, QPointF(width() / 2.0, height() / 2.0));
}

void GraphCanvas::panBy(const QPointF& pixels) {
    setView(m_scale, m_offset + pixels);
}

void GraphCanvas::reveal(std::uint32_t box) {
    if (!QRectF(rect()).adjusted(8, 8, -8, -8).contains(boxOnWidget(box)))
        centreOn(box);
}

void GraphCanvas::centreOn(std::uint32_t box) {
    centreAt(toRect(m_scene->drawn.boxes[box]).center());
}

void GraphCanvas::centreAt(const QPointF& scene) {
    setView(m_scale, QPointF(width() / 2.0, height() / 2.0) - scene * m_scale);
}

QImage GraphCanvas::image(double scale) const {
    if (!m_scene)
        return {};
    constexpr double kBorder = 16;
    const Rect& all = m_scene->drawn.bounds;
    constexpr double kMostPixels = 16'000; // a side; beyond it QImage and most programs give up
    const double fit =
        std::min({scale, kMostPixels / (all.width + 2 * kBorder), kMostPixels / (all.height + 2 * kBorder)});
    QImage picture(QSize(static_cast<int>((all.width + 2 * kBorder) * fit),
                         static_cast<int>((all.height + 2 * kBorder) * fit)),
                   QImage::Format_ARGB32_Premultiplied);
    picture.fill(m_state.theme().view);
    QPainter painter(&picture);
    painter.scale(fit, fit);
    painter.translate(kBorder, kBorder);
    m_painter->paint(painter, toRect(all), std::max(fit, 0.5), {});
    return picture;
}

void GraphCanvas::paintEvent(QPaintEvent* event) {
    Q_UNUSED(event);
    QPainter painter(this);
    const Theme& theme = m_state.theme();
    painter.fillRect(rect(), theme.view);
    if (!m_scene) {
        painter.setPen(theme.muted);
        painter.setFont(textFont(TextSize::Strong));
        painter.drawText(rect().adjusted(40, 0, -40, 0), Qt::AlignCenter | Qt::TextWordWrap, m_notice);
        return;
    }
    painter.save();
    painter.translate(m_offset);
    painter.scale(m_scale, m_scale);
    m_painter->paint(painter, visibleArea(), m_scale, m_emphasis);
    painter.restore();
    paintLegend(painter);
}

/// Upper left; heat with numbers, otherwise a swatch per kind.
void GraphCanvas::paintLegend(QPainter& painter) const {
    const Theme& theme = m_state.theme();
    const std::vector<LegendEntry> entries = m_painter->legend();
    const bool heat = m_colour == GraphColour::Time;
    if (!heat && entries.empty())
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setFont(textFont(TextSize::Caption));
    const QFontMetrics metrics(painter.font());
    int widest = 0;
    for (const LegendEntry& entry : entries)
        widest = std::max(widest, metrics.horizontalAdvance(entry.text));
    const QSize size = heat ? QSize(184, 66) : QSize(widest + 44, 12 + 19 * static_cast<int>(entries.size()));
    const QRect frame(QPoint(12, 12), size);
    painter.setPen(theme.line);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(frame, 4, 4);
    int y = frame.y() + 6;
    if (heat) {
        painter.setPen(theme.text);
        const QRect line(frame.x() + 12, y, frame.width() - 24, 18);
        if (m_painter->slowestNs() <= 0) {
            painter.drawText(frame.adjusted(12, 0, -12, 0), Qt::AlignVCenter | Qt::TextWordWrap,
                             tr("Time of nodes was not recorded."));
            return;
        }
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, tr("Time per call"));
        for (int x = 0; x < line.width(); ++x)
            painter.fillRect(line.x() + x, y + 20, 1, 10, theme.heat(static_cast<double>(x) / line.width()));
        const QRect numbers(line.x(), y + 34, line.width(), 16);
        painter.setPen(theme.muted);
        painter.drawText(numbers, Qt::AlignLeft, QStringLiteral("0"));
        painter.drawText(numbers, Qt::AlignHCenter, durationText(std::llround(m_painter->slowestNs() / 2)));
        painter.drawText(numbers, Qt::AlignRight, durationText(std::llround(m_painter->slowestNs())));
        return;
    }
    for (const LegendEntry& entry : entries) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.colour);
        painter.drawRoundedRect(QRect(frame.x() + 10, y + 4, 11, 11), 2, 2);
        painter.setPen(theme.text);
        painter.drawText(QRect(frame.x() + 28, y, widest + 8, 19), Qt::AlignLeft | Qt::AlignVCenter,
                         entry.text);
        y += 19;
    }
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
    Q_UNUSED(event);
    if (m_topShown)
        showTop();
    else if (m_fitted)
        fitAll();
    Q_EMIT viewChanged();
}

std::optional<std::uint32_t> GraphCanvas::scopeToToggleAt(const QPointF& position) const {
    const QPointF at = toScene(position);
    if (const auto box = m_scene->boxAt({at.x(), at.y()})) {
        const FoldedBox& b = m_scene->folded.boxes[*box];
        const bool onPlus = at.x() < m_scene->drawn.boxes[*box].x + kExpanderWidth + 4;
        return b.kind == BoxKind::Scope && onPlus ? std::optional(b.id) : std::nullopt;
    }
    if (const auto cluster = m_scene->clusterAt({at.x(), at.y()})) {
        const Rect& frame = m_scene->drawn.clusters[*cluster];
        if (at.y() < frame.y + kClusterHeader && at.x() < frame.x + 120)
            return m_scene->folded.clusters[*cluster].scope;
    }
    return std::nullopt;
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (!m_scene || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton))
        return;
    m_pressedAt = m_lastAt = event->position();
    m_dragging = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_scene)
        return;
    if (!m_pressedAt) {
        hoverAt(event->position());
        return;
    }
    if (!m_dragging && (event->position() - *m_pressedAt).manhattanLength() > kDragStart) {
        m_dragging = true;
        setCursor(Qt::ClosedHandCursor);
    }
    if (m_dragging)
        panBy(event->position() - m_lastAt);
    m_lastAt = event->position();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_scene || !m_pressedAt)
        return;
    const bool wasClick = !m_dragging && event->button() == Qt::LeftButton;
    m_pressedAt.reset();
    m_dragging = false;
    unsetCursor();
    if (!wasClick)
        return;
    if (const auto scope = scopeToToggleAt(event->position())) {
        Q_EMIT toggleWanted(*scope);
        return;
    }
    const QPointF at = toScene(event->position());
    if (const auto box = m_scene->boxAt({at.x(), at.y()}))
        Q_EMIT boxPressed(*box);
    else
        Q_EMIT emptyPressed();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!m_scene || event->button() != Qt::LeftButton || scopeToToggleAt(event->position()))
        return;
    const QPointF at = toScene(event->position());
    if (const auto box = m_scene->boxAt({at.x(), at.y()})) {
        if (m_scene->folded.boxes[*box].kind == BoxKind::Scope)
            Q_EMIT toggleWanted(m_scene->folded.boxes[*box].id);
    }
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (!m_scene)
        return;
    const double notches = event->angleDelta().y() / 120.0;
    if ((event->modifiers() & Qt::ShiftModifier) != 0)
        panBy({(notches != 0 ? notches : event->angleDelta().x() / 120.0) * kPanStep, 0});
    else if ((event->modifiers() & Qt::ControlModifier) != 0 || event->pixelDelta().isNull())
        zoomBy(std::pow(kWheelStep, notches), event->position());
    else
        panBy(event->pixelDelta()); // a touchpad scrolls
    event->accept();
}

void GraphCanvas::hoverAt(const QPointF& position) {
    const QPointF at = toScene(position);
    const auto box = m_scene->boxAt({at.x(), at.y()});
    const auto edge = box ? std::nullopt : edgeNear(at);
    const bool onSwitch = scopeToToggleAt(position).has_value();
    setCursor(onSwitch ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (box == m_emphasis.hovered && edge == m_emphasis.hoveredEdge)
        return;
    m_emphasis.hovered = box;
    m_emphasis.hoveredEdge = edge;
    update();
}

std::optional<std::uint32_t> GraphCanvas::edgeNear(const QPointF& at) const {
    const double reach = kEdgeReach / m_scale;
    const QRectF around(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach);
    for (const std::uint32_t edge :
         m_scene->edgeIndex.near({around.x(), around.y(), around.width(), around.height()})) {
        const QPainterPath path = pathOf(m_scene->drawn.edges[edge]);
        if (!path.boundingRect().adjusted(-reach, -reach, reach, reach).contains(at))
            continue;
        QPainterPathStroker stroker;
        stroker.setWidth(2 * reach);
        if (stroker.createStroke(path).contains(at))
            return edge;
    }
    return std::nullopt;
}

void GraphCanvas::leaveEvent(QEvent* event) {
    Q_UNUSED(event);
    m_emphasis.hovered.reset();
    m_emphasis.hoveredEdge.reset();
    update();
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (m_scene)
        Q_EMIT menuWanted(event->globalPos());
}

QString GraphCanvas::tooltipAt(const QPointF& position) const {
    const QPointF at = toScene(position);
    if (const auto index = m_scene->boxAt({at.x(), at.y()})) {
        const FoldedBox& box = m_scene->folded.boxes[*index];
        QString text = toQString(box.subtitle);
        if (box.kind == BoxKind::Node) {
            const session::GraphNode& node = m_scene->graph().nodes[box.id];
            text = toQString(m_scene->text(node.name)) + QStringLiteral("\n") + text;
            if (!m_scene->text(node.file).empty())
                text += QStringLiteral("\n%1:%2").arg(toQString(m_scene->text(node.file))).arg(node.line);
        } else if (box.kind == BoxKind::Scope) {
            text = toQString(m_scene->tree.scopes[box.id].path) + QStringLiteral("\n") + text;
        }
        if (!m_scene->timeOfBox.empty() && box.kind != BoxKind::Output)
            text += tr("\n%1 per call").arg(durationText(std::llround(m_scene->timeOfBox[*index])));
        return text;
    }
    if (const auto edge = edgeNear(at)) {
        const FoldedEdge& e = m_scene->folded.edges[*edge];
        QString text = QStringLiteral("%1 → %2").arg(toQString(m_scene->folded.boxes[e.from].title),
                                                     toQString(m_scene->folded.boxes[e.to].title));
        if (e.control)
            text += tr(", order only");
        if (!m_scene->text(e.type).empty())
            text += QStringLiteral("\n") + toQString(m_scene->text(e.type));
        if (e.count > 1)
            text += tr("\n%1 edges").arg(e.count);
        return text;
    }
    return {};
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && m_scene) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tooltipAt(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

/// Boxes at the other ends of the edges above (Up) or below (Down), else the next one in the rank.
std::optional<std::uint32_t> GraphCanvas::neighbour(std::uint32_t box, int key, bool another) {
    const Rect& own = m_scene->drawn.boxes[box];
    std::vector<std::uint32_t> found;
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        for (const FoldedEdge& e : m_scene->folded.edges) {
            if (key == Qt::Key_Up ? e.to == box : e.from == box)
                found.push_back(key == Qt::Key_Up ? e.from : e.to);
        }
        if (found.empty())
            return std::nullopt;
        m_choice = another ? m_choice + 1 : 0;
        return found[m_choice % found.size()];
    }
    std::optional<std::uint32_t> best;
    for (std::uint32_t b = 0; b < m_scene->drawn.boxes.size(); ++b) {
        const Rect& r = m_scene->drawn.boxes[b];
        const bool sameRank = r.y < own.bottom() && own.y < r.bottom();
        const bool onSide = key == Qt::Key_Left ? r.x < own.x : r.x > own.x;
        if (!sameRank || !onSide)
            continue;
        if (!best || std::abs(r.x - own.x) < std::abs(m_scene->drawn.boxes[*best].x - own.x))
            best = b;
    }
    return best;
}

bool GraphCanvas::moveSelection(int key, bool chooseAmongSeveral) {
    if (m_scene->folded.boxes.empty())
        return false;
    std::optional<std::uint32_t> next =
        m_emphasis.selected ? neighbour(*m_emphasis.selected, key, chooseAmongSeveral) : 0;
    if (!next)
        return true;
    Q_EMIT boxPressed(*next);
    reveal(*next);
    return true;
}

/// Keeps everything that reaches the selection (or that it reaches), values shown as pills included; dims the
/// rest.
void GraphCanvas::keepConnected(bool upstream) {
    if (!m_emphasis.selected)
        return;
    const FoldedGraph& folded = m_scene->folded;
    m_emphasis.kept = reachable(upstream ? makersOf(folded) : readersOf(folded), *m_emphasis.selected);
    m_emphasis.path.clear();
    update();
}

void GraphCanvas::showPath(const BoxPaths& paths) {
    m_emphasis.kept = paths.onAny;
    m_emphasis.path = paths.shortest;
    update();
}

bool GraphCanvas::handleScopeKey(int key) {
    if (!m_emphasis.selected)
        return false;
    const FoldedBox& box = m_scene->folded.boxes[*m_emphasis.selected];
    const bool isScope = box.kind == BoxKind::Scope;
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (isScope)
            Q_EMIT toggleWanted(box.id);
        return true;
    case Qt::Key_Backspace:
        Q_EMIT parentWanted(*m_emphasis.selected);
        return true;
    case Qt::Key_E:
        if (isScope)
            Q_EMIT allBelowWanted(box.id, true);
        return true;
    case Qt::Key_C:
        if (box.cluster != kNoCluster)
            Q_EMIT allBelowWanted(m_scene->folded.clusters[static_cast<std::size_t>(box.cluster)].scope,
                                  false);
        return true;
    case Qt::Key_P:
        Q_EMIT pathWanted();
        return true;
    case Qt::Key_I:
    case Qt::Key_O:
        keepConnected(key == Qt::Key_I);
        return true;
    default:
        return false;
    }
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const QPointF middle(width() / 2.0, height() / 2.0);
    if (!m_scene || (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(kKeyStep, middle);
    case Qt::Key_S:
    case Qt::Key_Minus:
        return zoomBy(1 / kKeyStep, middle);
    case Qt::Key_A:
        return panBy({kPanStep, 0});
    case Qt::Key_D:
        return panBy({-kPanStep, 0});
    case Qt::Key_Home:
    case Qt::Key_0:
        return fitAll();
    case Qt::Key_F:
        if (m_emphasis.selected && !QRectF(middle - QPointF(2, 2), QSizeF(4, 4))
                                        .contains(boxOnWidget(*m_emphasis.selected).center()))
            return centreOn(*m_emphasis.selected);
        return fitAll();
    case Qt::Key_Slash:
        Q_EMIT findWanted();
        return;
    case Qt::Key_Escape:
        Q_EMIT escapePressed();
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        moveSelection(key, (event->modifiers() & Qt::ShiftModifier) != 0);
        return;
    default:
        if (!handleScopeKey(key))
            QWidget::keyPressEvent(event);
    }
}

} // namespace retracescope::views
