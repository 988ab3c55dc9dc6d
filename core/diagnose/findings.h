#pragma once

#include <vector>

#include <retracescope/diagnose/explain.h>

namespace retracescope::diagnose {

/// Misses of one function, or of all that one line made, with the same miss kind and path (for shapes: of the
/// same axis), with the edit that removes them.
struct Finding {
    session::FunctionId function; ///< the first of those that the line made
    std::string name;             ///< of the function, as functionNames tells it; plain if it is one of many
    types::MissKind cause = types::MissKind::NotExplained;
    std::string path;                    ///< "x.shape[0]"; empty where the cause has none
    std::vector<session::MissId> misses; ///< in time order
    std::int64_t traces = 0; ///< misses; the withdrawn first trace of a call counts with the failed second
    std::vector<session::MissId>
        avoidable; ///< those that hit once all edits of the function are made, `also` included, in time order
    std::int64_t costNs = 0;         ///< traces of these misses
    std::int64_t avoidableNs = 0;    ///< what the edit saves: costNs, less the traces that stay
    std::int64_t distinctValues = 0; ///< how many values the component took in the function's requests
    Edit edit;
    std::vector<Edit> also; ///< for what else differs in some of these misses
    std::string title;      ///< "step is new in every call" - one sentence, names as in the user's code
    std::string detail;     ///< "90 calls, 90 traces, 0 hits." - the counts
    bool expected = false;  ///< a first call and the like: listed apart, never ranked
};

/// The message of the first of its traces that failed; empty if none did.
std::string_view failureOf(const session::Session& session, const Finding& finding);

/// Ranked by avoidable time, then cost, then count; expected ones last.
std::vector<Finding> findFindings(const session::Session& session, const session::Index& index,
                                  const std::vector<Explanation>& explanations);

} // namespace retracescope::diagnose
