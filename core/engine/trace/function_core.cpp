#include <retracescope/engine/trace/function_core.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <retracescope/base/clock.h>
#include <retracescope/engine/trace/cast.h>
#include <retracescope/engine/trace/initialise.h>
#include <retracescope/engine/trace/retracing_reason.h>

namespace retracescope::trace {

namespace {

/// One for all functions: a trace may call any other function, so that locks of their own could wait for each
/// other.
std::recursive_mutex& tracingLock() {
    static std::recursive_mutex mutex;
    return mutex;
}

/// Traces inside traces on this thread; a function that keeps calling itself with new values stops here.
constexpr int kMaxDepth = 200;
thread_local int s_depth = 0;

/// Ticks spent in the finished traces of this thread; those inside another are part of it, not counted twice.
thread_local std::uint64_t s_tracingTicks = 0;

std::string currentExceptionText() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

struct DepthGuard {
    explicit DepthGuard(const std::string& name) {
        if (s_depth >= kMaxDepth)
            throw UsageError(
                fmt::format("[{}] more than {} traces inside each other: a traced function that calls "
                            "itself needs an argument on which it stops while tracing",
                            name, kMaxDepth));
        ++s_depth;
    }
    ~DepthGuard() { --s_depth; }
};

runtime::FunctionKey newFunctionKey() {
    static std::atomic<runtime::FunctionKey> last{0};
    return ++last;
}

runtime::EntryKey newEntryKey() {
    static std::atomic<runtime::EntryKey> last{0};
    return ++last;
}

runtime::SourcePlace placeOf(Where where) {
    return {where.file_name(), where.function_name(), where.line(), where.column()};
}

/// Which signatures were traced by functions of one name and source line, so that a function made anew in a
/// loop is seen as such.
class Siblings {
public:
    using Site = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>;

    static Site siteOf(const std::string& name, Where where) {
        return {name, where.file_name(), where.line(), where.column()};
    }
    bool traced(const Site& site, const types::FunctionType& type) const {
        const auto found = m_traced.find(site);
        return found != m_traced.end() && found->second.contains(types::hashOf(type));
    }
    void add(const Site& site, const types::FunctionType& type) {
        m_traced[site].insert(types::hashOf(type));
    }

private:
    std::map<Site, std::set<std::uint64_t>> m_traced;
};

/// Under the lock for tracing.
Siblings& siblings() {
    static Siblings all;
    return all;
}

std::string optionsText(const FunctionOptions& options) {
    return options.reduceRetracing ? "reduce_retracing=True" : "";
}

void appendOutputs(const Value& result, std::vector<ir::NodeId>& outputs) {
    for (const Tensor& leaf : leavesOf(result))
        outputs.push_back(leaf.node());
}

/// The type of a trace made under `key` for a call of type `written`.
types::FunctionType writtenType(const types::FunctionType& key, const types::FunctionType& written) {
    types::FunctionType type = written;
    for (std::size_t i = 0; i < type.parameters.size(); ++i)
        type.parameters[i].type = types::asWritten(key.parameters[i].type, written.parameters[i].type);
    return type;
}

} // namespace

struct FunctionCore::Recording {
    ir::Graph graph;
    types::FunctionType type;
    std::vector<CreatedVariable> created;
    std::vector<DeferredCapture> deferred;
};

FunctionCore::FunctionCore(std::string name, std::vector<ParameterName> parameters, Body body,
                           FunctionOptions options, Where definedAt)
    : m_name(std::move(name)), m_body(std::move(body)), m_options(std::move(options)), m_definedAt(definedAt),
      m_key(newFunctionKey()), m_detector(RetracingDetector::of(m_name, definedAt)) {
    for (ParameterName& parameter : parameters) {
        m_declared.push_back(
            {parameter.name, parameter.kind, parameter.defaultValue.has_value(), types::TypeId::None});
        m_defaults.push_back(std::move(parameter.defaultValue).value_or(Value()));
    }
    types::checkParameters(m_name, m_declared);
    if (m_options.inputSignature) {
        constrain();
    } else {
        m_bound = m_declared;
        m_owners.resize(m_bound.size());
        std::iota(m_owners.begin(), m_owners.end(), 0);
    }
    m_detector.join(m_counts);
}

FunctionCore::~FunctionCore() {
    m_detector.leave(m_counts);
}

void FunctionCore::constrain() {
    std::vector<types::TypeId> specs;
    std::vector<types::TypeId> defaults;
    AliasNumbers aliases;
    for (const Value& spec : *m_options.inputSignature)
        specs.push_back(typeOfValue(spec, aliases));
    for (std::size_t i = 0; i < m_declared.size(); ++i)
        defaults.push_back(m_declared[i].optional ? typeOfValue(m_defaults[i], aliases)
                                                  : types::TypeId::None);
    for (auto& [parameter, declared] : types::constrainedParameters(m_name, m_declared, specs, defaults)) {
        m_bound.push_back(parameter);
        m_owners.push_back(declared);
        m_declared[static_cast<std::size_t>(declared)].type =
            m_declared[static_cast<std::size_t>(declared)].kind == types::ParameterKind::VarPositional
                ? types::TypeId::None
                : parameter.type;
    }
}

std::string FunctionCore::messageStart(std::string_view parameter) const {
    return fmt::format("[{}] argument '{}': ", m_name, parameter);
}

FunctionCore::Request FunctionCore::bind(const CallArguments& arguments) const {
    const std::string place = placeText(arguments.where);
    try {
        return boundRequest(arguments);
    } catch (const types::BindingError& error) {
        throw types::BindingError(error.what() + place);
    } catch (const types::CastError& error) {
        throw types::CastError(error.what() + place);
    } catch (const UsageError& error) {
        throw UsageError(error.what() + place);
    }
}

const Value& FunctionCore::valueOf(const types::BoundArgument& bound, const CallArguments& arguments) const {
    const auto positional = static_cast<int>(arguments.positional.size());
    if (bound.source == types::BoundArgument::kDefault)
        return m_defaults[static_cast<std::size_t>(m_owners[static_cast<std::size_t>(bound.declared)])];
    if (bound.source < positional)
        return arguments.positional[static_cast<std::size_t>(bound.source)];
    return arguments.named[static_cast<std::size_t>(bound.source - positional)].second;
}

FunctionCore::Request FunctionCore::boundRequest(const CallArguments& arguments) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : arguments.named)
        names.push_back(name);
    Request request;
    AliasNumbers aliases;
    for (const types::BoundArgument& bound :
         types::bindArguments(m_name, m_bound, static_cast<int>(arguments.positional.size()), names)) {
        const auto row = static_cast<std::size_t>(bound.declared);
        Value value = valueOf(bound, arguments);
        types::Parameter parameter = bound.parameter;
        if (m_options.inputSignature) {
            parameter.type = m_bound[row].type;
            value = castTo(value, parameter.type, messageStart(parameter.name), m_options.policy);
        } else {
            parameter.type = typeOfValue(value, aliases);
        }
        request.type.parameters.push_back(std::move(parameter));
        request.values.push_back(std::move(value));
        request.owners.push_back(m_owners[row]);
    }
    request.key = types::cacheKey(request.type, m_options.policy.keyRules());
    return request;
}

FunctionCore::Request FunctionCore::bindForConcrete(const CallArguments& arguments) const {
    if (arguments.positional.empty() && arguments.named.empty() && m_options.inputSignature)
        return bind({*m_options.inputSignature, {}, arguments.where});
    return bind(arguments);
}

std::vector<Value> FunctionCore::bodyArguments(const Request& request, std::vector<Value> bound) const {
    std::vector<Value> result;
    for (const types::Parameter& parameter : m_declared) {
        if (parameter.kind == types::ParameterKind::VarPositional)
            result.emplace_back(Value::Sequence{true, {}});
        else if (parameter.kind == types::ParameterKind::VarKeyword)
            result.emplace_back(Value::Dict{});
        else
            result.emplace_back();
    }
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const auto owner = static_cast<std::size_t>(request.owners[i]);
        if (m_declared[owner].kind == types::ParameterKind::VarPositional)
            result[owner].as<Value::Sequence>()->items.push_back(std::move(bound[i]));
        else if (m_declared[owner].kind == types::ParameterKind::VarKeyword)
            result[owner].as<Value::Dict>()->items.emplace_back(request.type.parameters[i].name,
                                                                std::move(bound[i]));
        else
            result[owner] = std::move(bound[i]);
    }
    return result;
}

types::FunctionType FunctionCore::requestType(const CallArguments& arguments) const {
    return bindForConcrete(arguments).type;
}

types::FunctionContext FunctionCore::context() const {
    using Scope = types::FunctionContext::Scope;
    return {m_phase == Phase::Created ? Scope::NoCreation : Scope::MayCreateVariables};
}

std::pair<const ConcreteFunction*, std::vector<Tensor>>
FunctionCore::call(const CallArguments& arguments, std::span<const std::uint64_t> words) {
    const auto number = static_cast<std::uint32_t>(++m_counts.calls);
    const bool isInsideTrace = Tracer::current() != nullptr;
    runtime::Observer* observer = announced();
    runtime::CallFacts facts{m_key, 0, number, runtime::CallOutcome::Error, ticks(), 0, 0};
    const std::uint64_t tracingBefore = s_tracingTicks;
    const auto report = [&] {
        if (observer == nullptr)
            return;
        facts.end = ticks();
        facts.traceTicks = s_tracingTicks - tracingBefore;
        observer->onCall(facts);
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
            if (!words.empty() && (request.key == concrete->cacheType() || !types::hasObjects(request.key)))
                m_keys.insert(words, concrete);
            leaves = leavesOfAll(request.values);
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
        ++m_counts.others;
        report();
        throw;
    }
}

Value FunctionCore::runEagerly(const CallArguments& arguments) {
    Request request = bind(arguments);
    for (Value& value : request.values)
        value = withoutHostArrays(std::move(value));
    ++m_bodyRuns;
    return eagerResultOf(m_body(bodyArguments(request, std::move(request.values))), m_name);
}

const ConcreteFunction& FunctionCore::concrete(const CallArguments& arguments) {
    const std::lock_guard lock(tracingLock());
    announced();
    bool traced = false;
    return lookUpOrTrace(bindForConcrete(arguments), 0, arguments.where, traced);
}

const ConcreteFunction& FunctionCore::lookUpOrTrace(const Request& request, std::uint32_t callNumber,
                                                    Where where, bool& traced) {
    if (const auto found = m_table.dispatch(context(), request.key))
        return *m_all[*found];
    traced = true;
    return traceWithPhases(request, callNumber, where);
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
        return traceRelaxedFirst({request, context(), Creation::AfterCreatingCall, callNumber, where, true},
                                 nullptr, nullptr);
    } catch (...) {
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
        if (runtime::Observer* observer = announced())
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

const ConcreteFunction& FunctionCore::traceAs(const Miss& miss, const types::FunctionType& key,
                                              bool isRelaxed, std::vector<CreatedVariable>* created,
                                              std::optional<ir::Graph>* before) {
    const DepthGuard guard(m_name);
    runtime::Observer* observer = announced();
    const std::uint64_t begin = ticks();
    if (observer != nullptr) {
        reportMiss(*observer, miss, key, isRelaxed, begin);
        observer->onTraceBegin(m_key, begin);
    }
    ++m_traces;
    const auto finish = [&, ticksBefore = s_tracingTicks](std::string_view exception) {
        runtime::TraceFacts facts{m_key, begin, ticks(), exception, m_bodyRuns, false};
        s_tracingTicks = ticksBefore + (facts.end - begin);
        if (m_halfMade && m_halfMade->trace.begin == begin)
            m_halfMade->trace = facts; // told when the second phase shows what becomes of it
        else if (observer != nullptr)
            observer->onTraceEnd(facts);
    };
    try {
        const runtime::Origin origin{m_key, newEntryKey()};
        Recording made = record(miss, writtenType(key, miss.request.type), origin);
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
            origin.entry, fmt::format("{}_{}", m_name, m_all.size() + 1), std::move(made.type), key,
            miss.context, isRelaxed, m_options.policy, std::move(made.deferred), std::move(executable)}));
        if (created != nullptr && !created->empty()) {
            m_halfMade = {&concrete, {m_key, begin, 0, {}, 0, false}};
        } else {
            if (miss.isSecondPhase)
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
    std::vector<Value> inside;
    std::map<std::uint32_t, Tensor> handles;
    for (std::size_t i = 0; i < type.parameters.size(); ++i)
        inside.push_back(placeholderFor(miss.request.values[i], type.parameters[i].type,
                                        type.parameters[i].name, tracer, handles));
    ++m_bodyRuns;
    const Value result = resultOf(m_body(bodyArguments(miss.request, std::move(inside))), tracer, m_name);
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
        m_live.erase(row);
    }
    m_keys.clear();
    if (exception.empty())
        --m_traces; // the trace of the second phase stands for both
    m_halfMade.reset();
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
    runtime::Observer* observer = announced();
    for (const std::size_t row : m_live) {
        const types::FunctionType& dropped = m_all[row]->cacheType();
        if (std::ranges::find(m_cleared, dropped) == m_cleared.end())
            m_cleared.push_back(dropped);
        if (observer != nullptr && !m_toldDead.contains(row))
            observer->onDrop(m_all[row]->key(), runtime::DropReason::Cleared, ticks());
    }
    m_live.clear();
    m_toldDead.clear();
    m_table.clear();
    m_keys.clear();
}

void FunctionCore::runWatched(const ConcreteFunction& concrete, std::span<const Tensor> leaves,
                              std::span<Tensor> results, Where where) {
    runtime::Observer* observer = announced();
    const auto number = static_cast<std::uint32_t>(++m_counts.calls);
    runtime::CallFacts facts{m_key, concrete.key(), number, runtime::CallOutcome::Hit, ticks(), 0, 0};
    if (Tracer::current() != nullptr)
        ++m_counts.others;
    try {
        concrete.run(leaves, results, where);
    } catch (...) {
        if (Tracer::current() == nullptr)
            ++m_counts.others;
        facts.outcome = runtime::CallOutcome::Error;
        facts.end = ticks();
        if (observer != nullptr)
            observer->onCall(facts);
        throw;
    }
    facts.end = ticks();
    if (observer != nullptr)
        observer->onCall(facts);
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

runtime::Observer* FunctionCore::announced() {
    const runtime::Installation* now = runtime::installation();
    if (now == nullptr || m_announcedTo.load(std::memory_order_acquire) == now->generation)
        return now == nullptr ? nullptr : now->observer;
    const std::lock_guard lock(tracingLock());
    const std::uint32_t announcedTo = m_announcedTo.load(std::memory_order_relaxed);
    if (announcedTo > now->generation)
        return nullptr; // replaced meanwhile
    runtime::Observer* observer = now->observer;
    if (announcedTo == now->generation)
        return observer;
    std::string parameters;
    for (const types::Parameter& parameter : m_declared)
        parameters += (parameters.empty() ? "" : ", ") + parameter.name;
    std::string signature;
    if (m_options.inputSignature)
        for (const types::Parameter& parameter : m_bound)
            signature += (signature.empty() ? "" : ", ") + types::toText(parameter.type);
    observer->onFunction(
        {m_key, 0, m_name, parameters, optionsText(m_options), signature, placeOf(m_definedAt)});
    for (const std::size_t row : m_live) {
        if (!m_halfMade || m_all[row].get() != m_halfMade->concrete)
            reportEntry(*observer, *m_all[row], 0);
    }
    m_toldDead.clear();
    m_announcedTo.store(now->generation, std::memory_order_release);
    return observer;
}

void FunctionCore::reportMiss(runtime::Observer& observer, const Miss& miss,
                              const types::FunctionType& traced, bool isRelaxed, std::uint64_t at) {
    reportDead(observer, at);
    runtime::MissFacts facts;
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
    facts.calledAt = placeOf(miss.where);
    observer.onMiss(facts);
}

/// An entry whose object is gone stays in the cache, but serves nobody.
void FunctionCore::reportDead(runtime::Observer& observer, std::uint64_t at) {
    for (const std::size_t row : m_live)
        if (!m_toldDead.contains(row) && types::hasDeadObjects(m_all[row]->cacheType())) {
            m_toldDead.insert(row);
            observer.onDrop(m_all[row]->key(), runtime::DropReason::Dead, at);
        }
}

std::vector<types::MissKind> FunctionCore::otherKinds(const Miss& miss) const {
    using types::MissKind;
    if (miss.isSecondPhase)
        return {MissKind::Phase};
    const types::FunctionType& request = miss.request.key;
    std::vector<MissKind> kinds;
    if (std::ranges::find(m_failed, request) != m_failed.end())
        kinds.push_back(MissKind::FailedBefore);
    if (std::ranges::any_of(m_cleared,
                            [&](const auto& dropped) { return types::canServe(dropped, request); }))
        kinds.push_back(MissKind::Cleared);
    if (std::ranges::any_of(m_live, [&](std::size_t row) {
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
    runtime::Observer* observer = announced();
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
    facts.graph = {concrete.executable(), &concrete.graph()};
    observer.onEntry(facts);
}

} // namespace retracescope::trace
