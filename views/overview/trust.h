#pragma once

#include <vector>

#include <QString>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// What a line of "How far to trust this recording" says of it.
enum class Trust {
    Good,
    Limit, ///< something is not there, as it is with recordings of this kind
    Doubt, ///< something went wrong: what is shown may be wrong or less than there was
};

struct TrustLine {
    Trust trust = Trust::Good;
    QString text;
};

/// What the recording says about itself: drops, cost, what it could not know, kept source, a killed program.
std::vector<TrustLine> trustLines(const session::Session& session);

} // namespace retracescope::views
