#pragma once

#include <string>

#include <retracescope/session/session.h>

namespace retracescope::test {

/// What happened in a recorded session, one fact per line, in the order it happened, times and places left
/// out.
std::string eventText(const session::Session& session);

} // namespace retracescope::test
