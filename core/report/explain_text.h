#pragma once

#include <string>

#include <retracescope/diagnose/overview.h>

namespace retracescope::report {

/// One miss as a paragraph: function, call, cause and cost; each difference; the compared entries, nearest
/// first and at most three; the edit with its lines.
std::string explainText(const diagnose::Diagnosis& diagnosis, session::MissId miss);

/// An edit as lines of a diff, each behind `indent`.
std::string editText(const diagnose::Edit& edit, const std::string& indent);

} // namespace retracescope::report
