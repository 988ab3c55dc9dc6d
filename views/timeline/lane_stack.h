#pragma once

#include <optional>
#include <vector>

#include "views/timeline/timeline_model.h"

namespace retracescope::views {

/// One line of the timeline: a group's title or a lane. `y` counts from the top of all lines; that of a
/// pinned one is its place on the screen.
struct StackLine {
    bool isGroup = false;
    std::size_t index = 0; ///< group or lane of the model
    int y = 0;
    int height = 0;
    bool isPinned = false;
    bool isFolded = false;    ///< a group whose lanes are on its own line
    std::size_t rows = 0;     ///< of a lane that are drawn each
    std::size_t moreRows = 0; ///< of a lane that share a strip below the others
    bool hasStrip = false;    ///< below the rows: a click on it opens or closes the lane
};

/// What the user has folded, opened, pinned, hidden and moved.
struct LaneDisplay {
    std::vector<bool> foldedGroups;              ///< by group
    std::vector<bool> openLanes;                 ///< by lane: all rows, however many
    std::vector<bool> hiddenLanes;               ///< by lane
    std::vector<std::size_t> pinnedLanes;        ///< in their order
    std::vector<std::vector<std::size_t>> order; ///< by group: its lanes

    LaneDisplay() = default;
    explicit LaneDisplay(const TimelineModel& model);

    bool isPinned(std::size_t lane) const;
    std::size_t hidden() const; ///< how many lanes
    bool operator==(const LaneDisplay&) const = default;
};

inline constexpr int kGroupHeight = 24;
inline constexpr int kGlyphHeight = 16; ///< above a function's bars
inline constexpr int kHitHeight = 7;    ///< ticks between the glyphs and the bars, which no count covers
inline constexpr int kGlyphRow = kGlyphHeight + kHitHeight + 2;
inline constexpr int kBarHeight = 16;
inline constexpr int kBarStep = 18;
inline constexpr int kIcicleHeight = 15;
inline constexpr int kIcicleStep = 16;
inline constexpr int kLanePadding = 5;
inline constexpr std::size_t kMostRows = 24; ///< of a lane that is not open; deeper ones share a strip
inline constexpr int kStripHeight = 18;      ///< of deeper rows

/// Where the lines lie: pinned lanes first, which do not scroll, as far as they fit into `mostPinned` pixels;
/// the others by group, pinned ones that do not fit among them.
class LaneStack {
public:
    LaneStack() = default;
    LaneStack(const TimelineModel& model, const LaneDisplay& display, int mostPinned);

    const std::vector<StackLine>& lines() const { return m_lines; }
    int pinnedHeight() const { return m_pinnedHeight; }
    int height() const { return m_lines.empty() ? 0 : m_lines.back().y + m_lines.back().height; }
    std::optional<StackLine> lineAt(int y, int scroll) const; ///< `y` from the top of the lanes' area
    std::optional<StackLine> lineOf(std::size_t lane) const;  ///< none if it is hidden or its group folded

private:
    std::vector<StackLine> m_lines;
    int m_pinnedHeight = 0;
};

/// Top of row `depth` within its lane, and its height. The strip lies where the next row would.
int rowTop(const TimelineLane& lane, std::size_t depth);
int rowHeight(const TimelineLane& lane);

} // namespace retracescope::views
