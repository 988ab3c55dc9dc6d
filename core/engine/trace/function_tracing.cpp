#include <retracescope/engine/trace/function_core.h>

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include <retracescope/base/clock.h>
#include <retracescope/engine/trace/initialise.h>
#include <retracescope/engine/trace/siblings.h>
#include <retracescope/engine/trace/tracing_lock.h>

namespace retracescope::trace {

namespace {

/// Traces inside traces on a thread; a function that keeps calling itself with new values stops here.
constexpr std::size_t kMaxDepth = 200;

/// The functions that this thread traces, outermost first.
thread_local std::vector<const std::string*> s_underWay;

/// "f -> g -> f", with only the innermost of many.
std::string chainText(const std::string& next) {
    constexpr std::size_t kShown = 5;
    const std::size_t first = s_underWay.size() > kShown ? s_underWay.size() - kShown : 0;
    std::string text = first > 0 ? "... -> " : "";
    for (std::size_t i = first; i < s_underWay.size(); ++i)
        text += *s_underWay[i] + " -> ";
    return text + next;
}

struct DepthGuard {
    explicit DepthGuard(const std::string& name, Where where) {
        if (s_underWay.size() >= kMaxDepth)
            throw UsageError(
                fmt::format("[{}] more than {} traces inside each other ({}): a traced function that calls "
                            "itself needs an argument on which it stops while tracing{}",
                            name, kMaxDepth, chainText(name), placeText(where)));
        s_underWay.push_back(&name);
    }
    ~DepthGuard() { s_underWay.pop_back(); }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;
};

std::string currentExceptionText() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

runtime::EntryKey newEntryKey() {
    static std::atomic<runtime::EntryKey> last{0};
    return ++last;
}

void appendOutputs(const Value& result, std::vector<ir::NodeId>& outputs) {
    for (const Tensor& leaf : leavesOf(result))
        outputs.push_back(leaf.node());
}

} // namespace

struct FunctionCore::Recording {
    ir::Graph graph;
    types::FunctionType type;
    std::vector<CreatedVariable> created;
    std::vector<DeferredCapture> deferred;
};

types::FunctionContext FunctionCore::context() const {
    using Scope = types::FunctionContext::Scope;
    return {m_phase == Phase::Created ? Scope::NoCreation : Scope::MayCreateVariables};
}

const ConcreteFunction& FunctionCore::traceWithPhases(const Request& request, std::uint32_t callNumber,
                                                      Where where) {
    const Creation creation = m_phase == Phase::Untouched        ? Creation::Allowed
                              : m_phase == Phase::NothingCreated ? Creation::NotFirstCall
                                                                 : Creation::AfterCreatingCall;
    std::vector<CreatedVariable> created;
    std::optional<ir::Graph> before;
    const ConcreteFunction& first =
        traceRelaxedFirst({request, context(), creation, callNumber, where, false}, &created, &before);
    if (created.empty()) {
        if (m_phase == Phase::Untouched)
            m_phase = Phase::NothingCreated;
        return first;
    }
    m_phase = Phase::Created;
    m_keys.clear();
    bool isInitialised = false;
    try {
        initialise(created, *before, first.withDeferred(leavesOfAll(request.values)), where);
        isInitialised = true;
        if (m_options.policy.keepsFirstPhase)
            keepHalfMade();
        return traceRelaxedFirst({request, context(), Creation::SecondPhase, callNumber, where, true},
                                 nullptr, nullptr);
    } catch (...) {
        if (!m_halfMade) // the first phase is kept
            throw;
        // Nothing half-made stays.
        if (!isInitialised)
            noteFailure(request.key);
        withdrawHalfMade(isInitialised ? std::string() : currentExceptionText());
        m_phase = Phase::Untouched;
        throw;
    }
}

const ConcreteFunction& FunctionCore::traceRelaxedFirst(const Miss& miss,
                                                        std::vector<CreatedVariable>* created,
                                                        std::optional<ir::Graph>* before) {
    const types::FunctionType& key = miss.request.key;
    if (!m_options.reduceRetracing || m_options.inputSignature)
        return traceAs(miss, key, false, created, before);
    const types::FunctionType wider = relaxedKey(miss);
    if (wider == key)
        return traceAs(miss, key, false, created, before);
    try {
        return traceAs(miss, wider, true, created, before);
    } catch (const UsageError& error) {
        if (m_options.policy.failsWithRelaxedTrace)
            throw;
        // A body may need a size that relaxing opened: the exact signature is still worth a try.
        if (runtime::Observer* observer = runtime::observerOf(announced()))
            observer->onWarning(
                m_key, fmt::format("the relaxed trace failed, tracing the exact signature: {}", error.what()),
                ticks());
        return traceAs(miss, key, false, created, before);
    }
}

types::FunctionType FunctionCore::relaxedKey(const Miss& miss) const {
    std::vector<types::FunctionType> earlier;
    for (const std::size_t row : m_live)
        if (m_all[row]->context() == miss.context)
            earlier.push_back(m_all[row]->cacheType());
    const auto rule =
        m_options.policy.relaxesAcrossArities ? types::RelaxRule::AsTensorFlow : types::RelaxRule::EqualArity;
    try {
        return types::relaxed(miss.request.key, earlier, rule);
    } catch (const types::RelaxError& error) {
        throw types::RelaxError(fmt::format("[{}] {}{}", m_name, error.what(), placeText(miss.where)));
    }
}

types::FunctionType FunctionCore::writtenType(const types::FunctionType& key,
                                              const types::FunctionType& written) {
    types::FunctionType type = written;
    for (std::size_t i = 0; i < type.parameters.size(); ++i)
        type.parameters[i].type = types::asWritten(key.parameters[i].type, written.parameters[i].type);
    return type;
}

namespace {

/// Throws UsageError if a dict in `type` has keys that Python cannot sort.
void requireSortableKeys(types::TypeId type, const std::string& start, const std::string& place) {
    const types::TraceType& facts = types::typeOf(type);
    for (const types::TypeId item : facts.items)
        requireSortableKeys(item, start, place);
    if (facts.kind != types::TypeKind::Dict)
        return;
    for (const types::Literal& key : facts.keys | std::views::drop(1))
        if (!types::areSortable(key, facts.keys[0]))
            throw UsageError(
                fmt::format("{}expected dict keys of one kind that can be sorted, got {} beside {}{}", start,
                            types::toText(key), types::toText(facts.keys[0]), place));
}

} // namespace

const ConcreteFunction& FunctionCore::traceAs(const Miss& miss, const types::FunctionType& key,
                                              bool isRelaxed, std::vector<CreatedVariable>* created,
                                              std::optional<ir::Graph>* before) {
    if (m_options.policy.refusesMixedKeys) // only now, as TensorFlow: relaxing may have failed before
        for (const types::Parameter& parameter : miss.request.type.parameters)
            requireSortableKeys(parameter.type, messageStart(parameter.name), placeOf(miss.where));
    const DepthGuard guard(m_name, miss.where);
    runtime::Observer* observer = runtime::observerOf(announced());
    const std::uint64_t begin = ticks();
    if (observer != nullptr) {
        reportMiss(*observer, miss, key, isRelaxed, begin);
        observer->onTraceBegin(m_key, begin);
    }
    ++m_traces;
    const auto finish = [&, ticksBefore = tracingTicks()](std::string_view exception) {
        runtime::TraceFacts facts{m_key, begin, ticks(), exception, m_bodyRuns, false};
        tracingTicks() = ticksBefore + (facts.end - begin);
        if (m_halfMade && m_halfMade->trace.begin == begin)
            m_halfMade->trace = facts; // told when the second phase shows what becomes of it
        else if (observer != nullptr)
            observer->onTraceEnd(facts);
    };
    try {
        const runtime::Origin origin{m_key, newEntryKey()};
        Recording made = record(miss, writtenType(key, miss.request.type), origin);
        warnOfUnrolling(observer, made.graph);
        if (before != nullptr && !made.created.empty())
            *before = made.graph;
        if (created != nullptr)
            *created = std::move(made.created);
        std::shared_ptr<const runtime::Executable> executable;
        {
            const EagerScope outside; // an outer trace must not record what passes compute
            executable =
                runtime::Executable::compile(runtime::optimise(std::move(made.graph), origin), origin);
        }
        const ConcreteFunction& concrete = keep(std::make_unique<ConcreteFunction>(ConcreteFunction::Parts{
            std::move(executable), origin.entry, fmt::format("{}_{}", m_name, m_all.size() + 1),
            std::move(made.type), key, miss.context, isRelaxed, m_options.policy, std::move(made.deferred),
            this}));
        if (created != nullptr && !created->empty()) {
            m_halfMade = {&concrete, {m_key, begin, 0, {}, 0, false}};
        } else {
            if (miss.isSecondPhase && m_halfMade)
                keepHalfMade();
            siblings().add(Siblings::siteOf(m_name, m_definedAt), miss.request.key);
            if (observer != nullptr)
                reportEntry(*observer, concrete, begin);
        }
        finish({});
        return concrete;
    } catch (...) {
        noteFailure(miss.request.key);
        finish(currentExceptionText());
        throw;
    }
}

FunctionCore::Recording FunctionCore::record(const Miss& miss, const types::FunctionType& type,
                                             runtime::Origin origin) {
    const std::uint64_t begin = ticks();
    Tracer tracer(m_name, Tracer::Role::Function, miss.creation);
    if (m_options.policy.keepsLeakyTraces)
        tracer.keepLeaks();
    std::vector<Value> inside;
    std::map<std::uint32_t, Tensor> handles;
    for (std::size_t i = 0; i < type.parameters.size(); ++i)
        inside.push_back(placeholderFor(miss.request.values[i], type.parameters[i].type,
                                        type.parameters[i].name, tracer, handles));
    ++m_bodyRuns;
    const Value result = resultOf(runBody(miss.request, std::move(inside), miss.where), tracer, m_name);
    std::vector<ir::NodeId> outputs;
    appendOutputs(result, outputs);
    tracer.graph().setOutputs(outputs);
    AliasNumbers aliases;
    types::FunctionType made{type.parameters, tracer.captures(), typeOfValue(result, aliases)};
    if (runtime::Observer* observer = runtime::observer())
        observer->onPhase({"trace", "trace", origin.function, origin.entry, begin, ticks()});
    return {tracer.takeGraph(), std::move(made), tracer.created(), tracer.deferredCaptures()};
}

const ConcreteFunction& FunctionCore::keep(std::unique_ptr<ConcreteFunction> concrete) {
    const std::size_t row = m_all.size();
    m_table.add(concrete->context(), concrete->cacheType(), static_cast<std::uint32_t>(row));
    m_live.push_back(row);
    if (types::hasObjects(concrete->cacheType()))
        m_withObjects.push_back(row);
    m_all.push_back(std::move(concrete));
    // Known keys stay: had the new type been more specific than the one that answered, that one would have
    // served here.
    return *m_all.back();
}

void FunctionCore::noteFailure(const types::FunctionType& request) {
    ++m_failedTraces;
    if (std::ranges::find(m_failed, request) == m_failed.end())
        m_failed.push_back(request);
}

void FunctionCore::keepHalfMade() {
    reportHalfMade(true, {});
    m_halfMade.reset();
}

void FunctionCore::withdrawHalfMade(std::string_view exception) {
    reportHalfMade(false, exception);
    const auto row = std::ranges::find_if(
        m_live, [&](std::size_t live) { return m_all[live].get() == m_halfMade->concrete; });
    if (row != m_live.end()) {
        m_table.remove(static_cast<std::uint32_t>(*row));
        std::erase(m_withObjects, *row);
        m_live.erase(row);
    }
    m_keys.clear();
    if (exception.empty())
        --m_traces; // the trace of the second phase stands for both
    m_halfMade.reset();
}

} // namespace retracescope::trace
