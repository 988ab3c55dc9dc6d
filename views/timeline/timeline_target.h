#pragma once

#include <QString>

#include "views/timeline/glyph_arrangement.h"
#include "views/timeline/lane_stack.h"
#include "views/timeline/timeline_frame.h"

namespace retracescope::views {

/// What lies under a place of the timeline.
struct TimelineTarget {
    enum class Kind { Nothing, Group, Header, Strip, Glyph, Event, Density, Points } kind = Kind::Nothing;
    std::size_t lane = 0; ///< group for Group
    std::size_t depth = 0;
    std::size_t event = 0;    ///< in the lane's row
    Glyph glyph = Glyph::Hit; ///< of Glyph: the one under the pointer
    double beginNs = 0;       ///< window of a density column, of glyphs or of points
    double endNs = 0;
};

/// `at` in the widget's pixels.
TimelineTarget findTarget(const TimelineModel& model, const LaneStack& stack, const TimelineFrame& frame,
                          const QPointF& at);

/// The call that a target stands for, if it is one: the first of a glyph, the call of a bar.
std::optional<session::CallId> callOf(const TimelineModel& model, const TimelineTarget& target);

/// The span, kernel or instant that a target stands for; of several the first.
std::optional<session::EventRef> eventOf(const TimelineModel& model, const TimelineTarget& target);

/// Exact numbers about a target, at most a few lines; empty for nothing.
QString describe(const TimelineModel& model, const TimelineTarget& target);

/// "call 120 of 360, traced, 488 ms" with its reason.
QString describeCall(const TimelineModel& model, session::CallId call);

} // namespace retracescope::views
