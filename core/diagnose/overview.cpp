#include <retracescope/diagnose/overview.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/function_names.h>
#include <retracescope/diagnose/time_split.h>
#include <retracescope/diagnose/verdict.h>

namespace retracescope::diagnose {

using namespace session;

namespace {

std::vector<bool> avoidableMisses(const Diagnosis& diagnosis) {
    std::vector<bool> avoidable(diagnosis.session->misses.size(), false);
    for (const Finding& finding : diagnosis.findings) {
        for (const MissId miss : finding.avoidable)
            avoidable[miss.value] = true;
    }
    return avoidable;
}

} // namespace

DiagnosisPtr diagnose(SessionPtr session, const Job& job) {
    auto diagnosis = std::make_shared<Diagnosis>();
    diagnosis->session = session;
    job.report(0.0, "Index");
    diagnosis->index = buildIndex(*session);
    diagnosis->names = functionNames(*session);
    diagnosis->functions = summarizeFunctions(*session, diagnosis->index);
    const CallCounts counts = countCalls(diagnosis->functions);
    diagnosis->calls = counts.calls;
    diagnosis->hits = counts.hits;
    diagnosis->traces = counts.traces;
    job.report(0.3, "Explain misses");
    diagnosis->explanations = explainMisses(*session, diagnosis->index, job);
    if (job.cancel.requested())
        return nullptr;
    job.report(0.7, "Find");
    diagnosis->findings = findFindings(*session, diagnosis->index, diagnosis->explanations);
    job.report(0.9, "Divide the time");
    diagnosis->time = splitTime(*session, diagnosis->index, avoidableMisses(*diagnosis), job);
    if (job.cancel.requested())
        return nullptr;
    giveVerdict(*diagnosis);
    job.report(1.0, "Done");
    return diagnosis;
}

std::vector<TimePart> timeParts(const TimeSplit& time) {
    std::vector<TimePart> parts;
    if (time.tracingTold) {
        parts.push_back({TimePart::Avoidable, "Avoidable tracing", time.avoidableNs});
        parts.push_back({TimePart::Needed, "Needed tracing", time.neededNs});
        parts.push_back({TimePart::Execute, "Calls without tracing", time.executeNs});
    } else {
        parts.push_back({TimePart::Execute, "Calls, tracing included",
                         time.executeNs + time.avoidableNs + time.neededNs});
    }
    if (time.failedNs > 0)
        parts.push_back({TimePart::Failed, "Failed calls and traces", time.failedNs});
    parts.push_back({TimePart::Outside, "Outside traced functions", time.outsideNs});
    return parts;
}

std::vector<CallId> unexplainedCalls(const Diagnosis& diagnosis) {
    std::vector<CallId> calls;
    for (std::size_t row = 0; row < diagnosis.session->calls.size(); ++row) {
        if (tracedWithoutMiss(*diagnosis.session, diagnosis.index, CallId(row)))
            calls.push_back(CallId(row));
    }
    std::ranges::stable_sort(calls, {},
                             [&](CallId call) { return diagnosis.session->calls.startNs[call.value]; });
    return calls;
}

std::vector<std::int64_t> avoidableByFunction(const Diagnosis& diagnosis) {
    std::vector<std::int64_t> sums(diagnosis.functions.size(), 0);
    for (const Finding& finding : diagnosis.findings) {
        for (const MissId row : finding.avoidable) {
            const Miss& miss = (*diagnosis.session)[row];
            sums[miss.function.value] += std::max<std::int64_t>(miss.traceNs, 0);
        }
    }
    return sums;
}

std::vector<std::pair<types::MissKind, std::int64_t>> causesOf(const Diagnosis& diagnosis,
                                                               FunctionId function) {
    std::array<std::int64_t, types::kMissKindCount> counts{};
    for (const MissId miss : diagnosis.index.missesOfFunction[function.value])
        ++counts[static_cast<std::size_t>(diagnosis.explanations[miss.value].cause)];
    std::vector<std::pair<types::MissKind, std::int64_t>> result;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        if (counts[kind] > 0)
            result.emplace_back(static_cast<types::MissKind>(kind), counts[kind]);
    }
    return result;
}

} // namespace retracescope::diagnose
