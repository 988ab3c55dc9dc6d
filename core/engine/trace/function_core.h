#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <retracescope/engine/runtime/observer.h>
#include <retracescope/engine/trace/concrete_function.h>
#include <retracescope/engine/trace/key_table.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/engine/trace/value.h>
#include <retracescope/types/dispatch_table.h>

namespace retracescope::trace {

/// How a function traces.
struct FunctionOptions {
    /// From the second differing shape on, trace with open axes (tracing_semantics.md 8).
    bool reduceRetracing = false;
    /// TensorSpecs, possibly nested, one per parameter: exactly one trace, other arguments are refused.
    std::optional<std::vector<Value>> inputSignature;
};

/// A parameter's name, and its default value if it has one: {"x"}, {"steps", 10}.
struct ParameterName {
    ParameterName(const char* itsName) : name(itsName) {}
    ParameterName(std::string itsName) : name(std::move(itsName)) {}
    ParameterName(std::string itsName, Value value)
        : name(std::move(itsName)), defaultValue(std::move(value)) {}

    std::string name;
    std::optional<Value> defaultValue;
};

/// The arguments of one call as written.
struct CallArguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    Where where;
};

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

    /// The path of a hit: who serves a call whose arguments have these words, or null.
    const ConcreteFunction* find(std::span<const std::uint64_t> words) const noexcept {
        return m_keys.find(words);
    }

    /// Runs a hit and tells the observer. `results` has concrete.outputCount() places.
    void runHit(const ConcreteFunction& concrete, std::span<const Tensor> leaves, std::span<Tensor> results,
                Where where) {
        if (runtime::observer() == nullptr) [[likely]] {
            m_calls.fetch_add(1, std::memory_order_relaxed);
            concrete.run(leaves, results, where);
            return;
        }
        runWatched(concrete, leaves, results, where);
    }

    /// Everything else: binds, types, looks up, traces on a miss, runs. `words`, if any, is what find() was
    /// asked; it will know the answer next time. The results and who made them.
    std::pair<const ConcreteFunction*, std::vector<Tensor>> call(const CallArguments& arguments,
                                                                 std::span<const std::uint64_t> words);

    /// The concrete function for these values or specs; traces if there is none. Lives as long as this
    /// function.
    const ConcreteFunction& concrete(const CallArguments& arguments);

    /// Size of the cache.
    std::size_t tracingCount() const;
    /// Traces ever made, failed ones included. The two phases of a creating call that fails are one failed
    /// trace.
    std::size_t traceCount() const { return m_traces; }
    std::size_t failedTraceCount() const { return m_failedTraces; }
    /// How often the body ran.
    std::size_t bodyRuns() const { return m_bodyRuns; }
    std::size_t callCount() const { return m_calls; }
    /// In the order they were made.
    std::vector<const ConcreteFunction*> concreteFunctions() const;
    /// All signatures in the format of tracing_semantics.md 15.5, or one line each. Never traces.
    std::string signatures(bool verbose) const;
    /// Empties the cache; variables stay, counts of events too.
    void clear();

private:
    struct Request {
        std::vector<Value> values; ///< by parameter
        types::FunctionType type;
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

    Request bind(const CallArguments& arguments) const; ///< with the caller's line in what it throws
    Request boundRequest(const CallArguments& arguments) const;
    std::string messageStart(std::string_view parameter) const;
    types::FunctionContext context() const;
    const ConcreteFunction& lookUpOrTrace(const Request& request, std::uint32_t callNumber, Where where,
                                          bool& traced);
    const ConcreteFunction& traceWithPhases(const Request& request, std::uint32_t callNumber, Where where);
    const ConcreteFunction& traceRelaxedFirst(const Miss& miss, std::vector<CreatedVariable>* created,
                                              std::optional<ir::Graph>* before);
    const ConcreteFunction& traceAs(const Miss& miss, const types::FunctionType& type, bool isRelaxed,
                                    std::vector<CreatedVariable>* created, std::optional<ir::Graph>* before);
    Recording record(const Miss& miss, const types::FunctionType& type, runtime::Origin origin);
    const ConcreteFunction& keep(std::unique_ptr<ConcreteFunction> concrete);
    void keepHalfMade();
    void withdrawHalfMade(std::string_view exception);
    void noteFailure(const types::FunctionType& request);

    void runWatched(const ConcreteFunction& concrete, std::span<const Tensor> leaves,
                    std::span<Tensor> results, Where where);
    runtime::Observer* announced();
    void reportMiss(runtime::Observer& observer, const Miss& miss, const types::FunctionType& traced,
                    bool isRelaxed, std::uint64_t at);
    std::vector<types::MissKind> otherKinds(const Miss& miss) const;
    void reportEntry(runtime::Observer& observer, const ConcreteFunction& concrete,
                     std::uint64_t traceBegin) const;
    void reportHalfMade(bool kept, std::string_view exception);

    /// What the first phase of a creating call made: no entry for anyone to see before the second has
    /// succeeded (tracing_semantics.md 12).
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
    std::vector<Value> m_defaults;               ///< by parameter; meaningful where optional
    std::vector<types::Parameter> m_constraints; ///< by parameter; empty without input signature

    // Under the lock for tracing (function_core.cpp).
    Phase m_phase = Phase::Untouched;
    types::DispatchTable m_table;                         ///< values are rows of m_all
    std::vector<std::unique_ptr<ConcreteFunction>> m_all; ///< dropped ones too: a call may still run them
    std::vector<std::size_t> m_live;
    std::optional<HalfMade> m_halfMade;         ///< the last of m_live, or of those before it
    std::vector<types::FunctionType> m_failed;  ///< requests whose trace failed
    std::vector<types::FunctionType> m_cleared; ///< what clear() dropped

    KeyTable m_keys;
    std::atomic<std::uint32_t> m_calls{0};
    std::atomic<std::uint32_t> m_traces{0};
    std::atomic<std::uint32_t> m_failedTraces{0};
    std::atomic<std::uint32_t> m_bodyRuns{0};
    std::atomic<std::uint32_t> m_announcedTo{0}; ///< the observer's generation
};

} // namespace retracescope::trace
