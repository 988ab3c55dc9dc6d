#pragma once

#include <filesystem>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/session/session.h>

namespace retracescope::session {

/// Version that this program writes and reads; a newer major is refused, a newer minor opens.
inline constexpr int kMajorVersion = 1;
inline constexpr int kMinorVersion = 2;

/// True if the file starts like an SQLite database that carries our application id.
bool isSessionFile(const std::filesystem::path& path);

/// Whether a process of this machine records into that session file at present.
bool isBeingRecorded(const std::filesystem::path& path);

/// Reads a `.retrace` file. Also opens what a killed program left, with closedProperly = false.
/// Errors: not a session (says what it is), newer major version (both versions named), broken database.
Result<SessionPtr> readSession(const std::filesystem::path& path, const Job& job = {});

/// Writes a complete session (an imported one); replaces `path` only when all is written.
Status writeSession(const Session& session, const std::filesystem::path& path, const Job& job = {});

} // namespace retracescope::session
