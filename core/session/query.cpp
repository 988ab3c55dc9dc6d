#include <retracescope/session/query.h>

#include <algorithm>
#include <numeric>

namespace retracescope::session {

namespace {

/// The value that `share` of the sorted values do not exceed (nearest rank).
std::int64_t quantile(const std::vector<std::int64_t>& sorted, double share) {
    if (sorted.empty())
        return kNotRecorded;
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
    return sorted[std::min(rank, sorted.size() - 1)];
}

/// Of a function whose misses the source does not note.
void leaveUntold(const Session& session, std::int64_t tracedCalls, bool hasEntries, FunctionSummary& sum) {
    sum.traces = std::max(session[sum.function].bodyRuns, tracedCalls > 0 ? tracedCalls : kNotRecorded);
    sum.failedTraces = sum.withdrawnTraces = kNotRecorded;
    sum.tracingNs = kNotRecorded;
    if (!hasEntries)
        sum.errors = sum.entries = sum.neverHit = kNotRecorded;
    if (tracedCalls > 0)
        sum.executeNs = kNotRecorded;
}

FunctionSummary summarize(const Session& session, const Index& index, FunctionId function) {
    FunctionSummary sum;
    sum.function = function;
    std::vector<std::int64_t> durations;
    std::int64_t tracedCalls = 0;
    for (const CallId call : index.callsOfFunction[function.value]) {
        ++sum.calls;
        const Outcome outcome = session.calls.outcome[call.value];
        sum.hits += outcome == Outcome::Hit;
        sum.errors += outcome == Outcome::Error;
        sum.eager += outcome == Outcome::Eager;
        tracedCalls += tracedWithoutMiss(session, index, call);
        durations.push_back(session.calls.durationNs[call.value]);
        sum.totalNs += durations.back();
        if (outcome != Outcome::Error)
            sum.executeNs += std::max<std::int64_t>(
                durations.back() - std::max<std::int64_t>(session.calls.traceNs[call.value], 0), 0);
    }
    for (const MissId miss : index.missesOfFunction[function.value]) {
        sum.traces += !session[miss].withdrawn;
        sum.withdrawnTraces += session[miss].withdrawn;
        sum.failedTraces += !session.text(session[miss].exception).empty();
        sum.tracingNs += std::max<std::int64_t>(session[miss].traceNs, 0);
    }
    for (const EntryId entry : index.entriesOfFunction[function.value]) {
        sum.entries += session[entry].state == EntryState::Alive;
        const auto& served = index.callsOfEntry[entry.value];
        sum.neverHit += std::ranges::none_of(
            served, [&](CallId call) { return session.calls.outcome[call.value] == Outcome::Hit; });
    }
    sum.medianCallNs = medianOf(durations);
    std::ranges::sort(durations);
    sum.p95CallNs = quantile(durations, 0.95);
    const bool isUntold = tracedCalls > 0 || !session.fact("not_recorded", "misses").empty();
    if (index.missesOfFunction[function.value].empty() && isUntold)
        leaveUntold(session, tracedCalls, !index.entriesOfFunction[function.value].empty(), sum);
    return sum;
}

} // namespace

std::int64_t medianOf(std::vector<std::int64_t> values) {
    if (values.empty())
        return kNotRecorded;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return values.size() % 2 == 1 ? *middle
                                  : std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

bool tracedWithoutMiss(const Session& session, const Index& index, CallId call) {
    return session.calls.outcome[call.value] == Outcome::Traced && !index.missOfCall[call.value].isValid();
}

bool leftNothing(const Session& session, const Miss& miss) {
    return miss.withdrawn || !session.text(miss.exception).empty();
}

Index buildIndex(const Session& session) {
    Index index;
    index.callsOfFunction.resize(session.functions.size());
    index.entriesOfFunction.resize(session.functions.size());
    index.missesOfFunction.resize(session.functions.size());
    index.callsOfEntry.resize(session.entries.size());
    index.missOfCall.resize(session.calls.size());
    const CallTable& calls = session.calls;
    for (std::size_t row = 0; row < calls.size(); ++row) {
        if (calls.function[row].isValid())
            index.callsOfFunction[calls.function[row].value].push_back(CallId(row));
        if (calls.entry[row].isValid())
            index.callsOfEntry[calls.entry[row].value].push_back(CallId(row));
    }
    for (auto& rows : index.callsOfFunction)
        std::ranges::stable_sort(rows, {}, [&](CallId call) { return calls.number[call.value]; });
    for (std::size_t row = 0; row < session.entries.size(); ++row) {
        if (session.entries[row].function.isValid())
            index.entriesOfFunction[session.entries[row].function.value].push_back(EntryId(row));
    }
    for (std::size_t row = 0; row < session.misses.size(); ++row) {
        const Miss& miss = session.misses[row];
        if (miss.function.isValid())
            index.missesOfFunction[miss.function.value].push_back(MissId(row));
        if (miss.call.isValid())
            index.missOfCall[miss.call.value] = MissId(row);
    }
    return index;
}

std::vector<GraphId> graphsWithoutEntry(const Session& session) {
    std::vector<bool> owned(session.graphs.size(), false);
    for (const Entry& entry : session.entries) {
        if (entry.graph.isValid())
            owned[entry.graph.value] = true;
    }
    std::vector<GraphId> graphs;
    for (std::size_t row = 0; row < owned.size(); ++row) {
        if (!owned[row])
            graphs.emplace_back(row);
    }
    std::ranges::stable_partition(graphs, [&](GraphId id) { return !session[id].isLibraryFunction; });
    return graphs;
}

std::vector<FunctionSummary> summarizeFunctions(const Session& session, const Index& index) {
    std::vector<FunctionSummary> result;
    result.reserve(session.functions.size());
    for (std::size_t row = 0; row < session.functions.size(); ++row)
        result.push_back(summarize(session, index, FunctionId(row)));
    return result;
}

CallCounts countCalls(const std::vector<FunctionSummary>& functions) {
    CallCounts counts;
    bool isKnown = functions.empty();
    for (const FunctionSummary& function : functions) {
        counts.calls += function.calls;
        counts.hits += function.hits;
        counts.traces += std::max<std::int64_t>(function.traces, 0);
        isKnown = isKnown || function.traces != kNotRecorded;
    }
    if (!isKnown)
        counts.traces = kNotRecorded;
    return counts;
}

} // namespace retracescope::session
