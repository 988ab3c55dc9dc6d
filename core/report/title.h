#pragma once

#include <string>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::report {

/// "process_data and 2 more functions", or the imported file's name.
std::string reportTitle(const session::Session& session);

/// What a reader has to know before trusting the numbers: warnings of the import, a recording that was cut
/// off, dropped events.
std::vector<std::string> warningsOf(const session::Session& session);

/// The same, each on a line that starts with "Warning: ".
std::string warningLines(const session::Session& session);

} // namespace retracescope::report
