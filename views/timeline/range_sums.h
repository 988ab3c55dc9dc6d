#pragma once

#include <vector>

#include "views/timeline/timeline_model.h"

namespace retracescope::views {

/// What one function did in a range. Times are clipped to the range; calls that it makes of other traced
/// functions are left out, so that no time counts twice on a thread.
struct RangeRow {
    session::FunctionId function;
    std::int64_t calls = 0; ///< that start in the range
    std::int64_t hits = 0;
    std::int64_t traces = 0;
    std::int64_t tracingNs = 0; ///< with graph optimisation and plan
    std::int64_t executeNs = 0; ///< the rest of its calls that did not fail
    std::int64_t failedNs = 0;  ///< the rest of those that did
    std::int64_t untoldNs = 0;  ///< of calls that traced, the source does not say how long
    std::int64_t longestNs = session::kNotRecorded; ///< of `calls`, in full; kNotRecorded of none

    std::int64_t totalNs() const { return tracingNs + executeNs + failedNs + untoldNs; }
};

struct RangeSums {
    TimeRange range;
    std::vector<RangeRow> rows; ///< functions with a call in the range, most time first
    std::int64_t outsideNs = 0; ///< time in which no thread was in a traced function
    std::int64_t overlapNs = 0; ///< by which rows and outside exceed the range: several threads at once
};

/// The events of one name in a range, on all lanes. Times are clipped to the range.
struct NameRow {
    session::EventKind kind = session::EventKind::Span;
    session::StringId name;
    std::int64_t events = 0;                        ///< that start in the range
    std::int64_t totalNs = 0;                       ///< with what lies inside them
    std::int64_t selfNs = 0;                        ///< without
    std::int64_t longestNs = session::kNotRecorded; ///< of `events`, in full; kNotRecorded of none
    session::EventRef longest;                      ///< of `events`, or one that began before the range
};

/// Most own time first. A cancelled job gives less.
std::vector<NameRow> sumNames(const TimelineModel& model, const TimeRange& range, const Job& job = {});

/// Rows and outside add up to the range plus the overlap. A cancelled job gives less.
RangeSums sumRange(const TimelineModel& model, const TimeRange& range, const Job& job = {});

} // namespace retracescope::views
