#pragma once

#include <vector>

#include <QString>

#include <retracescope/session/session.h>

namespace retracescope::gui {

/// "1.92 M events, 0 dropped"; "not recorded" where the source does not say.
QString eventsSentence(const session::Session& session);

/// "Recording cost 0.31 s (0.7 %)"; empty for imported files.
QString recordingCostSentence(const session::Session& session);

/// What the user has to be told above the content: killed program, dropped events, an importer's warnings.
/// Empty if there is nothing.
QString openingWarning(const session::Session& session);

} // namespace retracescope::gui
