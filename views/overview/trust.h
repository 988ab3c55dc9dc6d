#pragma once

#include <vector>

#include <QString>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// One line of "How far to trust this recording".
struct TrustLine {
    bool fine = true; ///< else something is missing
    QString text;
};

/// What the recording says about itself: drops, cost, what it could not know, kept source, a killed program.
std::vector<TrustLine> trustLines(const session::Session& session);

} // namespace retracescope::views
