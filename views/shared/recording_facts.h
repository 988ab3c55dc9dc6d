#pragma once

#include <QString>

#include <retracescope/session/recording_cost.h>

namespace retracescope::views {

/// Why the file was not closed: "The recording is still running", without a full stop.
QString unclosedText(session::WriterState writer);

/// "14 %"; "over 100 %" where recording took longer than the session lasted.
QString costShareText(const session::RecordingCost& cost);

} // namespace retracescope::views
