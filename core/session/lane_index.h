#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/session/session.h>

/// The events of each lane in order and nested, as a timeline draws them. Built once per session.
namespace retracescope::session {

enum class EventKind : std::uint8_t { Call, Span, Kernel, Counter, Instant };

/// A row of one of the event tables.
struct EventRef {
    std::uint32_t row = 0;
    EventKind kind = EventKind::Call;

    bool operator==(const EventRef&) const = default;
};

/// What events have in common that are drawn alike; views give each a colour.
struct EventCategory {
    EventKind kind = EventKind::Call;
    Outcome outcome = Outcome::Unknown; ///< of calls
    StringId name;                      ///< the function's, span's or kernel's
    StringId category;                  ///< of spans
    FunctionId function;                ///< of calls

    bool operator==(const EventCategory&) const = default;
};

/// Row of LaneIndex::categories.
using CategoryId = Id<struct CategoryTag>;

/// Intervals that do not overlap, in order of time: one depth of one layer of a lane. Columns of equal
/// length.
struct LaneRow {
    std::vector<std::int64_t> startNs;
    std::vector<std::int64_t> endNs; ///< start + duration
    std::vector<EventRef> event;
    std::vector<CategoryId> category;

    std::size_t size() const { return startNs.size(); }
};

/// Calls, spans and kernels of a lane: the rows of the first layer (see Nesting), outermost first, then those
/// of the next.
struct NestedRows {
    std::vector<LaneRow> rows;
    std::vector<std::size_t>
        layers; ///< the first row of each layer: together they hold what nothing contains
};

struct LaneEvents : NestedRows {
    std::vector<std::int64_t> pointNs; ///< counter samples and instants in order of time
    std::vector<EventRef> points;
};

struct LaneIndex {
    std::vector<LaneEvents> lanes; ///< by LaneId
    std::vector<EventCategory> categories;
};

/// An interval on its way into rows.
struct Interval {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    EventRef event;
    CategoryId category;
};

/// Puts intervals into rows by real containment. Takes any order.
NestedRows nestIntervals(std::vector<Interval> intervals);

/// What is not done when `job` is cancelled stays empty.
LaneIndex buildLaneIndex(const Session& session, const Job& job = {});

} // namespace retracescope::session
