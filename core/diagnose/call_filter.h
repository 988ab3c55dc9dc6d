#pragma once

#include <retracescope/diagnose/overview.h>

namespace retracescope::diagnose {

enum class FilterOutcome : std::uint8_t {
    Any,
    Traced, ///< calls that missed
    Failed, ///< calls or traces that failed
};

/// What tables and lanes show; each part is a chip. Of what the session does not tell, nothing is left out.
struct CallFilter {
    FilterOutcome outcome = FilterOutcome::Any;
    session::FunctionId function; ///< none: of all functions

    bool isEmpty() const { return *this == CallFilter(); }
    bool operator==(const CallFilter&) const = default;

    /// True if the function is shown: it has a call that is.
    bool shows(const Diagnosis& diagnosis, session::FunctionId function) const;
};

/// Of the calls of one function.
bool passes(FilterOutcome outcome, const Diagnosis& diagnosis, session::CallId call);
bool passes(FilterOutcome outcome, const Diagnosis& diagnosis, session::MissId miss);

} // namespace retracescope::diagnose
