#include <retracescope/report/session_tables.h>

#include <algorithm>
#include <fmt/format.h>

#include <retracescope/base/units.h>

namespace retracescope::report {

using diagnose::Diagnosis;
using diagnose::Finding;
using namespace session;

namespace {

std::int64_t hitsOf(const Diagnosis& diagnosis, EntryId entry) {
    const auto& served = diagnosis.index.callsOfEntry[entry.value];
    return std::ranges::count_if(
        served, [&](CallId call) { return diagnosis.session->calls.outcome[call.value] == Outcome::Hit; });
}

std::string orDash(std::int64_t count) {
    return count == kNotRecorded ? std::string(kDash) : formatCount(count);
}

/// Zero and what is not known as an empty cell, so that a column of them disappears from a text table.
std::string unlessZero(std::int64_t count) {
    return count <= 0 ? std::string() : formatCount(count);
}

} // namespace

Table functionTable(const Diagnosis& diagnosis) {
    Table table({{"Function"},
                 {"Calls", Align::Right},
                 {"Hits", Align::Right},
                 {"Traces", Align::Right},
                 {"Failed", Align::Right},
                 {"Body runs", Align::Right},
                 {"Errors", Align::Right},
                 {"Entries", Align::Right},
                 {"Tracing", Align::Right},
                 {"Avoidable", Align::Right},
                 {"Calls without tracing", Align::Right},
                 {"Median call", Align::Right},
                 {"Causes"}});
    const Session& session = *diagnosis.session;
    const std::vector<std::int64_t> avoidable = avoidableByFunction(diagnosis);
    for (const FunctionSummary& row : diagnosis.functions) {
        const Function& function = session[row.function];
        table.addRow({printable(diagnosis.names[row.function.value]), formatCount(row.calls),
                      formatCount(row.hits), orDash(row.traces), unlessZero(row.failedTraces),
                      function.bodyRuns < 0 ? std::string() : formatCount(function.bodyRuns),
                      unlessZero(row.errors), orDash(row.entries), TimeCell{row.tracingNs},
                      TimeCell{row.tracingNs < 0 ? kNotRecorded : avoidable[row.function.value]},
                      TimeCell{row.executeNs}, TimeCell{row.medianCallNs},
                      causesText(diagnosis, row.function)});
    }
    return table;
}

Table entryTable(const Diagnosis& diagnosis, FunctionId function) {
    Table table({{"Entry"},
                 {"Calls", Align::Right},
                 {"Hits", Align::Right},
                 {"Trace", Align::Right},
                 {"Nodes", Align::Right},
                 {"State"},
                 {"Signature"},
                 {"Output"}});
    const Session& session = *diagnosis.session;
    for (std::size_t row = 0; row < session.entries.size(); ++row) {
        const Entry& entry = session.entries[row];
        if (function.isValid() && entry.function != function)
            continue;
        const auto calls = static_cast<std::int64_t>(diagnosis.index.callsOfEntry[row].size());
        std::string state = entry.relaxed ? "relaxed" : "";
        if (entry.state != EntryState::Alive)
            state += std::string(state.empty() ? "" : ", ") + std::string(entryStateName(entry.state));
        table.addRow({entryName(session, diagnosis.names, EntryId(row)), formatCount(calls),
                      formatCount(hitsOf(diagnosis, EntryId(row))), TimeCell{entry.traceNs},
                      orDash(entry.nodeCount), state,
                      entry.signature.isValid() ? printable(session.text(session[entry.signature].text))
                                                : std::string("not recorded"),
                      printable(session.text(entry.output))});
    }
    return table;
}

Table findingTable(const Diagnosis& diagnosis, bool expected) {
    Table table({{"Function"},
                 {"Cause"},
                 {"Where"},
                 {"Traces", Align::Right},
                 {"Cost", Align::Right},
                 {"Avoidable", Align::Right},
                 {"What"},
                 {"Edit"}});
    for (const Finding& finding : diagnosis.findings) {
        if (finding.expected != expected)
            continue;
        table.addRow({printable(finding.name), std::string(types::missKindName(finding.cause)),
                      printable(finding.path), formatCount(finding.traces), TimeCell{finding.costNs},
                      expected ? Cell() : TimeCell{finding.avoidableNs}, printable(finding.title),
                      finding.edit.sentence});
    }
    return table;
}

bool dividesTime(const diagnose::Diagnosis& diagnosis) {
    return diagnosis.calls > 0 && diagnosis.time.totalNs > 0;
}

Table timeTable(const diagnose::TimeSplit& time) {
    Table table({{"Part"}, {"Time", Align::Right}, {"Share", Align::Right}});
    const auto add = [&](const std::string& name, std::int64_t ns) {
        table.addRow({name, TimeCell{ns}, formatShare(ns, time.totalNs)});
    };
    for (const diagnose::TimePart& part : diagnose::timeParts(time))
        add(part.name, part.ns);
    add("Run", time.totalNs);
    return table;
}

Table factTable(const Session& session) {
    Table table({{"Area"}, {"Fact"}, {"Value"}});
    for (const Fact& fact : session.facts)
        table.addRow({printable(fact.area), printable(fact.key), printable(fact.value)});
    return table;
}

std::string entryName(const Session& session, const std::vector<std::string>& names, EntryId entry) {
    if (!entry.isValid())
        return "not recorded";
    const FunctionId function = session[entry].function;
    return fmt::format("{} #{}", function.isValid() ? printable(names[function.value]) : std::string(),
                       session[entry].number);
}

std::string causesText(const Diagnosis& diagnosis, FunctionId function) {
    std::string text;
    for (const auto& [kind, count] : causesOf(diagnosis, function))
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : ", ", types::missKindName(kind), formatCount(count));
    return text;
}

std::string savedText(const Finding& finding) {
    return finding.avoidable.empty() ? "nothing" : formatDuration(finding.avoidableNs);
}

std::string_view outcomeName(Outcome outcome) {
    switch (outcome) {
    case Outcome::Hit:
        return "hit";
    case Outcome::Traced:
        return "traced";
    case Outcome::Eager:
        return "eager";
    case Outcome::Error:
        return "error";
    case Outcome::Unknown:
        break;
    }
    return "unknown";
}

std::string_view entryStateName(EntryState state) {
    switch (state) {
    case EntryState::Alive:
        return "alive";
    case EntryState::Dead:
        return "dead";
    case EntryState::Cleared:
        return "cleared";
    case EntryState::Evicted:
        break;
    }
    return "evicted";
}

std::string differenceText(const types::Difference& difference) {
    if (difference.path.empty())
        return std::string(types::missKindName(difference.kind));
    return printable(fmt::format("{}: {} -> {}", difference.path, difference.before, difference.after));
}

} // namespace retracescope::report
