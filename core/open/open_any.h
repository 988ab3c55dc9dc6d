#pragma once

#include <filesystem>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/session/session.h>

namespace retracescope {

/// Opens any file: a session, with what the rings of a killed program still hold of it, and everything else
/// through the importer that accepts its content. Errors name the file, what it is (or what its first bytes
/// look like) and what to do.
Result<session::SessionPtr> openAny(const std::filesystem::path& path, const Job& job = {});

} // namespace retracescope
