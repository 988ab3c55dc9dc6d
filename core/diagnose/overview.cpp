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

void countCalls(Diagnosis& diagnosis) {
    for (const FunctionSummary& function : diagnosis.functions) {
        diagnosis.calls += function.calls;
        diagnosis.hits += function.hits;
        diagnosis.traces += function.traces;
    }
}

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
    countCalls(*diagnosis);
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
