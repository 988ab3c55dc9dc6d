#include <retracescope/engine/trace/function_core.h>

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include <retracescope/base/clock.h>
#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/engine/trace/retracing_reason.h>
#include <retracescope/engine/trace/siblings.h>
#include <retracescope/engine/trace/tracing_lock.h>
#include <retracescope/engine/trace/unrolling.h>

namespace retracescope::trace {

namespace {

runtime::SourcePlace sourcePlace(Where where) {
    return {where.file_name(), where.function_name(), where.line(), where.column()};
}

/// As they are written for tf.function.
std::string optionsText(const FunctionOptions& options) {
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    if (options.reduceRetracing)
        add("reduce_retracing=True");
    if (options.jitCompile)
        add("jit_compile=True");
    std::string attributes;
    for (const auto& [name, value] : options.attributes)
        attributes += fmt::format("{}'{}': '{}'", attributes.empty() ? "" : ", ", name, value);
    if (!attributes.empty())
        add("experimental_attributes={" + attributes + "}");
    return text;
}

} // namespace

const runtime::Installation* FunctionCore::announcedTo(const runtime::Installation& now) {
    const std::lock_guard lock(tracingLock());
    const std::uint32_t announcedTo = m_announcedTo.load(std::memory_order_relaxed);
    if (announcedTo > now.generation)
        return nullptr; // replaced meanwhile
    if (announcedTo == now.generation)
        return &now;
    runtime::Observer* observer = now.observer;
    const std::uint64_t since = ticks();
    std::string parameters;
    for (const types::Parameter& parameter : m_declared)
        parameters += (parameters.empty() ? "" : ", ") + parameter.name;
    std::string signature;
    if (m_options.inputSignature)
        for (const types::Parameter& parameter : m_bound)
            signature += (signature.empty() ? "" : ", ") + types::toText(parameter.type);
    observer->onFunction(
        {m_key, 0, m_name, parameters, optionsText(m_options), signature, sourcePlace(m_definedAt), since});
    for (const std::size_t row : m_live) {
        if (!m_halfMade || m_all[row].get() != m_halfMade->concrete)
            reportEntry(*observer, *m_all[row], 0);
    }
    m_toldDead.clear();
    m_announcedTo.store(now.generation, std::memory_order_release);
    return &now;
}

FunctionCore::DirectCall FunctionCore::beginDirectCall(runtime::EntryKey entry) {
    DirectCall call;
    call.facts.function = m_key;
    call.facts.entry = entry;
    call.facts.number = static_cast<std::uint32_t>(m_counts.addCall());
    ++m_counts.others; // what looks nothing up says nothing of retracing
    call.listening = announced();
    if (call.listening != nullptr) {
        call.tracingBefore = tracingTicks();
        call.facts.begin = ticks();
    }
    return call;
}

void FunctionCore::endDirectCall(DirectCall& call, runtime::CallOutcome outcome) {
    if (call.listening == nullptr)
        return;
    call.facts.outcome = outcome;
    call.facts.end = ticks();
    call.facts.traceTicks = tracingTicks() - call.tracingBefore;
    runtime::tellCall(*call.listening, call.facts);
}

void FunctionCore::warnOfRetracing(runtime::Observer* observer, const types::FunctionType& request) {
    auto warning = m_detector.addTracedCall(m_name, m_options.policy.countsLeadingHitsAsTrace);
    if (!warning)
        return;
    if (m_counts.calls == 1)
        warning->reason = "a function made anew: make it once, outside of the loop";
    else {
        const std::lock_guard lock(tracingLock());
        warning->reason = retracingReason(context(), request, m_table.targets());
    }
    if (observer != nullptr)
        observer->onWarning(m_key, toText(*warning), ticks());
    tell(*warning);
}

void FunctionCore::warnOfUnrolling(runtime::Observer* observer, const ir::Graph& traced) {
    if (m_hasWarnedOfUnrolling)
        return;
    const auto warning = findUnrolled(m_name, traced);
    if (!warning)
        return;
    m_hasWarnedOfUnrolling = true;
    if (observer != nullptr)
        observer->onWarning(m_key, toText(*warning), ticks());
    tell(*warning);
}

void FunctionCore::reportMiss(runtime::Observer& observer, const Miss& miss,
                              const types::FunctionType& traced, bool isRelaxed, std::uint64_t at) {
    runtime::MissFacts facts;
    facts.since = ticks();
    reportDead(observer, at);
    facts.function = m_key;
    facts.callNumber = miss.callNumber;
    facts.at = at;
    facts.request = types::components(miss.request.key, miss.context);
    facts.requestText = types::toText(miss.request.type);
    if (isRelaxed) {
        facts.widened = types::components(traced, miss.context);
        facts.widenedText = types::toText(writtenType(traced, miss.request.type));
    }
    facts.otherKinds = otherKinds(miss);
    facts.calledAt = sourcePlace(miss.where);
    observer.onMiss(facts);
}

/// An entry whose object is gone stays in the cache, but serves nobody.
void FunctionCore::reportDead(runtime::Observer& observer, std::uint64_t at) {
    for (const std::size_t row : m_withObjects)
        if (!m_toldDead.contains(row) && types::hasDeadObjects(m_all[row]->cacheType())) {
            m_toldDead.insert(row);
            observer.onDrop(m_all[row]->key(), runtime::DropReason::Dead, at);
        }
}

std::vector<types::MissKind> FunctionCore::otherKinds(const Miss& miss) {
    using types::MissKind;
    if (miss.isSecondPhase)
        return {MissKind::Phase};
    const types::FunctionType& request = miss.request.key;
    std::vector<MissKind> kinds;
    if (std::ranges::find(m_failed, request) != m_failed.end())
        kinds.push_back(MissKind::FailedBefore);
    if (m_cleared.dispatch({}, request))
        kinds.push_back(MissKind::Cleared);
    if (std::ranges::any_of(m_withObjects, [&](std::size_t row) {
            return m_all[row]->context() == miss.context &&
                   types::couldServe(m_all[row]->cacheType(), request);
        }))
        kinds.push_back(MissKind::Dead);
    if (m_live.empty() && kinds.empty()) {
        if (siblings().traced(Siblings::siteOf(m_name, m_definedAt), request))
            kinds.push_back(MissKind::NewCallable);
        else
            kinds.push_back(MissKind::FirstCall);
    }
    return kinds;
}

void FunctionCore::reportHalfMade(bool kept, std::string_view exception) {
    runtime::Observer* observer = runtime::observerOf(announced());
    if (observer == nullptr)
        return;
    runtime::TraceFacts facts = m_halfMade->trace;
    facts.exception = exception;
    facts.bodyRuns = m_bodyRuns;
    facts.withdrawn = !kept && exception.empty();
    if (kept)
        reportEntry(*observer, *m_halfMade->concrete, facts.begin);
    observer->onTraceEnd(facts);
}

void FunctionCore::reportEntry(runtime::Observer& observer, const ConcreteFunction& concrete,
                               std::uint64_t traceBegin) const {
    runtime::EntryFacts facts;
    facts.since = ticks();
    facts.entry = concrete.key();
    facts.function = m_key;
    facts.traceBegin = traceBegin;
    facts.name = concrete.name();
    facts.stored = types::components(concrete.cacheType(), concrete.context());
    facts.storedText =
        types::toText(types::FunctionType{concrete.type().parameters, {}, types::TypeId::None});
    facts.listing = toText(concrete);
    facts.output = types::toText(concrete.type().output);
    facts.captures = static_cast<std::uint32_t>(concrete.type().captures.size());
    facts.relaxed = concrete.isRelaxed();
    facts.graph = concrete.executable()->sharedGraph();
    observer.onEntry(facts);
}

} // namespace retracescope::trace
