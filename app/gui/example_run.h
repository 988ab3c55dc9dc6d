#pragma once

#include <QString>

#include <retracescope/base/cancel.h>

namespace retracescope::gui {

struct ExampleOutcome {
    QString session; ///< path of what was recorded
    QString error;   ///< one sentence; empty if it went well
};

/// Runs the example program of that name, or the first that there is, live under the recorder and waits for
/// its end. The session lands in the user's data folder. Blocks: run it as a job.
ExampleOutcome runExample(QString name, const Job& job);

} // namespace retracescope::gui
