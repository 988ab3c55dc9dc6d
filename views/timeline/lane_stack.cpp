#include "views/timeline/lane_stack.h"

#include <algorithm>

namespace retracescope::views {

namespace {

constexpr int kCounterHeight = 34;
constexpr int kLeastHeight = 26; // room for a name; functions and counters have a second line

int laneHeight(const TimelineLane& lane) {
    const int rows =
        static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(lane.rows.size(), 1), kMostRows));
    switch (lane.kind) {
    case TimelineLaneKind::Function:
        return kLanePadding + kGlyphRow + rows * kBarStep + kLanePadding - 2;
    case TimelineLaneKind::Counter:
        return kCounterHeight + 2 * kLanePadding;
    case TimelineLaneKind::Thread:
    case TimelineLaneKind::Stream:
        break;
    }
    return std::max(kLeastHeight, rows * kIcicleStep + 2 * kLanePadding);
}

} // namespace

LaneStack::LaneStack(const TimelineModel& model, const std::vector<bool>& folded) {
    int y = 0;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        m_lines.push_back({true, g, y, kGroupHeight});
        y += kGroupHeight;
        if (g < folded.size() && folded[g])
            continue;
        for (const std::size_t lane : model.groups[g].lanes) {
            m_lines.push_back({false, lane, y, laneHeight(model.lanes[lane])});
            y += m_lines.back().height;
        }
    }
}

std::optional<StackLine> LaneStack::lineAt(int y) const {
    const auto it = std::ranges::upper_bound(m_lines, y, {}, &StackLine::y);
    if (y < 0 || it == m_lines.begin() || y >= height())
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
