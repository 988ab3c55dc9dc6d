#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <retracescope/engine/runtime/observer.h>
#include <retracescope/engine/trace/call_arguments.h>
#include <retracescope/engine/trace/concrete_function.h>
#include <retracescope/engine/trace/key_table.h>
#include <retracescope/engine/trace/policy.h>
#include <retracescope/engine/trace/retracing_detector.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/engine/trace/value.h>
#include <retracescope/types/binding.h>
#include <retracescope/types/dispatch_table.h>

namespace retracescope::trace {

/// How a function traces.
struct FunctionOptions {
    /// From the second differing shape on, trace with open axes where shapes differed. Ignored with an input
    /// signature.
    bool reduceRetracing = false;
    /// TensorSpecs, possibly nested, one per parameter: exactly one trace, other arguments are refused.
    std::optional<std::vector<Value>> inputSignature = std::nullopt;
    /// Wishes the whole function to be compiled by a compiler; the engine has none, so it is told to the
    /// observer with the other options and changes nothing.
    bool jitCompile = false;
    /// Marks for tools ("implements", ...): told to the observer, never looked at.
    std::map<std::string, std::string> attributes = {};
    Policy policy = {};
};

/// A parameter's name, its kind, and its default value if it has one: {"x"}, {"steps", 10}.
struct ParameterName {
    ParameterName(const char* itsName) : name(itsName) {}
    ParameterName(std::string itsName) : name(std::move(itsName)) {}
    ParameterName(std::string itsName, Value value)
        : name(std::move(itsName)), defaultValue(std::move(value)) {}

    ParameterName as(types::ParameterKind itsKind) && {
        kind = itsKind;
        return std::move(*this);
    }

    std::string name;
    std::optional<Value> defaultValue;
    types::ParameterKind kind = types::ParameterKind::PositionalOrKeyword;
    /// How the callable has what is given for it (detail::asParameter); set by Function.
    Value (*asParameter)(Value, const std::string&, bool) = nullptr;
};

/// A parameter that cannot be given by name: positionalOnly("x").
inline ParameterName positionalOnly(ParameterName parameter) {
    return std::move(parameter).as(types::ParameterKind::PositionalOnly);
}
/// A parameter that can only be given by name: namedOnly({"steps", 10}).
inline ParameterName namedOnly(ParameterName parameter) {
    return std::move(parameter).as(types::ParameterKind::KeywordOnly);
}

/// A traced function without its C++ types: binding, cache, tracing, reporting. Safe for threads: one trace
/// per type; nothing is locked while a graph runs, and a hit takes no lock at all.
class FunctionCore {
public:
    using Body = std::function<Value(std::span<const Value>)>;

    FunctionCore(std::string name, std::vector<ParameterName> parameters, Body body, FunctionOptions options,
                 Where definedAt);
    FunctionCore(const FunctionCore&) = delete;
    FunctionCore& operator=(const FunctionCore&) = delete;
    ~FunctionCore();

    const std::string& name() const { return m_name; }
    const FunctionOptions& options() const { return m_options; }
    /// By which the observer is told of it.
    runtime::FunctionKey key() const { return m_key; }
    /// As declared; their types are those of an input signature, or None.
    std::span<const types::Parameter> parameters() const { return m_declared; }

    /// The path of a hit: who serves a call whose arguments have these words, or null.
    template <std::size_t count>
    [[gnu::always_inline]] const Served* find(std::span<const std::uint64_t, count> words) const noexcept {
        return m_keys.find(words);
    }

    /// Runs a hit and tells the observer. `results` has outputCount() empty places. With a plan, `leaves` are
    /// what find() was asked for.
    [[gnu::always_inline]] void runHit(const ConcreteFunction& concrete, const runtime::Plan* plan,
                                       std::span<const Tensor> leaves, std::span<Tensor> results,
                                       Where where) {
        if (runtime::observer() != nullptr || Tracer::current() != nullptr || concrete.hasDeferred() ||
            Tape::isAny()) [[unlikely]]
            return runWatched(concrete, plan, leaves, results, where);
        m_counts.addCall();
        try {
            if (plan != nullptr) [[likely]]
                plan->run(leaves, results);
            else
                concrete.run(leaves, results, where);
        } catch (...) {
            noteFailedRun(where);
            throw;
        }
    }

    /// Everything else: binds, types, looks up, traces on a miss, runs. `words`, if any, is what find() was
    /// asked; it will know the answer next time. The results and who made them.
    std::pair<const ConcreteFunction*, std::vector<Tensor>> call(const CallArguments& arguments,
                                                                 std::span<const std::uint64_t> words);

    /// A call while functions run eagerly (runFunctionsEagerly()): runBodyOn().
    Value runEagerly(const CallArguments& arguments);
    /// Runs the body on the values themselves.
    Value runBodyOn(const CallArguments& arguments);

    /// What `work` returns, which is a call that looks nothing up: counted, and the observer is told.
    template <class Work>
    auto withoutLookup(runtime::EntryKey entry, runtime::CallOutcome outcome, const Work& work) {
        DirectCall call = beginDirectCall(entry);
        try {
            auto result = work();
            endDirectCall(call, outcome);
            return result;
        } catch (...) {
            endDirectCall(call, runtime::CallOutcome::Error);
            throw;
        }
    }

    /// The concrete function for these values or specs; traces if there is none. Lives as long as this
    /// function.
    const ConcreteFunction& concrete(const CallArguments& arguments);

    /// Throws UsageError for what a call gives for that parameter.
    [[noreturn]] void refuseArgument(std::size_t parameter, const std::string& problem, Where where) const;

    /// The type of a call with these values or specs, as it would be looked up.
    types::FunctionType requestType(const CallArguments& arguments) const;

    /// Size of the cache.
    std::size_t tracingCount() const;
    /// Traces ever made, failed ones included. The two phases of a creating call that fails are one failed
    /// trace.
    std::size_t traceCount() const { return m_traces; }
    std::size_t failedTraceCount() const { return m_failedTraces; }
    /// How often the body ran.
    std::size_t bodyRuns() const { return m_bodyRuns; }
    /// In the order they were made.
    std::vector<const ConcreteFunction*> concreteFunctions() const;
    /// All signatures as TensorFlow lists them, or one line each. Never traces.
    std::string signatures(bool verbose) const;
    /// Empties the cache; variables stay, counts of events too.
    void clear();

private:
    struct DirectCall {
        const runtime::Installation* listening = nullptr;
        runtime::CallFacts facts;
        std::uint64_t tracingBefore = 0;
    };
    struct Request {
        std::vector<Value> values; ///< by parameter of `type`
        std::vector<int> owners;   ///< by parameter of `type`: which of m_declared it belongs to
        types::FunctionType type;  ///< as written
        types::FunctionType key;   ///< what the cache compares
    };
    /// What a trace is made for.
    struct Miss {
        const Request& request;
        types::FunctionContext context;
        Creation creation = Creation::Allowed;
        std::uint32_t callNumber = 0;
        Where where;
        bool isSecondPhase = false;
    };
    /// What the body left behind.
    struct Recording;

    void constrain();
    Request bind(const CallArguments& arguments) const;
    /// Without arguments, those of the input signature.
    Request bindForConcrete(const CallArguments& arguments) const;
    Value valueOf(const types::BoundArgument& bound, const CallArguments& arguments) const;
    std::vector<Value> bodyArguments(const Request& request, std::vector<Value> bound) const;
    /// The callable's result. Throws UsageError that names the function if it takes other C++ types.
    Value runBody(const Request& request, std::vector<Value> bound, Where where) const;
    /// The line of the call; where that is not known, of the function.
    std::string placeOf(Where where) const;
    /// While an exception is handled: a mistake names the line of the call unless it names one.
    void placeException(Where where) const;
    [[gnu::cold]] void noteFailedRun(Where where);
    std::string messageStart(std::string_view parameter) const;
    types::FunctionContext context() const;
    const ConcreteFunction& lookUpOrTrace(const Request& request, std::uint32_t callNumber, Where where,
                                          bool& traced);
    const ConcreteFunction& traceWithPhases(const Request& request, std::uint32_t callNumber, Where where);
    const ConcreteFunction& traceRelaxedFirst(const Miss& miss, std::vector<CreatedVariable>* created,
                                              std::optional<ir::Graph>* before);
    types::FunctionType relaxedKey(const Miss& miss) const;
    /// The type of a trace made under `key` for a call of type `written`.
    static types::FunctionType writtenType(const types::FunctionType& key,
                                           const types::FunctionType& written);
    const ConcreteFunction& traceAs(const Miss& miss, const types::FunctionType& key, bool isRelaxed,
                                    std::vector<CreatedVariable>* created, std::optional<ir::Graph>* before);
    Recording record(const Miss& miss, const types::FunctionType& type, runtime::Origin origin);
    const ConcreteFunction& keep(std::unique_ptr<ConcreteFunction> concrete);
    void keepHalfMade();
    void withdrawHalfMade(std::string_view exception);
    void noteFailure(const types::FunctionType& request);
    void warnOfUnrolling(runtime::Observer* observer, const ir::Graph& traced);
    void warnOfRetracing(runtime::Observer* observer, const types::FunctionType& request);

    [[gnu::hot]] void runWatched(const ConcreteFunction& concrete, const runtime::Plan* plan,
                                 std::span<const Tensor> leaves, std::span<Tensor> results, Where where);
    DirectCall beginDirectCall(runtime::EntryKey entry);
    void endDirectCall(DirectCall& call, runtime::CallOutcome outcome);
    /// Who listens, once it knows of this function; null if nobody.
    const runtime::Installation* announced() {
        const runtime::Installation* const now = runtime::installation();
        return now == nullptr || m_announcedTo.load(std::memory_order_acquire) == now->generation
                   ? now
                   : announcedTo(*now);
    }
    const runtime::Installation* announcedTo(const runtime::Installation& now);
    void reportMiss(runtime::Observer& observer, const Miss& miss, const types::FunctionType& traced,
                    bool isRelaxed, std::uint64_t at);
    std::vector<types::MissKind> otherKinds(const Miss& miss);
    void reportDead(runtime::Observer& observer, std::uint64_t at);
    void reportEntry(runtime::Observer& observer, const ConcreteFunction& concrete,
                     std::uint64_t traceBegin) const;
    void reportHalfMade(bool kept, std::string_view exception);

    /// What the first phase of a creating call made: no entry for anyone to see before the second has
    /// succeeded.
    struct HalfMade {
        const ConcreteFunction* concrete = nullptr;
        runtime::TraceFacts trace;
    };
    enum class Phase : std::uint8_t {
        Untouched,      ///< no trace has succeeded: the next one may create variables
        NothingCreated, ///< the first trace created none
        Created,        ///< the first call created variables: no later one may
    };

    const std::string m_name;
    const Body m_body;
    const FunctionOptions m_options;
    const Where m_definedAt;
    const runtime::FunctionKey m_key;
    std::vector<types::Parameter> m_declared;
    std::vector<Value> m_defaults; ///< by parameter; meaningful where optional
    std::vector<Value (*)(Value, const std::string&, bool)> m_asParameter; ///< by parameter; null: as it is
    std::vector<types::Parameter> m_bound; ///< what calls are bound to: m_declared, or the input signature's
    std::vector<int> m_owners;             ///< by row of m_bound: which of m_declared it belongs to

    // Under the lock for tracing (tracing_lock.h).
    Phase m_phase = Phase::Untouched;
    types::DispatchTable m_table;                         ///< values are rows of m_all
    std::vector<std::unique_ptr<ConcreteFunction>> m_all; ///< dropped ones too: a call may still run them
    std::vector<std::size_t> m_live;
    std::vector<std::size_t> m_withObjects;    ///< those of m_live whose key holds objects
    std::set<std::size_t> m_toldDead;          ///< of m_live: the observer knows that their objects are gone
    std::optional<HalfMade> m_halfMade;        ///< the last of m_live, or of those before it
    std::vector<types::FunctionType> m_failed; ///< requests whose trace failed
    types::DispatchTable m_cleared;            ///< what clear() dropped, whatever its context
    bool m_hasWarnedOfUnrolling = false;

    KeyTable m_keys;
    RetracingDetector& m_detector;
    CallCounts m_counts;
    std::atomic<std::uint32_t> m_traces{0};
    std::atomic<std::uint32_t> m_failedTraces{0};
    std::atomic<std::uint32_t> m_bodyRuns{0};
    std::atomic<std::uint32_t> m_announcedTo{0}; ///< the observer's generation
};

} // namespace retracescope::trace
