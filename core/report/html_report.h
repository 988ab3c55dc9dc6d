#pragma once

#include <string>

#include <retracescope/diagnose/overview.h>

namespace retracescope::report {

/// The session as one self-contained HTML page: no script, no outside file; light or dark as the reader's
/// system is.
std::string htmlReport(const diagnose::Diagnosis& diagnosis);

} // namespace retracescope::report
