#pragma once

#include <string>

#include <retracescope/diagnose/overview.h>

namespace retracescope::report {

/// The session as one Markdown document: verdict, time, findings with edits, functions, signatures, facts.
std::string markdownReport(const diagnose::Diagnosis& diagnosis);

} // namespace retracescope::report
