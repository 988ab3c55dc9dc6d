#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <QString>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// A number that the recorder wrote about itself: "dropped", "overhead_ns"; none if the file has it not.
std::optional<std::int64_t> recordedNumber(const session::Session& session, std::string_view key);

/// Why the file was not closed: "The recording is still running", without a full stop.
QString unclosedText(session::WriterState writer);

/// What recording took on the threads of the recorded program.
struct RecordingCost {
    std::int64_t ns = 0;
    std::int64_t lengthNs = 0; ///< of the session

    /// Above a twentieth of the run the recorder itself is among the largest things in the figures.
    bool isLarge() const { return ns * 20 > lengthNs; }
};

/// "14 %"; "over 100 %" where recording took longer than the session lasted.
QString costShareText(const RecordingCost& cost);

std::optional<RecordingCost> recordingCost(const session::Session& session);

} // namespace retracescope::views
