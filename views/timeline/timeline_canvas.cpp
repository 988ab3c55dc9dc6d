#include "views/timeline/timeline_canvas.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/shared/numbers.h"

namespace retracescope::views {

using session::CallId;

namespace {

constexpr double kWheelStep = 1.25; // per notch
constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.12;    // of the width
constexpr double kDragStart = 4;    // pixels before a press becomes a drag
constexpr double kEdgeReach = 5;    // pixels beside a range's edge
constexpr int kTipDelayMs = 80;     // ms, so that a tip feels immediate
constexpr int kWheelScroll = 60;    // pixels per notch
constexpr double kMostPinned = 0.4; // of the lanes' area
constexpr std::size_t kMostUndo = 200;

} // namespace

TimelineCanvas::TimelineCanvas(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_bar(new QScrollBar(Qt::Vertical, this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Retrace timeline"));
    m_painter.setTheme(state.theme());
    m_tipTimer.setSingleShot(true);
    m_tipTimer.setInterval(kTipDelayMs);
    connect(&m_tipTimer, &QTimer::timeout, this, &TimelineCanvas::showTip);
    connect(m_bar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    connect(&state, &ViewState::selectionChanged, this, &TimelineCanvas::onSelection);
    connect(&state, &ViewState::themeChanged, this, [this] {
        m_painter.setTheme(m_state.theme());
        update();
    });
}

void TimelineCanvas::setModel(TimelineModelPtr model) {
    m_model = std::move(model);
    m_painter.setModel(m_model);
    m_display = m_model ? LaneDisplay(*m_model) : LaneDisplay();
    m_undo.clear();
    m_redo.clear();
    relayout();
    m_bar->setValue(0);
    showAll();
    if (m_model)
        onSelection();
}

void TimelineCanvas::setNotice(const QString& notice) {
    m_notice = notice;
    update();
}

double TimelineCanvas::areaWidth() const {
    return std::max(50.0, double(width()) - kHeaderWidth - (m_bar->isVisibleTo(this) ? m_bar->width() : 0));
}

TimelineFrame TimelineCanvas::frame() const {
    return {m_scale, m_bar->value(), m_stack.pinnedHeight(), size(), m_state.selection()};
}

void TimelineCanvas::relayout() {
    const int area = std::max(1, height() - kTopHeight);
    m_stack = m_model ? LaneStack(*m_model, m_display, static_cast<int>(area * kMostPinned)) : LaneStack();
    m_bar->setRange(0, std::max(0, m_stack.height() - area));
    m_bar->setPageStep(area);
    m_bar->setSingleStep(kBarStep);
    m_bar->setVisible(m_bar->maximum() > 0);
    const int wide = m_bar->sizeHint().width();
    m_bar->setGeometry(width() - wide, kTopHeight, wide, area);
    m_scale.width = areaWidth();
    update();
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
    Q_UNUSED(event);
    relayout();
    Q_EMIT viewChanged();
}

void TimelineCanvas::setScale(const layout::TimeScale& scale) {
    if (scale == m_scale)
        return;
    m_scale = scale;
    Q_EMIT viewChanged();
    update();
}

void TimelineCanvas::showRange(double beginNs, double endNs) {
    if (m_model)
        setScale(layout::clamped({beginNs, endNs, areaWidth()}, m_model->firstNs(), m_model->lastNs()));
}

void TimelineCanvas::showAll() {
    if (m_model)
        showRange(m_model->firstNs(), m_model->lastNs());
}

/// Every change of what is folded, pinned, hidden or moved goes through here, so that it can be undone.
void TimelineCanvas::change(LaneDisplay display) {
    if (display == m_display)
        return;
    m_undo.push_back(std::exchange(m_display, std::move(display)));
    if (m_undo.size() > kMostUndo)
        m_undo.erase(m_undo.begin());
    m_redo.clear();
    relayout();
    Q_EMIT viewChanged();
}

void TimelineCanvas::undo() {
    if (m_undo.empty())
        return;
    m_redo.push_back(std::exchange(m_display, m_undo.back()));
    m_undo.pop_back();
    relayout();
    Q_EMIT viewChanged();
}

void TimelineCanvas::redo() {
    if (m_redo.empty())
        return;
    m_undo.push_back(std::exchange(m_display, m_redo.back()));
    m_redo.pop_back();
    relayout();
    Q_EMIT viewChanged();
}

void TimelineCanvas::foldGroup(std::size_t group, bool folded) {
    LaneDisplay next = m_display;
    next.foldedGroups[group] = folded;
    change(std::move(next));
}

void TimelineCanvas::openLane(std::size_t lane, bool open) {
    LaneDisplay next = m_display;
    next.openLanes[lane] = open;
    change(std::move(next));
}

void TimelineCanvas::pinLane(std::size_t lane, bool pinned) {
    LaneDisplay next = m_display;
    std::erase(next.pinnedLanes, lane);
    if (pinned)
        next.pinnedLanes.push_back(lane);
    change(std::move(next));
}

void TimelineCanvas::hideLane(std::size_t lane, bool hidden) {
    LaneDisplay next = m_display;
    next.hiddenLanes[lane] = hidden;
    change(std::move(next));
}

void TimelineCanvas::showHiddenLanes() {
    LaneDisplay next = m_display;
    next.hiddenLanes.assign(next.hiddenLanes.size(), false);
    change(std::move(next));
}

void TimelineCanvas::moveLane(std::size_t lane, int by) {
    LaneDisplay next = m_display;
    std::vector<std::size_t>& order =
        m_display.isPinned(lane) ? next.pinnedLanes : next.order[m_model->lanes[lane].group];
    auto at = std::ranges::find(order, lane) - order.begin();
    for (auto to = at + by; to >= 0 && to < std::ssize(order); to += by) {
        std::swap(order[static_cast<std::size_t>(at)], order[static_cast<std::size_t>(to)]);
        at = to;
        if (!m_display.hiddenLanes[order[static_cast<std::size_t>(to - by)]])
            break; // that was a lane one sees
    }
    change(std::move(next));
}

/// The lane under the pointer, else that of the selected function.
std::optional<std::size_t> TimelineCanvas::presentLane() const {
    const auto line = m_stack.lineAt(static_cast<int>(m_hoverAt.y()) - kTopHeight, m_bar->value());
    if (underMouse() && line && !line->isGroup && m_hoverAt.y() >= kTopHeight)
        return line->index;
    return m_state.selection().function.isValid() ? m_model->laneOf(m_state.selection().function)
                                                  : std::nullopt;
}

bool TimelineCanvas::handleLaneKey(int key) {
    const std::optional<std::size_t> lane = presentLane();
    if (!lane || (key != Qt::Key_P && key != Qt::Key_H))
        return false;
    if (key == Qt::Key_P)
        pinLane(*lane, !m_display.isPinned(*lane));
    else
        hideLane(*lane, true);
    return true;
}

/// The dragged lane takes the place of the one under the pointer, if that is of its group.
void TimelineCanvas::dragLane(double y) {
    const auto line = m_stack.lineAt(static_cast<int>(y) - kTopHeight, m_bar->value());
    if (!line || line->isGroup || line->index == *m_draggedLane)
        return;
    const bool pinned = m_display.isPinned(*m_draggedLane);
    const std::size_t group = m_model->lanes[*m_draggedLane].group;
    if (line->isPinned != pinned || (!pinned && m_model->lanes[line->index].group != group))
        return;
    std::vector<std::size_t>& order = pinned ? m_display.pinnedLanes : m_display.order[group];
    const auto from = std::ranges::find(order, *m_draggedLane);
    const auto to = std::ranges::find(order, line->index);
    if (from < to)
        std::rotate(from, from + 1, to + 1);
    else
        std::rotate(to, from, from + 1);
    relayout();
}

void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!m_model)
        return;
    const TimelineTarget target = findTarget(*m_model, m_stack, frame(), event->pos());
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const bool isLane = target.kind != TimelineTarget::Kind::Group && event->pos().y() >= kTopHeight &&
                        m_stack.lineAt(event->pos().y() - kTopHeight, m_bar->value());
    if (target.kind == TimelineTarget::Kind::Group) {
        const std::size_t group = target.lane;
        menu->addAction(isFolded(group) ? tr("Unfold the group") : tr("Fold the group"), this,
                        [this, group] { foldGroup(group, !isFolded(group)); });
    } else if (isLane) {
        const std::size_t lane = target.lane;
        const bool pinned = m_display.isPinned(lane);
        menu->addAction(pinned ? tr("Unpin the lane\tP") : tr("Pin the lane at the top\tP"), this,
                        [this, lane, pinned] { pinLane(lane, !pinned); });
        menu->addAction(tr("Hide the lane\tH"), this, [this, lane] { hideLane(lane, true); });
        menu->addAction(tr("Move up"), this, [this, lane] { moveLane(lane, -1); });
        menu->addAction(tr("Move down"), this, [this, lane] { moveLane(lane, 1); });
    }
    if (const std::size_t hidden = m_display.hidden(); hidden > 0)
        menu->addAction(tr("Show %1").arg(pluralText(static_cast<std::int64_t>(hidden), tr("hidden lane"),
                                                     tr("hidden lanes"))),
                        this, &TimelineCanvas::showHiddenLanes);
    menu->addSeparator();
    if (const auto& range = m_state.selection().range) {
        menu->addAction(tr("Zoom to the range"), this, [this, range] {
            showRange(static_cast<double>(range->beginNs), static_cast<double>(range->endNs));
        });
        menu->addAction(tr("Drop the range\tEsc"), this, [this] { m_state.selectRange(std::nullopt); });
    }
    menu->addAction(tr("Show the whole session\tHome"), this, &TimelineCanvas::showAll);
    menu->popup(event->globalPos());
}

void TimelineCanvas::zoomBy(double factor, double x) {
    setScale(
        zoomed(m_scale, factor, std::clamp(x, 0.0, m_scale.width), m_model->firstNs(), m_model->lastNs()));
}

void TimelineCanvas::panBy(double pixels) {
    setScale(panned(m_scale, pixels, m_model->firstNs(), m_model->lastNs()));
}

void TimelineCanvas::scrollBy(int pixels) {
    m_bar->setValue(m_bar->value() + pixels);
}

void TimelineCanvas::paintEvent(QPaintEvent* event) {
    Q_UNUSED(event);
    QPainter painter(this);
    if (m_model && !m_model->lanes.empty()) {
        m_painter.paint(painter, frame(), m_stack);
        return;
    }
    painter.fillRect(rect(), m_state.theme().view);
    painter.setPen(m_state.theme().muted);
    painter.setFont(textFont(TextSize::Strong));
    painter.drawText(rect().adjusted(40, 0, -40, 0), Qt::AlignCenter | Qt::TextWordWrap, m_notice);
}

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
        panBy(-(notches + sideways) * m_scale.width * kKeyPan);
    else {
        panBy(-sideways * m_scale.width * kKeyPan);
        scrollBy(static_cast<int>(-notches * kWheelScroll));
    }
}

void TimelineCanvas::onSelection() {
    update();
    if (!m_model || m_selecting)
        return;
    const Selection& selection = m_state.selection();
    if (selection.call.isValid())
        revealCall(selection.call);
    else if (selection.event)
        revealEvent(*selection.event);
    else if (selection.function.isValid()) {
        if (const auto lane = m_model->laneOf(selection.function))
            revealLane(*lane);
    }
}

/// Scrolls only if it is out of sight; the zoom stays.
void TimelineCanvas::revealTime(double start, double end) {
    if (end >= m_scale.beginNs && start < m_scale.endNs)
        return;
    const double length = m_scale.endNs - m_scale.beginNs;
    const double begin = (start + std::min(end, start + length)) / 2 - length / 2;
    showRange(begin, begin + length);
}

void TimelineCanvas::revealEvent(const session::EventRef& event) {
    const auto place = m_model->placeOf(event);
    if (!place)
        return;
    const session::LaneRow& row = *m_model->lanes[place->lane].rows[place->row];
    revealTime(static_cast<double>(row.startNs[place->index]), static_cast<double>(row.endNs[place->index]));
    const auto line = m_stack.lineOf(place->lane);
    if (line && place->row >= line->rows)
        openLane(place->lane, true); // it is deeper than what is drawn each
    revealLane(place->lane);
}

/// Along the row of the selected event, to what contains it, to the first inside it. False if none is
/// selected.
bool TimelineCanvas::stepEvent(int key) {
    const auto place =
        m_state.selection().event ? m_model->placeOf(*m_state.selection().event) : std::nullopt;
    if (!place)
        return false;
    const TimelineLane& lane = m_model->lanes[place->lane];
    const session::LaneRow& row = *lane.rows[place->row];
    const auto isLayer = [&](std::size_t r) {
        return std::ranges::find(lane.outermost, r) != lane.outermost.end();
    };
    if (key == Qt::Key_Left && place->index > 0) {
        m_state.selectEvent(row.event[place->index - 1]);
    } else if (key == Qt::Key_Right && place->index + 1 < row.size()) {
        m_state.selectEvent(row.event[place->index + 1]);
    } else if (key == Qt::Key_Up && !isLayer(place->row)) {
        const session::LaneRow& above = *lane.rows[place->row - 1];
        const auto at =
            std::ranges::upper_bound(above.startNs, row.startNs[place->index]) - above.startNs.begin();
        m_state.selectEvent(above.event[static_cast<std::size_t>(at - 1)]);
    } else if (key == Qt::Key_Down && place->row + 1 < lane.rows.size() && !isLayer(place->row + 1)) {
        const session::LaneRow& below = *lane.rows[place->row + 1];
        const auto at =
            std::ranges::lower_bound(below.startNs, row.startNs[place->index]) - below.startNs.begin();
        if (at < std::ssize(below.startNs) &&
            below.endNs[static_cast<std::size_t>(at)] <= row.endNs[place->index])
            m_state.selectEvent(below.event[static_cast<std::size_t>(at)]);
    }
    return true;
}

void TimelineCanvas::revealCall(CallId call) {
    const session::CallTable& calls = m_model->session().calls;
    const auto start = static_cast<double>(calls.startNs[call.value]);
    revealTime(start, start + static_cast<double>(calls.durationNs[call.value]));
    if (const auto lane = m_model->laneOf(calls.function[call.value]))
        revealLane(*lane);
    setAccessibleDescription(describeCall(*m_model, call));
}

void TimelineCanvas::revealLane(std::size_t lane) {
    auto line = m_stack.lineOf(lane);
    if (!line) {
        LaneDisplay next = m_display;
        next.foldedGroups[m_model->lanes[lane].group] = false;
        next.hiddenLanes[lane] = false;
        change(std::move(next));
        line = m_stack.lineOf(lane);
    }
    const int area = height() - kTopHeight;
    if (line->isPinned)
        return;
    if (line->y - m_stack.pinnedHeight() < m_bar->value())
        m_bar->setValue(line->y - m_stack.pinnedHeight());
    else if (line->y + line->height > m_bar->value() + area)
        m_bar->setValue(line->y + line->height - area);
}

/// First brings the selection to the middle, then fits it.
void TimelineCanvas::fitSelection() {
    const Selection& selection = m_state.selection();
    double begin = 0;
    double end = 0;
    if (selection.call.isValid()) {
        const session::CallTable& calls = m_model->session().calls;
        begin = static_cast<double>(calls.startNs[selection.call.value]);
        end = begin + static_cast<double>(calls.durationNs[selection.call.value]);
    } else if (const auto place = selection.event ? m_model->placeOf(*selection.event) : std::nullopt) {
        const session::LaneRow& row = *m_model->lanes[place->lane].rows[place->row];
        begin = static_cast<double>(row.startNs[place->index]);
        end = static_cast<double>(row.endNs[place->index]);
    } else if (selection.range) {
        begin = static_cast<double>(selection.range->beginNs);
        end = static_cast<double>(selection.range->endNs);
    } else {
        return;
    }
    const double length = m_scale.endNs - m_scale.beginNs;
    const double middle = (begin + end) / 2;
    const layout::TimeScale centred = layout::clamped(
        {middle - length / 2, middle + length / 2, m_scale.width}, m_model->firstNs(), m_model->lastNs());
    if (std::abs(centred.beginNs - m_scale.beginNs) > m_scale.nsPerPixel()) {
        setScale(centred);
        return;
    }
    const double margin = std::max((end - begin) * 0.1, 20.0);
    showRange(begin - margin, end + margin);
}

void TimelineCanvas::rangeFromSelection() {
    const CallId call = m_state.selection().call;
    if (!call.isValid())
        return;
    const session::CallTable& calls = m_model->session().calls;
    m_state.selectRange(
        TimeRange{calls.startNs[call.value], calls.startNs[call.value] + calls.durationNs[call.value]});
}

void TimelineCanvas::stepTrace(int by) {
    const CallId selected = m_state.selection().call;
    const double from = selected.isValid()
                            ? static_cast<double>(m_model->session().calls.startNs[selected.value])
                        : by > 0 ? m_scale.beginNs - 1
                                 : m_scale.endNs;
    CallId best;
    double bestNs = 0;
    for (const TimelineLane& lane : m_model->lanes) {
        for (std::size_t g = 0; g < kGlyphs; ++g) {
            const GlyphSeries& series = lane.glyphs[g];
            if (!isTrace(static_cast<Glyph>(g)) && static_cast<Glyph>(g) != Glyph::Error)
                continue;
            std::size_t at = by > 0 ? series.firstAt(std::nextafter(from, 1e300)) : series.firstAt(from);
            while (by > 0 ? at < series.call.size() : at > 0) {
                const std::size_t i = by > 0 ? at++ : --at;
                if (!series.call[i].isValid() || !series.miss[i].isValid())
                    continue;
                const auto ns = static_cast<double>(series.timeNs[i]);
                if (!best.isValid() || (by > 0 ? ns < bestNs : ns > bestNs)) {
                    best = series.call[i];
                    bestNs = ns;
                }
                break;
            }
        }
    }
    if (best.isValid())
        m_state.selectCall(best);
}

/// The next or previous call of the same function.
void TimelineCanvas::stepCall(int by) {
    const CallId selected = m_state.selection().call;
    const session::FunctionId function = m_state.selection().function;
    if (!function.isValid())
        return;
    const auto& calls = m_model->diagnosis->index.callsOfFunction[function.value];
    if (calls.empty())
        return;
    const auto it = std::ranges::find(calls, selected);
    if (it == calls.end())
        return m_state.selectCall(by > 0 ? calls.front() : calls.back());
    const auto next = it - calls.begin() + by;
    if (next >= 0 && next < std::ssize(calls))
        m_state.selectCall(calls[static_cast<std::size_t>(next)]);
}

void TimelineCanvas::stepFunction(int by) {
    std::vector<session::FunctionId> functions;
    for (const TimelineLane& lane : m_model->lanes) {
        if (lane.kind == TimelineLaneKind::Function)
            functions.push_back(lane.function);
    }
    if (functions.empty())
        return;
    const auto it = std::ranges::find(functions, m_state.selection().function);
    const auto next = it == functions.end() ? 0
                                            : std::clamp<std::ptrdiff_t>(it - functions.begin() + by, 0,
                                                                         std::ssize(functions) - 1);
    m_state.selectFunction(functions[static_cast<std::size_t>(next)]);
}

/// Peels one layer: the range, then the selection.
void TimelineCanvas::escape() {
    if (m_state.selection().range)
        m_state.selectRange(std::nullopt);
    else
        m_state.clearSelection();
    update();
}

bool TimelineCanvas::handleLetter(int key, bool shift) {
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1 / kKeyZoom, m_scale.width / 2);
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoomBy(kKeyZoom, m_scale.width / 2);
        return true;
    case Qt::Key_A:
        panBy(-m_scale.width * kKeyPan);
        return true;
    case Qt::Key_D:
        panBy(m_scale.width * kKeyPan);
        return true;
    case Qt::Key_F:
        fitSelection();
        return true;
    case Qt::Key_R:
        rangeFromSelection();
        return true;
    case Qt::Key_N:
        stepTrace(shift ? -1 : 1);
        return true;
    case Qt::Key_G:
        m_state.requestView(QStringLiteral("graph"));
        return true;
    default:
        return false;
    }
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
    const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    if (!m_model || (event->modifiers() & Qt::AltModifier) != 0)
        return QWidget::keyPressEvent(event);
    if (event->matches(QKeySequence::Undo))
        return undo();
    if (event->matches(QKeySequence::Redo))
        return redo();
    if (!control && (handleLetter(event->key(), shift) || handleLaneKey(event->key())))
        return;
    const int arrow = event->key() == Qt::Key_Comma    ? int(Qt::Key_Left)
                      : event->key() == Qt::Key_Period ? int(Qt::Key_Right)
                                                       : event->key();
    const bool isArrow =
        arrow == Qt::Key_Left || arrow == Qt::Key_Right || arrow == Qt::Key_Up || arrow == Qt::Key_Down;
    if (!control && isArrow && stepEvent(arrow))
        return;
    switch (event->key()) {
    case Qt::Key_Home:
    case Qt::Key_0:
        if (!control)
            return showAll();
        break;
    case Qt::Key_Left:
    case Qt::Key_Comma:
        return stepCall(-1);
    case Qt::Key_Right:
    case Qt::Key_Period:
        return stepCall(1);
    case Qt::Key_Up:
        return control ? stepFunction(-1) : scrollBy(-kBarStep);
    case Qt::Key_Down:
        return control ? stepFunction(1) : scrollBy(kBarStep);
    case Qt::Key_PageUp:
        if (!control)
            return scrollBy(-m_bar->pageStep());
        break;
    case Qt::Key_PageDown:
        if (!control)
            return scrollBy(m_bar->pageStep());
        break;
    case Qt::Key_Escape:
        return escape();
    default:
        break;
    }
    QWidget::keyPressEvent(event);
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
