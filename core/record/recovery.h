#pragma once

#include <filesystem>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/session/session.h>

namespace retracescope::record {

/// Reads a session. Of one whose program was killed, what it had published and not yet written is taken from
/// the ring file beside it: all that is missing then are graphs of the functions that were traced last. No
/// file is changed. Errors as session::readSession().
Result<session::SessionPtr> openRecording(const std::filesystem::path& path, const Job& job = {});

} // namespace retracescope::record
