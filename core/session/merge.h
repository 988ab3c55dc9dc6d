#pragma once

#include <span>

#include <retracescope/session/session.h>

namespace retracescope::session {

/// One session with the rows of all, in the order given; no row changes its meaning, times stay as they are.
/// Imported facts add up; the format is the common one, or "several". For files that belong to one run: a
/// timeline and its graphs.
Session mergeSessions(std::span<const SessionPtr> sessions);

} // namespace retracescope::session
