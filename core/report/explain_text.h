#pragma once

#include <string>

#include <retracescope/diagnose/overview.h>

namespace retracescope::report {

/// How many of the compared entries are listed.
enum class Entries { Few, All };

/// One miss as a paragraph: function, call, cause and cost; each difference; the compared entries, nearest
/// first, few or all; the edits with their lines.
std::string explainText(const diagnose::Diagnosis& diagnosis, session::MissId miss,
                        Entries entries = Entries::Few);

/// An edit as lines of a diff, each behind `indent`.
std::string editText(const diagnose::Edit& edit, const std::string& indent);

/// "called at train.cpp:12", or where the function is defined if the call's place was not recorded; empty if
/// neither was.
std::string missPlace(const session::Session& session, const session::Miss& miss);

/// "pass_array, train.cpp:12": the edit's kind and where it is made, as far as that is known.
std::string editHeading(const diagnose::Edit& edit);

} // namespace retracescope::report
