#pragma once

#include <vector>

#include <retracescope/diagnose/overview.h>

namespace retracescope::diagnose {

/// Divides the run. Of one thread each moment counts for the innermost trace or call that it lies in; where
/// several threads work at once, the moment counts once, for avoidable tracing first, then needed tracing,
/// then calls without tracing, then those that failed. `avoidable` is by MissId.
TimeSplit splitTime(const session::Session& session, const session::Index& index,
                    const std::vector<bool>& avoidable, const Job& job = {});

} // namespace retracescope::diagnose
