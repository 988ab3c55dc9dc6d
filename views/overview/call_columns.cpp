#include "views/overview/call_columns.h"

#include <algorithm>

namespace retracescope::views {

namespace {

constexpr std::size_t kCallsPerLook = 4096; // at whether the job was cancelled

TimeUse restOf(const diagnose::Diagnosis& diagnosis, session::CallId call) {
    const session::Session& session = *diagnosis.session;
    if (session.calls.outcome[call.value] == session::Outcome::Error)
        return TimeUse::Failed;
    const bool isUntold = session.calls.traceNs[call.value] == session::kNotRecorded &&
                          session::tracedWithoutMiss(session, diagnosis.index, call);
    return isUntold ? TimeUse::Untold : TimeUse::Execute;
}

} // namespace

std::bitset<kTimeUses> CallColumns::uses() const {
    std::bitset<kTimeUses> result;
    for (const CallColumn& column : columns) {
        if (column.traceNs > 0)
            result.set(static_cast<std::size_t>(column.tracing));
        if (column.totalNs > column.traceNs)
            result.set(static_cast<std::size_t>(column.rest));
    }
    return result;
}

CallColumns columnsOf(const diagnose::Diagnosis& diagnosis, session::FunctionId function, std::size_t most,
                      const Job& job) {
    CallColumns result;
    const std::vector<session::CallId>& calls = diagnosis.index.callsOfFunction[function.value];
    const session::CallTable& table = diagnosis.session->calls;
    result.calls = calls.size();
    result.columns.resize(std::min(most, calls.size()));
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (i % kCallsPerLook == 0 && job.cancel.requested())
            return {};
        CallColumn& column = result.columns[result.columnOf(i)];
        if (table.durationNs[calls[i].value] < column.totalNs)
            continue;
        column.longest = calls[i];
        column.totalNs = table.durationNs[calls[i].value];
    }
    const TraceUses uses(diagnosis);
    for (CallColumn& column : result.columns) {
        const session::MissId miss = diagnosis.index.missOfCall[column.longest.value];
        column.traceNs = std::clamp<std::int64_t>(table.traceNs[column.longest.value], 0, column.totalNs);
        column.tracing = miss.isValid() ? uses.of(miss) : TimeUse::Needed;
        column.rest = restOf(diagnosis, column.longest);
    }
    return result;
}

} // namespace retracescope::views
