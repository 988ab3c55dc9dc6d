#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <retracescope/diagnose/overview.h>
#include <retracescope/report/tables.h>

/// The tables that verbs and reports share.
namespace retracescope::report {

/// One row per function: calls, hits, traces, what they cost, why.
Table functionTable(const diagnose::Diagnosis& diagnosis);

/// One row per entry of a function, or of all.
Table entryTable(const diagnose::Diagnosis& diagnosis, session::FunctionId function = {});

/// Ranked findings that cost something; then, with `expected`, the expected ones instead.
Table findingTable(const diagnose::Diagnosis& diagnosis, bool expected);

/// True if the run's time can be divided: calls of traced functions are known, and time passed.
bool dividesTime(const diagnose::Diagnosis& diagnosis);

/// The parts of the run with shares.
Table timeTable(const diagnose::TimeSplit& time);

/// What the session says about the machine and about its own recording.
Table factTable(const session::Session& session);

/// "process_data #2", with the names that diagnose::functionNames gives; "not recorded" for no entry.
std::string entryName(const session::Session& session, const std::vector<std::string>& names,
                      session::EntryId entry);

/// "first_call 1, value 2".
std::string causesText(const diagnose::Diagnosis& diagnosis, session::FunctionId function);

/// What the edit saves in this run: "4.00 ms", or "nothing".
std::string savedText(const diagnose::Finding& finding);

std::string_view outcomeName(session::Outcome outcome);
std::string_view entryStateName(session::EntryState state);

/// "x.shape[0]: 2 -> 3", or the kind where no component differs.
std::string differenceText(const types::Difference& difference);

} // namespace retracescope::report
