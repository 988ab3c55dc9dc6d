#include <retracescope/report/json_answers.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <retracescope/report/session_tables.h>
#include <retracescope/report/title.h>
#include <retracescope/session/compared.h>
#include <retracescope/session/lane_names.h>

namespace retracescope::report {

using diagnose::Diagnosis;
using diagnose::Explanation;
using diagnose::Finding;
using Json = nlohmann::ordered_json;
using namespace session;

namespace {

std::string dumped(const Json& json) {
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json orNull(std::int64_t number) {
    return number == kNotRecorded ? Json() : Json(number);
}

Json orNull(std::string_view text) {
    return text.empty() ? Json() : Json(std::string(text));
}

std::string functionName(const Session& session, FunctionId function) {
    return function.isValid() ? std::string(session.text(session[function].name)) : std::string();
}

Json entryNumber(const Session& session, EntryId entry) {
    return entry.isValid() ? Json(session[entry].number) : Json();
}

Json differencesJson(const std::vector<types::Difference>& differences) {
    Json list = Json::array();
    for (const types::Difference& difference : differences)
        list.push_back(
            {{"path", difference.path}, {"before", difference.before}, {"after", difference.after}});
    return list;
}

Json editJson(const diagnose::Edit& edit) {
    if (!edit.exists())
        return {};
    Json lines = Json::array();
    for (const diagnose::EditLine& line : edit.lines)
        lines.push_back(std::string(1, line.sign) + line.text);
    return {{"kind", edit.kind},
            {"sentence", edit.sentence},
            {"lines", lines},
            {"file", orNull(edit.file)},
            {"line", edit.line == 0 ? Json() : Json(edit.line)}};
}

const diagnose::Edit& toEdit(const diagnose::Edit& edit) {
    return edit;
}

const diagnose::Edit& toEdit(const std::shared_ptr<const diagnose::Edit>& edit) {
    return *edit;
}

Json editList(const auto& edits) {
    Json list = Json::array();
    for (const auto& edit : edits)
        list.push_back(editJson(toEdit(edit)));
    return list;
}

Json functionJson(const Diagnosis& diagnosis, const FunctionSummary& row) {
    Json causes = Json::object();
    for (const auto& [kind, count] : causesOf(diagnosis, row.function))
        causes[std::string(types::missKindName(kind))] = count;
    return {{"name", functionName(*diagnosis.session, row.function)},
            {"label", diagnosis.names[row.function.value]},
            {"calls", row.calls},
            {"hits", row.hits},
            {"traces", orNull(row.traces)},
            {"failed_traces", orNull(row.failedTraces)},
            {"body_runs", orNull(diagnosis.session->functions[row.function.value].bodyRuns)},
            {"errors", orNull(row.errors)},
            {"concrete_functions", orNull(row.entries)},
            {"trace_ns", orNull(row.tracingNs)},
            {"causes", causes}};
}

Json functionList(const Diagnosis& diagnosis) {
    Json list = Json::array();
    for (const FunctionSummary& row : diagnosis.functions)
        list.push_back(functionJson(diagnosis, row));
    return list;
}

Json componentsJson(const Session& session, SignatureId signature) {
    Json list = Json::array();
    if (!signature.isValid())
        return list;
    for (const types::Component& component : session[signature].components)
        list.push_back({{"path", component.path}, {"value", component.value}, {"open", component.open}});
    return list;
}

Json entryJson(const Diagnosis& diagnosis, EntryId row) {
    const Session& session = *diagnosis.session;
    const Entry& entry = session[row];
    const auto& served = diagnosis.index.callsOfEntry[row.value];
    const auto hits = std::ranges::count_if(
        served, [&](CallId call) { return session.calls.outcome[call.value] == Outcome::Hit; });
    return {{"function", functionName(session, entry.function)},
            {"entry", entry.number},
            {"name", orNull(session.text(entry.name))},
            {"signature",
             entry.signature.isValid() ? orNull(session.text(session[entry.signature].text)) : Json()},
            {"output", orNull(session.text(entry.output))},
            {"listing", orNull(session.text(entry.listing))},
            {"components", componentsJson(session, entry.signature)},
            {"calls", served.size()},
            {"hits", hits},
            {"trace_ns", orNull(entry.traceNs)},
            {"nodes", orNull(entry.nodeCount)},
            {"captures", orNull(entry.captureCount)},
            {"relaxed", entry.relaxed},
            {"state", entryStateName(entry.state)}};
}

Json entryList(const Diagnosis& diagnosis, FunctionId function) {
    Json list = Json::array();
    for (std::size_t row = 0; row < diagnosis.session->entries.size(); ++row) {
        if (!function.isValid() || diagnosis.session->entries[row].function == function)
            list.push_back(entryJson(diagnosis, EntryId(row)));
    }
    return list;
}

Json missJson(const Diagnosis& diagnosis, MissId row) {
    const Session& session = *diagnosis.session;
    const Miss& miss = session[row];
    const Explanation& explanation = diagnosis.explanations[row.value];
    const types::Difference& primary = explanation.primary;
    const bool differs = !explanation.differences.empty();
    Json compared = Json::array();
    for (const EntryId entry : explanation.compared)
        compared.push_back({{"entry", entryNumber(session, entry)},
                            {"differences", differencesJson(differencesTo(session, miss, entry))}});
    return {{"function", functionName(session, miss.function)},
            {"call", miss.callNumber == 0 ? Json() : Json(miss.callNumber)},
            {"cause", types::missKindName(explanation.cause)},
            {"argument", orNull(primary.path)},
            {"before", differs ? Json(primary.before) : Json()},
            {"after", differs ? Json(primary.after) : Json()},
            {"differences", differencesJson(explanation.differences)},
            {"compared", compared},
            {"compared_total", explanation.comparedTotal},
            {"trace_ns", orNull(explanation.traceNs)},
            {"failure", orNull(session.text(miss.exception))},
            {"withdrawn", miss.withdrawn},
            {"edit", editJson(explanation.edit)},
            {"also", editList(explanation.also)}};
}

Json missList(const Diagnosis& diagnosis, const std::vector<MissId>& misses) {
    Json list = Json::array();
    for (const MissId miss : misses)
        list.push_back(missJson(diagnosis, miss));
    return list;
}

/// False for a file of another tool that holds no calls: a program may have made some all the same. A
/// recording of Retracescope knows that there were none.
bool tellsCalls(const Diagnosis& diagnosis) {
    return diagnosis.session->imported.format.empty() || diagnosis.calls > 0;
}

Json timeJson(const Diagnosis& diagnosis) {
    const diagnose::TimeSplit& time = diagnosis.time;
    const bool told = tellsCalls(diagnosis);
    const auto ifCallsTold = [&](std::int64_t ns) { return told ? Json(ns) : Json(); };
    const auto ifTracingTold = [&](std::int64_t ns) { return told && time.tracingTold ? Json(ns) : Json(); };
    return {{"total_ns", ifCallsTold(time.totalNs)},
            {"calls_ns", ifCallsTold(time.totalNs - time.outsideNs)},
            {"avoidable_ns", ifTracingTold(time.avoidableNs)},
            {"needed_ns", ifTracingTold(time.neededNs)},
            {"execute_ns", ifTracingTold(time.executeNs)},
            {"failed_ns", ifCallsTold(time.failedNs)},
            {"outside_ns", ifCallsTold(time.outsideNs)}};
}

Json factsJson(const Session& session) {
    Json areas = Json::object();
    for (const Fact& fact : session.facts)
        areas[fact.area][fact.key] = fact.value;
    return areas;
}

Json findingJson(const Session& session, const Finding& finding) {
    return {{"function", functionName(session, finding.function)},
            {"cause", types::missKindName(finding.cause)},
            {"argument", orNull(finding.path)},
            {"title", finding.title},
            {"detail", finding.detail},
            {"traces", finding.traces},
            {"avoidable_traces", finding.avoidable.size()},
            {"cost_ns", finding.costNs},
            {"avoidable_ns", finding.avoidableNs},
            {"values", finding.distinctValues},
            {"expected", finding.expected},
            {"edit", editJson(finding.edit)},
            {"also", editList(finding.also)}};
}

Json infoOf(const Diagnosis& diagnosis) {
    const Session& session = *diagnosis.session;
    const bool imported = !session.imported.format.empty();
    const bool told = tellsCalls(diagnosis);
    return {{"format", imported ? session.imported.format : std::string("retracescope")},
            {"opens", true},
            {"closed", session.closedProperly},
            {"still_recording", session.writer == WriterState::Running},
            {"functions", session.functions.size()},
            {"signatures", session.signatures.size()},
            {"entries", session.entries.size()},
            {"graphs", session.graphs.size()},
            {"calls", told ? Json(diagnosis.calls) : Json()},
            {"hits", told ? Json(diagnosis.hits) : Json()},
            {"traces", told ? orNull(diagnosis.traces) : Json()},
            {"events", session.eventCount()},
            {"spans", session.spans.size()},
            {"kernels", session.kernels.size()},
            {"misses", session.misses.size()},
            {"counter_samples", session.counters.size()},
            {"instants", session.instants.size()},
            {"marks", session.marks.size()},
            {"log_lines", session.logs.size()},
            {"lanes", session.lanes.size()},
            {"duration_ns", session.endNs - session.originNs},
            {"time", timeJson(diagnosis)},
            {"headline", diagnosis.headline},
            {"subline", diagnosis.subline},
            {"warnings", warningsOf(session)},
            {"facts", factsJson(session)}};
}

std::vector<MissId> allMisses(const Session& session) {
    std::vector<MissId> rows;
    for (std::size_t row = 0; row < session.misses.size(); ++row)
        rows.push_back(MissId(row));
    return rows;
}

} // namespace

std::string infoJson(const Diagnosis& diagnosis) {
    return dumped(infoOf(diagnosis));
}

std::string refusedJson(const std::string& why) {
    return dumped({{"opens", false}, {"why", why}});
}

std::string functionsJson(const Diagnosis& diagnosis) {
    return dumped({{"functions", functionList(diagnosis)}, {"warnings", warningsOf(*diagnosis.session)}});
}

std::string signaturesJson(const Diagnosis& diagnosis, FunctionId function) {
    return dumped(
        {{"signatures", entryList(diagnosis, function)}, {"warnings", warningsOf(*diagnosis.session)}});
}

std::string eventsJson(const Session& session, const EventList& events) {
    Json list = Json::array();
    const std::vector<session::LaneName> lanes = session::laneNames(session);
    for (const Event& event : events.events) {
        const EventText text = describeEvent(session, event);
        list.push_back({{"time_ns", event.timeNs - session.originNs},
                        {"kind", eventKindName(event.kind)},
                        {"lane", text.lane.isValid() ? orNull(lanes[text.lane.value].name) : Json()},
                        {"name", orNull(text.name)},
                        {"function", orNull(functionName(session, text.function))},
                        {"call", text.call == 0 ? Json() : Json(text.call)},
                        {"outcome", orNull(text.outcome)},
                        {"entry", entryNumber(session, text.entry)},
                        {"duration_ns", orNull(text.durationNs)},
                        {"value", event.kind == EventKind::Counter ? Json(text.value) : Json()},
                        {"text", orNull(text.text)}});
    }
    return dumped({{"events", list}, {"matching", events.matching}, {"warnings", warningsOf(session)}});
}

std::string explainJson(const Diagnosis& diagnosis, const std::vector<MissId>& misses,
                        const std::vector<CallId>& unexplained) {
    const Session& session = *diagnosis.session;
    Json calls = Json::array();
    for (const CallId call : unexplained)
        calls.push_back({{"function", functionName(session, session.calls.function[call.value])},
                         {"call", session.calls.number[call.value]}});
    return dumped(
        {{"misses", missList(diagnosis, misses)}, {"unexplained", calls}, {"warnings", warningsOf(session)}});
}

std::string reportJson(const Diagnosis& diagnosis) {
    Json findings = Json::array();
    for (const Finding& finding : diagnosis.findings)
        findings.push_back(findingJson(*diagnosis.session, finding));
    Json report = infoOf(diagnosis);
    report.erase("misses"); // a number in info, a list behind the others here
    report["functions"] = functionList(diagnosis);
    report["findings"] = findings;
    report["signatures"] = entryList(diagnosis, {});
    report["misses"] = missList(diagnosis, allMisses(*diagnosis.session));
    return dumped(report);
}

} // namespace retracescope::report
