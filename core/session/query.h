#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::session {

/// Row numbers grouped by owner, built once per session so that no view scans all calls.
struct Index {
    std::vector<std::vector<CallId>> callsOfFunction; ///< by FunctionId, in time order
    std::vector<std::vector<EntryId>> entriesOfFunction;
    std::vector<std::vector<MissId>> missesOfFunction;
    std::vector<std::vector<CallId>> callsOfEntry; ///< the calls an entry served, the tracing one included
    std::vector<MissId> missOfCall;                ///< by CallId; the last miss of that call, or none
};

/// The middle one of the values; of an even number the mean of the middle two; kNotRecorded of none.
std::int64_t medianOf(std::vector<std::int64_t> values);

/// True if the source tells that the call traced, but not why: there is no miss of it.
bool tracedWithoutMiss(const Session& session, const Index& index, CallId call);

/// True if the trace raised, or was withdrawn because the call did.
bool leftNothing(const Session& session, const Miss& miss);

Index buildIndex(const Session& session);

/// The graphs that no entry owns: those of an imported file, then the functions of its library.
std::vector<GraphId> graphsWithoutEntry(const Session& session);

/// Numbers of one function's row. Times in ns; kNotRecorded where the session cannot tell. A source that
/// notes which calls traced, but no misses, tells neither entries nor failures nor the time of traces.
struct FunctionSummary {
    FunctionId function;
    std::int64_t calls = 0;
    std::int64_t hits = 0;
    /// Made for calls and requests; failed ones count, withdrawn ones do not. Of a source without misses all
    /// that it counts since the program started.
    std::int64_t traces = 0;
    std::int64_t failedTraces = 0;
    std::int64_t withdrawnTraces = 0; ///< first phases whose second failed: that one counts
    std::int64_t errors = 0;          ///< calls that raised
    std::int64_t eager = 0;
    std::int64_t entries = 0;   ///< concrete functions alive at the end
    std::int64_t neverHit = 0;  ///< entries that served no call but the one that traced them
    std::int64_t tracingNs = 0; ///< own traces, inner functions' traces left out
    std::int64_t executeNs = 0; ///< time in calls that did not fail, less tracing
    std::int64_t totalNs = 0;   ///< time in calls
    std::int64_t medianCallNs = kNotRecorded;
    std::int64_t p95CallNs = kNotRecorded;
};

/// One per function, in the order of Session::functions.
std::vector<FunctionSummary> summarizeFunctions(const Session& session, const Index& index);

/// Sums over functions.
struct CallCounts {
    std::int64_t calls = 0;
    std::int64_t hits = 0;
    std::int64_t traces = 0; ///< of the functions that it is known of; kNotRecorded if it is of none
};

CallCounts countCalls(const std::vector<FunctionSummary>& functions);

} // namespace retracescope::session
