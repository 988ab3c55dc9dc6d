#include "views/timeline/timeline_canvas.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr std::size_t kMostUndo = 200;

} // namespace

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

void TimelineCanvas::hideInstead(const std::vector<std::size_t>& shown,
                                 const std::vector<std::size_t>& hidden) {
    LaneDisplay next = m_display;
    for (const std::size_t lane : shown)
        next.hiddenLanes[lane] = false;
    for (const std::size_t lane : hidden)
        next.hiddenLanes[lane] = true;
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

} // namespace retracescope::views
