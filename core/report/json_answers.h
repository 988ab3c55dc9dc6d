#pragma once

#include <string>

#include <retracescope/diagnose/overview.h>
#include <retracescope/report/event_list.h>

/// JSON answers of the verbs. Their keys are a contract: resources/manual/json.md describes them,
/// tests/app/cli checks them. Times are whole nanoseconds, what is not known is null, texts are UTF-8
/// (invalid bytes are replaced).
namespace retracescope::report {

std::string infoJson(const diagnose::Diagnosis& diagnosis);

/// The answer of info for a file that does not open.
std::string refusedJson(const std::string& why);

std::string functionsJson(const diagnose::Diagnosis& diagnosis);

/// Of one function, or of all.
std::string signaturesJson(const diagnose::Diagnosis& diagnosis, session::FunctionId function = {});

std::string eventsJson(const session::Session& session, const EventList& events);

/// Of the misses in `misses`, in that order, and the calls that traced without one.
std::string explainJson(const diagnose::Diagnosis& diagnosis, const std::vector<session::MissId>& misses,
                        const std::vector<session::CallId>& unexplained);

/// Everything a report says: verdict, time, functions, findings, signatures, misses, facts.
std::string reportJson(const diagnose::Diagnosis& diagnosis);

} // namespace retracescope::report
