#pragma once

#include <string>

#include <retracescope/session/session.h>

namespace retracescope::importers {

/// The JSON that `rscope info --json` prints of an imported session: format, opens, warnings, and what the
/// file holds as "timeline" or "graph", counted by the project's rules. Works on a fresh import and on one
/// read back from its .retrace. Times are whole ns; they are null where the file has no event with a time.
/// Ends without a line break.
std::string importAnswer(const session::Session& session);

} // namespace retracescope::importers
