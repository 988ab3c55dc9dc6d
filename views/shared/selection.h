#pragma once

#include <cstdint>
#include <optional>

#include <retracescope/session/lane_index.h>
#include <retracescope/session/session.h>

namespace retracescope::views {

/// Start and end in session time (ns), end exclusive.
struct TimeRange {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;

    bool operator==(const TimeRange&) const = default;
};

/// The one selection that all views share; each part optional, set from the outside in.
struct Selection {
    session::FunctionId function;
    session::EntryId entry;
    session::CallId call;
    session::MissId miss;              ///< the miss of `call`, or one chosen in Findings
    session::GraphId graph;            ///< shown instead of the entry's: a callee, or one that no entry owns
    std::optional<std::uint32_t> node; ///< row in `graph`, else in the graph of `entry`
    std::optional<session::EventRef> event; ///< a span, kernel or instant; calls are `call`
    std::optional<TimeRange> range;         ///< independent of the other parts

    bool operator==(const Selection&) const = default;
};

} // namespace retracescope::views
