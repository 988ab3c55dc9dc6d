#include "views/timeline/timeline_canvas.h"

#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace retracescope::views {

namespace {

constexpr double kWheelStep = 1.25; // per notch
constexpr int kWheelScroll = 60;    // pixels per notch
constexpr double kDragStart = 4;    // pixels before a press becomes a drag
constexpr double kEdgeReach = 5;    // pixels beside a range's edge

} // namespace

TimelineCanvas::Drag TimelineCanvas::dragFor(const QMouseEvent& event) const {
    const QPointF at = event.position();
    if (at.x() < kHeaderWidth)
        return Drag::Lane;
    if (at.y() < kMinimapHeight)
        return Drag::Minimap;
    const bool onRuler = at.y() < kTopHeight;
    if (const auto& range = m_state.selection().range; range && onRuler) {
        const double x = at.x() - kHeaderWidth;
        if (std::abs(m_scale.toX(static_cast<double>(range->beginNs)) - x) < kEdgeReach)
            return Drag::RangeBegin;
        if (std::abs(m_scale.toX(static_cast<double>(range->endNs)) - x) < kEdgeReach)
            return Drag::RangeEnd;
    }
    return onRuler || (event.modifiers() & Qt::ShiftModifier) != 0 ? Drag::Range : Drag::Pan;
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (!m_model || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton))
        return;
    QToolTip::hideText();
    m_tipTimer.stop();
    m_drag = event->button() == Qt::MiddleButton ? Drag::Pan : dragFor(*event);
    m_moved = false;
    m_pressAt = m_lastAt = event->position();
    if (m_drag == Drag::Lane) {
        const auto line = m_stack.lineAt(static_cast<int>(m_pressAt.y()) - kTopHeight, m_bar->value());
        m_draggedLane = line && !line->isGroup ? std::optional(line->index) : std::nullopt;
        m_beforeDrag = m_display;
    }
    const double ns = m_scale.toNs(event->position().x() - kHeaderWidth);
    const auto& range = m_state.selection().range;
    m_rangeAnchorNs = ns;
    if (m_drag == Drag::RangeBegin)
        m_rangeAnchorNs = static_cast<double>(range->endNs);
    if (m_drag == Drag::RangeEnd)
        m_rangeAnchorNs = static_cast<double>(range->beginNs);
    if (m_drag == Drag::Minimap) {
        const double whole = m_model->lastNs() - m_model->firstNs();
        const double at = m_model->firstNs() + (event->position().x() - kHeaderWidth) / m_scale.width * whole;
        const bool inside = at >= m_scale.beginNs && at < m_scale.endNs;
        m_minimapGrip = inside ? at - m_scale.beginNs : (m_scale.endNs - m_scale.beginNs) / 2;
        moveMinimap(event->position().x());
    }
}

void TimelineCanvas::moveMinimap(double x) {
    const double whole = m_model->lastNs() - m_model->firstNs();
    const double at = m_model->firstNs() + (x - kHeaderWidth) / m_scale.width * whole;
    const double length = m_scale.endNs - m_scale.beginNs;
    showRange(at - m_minimapGrip, at - m_minimapGrip + length);
}

void TimelineCanvas::selectRangeTo(double x) {
    const double ns = m_scale.toNs(std::clamp(x - kHeaderWidth, 0.0, m_scale.width));
    const double begin = std::clamp(std::min(ns, m_rangeAnchorNs), m_model->firstNs(), m_model->lastNs());
    const double end = std::clamp(std::max(ns, m_rangeAnchorNs), m_model->firstNs(), m_model->lastNs());
    m_selecting = true;
    m_state.selectRange(
        TimeRange{static_cast<std::int64_t>(std::floor(begin)), static_cast<std::int64_t>(std::ceil(end))});
    m_selecting = false;
}

void TimelineCanvas::dragTo(const QPointF& at) {
    switch (m_drag) {
    case Drag::Pan:
        panBy(m_lastAt.x() - at.x());
        scrollBy(static_cast<int>(std::lround(m_lastAt.y() - at.y())));
        break;
    case Drag::Range:
    case Drag::RangeBegin:
    case Drag::RangeEnd:
        selectRangeTo(at.x());
        break;
    case Drag::Minimap:
        moveMinimap(at.x());
        break;
    case Drag::Lane:
        if (m_draggedLane)
            dragLane(at.y());
        break;
    case Drag::None:
        break;
    }
    m_lastAt = at;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_model)
        return;
    m_hoverAt = event->position();
    if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) == 0) {
        const Drag would = dragFor(*event);
        const bool onEdge = would == Drag::RangeBegin || would == Drag::RangeEnd;
        setCursor(onEdge                   ? Qt::SizeHorCursor
                  : would == Drag::Minimap ? Qt::PointingHandCursor
                                           : Qt::ArrowCursor);
        m_tipTimer.start();
        return;
    }
    if (!m_moved && (event->position() - m_pressAt).manhattanLength() < kDragStart)
        return;
    if (!m_moved && (m_drag == Drag::Pan || (m_drag == Drag::Lane && m_draggedLane)))
        setCursor(Qt::ClosedHandCursor);
    m_moved = true;
    dragTo(event->position());
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_model || event->button() != Qt::LeftButton) {
        m_drag = Drag::None;
        return;
    }
    const bool wasClick = !m_moved;
    const Drag drag = m_drag;
    m_drag = Drag::None;
    m_moved = false;
    unsetCursor();
    if (drag == Drag::Lane && !wasClick)
        change(std::exchange(m_display, m_beforeDrag)); // one step to undo
    if (!wasClick)
        return;
    if (drag == Drag::Range && event->position().y() < kTopHeight)
        m_state.selectRange(std::nullopt); // a click on the ruler drops the range
    else if (drag != Drag::Minimap)
        click(event->position());
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    const bool hasTime = m_state.selection().call.isValid() || m_state.selection().event;
    if (m_model && event->button() == Qt::LeftButton && event->position().y() >= kTopHeight && hasTime)
        fitSelection();
}

void TimelineCanvas::click(const QPointF& at) {
    const TimelineTarget target = findTarget(*m_model, m_stack, frame(), at);
    m_selecting = true;
    if (target.kind == TimelineTarget::Kind::Group) {
        foldGroup(target.lane, !isFolded(target.lane));
    } else if (target.kind == TimelineTarget::Kind::Strip) {
        openLane(target.lane, !m_display.openLanes[target.lane]);
    } else if (target.kind == TimelineTarget::Kind::Header) {
        if (m_model->lanes[target.lane].function.isValid())
            m_state.selectFunction(m_model->lanes[target.lane].function);
    } else if (const auto call = callOf(*m_model, target)) {
        m_state.selectCall(*call);
    } else if (const auto event = eventOf(*m_model, target)) {
        m_state.selectEvent(*event);
    }
    m_selecting = false;
    update();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (!m_model)
        return;
    const double notches = event->angleDelta().y() / 120.0;
    const double sideways = event->angleDelta().x() / 120.0;
    if ((event->modifiers() & Qt::ControlModifier) != 0)
        zoomBy(std::pow(kWheelStep, -notches), event->position().x() - kHeaderWidth);
    else if ((event->modifiers() & Qt::ShiftModifier) != 0)
        panBy(-(notches + sideways) * m_scale.width * kPanStep);
    else {
        panBy(-sideways * m_scale.width * kPanStep);
        scrollBy(static_cast<int>(-notches * kWheelScroll));
    }
}

void TimelineCanvas::leaveEvent(QEvent* event) {
    Q_UNUSED(event);
    m_tipTimer.stop();
}

void TimelineCanvas::showTip() {
    if (!m_model || m_drag != Drag::None || !rect().contains(m_hoverAt.toPoint()))
        return;
    const QString text = describe(*m_model, findTarget(*m_model, m_stack, frame(), m_hoverAt));
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(mapToGlobal(m_hoverAt.toPoint()) + QPoint(0, 4), text, this);
}

} // namespace retracescope::views
