#include "views/graph/graph_minimap.h"

#include <QMouseEvent>
#include <QPainter>

namespace retracescope::views {

namespace {

constexpr int kWidth = 168;
constexpr int kHeight = 150;
constexpr int kInset = 8;
constexpr int kFromEdge = 12;
/// On a smaller canvas it would lie over boxes that have no other place to be.
constexpr int kLeastCanvasWidth = 3 * kWidth;
constexpr int kLeastCanvasHeight = 3 * kHeight;

} // namespace

GraphMinimap::GraphMinimap(ViewState& state, GraphCanvas& canvas)
    : QWidget(&canvas), m_state(state), m_canvas(canvas) {
    resize(kWidth, kHeight);
    setAccessibleName(tr("Overview of the graph"));
    setCursor(Qt::PointingHandCursor);
    connect(&canvas, &GraphCanvas::viewChanged, this, &GraphMinimap::place);
}

void GraphMinimap::sceneChanged() {
    place();
    update();
}

/// Hidden while the whole graph is in view or the canvas has no room for it.
void GraphMinimap::place() {
    const GraphScenePtr& scene = m_canvas.scene();
    const bool useful = scene && !m_canvas.visibleArea().contains(toRect(scene->drawn.bounds)) &&
                        m_canvas.width() >= kLeastCanvasWidth && m_canvas.height() >= kLeastCanvasHeight;
    setVisible(useful);
    move(m_canvas.width() - kWidth - kFromEdge, m_canvas.height() - kHeight - kFromEdge);
    update();
}

QRectF GraphMinimap::mapArea() const {
    const layout::Rect& all = m_canvas.scene()->drawn.bounds;
    const double scale = std::min((kWidth - 2.0 * kInset) / all.width, (kHeight - 2.0 * kInset) / all.height);
    const QSizeF size(all.width * scale, all.height * scale);
    return {QPointF((kWidth - size.width()) / 2, (kHeight - size.height()) / 2), size};
}

void GraphMinimap::paintEvent(QPaintEvent* event) {
    Q_UNUSED(event);
    if (!m_canvas.scene())
        return;
    const GraphScene& scene = *m_canvas.scene();
    const Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.line2);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QRectF area = mapArea();
    const double scale = area.width() / scene.drawn.bounds.width;
    const GraphPainter colours(scene, theme, m_canvas.colour());
    painter.setPen(QPen(theme.line2, 0.5));
    painter.setBrush(Qt::NoBrush);
    for (const layout::Rect& cluster : scene.drawn.clusters)
        painter.drawRect(QRectF(area.x() + cluster.x * scale, area.y() + cluster.y * scale,
                                cluster.width * scale, cluster.height * scale));
    painter.setPen(Qt::NoPen);
    for (std::uint32_t box = 0; box < scene.drawn.boxes.size(); ++box) {
        const layout::Rect& r = scene.drawn.boxes[box];
        const QColor fill = colours.fillOf(box);
        painter.fillRect(QRectF(area.x() + r.x * scale, area.y() + r.y * scale,
                                std::max(1.0, r.width * scale), std::max(1.0, r.height * scale)),
                         fill == theme.execute.tint || fill == theme.view ? theme.muted : fill);
    }
    const QRectF seen = m_canvas.visibleArea();
    const QRectF box(area.x() + seen.x() * scale, area.y() + seen.y() * scale, seen.width() * scale,
                     seen.height() * scale);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box.intersected(QRectF(rect()).adjusted(2, 2, -2, -2)), 2, 2);
}

void GraphMinimap::moveTo(const QPointF& position) {
    const QRectF area = mapArea();
    const double scale = area.width() / m_canvas.scene()->drawn.bounds.width;
    const QPointF at = (position - area.topLeft()) / scale;
    m_canvas.centreAt(at);
}

void GraphMinimap::mousePressEvent(QMouseEvent* event) {
    moveTo(event->position());
}

void GraphMinimap::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) != 0)
        moveTo(event->position());
}

} // namespace retracescope::views
