#pragma once

#include <optional>
#include <vector>

#include "views/timeline/timeline_model.h"

namespace retracescope::views {

/// One line of the timeline: a group's title or a lane. `y` counts from the top of all lines.
struct StackLine {
    bool isGroup = false;
    std::size_t index = 0; ///< group or lane of the model
    int y = 0;
    int height = 0;
};

inline constexpr int kGroupHeight = 24;
inline constexpr int kGlyphRow = 20; ///< above a function's bars
inline constexpr int kBarHeight = 16;
inline constexpr int kBarStep = 18;
inline constexpr int kIcicleHeight = 15;
inline constexpr int kIcicleStep = 16;
inline constexpr int kLanePadding = 5;
inline constexpr int kMostRows = 24; ///< of a thread's nesting; deeper events are counted in the header

/// Where the lines lie, for a set of folded groups.
class LaneStack {
public:
    LaneStack() = default;
    LaneStack(const TimelineModel& model, const std::vector<bool>& folded);

    const std::vector<StackLine>& lines() const { return m_lines; }
    int height() const { return m_lines.empty() ? 0 : m_lines.back().y + m_lines.back().height; }
    std::optional<StackLine> lineAt(int y) const;
    std::optional<StackLine> lineOf(std::size_t lane) const; ///< none if its group is folded

private:
    std::vector<StackLine> m_lines;
};

/// Top of row `depth` within its lane, and its height.
int rowTop(const TimelineLane& lane, std::size_t depth);
int rowHeight(const TimelineLane& lane);

} // namespace retracescope::views
