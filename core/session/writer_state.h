#pragma once

#include <map>
#include <string>

#include <retracescope/session/session.h>

/// Who writes a session file, so that a reader can tell a running recording from one that broke off
/// (FORMAT.md 1).
namespace retracescope::session {

/// The rows of table `meta` that name this process. None where the system does not tell.
std::map<std::string, std::string> thisWriter();

/// Whether the process that such rows name lives. Unknown if it is of another machine, another start of this
/// one, or another process namespace.
WriterState stateOfWriter(const std::map<std::string, std::string>& meta);

} // namespace retracescope::session
