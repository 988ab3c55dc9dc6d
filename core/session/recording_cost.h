#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <retracescope/session/session.h>

namespace retracescope::session {

/// A number that the recorder wrote about itself: "dropped", "overhead_ns"; none if the file has it not.
std::optional<std::int64_t> recordedNumber(const Session& session, std::string_view key);

/// What recording took on the threads of the recorded program.
struct RecordingCost {
    std::int64_t ns = 0;
    std::int64_t lengthNs = 0; ///< of the session

    /// Above a twentieth of the run the recorder itself is among the largest things in the figures.
    bool isLarge() const { return ns * 20 > lengthNs; }
};

std::optional<RecordingCost> recordingCost(const Session& session);

} // namespace retracescope::session
