#include <retracescope/engine/trace/function_core.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <retracescope/base/clock.h>
#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/engine/trace/tracing_lock.h>

namespace retracescope::trace {

namespace {

runtime::FunctionKey newFunctionKey() {
    static std::atomic<runtime::FunctionKey> last{0};
    return ++last;
}

/// Whether the tensors of the arguments are those that the graph gets: a hit feeds what it was given, without
/// the casts of an input signature.
bool isFedWith(const CallArguments& arguments, std::span<const Tensor> leaves) {
    return arguments.named.empty() &&
           std::ranges::equal(leavesOfAll(arguments.positional), leaves, &Tensor::isSame);
}

} // namespace

FunctionCore::FunctionCore(std::string name, std::vector<ParameterName> parameters, Body body,
                           FunctionOptions options, Where definedAt)
    : m_name(std::move(name)), m_body(std::move(body)), m_options(std::move(options)), m_definedAt(definedAt),
      m_key(newFunctionKey()), m_detector(RetracingDetector::of(m_name, definedAt)) {
    for (ParameterName& parameter : parameters) {
        m_declared.push_back(
            {parameter.name, parameter.kind, parameter.defaultValue.has_value(), types::TypeId::None});
        m_defaults.push_back(std::move(parameter.defaultValue).value_or(Value()));
        m_asParameter.push_back(parameter.asParameter);
        if (parameter.asParameter != nullptr && m_declared.back().optional)
            m_defaults.back() =
                parameter.asParameter(std::move(m_defaults.back()), messageStart(parameter.name),
                                      m_options.inputSignature.has_value());
    }
    placed(m_definedAt, [&] {
        types::checkParameters(m_name, m_declared);
        if (m_options.inputSignature)
            constrain();
    });
    if (!m_options.inputSignature) {
        m_bound = m_declared;
        m_owners.resize(m_bound.size());
        std::iota(m_owners.begin(), m_owners.end(), 0);
    }
    m_detector.join(m_counts);
}

FunctionCore::~FunctionCore() {
    m_detector.leave(m_counts);
}

std::pair<const ConcreteFunction*, std::vector<Tensor>>
FunctionCore::call(const CallArguments& arguments, std::span<const std::uint64_t> words) {
    const auto number = static_cast<std::uint32_t>(m_counts.addCall());
    const bool isInsideTrace = Tracer::current() != nullptr;
    const runtime::Installation* const listening = announced();
    runtime::Observer* const observer = runtime::observerOf(listening);
    runtime::CallFacts facts{m_key, 0, number, runtime::CallOutcome::Error, ticks(), 0, 0};
    const std::uint64_t tracingBefore = tracingTicks();
    const auto report = [&] {
        if (listening == nullptr)
            return;
        facts.end = ticks();
        facts.traceTicks = tracingTicks() - tracingBefore;
        runtime::tellCall(*listening, facts);
    };
    try {
        bool traced = false;
        const ConcreteFunction* concrete = nullptr;
        std::vector<Tensor> leaves;
        types::FunctionType key;
        {
            const std::lock_guard lock(tracingLock());
            const Request request = bind(arguments);
            concrete = &lookUpOrTrace(request, number, arguments.where, traced);
            leaves = leavesOfAll(request.values);
            if (!words.empty() && isFedWith(arguments, leaves) &&
                (request.key == concrete->cacheType() || !types::hasObjects(request.key)))
                m_keys.insert(
                    words, {concrete, concrete->planFor(leaves), static_cast<std::uint32_t>(leaves.size())});
            if (traced)
                key = request.key;
        }
        facts.entry = concrete->key();
        std::vector<Tensor> results(concrete->outputCount());
        const std::uint64_t begin = ticks();
        concrete->run(leaves, results, arguments.where);
        if (observer != nullptr && traced)
            observer->onPhase({"execute", "execute", m_key, concrete->key(), begin, ticks()});
        facts.outcome = traced ? runtime::CallOutcome::Traced : runtime::CallOutcome::Hit;
        report();
        if (traced || isInsideTrace)
            ++m_counts.others;
        if (traced && !isInsideTrace)
            warnOfRetracing(observer, key);
        return {concrete, std::move(results)};
    } catch (...) {
        noteFailedRun(arguments.where);
        report();
        throw;
    }
}

void FunctionCore::noteFailedRun(Where where) {
    ++m_counts.others;
    placeException(where);
}

Value FunctionCore::runEagerly(const CallArguments& arguments) {
    return withoutLookup(0, runtime::CallOutcome::Eager, [&] { return runBodyOn(arguments); });
}

Value FunctionCore::runBodyOn(const CallArguments& arguments) {
    try {
        Request request = bind(arguments);
        for (Value& value : request.values)
            value = withoutHostArrays(std::move(value));
        ++m_bodyRuns;
        return eagerResultOf(runBody(request, std::move(request.values), arguments.where), m_name);
    } catch (...) {
        placeException(arguments.where);
        throw;
    }
}

const ConcreteFunction& FunctionCore::concrete(const CallArguments& arguments) {
    const std::lock_guard lock(tracingLock());
    announced();
    bool traced = false;
    try {
        return lookUpOrTrace(bindForConcrete(arguments), 0, arguments.where, traced);
    } catch (...) {
        placeException(arguments.where);
        throw;
    }
}

const ConcreteFunction& FunctionCore::lookUpOrTrace(const Request& request, std::uint32_t callNumber,
                                                    Where where, bool& traced) {
    if (const auto found = m_table.dispatch(context(), request.key))
        return *m_all[*found];
    traced = true;
    return traceWithPhases(request, callNumber, where);
}

void FunctionCore::runWatched(const ConcreteFunction& concrete, const runtime::Plan* plan,
                              std::span<const Tensor> leaves, std::span<Tensor> results, Where where) {
    const runtime::Installation* const listening = announced();
    const auto number = static_cast<std::uint32_t>(m_counts.addCall());
    runtime::CallFacts facts{m_key, concrete.key(), number, runtime::CallOutcome::Hit, ticks(), 0, 0};
    const bool isInsideTrace = Tracer::current() != nullptr;
    if (isInsideTrace)
        ++m_counts.others;
    try {
        if (plan == nullptr || isInsideTrace || Tape::isAny())
            concrete.run(leaves, results, where);
        else if (listening != nullptr && listening->wantsNodes) [[unlikely]]
            plan->run(leaves, results, listening->observer, concrete.key());
        else
            plan->run(leaves, results);
    } catch (...) {
        placeException(where);
        if (!isInsideTrace)
            ++m_counts.others;
        facts.outcome = runtime::CallOutcome::Error;
        facts.end = ticks();
        if (listening != nullptr)
            runtime::tellCall(*listening, facts);
        throw;
    }
    facts.end = ticks();
    if (listening != nullptr) [[likely]]
        runtime::tellCall(*listening, facts);
}

std::size_t FunctionCore::tracingCount() const {
    const std::lock_guard lock(tracingLock());
    return m_live.size();
}

std::vector<const ConcreteFunction*> FunctionCore::concreteFunctions() const {
    const std::lock_guard lock(tracingLock());
    std::vector<const ConcreteFunction*> result;
    for (const std::size_t row : m_live)
        result.push_back(m_all[row].get());
    return result;
}

std::string FunctionCore::signatures(bool verbose) const {
    std::string text;
    for (const ConcreteFunction* concrete : concreteFunctions()) {
        if (verbose)
            text += (text.empty() ? "" : "\n") + toText(*concrete);
        else
            text += types::toText(concrete->type()) + "\n";
    }
    return text;
}

void FunctionCore::clear() {
    const std::lock_guard lock(tracingLock());
    runtime::Observer* observer = runtime::observerOf(announced());
    for (const std::size_t row : m_live) {
        m_cleared.add({}, m_all[row]->cacheType(), 0);
        if (observer != nullptr && !m_toldDead.contains(row))
            observer->onDrop(m_all[row]->key(), runtime::DropReason::Cleared, ticks());
    }
    m_live.clear();
    m_withObjects.clear();
    m_toldDead.clear();
    m_table.clear();
    m_keys.clear();
}

} // namespace retracescope::trace
