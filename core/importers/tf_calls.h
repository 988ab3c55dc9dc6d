#pragma once

#include <optional>
#include <vector>

#include <retracescope/importers/chrome_event.h>
#include <retracescope/session/session.h>

namespace retracescope::importers {

/// A call of a tf.function as TensorFlow's profiler notes it on a host event.
struct TfCall {
    session::StringId function;
    session::Outcome outcome = session::Outcome::Unknown;
    bool xla = false;
    std::int64_t tracingCount = session::kNotRecorded; ///< traces since the program started, with this call's
    session::LaneId lane;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
};

/// The call that an event describes, if its arguments name one with a mode we know. Times and lane stay
/// unset.
std::optional<TfCall> readTfCall(const ChromeEvent& event, session::StringPool& strings);

/// Adds functions, calls and marks; says in facts what the profiler does not record. Never invents a cause:
/// the profiler notes that a call traced, not which argument differed, so there are calls but no misses and
/// no entries.
void addTfCalls(std::vector<TfCall> calls, session::Session& session);

} // namespace retracescope::importers
