#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <vector>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/call_arguments.h>
#include <retracescope/engine/trace/deferred.h>
#include <retracescope/engine/trace/policy.h>
#include <retracescope/types/function_type.h>

namespace retracescope::trace {

class CallGradient;
class FunctionCore;

/// One trace of a function: its graph, ready to run, and the signature it serves. Made once, never changed.
class ConcreteFunction {
public:
    struct Parts {
        std::shared_ptr<const runtime::Executable> executable;
        runtime::EntryKey key = 0;
        std::string name;
        types::FunctionType type;
        types::FunctionType cacheType;
        types::FunctionContext context;
        bool isRelaxed = false;
        Policy policy;
        std::vector<DeferredCapture> deferred;
        FunctionCore* function = nullptr; ///< outlives this
    };

    explicit ConcreteFunction(Parts parts);

    /// Unique in the process.
    runtime::EntryKey key() const { return m_parts.key; }
    /// "process_data_3".
    const std::string& name() const { return m_parts.name; }
    /// Parameters with their types as the call that traced it wrote them, captures, result.
    const types::FunctionType& type() const { return m_parts.type; }
    /// The parameters as the cache compares them.
    const types::FunctionType& cacheType() const { return m_parts.cacheType; }
    const types::FunctionContext& context() const { return m_parts.context; }
    bool isRelaxed() const { return m_parts.isRelaxed; }
    const ir::Graph& graph() const { return m_parts.executable->graph(); }
    const std::shared_ptr<const runtime::Executable>& executable() const { return m_parts.executable; }
    std::size_t outputCount() const { return m_outputCount; }
    /// True if it returns a list of tensors and nothing else.
    bool returnsTensorList() const { return m_returnsTensorList; }
    /// True if a call has to ask for values of the surrounding program.
    bool hasDeferred() const { return m_hasDeferred; }
    /// True if a run may come to code of the surrounding program, which may do anything.
    bool mayCallHost() const { return m_mayCallHost; }

    /// Calls it with values for its parameters, as its function is called; or, if they do not fit, with only
    /// tensors and variables in flattening order or by flatNames(). A parameter that was a host value takes
    /// an equal one, or none in a flat call. Shapes are checked (but see Policy::runsConcreteUnchecked).
    /// Throws BindingError or CastError that say what kept either way from fitting.
    Value call(const CallArguments& arguments) const;
    template <class... Given>
    Value operator()(const Argument& first, const Given&... given) const {
        return call(CallArguments::of(first, given...).from(first.where()));
    }
    Value operator()(Where where = Where::current()) const { return call({{}, {}, where}); }

    /// What it takes and returns, with TensorSpecs in the place of tensors and variables (structured_outputs
    /// of TensorFlow's): parameters by name, and the result.
    std::vector<std::pair<std::string, Value>> inputStructure() const;
    Value outputStructure() const;

    /// A name for each tensor and variable of the arguments, in flattening order: that of the spec, else of
    /// the parameter, with "_1", "_2" behind one that is taken.
    std::vector<std::string> flatNames() const;

    /// Calls it with the tensors of the arguments in flattening order (literals left out). Shapes are
    /// checked (but see Policy::runsConcreteUnchecked).
    std::vector<Tensor> callFlat(std::span<const Tensor> arguments, Where where = Where::current()) const;

    /// The results for the flat arguments, computed, or a call node if this thread is tracing. `results` has
    /// outputCount() places.
    void run(std::span<const Tensor> arguments, std::span<Tensor> results, Where where) const;

    /// `arguments` and behind them what the graph asks the surrounding program for.
    std::vector<Tensor> withDeferred(std::span<const Tensor> arguments) const;

    /// The plan for all eager tensors of the types of these; null if there is none, or a run needs more.
    const runtime::Plan* planFor(std::span<const Tensor> arguments) const {
        return hasDeferred() ? nullptr : m_parts.executable->fixedPlan(arguments);
    }

    /// What a call runs under a tape, made when it is asked for first; null if such a call is computed op by
    /// op. Making it traces nothing.
    std::shared_ptr<const CallGradient> gradient() const;
    /// Whether gradient() has been made: calls without a tape never make it.
    bool hasGradient() const { return m_hasGradient; }

private:
    Value called(const CallArguments& arguments) const;
    /// For tensors of shapes that the graph was not made for.
    std::vector<Tensor> runOpByOp(std::span<const Tensor> arguments, Where where) const;
    bool hasOtherShapes(std::span<const Tensor> arguments) const;

    const std::size_t m_outputCount; // what a hit looks at comes first
    const bool m_returnsTensorList;
    const bool m_hasDeferred;
    const bool m_mayCallHost;
    const Parts m_parts;
    mutable std::once_flag m_gradientMade;
    mutable std::shared_ptr<const CallGradient> m_gradient;
    mutable std::atomic<bool> m_hasGradient{false};
};

/// "Input Parameters:", "Output Type:" and "Captures:" with a line for each, as TensorFlow prints them.
std::string toText(const ConcreteFunction& concrete);

} // namespace retracescope::trace
