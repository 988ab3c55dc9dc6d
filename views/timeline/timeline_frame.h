#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <QSize>

#include <retracescope/layout/time_scale.h>
#include <retracescope/session/lane_index.h>

#include "views/shared/selection.h"
#include "views/timeline/lane_stack.h"

namespace retracescope::views {

inline constexpr int kHeaderWidth = 214;
inline constexpr int kMinimapHeight = 46;
inline constexpr int kRulerHeight = 26;
inline constexpr int kMarksHeight = 22;
inline constexpr int kTopHeight = kMinimapHeight + kRulerHeight + kMarksHeight;
inline constexpr double kHitPitch = 4;    ///< pixels; closer hits share a tick
inline constexpr double kTickPixels = 84; ///< between labels of the ruler

/// What of a model is on the screen.
struct TimelineFrame {
    layout::TimeScale scale; ///< of the lanes' area, which starts at kHeaderWidth
    int scroll = 0;          ///< pixels of lines above the lanes' area
    int pinned = 0;          ///< height of the lanes at its top that do not scroll
    QSize size;
    Selection selection;

    double lanesHeight() const { return std::max(1, size.height() - kTopHeight); }
    /// Top of a line of the stack within the lanes' area.
    int topOf(const StackLine& line) const { return line.isPinned ? line.y : line.y - scroll; }
    /// True if it shows at least in part.
    bool shows(const StackLine& line) const {
        const int top = topOf(line);
        return top < size.height() - kTopHeight && top + line.height > (line.isPinned ? 0 : pinned);
    }
};

/// Index of the first of ascending times at or after `ns`.
inline std::size_t firstAtOrAfter(const std::vector<std::int64_t>& times, double ns) {
    const auto asDouble = [](std::int64_t time) { return static_cast<double>(time); };
    return static_cast<std::size_t>(std::ranges::lower_bound(times, ns, {}, asDouble) - times.begin());
}

struct EventWindow {
    std::size_t first = 0;
    std::size_t last = 0;

    std::size_t size() const { return last - first; }
};

/// Events of a row that touch [beginNs, endNs).
inline EventWindow eventsTouching(const session::LaneRow& row, double beginNs, double endNs) {
    const std::size_t first = firstAtOrAfter(row.endNs, beginNs);
    return {first, std::max(first, firstAtOrAfter(row.startNs, endNs))};
}

/// Up to this many events of a row in the window are drawn one by one, to the fraction of a ns.
inline constexpr std::size_t kExactEvents = 1024;

} // namespace retracescope::views
