#include <retracescope/engine/trace/function_core.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <retracescope/base/clock.h>
#include <retracescope/engine/trace/initialise.h>
#include <retracescope/types/binding.h>

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
    return {where.file_name(), where.function_name(), where.line()};
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

std::vector<Tensor> leavesOf(std::span<const Value> values) {
    std::vector<Tensor> leaves;
    AliasNumbers aliases;
    for (const Value& value : values)
        appendLeaves(value, aliases, leaves);
    return leaves;
}

std::string optionsText(const FunctionOptions& options) {
    return options.reduceRetracing ? "reduce_retracing=True" : "";
}

void appendOutputs(const Value& result, std::vector<ir::NodeId>& outputs) {
    AliasNumbers aliases;
    std::vector<Tensor> leaves;
    appendLeaves(result, aliases, leaves);
    for (const Tensor& leaf : leaves)
        outputs.push_back(leaf.node());
}

} // namespace

struct FunctionCore::Recording {
    ir::Graph graph;
    types::FunctionType type;
    std::vector<CreatedVariable> created;
};

FunctionCore::FunctionCore(std::string name, std::vector<ParameterName> parameters, Body body,
                           FunctionOptions options, Where definedAt)
    : m_name(std::move(name)), m_body(std::move(body)), m_options(std::move(options)), m_definedAt(definedAt),
      m_key(newFunctionKey()) {
    std::vector<types::TypeId> defaultTypes;
    for (ParameterName& parameter : parameters) {
        const bool isOptional = parameter.defaultValue.has_value();
        m_declared.push_back(
            {parameter.name, types::ParameterKind::PositionalOrKeyword, isOptional, types::TypeId::None});
        m_defaults.push_back(std::move(parameter.defaultValue).value_or(Value()));
        AliasNumbers aliases;
        defaultTypes.push_back(isOptional ? typeOfValue(m_defaults.back(), aliases) : types::TypeId::None);
    }
    if (!m_options.inputSignature)
        return;
    std::vector<types::TypeId> specs;
    AliasNumbers aliases;
    for (const Value& spec : *m_options.inputSignature)
        specs.push_back(typeOfValue(spec, aliases));
    m_constraints = types::constrainedParameters(m_name, m_declared, specs, defaultTypes);
}

FunctionCore::~FunctionCore() = default;

std::string FunctionCore::messageStart(std::string_view parameter) const {
    return fmt::format("[{}] argument '{}': ", m_name, parameter);
}

FunctionCore::Request FunctionCore::bind(const CallArguments& arguments) const {
    try {
        return boundRequest(arguments);
    } catch (const UsageError& error) {
        throw UsageError(error.what() + placeText(arguments.where));
    }
}

FunctionCore::Request FunctionCore::boundRequest(const CallArguments& arguments) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : arguments.named)
        names.push_back(name);
    const auto positional = static_cast<int>(arguments.positional.size());
    Request request;
    AliasNumbers aliases;
    const auto bound = types::bindArguments(m_name, m_declared, positional, names);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const int source = bound[i].source;
        Value value =
            source == types::BoundArgument::kDefault ? m_defaults[static_cast<std::size_t>(bound[i].declared)]
            : source < positional                    ? arguments.positional[static_cast<std::size_t>(source)]
                                  : arguments.named[static_cast<std::size_t>(source - positional)].second;
        types::Parameter parameter = bound[i].parameter;
        if (m_constraints.empty()) {
            parameter.type = typeOfValue(value, aliases);
        } else {
            parameter.type = m_constraints[i].type;
            value = castTo(value, parameter.type, messageStart(parameter.name));
        }
        request.type.parameters.push_back(std::move(parameter));
        request.values.push_back(std::move(value));
    }
    return request;
}

types::FunctionContext FunctionCore::context() const {
    using Scope = types::FunctionContext::Scope;
    return {m_phase == Phase::Created ? Scope::NoCreation : Scope::MayCreateVariables};
}

std::pair<const ConcreteFunction*, std::vector<Tensor>>
FunctionCore::call(const CallArguments& arguments, std::span<const std::uint64_t> words) {
    const std::uint32_t number = ++m_calls;
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
        {
            const std::lock_guard lock(tracingLock());
            const Request request = bind(arguments);
            concrete = &lookUpOrTrace(request, number, arguments.where, traced);
            if (!words.empty())
                m_keys.insert(words, concrete);
            leaves = leavesOf(request.values);
        }
        facts.entry = concrete->key();
        std::vector<Tensor> results(concrete->outputCount());
        const std::uint64_t begin = ticks();
        concrete->run(leaves, results, arguments.where);
        if (observer != nullptr && traced)
            observer->onPhase({"execute", "execute", m_key, concrete->key(), begin, ticks()});
        facts.outcome = traced ? runtime::CallOutcome::Traced : runtime::CallOutcome::Hit;
        report();
        return {concrete, std::move(results)};
    } catch (...) {
        report();
        throw;
    }
}

const ConcreteFunction& FunctionCore::concrete(const CallArguments& arguments) {
    const std::lock_guard lock(tracingLock());
    announced();
    bool traced = false;
    const bool usesSignature =
        arguments.positional.empty() && arguments.named.empty() && m_options.inputSignature;
    return lookUpOrTrace(
        bind(usesSignature ? CallArguments{*m_options.inputSignature, {}, arguments.where} : arguments), 0,
        arguments.where, traced);
}

const ConcreteFunction& FunctionCore::lookUpOrTrace(const Request& request, std::uint32_t callNumber,
                                                    Where where, bool& traced) {
    if (const auto found = m_table.dispatch(context(), request.type))
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
        initialise(created, *before, leavesOf(request.values));
        isInitialised = true;
        return traceRelaxedFirst({request, context(), Creation::AfterCreatingCall, callNumber, where, true},
                                 nullptr, nullptr);
    } catch (...) {
        // Nothing half-made stays (tracing_semantics.md 26).
        if (!isInitialised)
            noteFailure(request.type);
        withdrawHalfMade(isInitialised ? std::string() : currentExceptionText());
        m_phase = Phase::Untouched;
        throw;
    }
}

const ConcreteFunction& FunctionCore::traceRelaxedFirst(const Miss& miss,
                                                        std::vector<CreatedVariable>* created,
                                                        std::optional<ir::Graph>* before) {
    if (!m_options.reduceRetracing || !m_constraints.empty())
        return traceAs(miss, miss.request.type, false, created, before);
    std::vector<types::FunctionType> earlier;
    for (const std::size_t row : m_live)
        if (m_all[row]->context() == miss.context)
            earlier.push_back(m_all[row]->type());
    const types::FunctionType wider = types::relaxed(miss.request.type, earlier);
    if (wider == miss.request.type)
        return traceAs(miss, wider, false, created, before);
    try {
        return traceAs(miss, wider, true, created, before);
    } catch (const UsageError& error) {
        // A body may need a size that relaxing opened: the exact signature is still worth a try.
        if (runtime::Observer* observer = announced())
            observer->onWarning(
                m_key, fmt::format("the relaxed trace failed, tracing the exact signature: {}", error.what()),
                ticks());
        return traceAs(miss, miss.request.type, false, created, before);
    }
}

const ConcreteFunction& FunctionCore::traceAs(const Miss& miss, const types::FunctionType& type,
                                              bool isRelaxed, std::vector<CreatedVariable>* created,
                                              std::optional<ir::Graph>* before) {
    const DepthGuard guard(m_name);
    runtime::Observer* observer = announced();
    const std::uint64_t begin = ticks();
    if (observer != nullptr) {
        reportMiss(*observer, miss, type, isRelaxed, begin);
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
        Recording made = record(miss, type, origin);
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
        const ConcreteFunction& concrete = keep(std::make_unique<ConcreteFunction>(
            origin.entry, fmt::format("{}_{}", m_name, m_all.size() + 1), std::move(made.type), miss.context,
            isRelaxed, std::move(executable)));
        if (created != nullptr && !created->empty()) {
            m_halfMade = {&concrete, {m_key, begin, 0, {}, 0, false}};
        } else {
            if (miss.isSecondPhase)
                keepHalfMade();
            siblings().add(Siblings::siteOf(m_name, m_definedAt), miss.request.type);
            if (observer != nullptr)
                reportEntry(*observer, concrete, begin);
        }
        finish({});
        return concrete;
    } catch (...) {
        noteFailure(miss.request.type);
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
    const Value result = resultOf(m_body(inside), tracer, m_name);
    std::vector<ir::NodeId> outputs;
    appendOutputs(result, outputs);
    tracer.graph().setOutputs(outputs);
    AliasNumbers aliases;
    types::FunctionType made{type.parameters, tracer.captures(), typeOfValue(result, aliases)};
    if (runtime::Observer* observer = runtime::observer())
        observer->onPhase({"trace", "trace", origin.function, origin.entry, begin, ticks()});
    return {tracer.takeGraph(), std::move(made), tracer.created()};
}

const ConcreteFunction& FunctionCore::keep(std::unique_ptr<ConcreteFunction> concrete) {
    const std::size_t row = m_all.size();
    const types::FunctionType arguments{concrete->type().parameters, {}, types::TypeId::None};
    m_table.add(concrete->context(), arguments, static_cast<std::uint32_t>(row));
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
        const types::FunctionType dropped{m_all[row]->type().parameters, {}, types::TypeId::None};
        if (std::ranges::find(m_cleared, dropped) == m_cleared.end())
            m_cleared.push_back(dropped);
        if (observer != nullptr)
            observer->onDrop(m_all[row]->key(), runtime::DropReason::Cleared, ticks());
    }
    m_live.clear();
    m_table.clear();
    m_keys.clear();
}

void FunctionCore::runWatched(const ConcreteFunction& concrete, std::span<const Tensor> leaves,
                              std::span<Tensor> results, Where where) {
    runtime::Observer* observer = announced();
    runtime::CallFacts facts{m_key, concrete.key(), ++m_calls, runtime::CallOutcome::Hit, ticks(), 0, 0};
    try {
        concrete.run(leaves, results, where);
    } catch (...) {
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
    for (const types::Parameter& parameter : m_constraints)
        signature += (signature.empty() ? "" : ", ") + types::toText(parameter.type);
    observer->onFunction(
        {m_key, 0, m_name, parameters, optionsText(m_options), signature, placeOf(m_definedAt)});
    for (const std::size_t row : m_live) {
        if (!m_halfMade || m_all[row].get() != m_halfMade->concrete)
            reportEntry(*observer, *m_all[row], 0);
    }
    m_announcedTo.store(now->generation, std::memory_order_release);
    return observer;
}

void FunctionCore::reportMiss(runtime::Observer& observer, const Miss& miss,
                              const types::FunctionType& traced, bool isRelaxed, std::uint64_t at) {
    runtime::MissFacts facts;
    facts.function = m_key;
    facts.callNumber = miss.callNumber;
    facts.at = at;
    facts.request = types::components(miss.request.type, miss.context);
    facts.requestText = types::toText(miss.request.type);
    if (isRelaxed) {
        facts.widened = types::components(traced, miss.context);
        facts.widenedText = types::toText(traced);
    }
    facts.otherKinds = otherKinds(miss);
    for (const std::size_t row : m_live) {
        const ConcreteFunction& entry = *m_all[row];
        if (m_halfMade && &entry == m_halfMade->concrete)
            continue;
        facts.competing.push_back(
            {entry.key(), types::blockingDifferences(facts.request, entry.components())});
    }
    facts.calledAt = placeOf(miss.where);
    observer.onMiss(facts);
}

std::vector<types::MissKind> FunctionCore::otherKinds(const Miss& miss) const {
    using types::MissKind;
    if (miss.isSecondPhase)
        return {MissKind::Phase};
    const types::FunctionType& request = miss.request.type;
    std::vector<MissKind> kinds;
    if (std::ranges::find(m_failed, request) != m_failed.end())
        kinds.push_back(MissKind::FailedBefore);
    if (std::ranges::any_of(m_cleared,
                            [&](const auto& dropped) { return types::canServe(dropped, request); }))
        kinds.push_back(MissKind::Cleared);
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
    facts.stored = concrete.components();
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
