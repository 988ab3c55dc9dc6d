#pragma once

#include <string>

#include <retracescope/session/session.h>

namespace retracescope::test {

/// Everything a session holds, one row per line, ids of texts written out: two sessions that say the same
/// have the same text. Warnings of the reader are left out.
std::string sessionText(const session::Session& session);

} // namespace retracescope::test
