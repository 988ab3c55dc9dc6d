#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/importers/decimal.h>
#include <retracescope/session/session.h>

namespace retracescope::importers {

/// A `B` or `E` event of a Chrome trace.
struct BeginEnd {
    Picotime time;
    std::uint32_t order = 0; ///< place in the file
    session::LaneId lane;
    session::StringId name;
    session::StringId category;
    session::StringId args; ///< a JSON object as text, or none
    bool isEnd = false;
};

/// A span on its way into the session. Ends are kept, not lengths: rounding both ends keeps the nesting.
struct ImportedSpan {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t order = 0;
    session::LaneId lane;
    session::StringId name;
    session::StringId category;
    session::StringId args;
    session::FunctionId function;
    bool neverEnded = false;
};

/// What pairing found; all but `pairs` are flaws of the file.
struct PairingCounts {
    std::int64_t pairs = 0;
    std::int64_t endWithoutBegin = 0;
    std::int64_t beginWithoutEnd = 0;
    std::int64_t closedByAnOuterEnd = 0;
    bool gaveUp = false; ///< some ends were not looked for below the top of a very deep, crossed stack
};

/// Makes spans of begins and ends, by lane, in time order with ties in file order. An end with a name closes
/// the topmost open begin of that name, and what lies above it if that began earlier; one without a name
/// closes the top. An end written before its own begin at the same time makes a span of no length. A begin
/// that is never ended lasts to `lastNs`. Empty names are no names. Returns early if the job is cancelled.
PairingCounts pairBeginsAndEnds(std::vector<BeginEnd> events, std::int64_t lastNs,
                                session::StringPool& strings, std::vector<ImportedSpan>& spans,
                                const Job& job);

} // namespace retracescope::importers
