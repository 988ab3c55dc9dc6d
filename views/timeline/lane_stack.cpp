#include "views/timeline/lane_stack.h"

#include <algorithm>

namespace retracescope::views {

namespace {

constexpr int kCounterHeight = 34;
constexpr int kLeastHeight = 26; // room for a name; functions and counters have a second line

StackLine laneLine(const TimelineModel& model, std::size_t index, bool isOpen, int y) {
    const TimelineLane& lane = model.lanes[index];
    StackLine line;
    line.index = index;
    line.y = y;
    line.hasStrip = lane.rows.size() > kMostRows;
    line.rows = line.hasStrip && !isOpen ? kMostRows : lane.rows.size();
    line.moreRows = lane.rows.size() - line.rows;
    const int strip = line.hasStrip ? kStripHeight : 0;
    if (lane.kind == TimelineLaneKind::Counter)
        line.height = kCounterHeight + 2 * kLanePadding;
    else
        line.height = rowTop(lane, std::max<std::size_t>(line.rows, 1)) + strip + kLanePadding - 2;
    line.height = std::max(line.height, kLeastHeight);
    return line;
}

} // namespace

LaneDisplay::LaneDisplay(const TimelineModel& model)
    : foldedGroups(model.groups.size()), openLanes(model.lanes.size()), hiddenLanes(model.lanes.size()) {
    for (const TimelineGroup& group : model.groups)
        order.push_back(group.lanes);
}

bool LaneDisplay::isPinned(std::size_t lane) const {
    return std::ranges::find(pinnedLanes, lane) != pinnedLanes.end();
}

std::size_t LaneDisplay::hidden() const {
    return static_cast<std::size_t>(std::ranges::count(hiddenLanes, true));
}

LaneStack::LaneStack(const TimelineModel& model, const LaneDisplay& display, int mostPinned) {
    int y = 0;
    std::vector<bool> sticks(model.lanes.size());
    for (const std::size_t lane : display.pinnedLanes) {
        StackLine line = laneLine(model, lane, display.openLanes[lane], y);
        if (display.hiddenLanes[lane] || y + line.height > mostPinned)
            continue;
        line.isPinned = true;
        sticks[lane] = true;
        y += line.height;
        m_lines.push_back(line);
    }
    m_pinnedHeight = y;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        const bool isEmpty = std::ranges::all_of(
            display.order[g], [&](std::size_t lane) { return display.hiddenLanes[lane] || sticks[lane]; });
        if (isEmpty)
            continue;
        StackLine title;
        title.isGroup = true;
        title.index = g;
        title.y = y;
        title.height = kGroupHeight;
        title.isFolded = display.foldedGroups[g];
        m_lines.push_back(title);
        y += kGroupHeight;
        for (const std::size_t lane : display.order[g]) {
            if (title.isFolded || display.hiddenLanes[lane] || sticks[lane])
                continue;
            m_lines.push_back(laneLine(model, lane, display.openLanes[lane], y));
            y += m_lines.back().height;
        }
    }
}

std::optional<StackLine> LaneStack::lineAt(int y, int scroll) const {
    const int at = y < m_pinnedHeight ? y : y + scroll;
    const auto it = std::ranges::upper_bound(m_lines, at, {}, &StackLine::y);
    if (at < 0 || it == m_lines.begin() || at >= height())
        return std::nullopt;
    return *std::prev(it);
}

std::optional<StackLine> LaneStack::lineOf(std::size_t lane) const {
    const auto it =
        std::ranges::find_if(m_lines, [&](const StackLine& l) { return !l.isGroup && l.index == lane; });
    return it == m_lines.end() ? std::nullopt : std::optional(*it);
}

int rowTop(const TimelineLane& lane, std::size_t depth) {
    const int row = static_cast<int>(depth);
    return lane.kind == TimelineLaneKind::Function ? kLanePadding + kGlyphRow + row * kBarStep
                                                   : kLanePadding + row * kIcicleStep;
}

int rowHeight(const TimelineLane& lane) {
    return lane.kind == TimelineLaneKind::Function ? kBarHeight : kIcicleHeight;
}

} // namespace retracescope::views
