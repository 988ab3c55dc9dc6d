#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/report/tables.h>
#include <retracescope/session/session.h>

namespace retracescope::report {

enum class EventKind : std::uint8_t { Call, Miss, Span, Kernel, Counter, Instant, Mark, Log };

std::string_view eventKindName(EventKind kind);

/// All kinds, in the order of EventKind.
const std::vector<std::string>& eventKindNames();

/// Which events to list. Times are relative to Session::originNs.
struct EventFilter {
    std::vector<EventKind> kinds; ///< empty = all
    session::FunctionId function; ///< none = all
    std::string outcome;          ///< of calls, as report::outcomeName; empty = all
    std::string text;             ///< is found in the name or text; empty = all
    std::int64_t fromNs = std::numeric_limits<std::int64_t>::min();
    std::int64_t toNs = std::numeric_limits<std::int64_t>::max();
    std::size_t limit = 100; ///< 0 = no limit
};

/// One event: which table, which row.
struct Event {
    std::int64_t timeNs = 0;
    EventKind kind = EventKind::Call;
    std::uint32_t row = 0;
};

struct EventList {
    std::vector<Event> events; ///< by time, cut at the limit
    std::size_t matching = 0;  ///< before the cut
};

EventList listEvents(const session::Session& session, const EventFilter& filter);

/// What every kind of event can say of itself; empty or not recorded where it has no such thing.
struct EventText {
    std::string_view name;
    session::LaneId lane;
    session::FunctionId function;
    session::EntryId entry;
    std::uint32_t call = 0;
    std::string_view outcome;
    std::int64_t durationNs = session::kNotRecorded;
    std::string_view text;
    double value = 0; ///< of a counter
};

EventText describeEvent(const session::Session& session, const Event& event);

Table eventTable(const session::Session& session, const EventList& events);

} // namespace retracescope::report
