#pragma once

#include <QString>

#include <retracescope/base/cancel.h>

namespace retracescope::gui {

struct ExampleOutcome {
    QString session; ///< path of what was recorded
    QString error;   ///< one sentence; empty if it went well
};

/// Runs the first example of `binFolder`/examples/examples.txt live under the recorder and waits for its end.
/// The session lands in the user's data folder. Blocks: run it as a job.
ExampleOutcome runExample(const QString& binFolder, const Job& job);

} // namespace retracescope::gui
