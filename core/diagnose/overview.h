#pragma once

#include <memory>
#include <string>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/diagnose/findings.h>

namespace retracescope::diagnose {

/// Where the run's time went; the five parts add up to `totalNs`.
struct TimeSplit {
    std::int64_t totalNs = 0;
    std::int64_t avoidableNs = 0;
    std::int64_t neededNs = 0;  ///< tracing that no edit of a finding removes
    std::int64_t executeNs = 0; ///< in calls that did not fail, less tracing
    std::int64_t failedNs = 0;  ///< in calls and traces that failed
    std::int64_t outsideNs = 0;
    bool tracingTold =
        true; ///< false: some tracing lies in `executeNs`, for the source does not note how much
};

/// One part as people read of it.
struct TimePart {
    enum Kind { Avoidable, Needed, Execute, Failed, Outside };
    Kind kind = Outside;
    std::string name; ///< "Avoidable tracing"
    std::int64_t ns = 0;
};

/// The parts in order, those left out that cannot be told or, of failed calls, are nothing.
std::vector<TimePart> timeParts(const TimeSplit& time);

/// The verdict on a session: everything the Summary, the report and `rscope` say about it.
struct Diagnosis {
    session::SessionPtr session;
    session::Index index;
    std::vector<std::string> names; ///< of functions, as functionNames tells them apart
    std::vector<session::FunctionSummary> functions;
    std::vector<Explanation> explanations; ///< by MissId
    std::vector<Finding> findings;
    TimeSplit time;
    std::int64_t calls = 0;
    std::int64_t hits = 0;
    std::int64_t traces = 0; ///< kNotRecorded if the session tells it of no function
    std::string headline;    ///< "Retracing costs 23.4 s of 42.7 s (55 %)."
    std::string subline;     ///< "Three edits remove 134 of 140 traces ..."
    bool nothingToFix = false;
    bool whyTold = true; ///< false: the session tells that calls traced, or that none did, but no causes
};

using DiagnosisPtr = std::shared_ptr<const Diagnosis>;

/// Builds the index, explains, finds, sums up. Linear in calls plus misses times entries. Null if cancelled.
DiagnosisPtr diagnose(session::SessionPtr session, const Job& job = {});

/// Calls that traced, but of which the session does not tell why, in time order.
std::vector<session::CallId> unexplainedCalls(const Diagnosis& diagnosis);

/// How often each miss kind is the cause in this function, in the order of MissKind; zeros left out.
std::vector<std::pair<types::MissKind, std::int64_t>> causesOf(const Diagnosis& diagnosis,
                                                               session::FunctionId function);

/// What the edits of all findings save in each function, ns, by FunctionId. The traces of functions that one
/// line made again count in each of them, not in the one that the finding names.
std::vector<std::int64_t> avoidableByFunction(const Diagnosis& diagnosis);

} // namespace retracescope::diagnose
