#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <retracescope/base/result.h>
#include <retracescope/diagnose/overview.h>

namespace retracescope::cli {

/// Opens a session or a file of another tool. A missing file is wrong use (UsageError naming a similar one),
/// one that cannot be read an Error.
Result<session::SessionPtr> openFile(const std::string& path);

/// Opens and diagnoses.
Result<diagnose::DiagnosisPtr> diagnoseFile(const std::string& path);

/// The function of that name or qualified name; an empty name is none. Throws UsageError naming a similar
/// one.
session::FunctionId functionNamed(const session::Session& session, const std::string& name);

/// How many rows --limit allows, 0 = all. Throws UsageError if it is negative.
std::size_t limitOf(std::int64_t typed);

/// True if `function` has that name; several may (wrappers made again).
bool isNamed(const session::Session& session, session::FunctionId function, const std::string& name);

} // namespace retracescope::cli
