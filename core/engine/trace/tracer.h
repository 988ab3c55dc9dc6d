#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/tensor.h>
#include <retracescope/engine/trace/deferred.h>
#include <retracescope/engine/trace/hidden_tapes.h>
#include <retracescope/types/function_type.h>

namespace retracescope::trace {

using tensor::Tensor;

class LocalScope;

/// Whether variables may be created while a function is traced (features.md, row 85).
enum class Creation : std::uint8_t {
    Allowed,           ///< the first trace of a function
    NotFirstCall,      ///< an earlier call has made a trace without creating any
    SecondPhase,       ///< the second trace of a creating first call
    AfterCreatingCall, ///< all later ones
};

/// A variable made during a trace, and the value in the graph that it starts with.
struct CreatedVariable {
    std::shared_ptr<runtime::Variable> variable;
    ir::NodeId initial = ir::kNoNode;
};

/// A graph under construction on this thread. While one is current, ops append nodes instead of computing. A
/// branch of a cond has one of its own, inside that of its function.
class Tracer {
public:
    enum class Role : std::uint8_t { Function, Branch };

    /// Becomes the current one of this thread until it is destroyed. `name` is the function's, or the
    /// branch's.
    Tracer(std::string name, Role role, Creation creation = Creation::Allowed);
    ~Tracer();
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// The innermost trace of this thread, or null.
    static Tracer* current() noexcept { return s_current; }

    const std::string& name() const { return m_name; }
    Role role() const { return m_role; }
    std::uint32_t id() const { return m_id; } ///< never 0; what symbolic tensors call trace()
    Tracer* outer() const { return m_outer; } ///< the one that is current again when this one ends
    Creation creation() const { return m_creation; }
    /// From now on a tensor that leaked from a trace which this one does not enclose is a capture that fails
    /// when it is asked for (Policy::keepsLeakyTraces).
    void keepLeaks() { m_keepsLeaks = true; }
    ir::Graph& graph() { return m_graph; }
    ir::Graph takeGraph() { return std::move(m_graph); }

    /// A new argument. The name is made unique.
    Tensor addInput(types::TensorTypeId type, std::string_view name);
    /// A value that is part of the program's text: no capture.
    Tensor embed(const Tensor& value, std::source_location where);
    /// Appends a node; the result is empty for an effect.
    Tensor append(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes,
                  std::source_location where);

    /// The node that stands for a tensor here: its own, or a capture of an eager one or, in a branch, of one
    /// of the surrounding trace. A symbolic tensor of a trace around this one is a capture that each call
    /// asks for. Throws UsageError for a symbolic tensor of any other trace: it has leaked (but see
    /// keepLeaks()).
    ir::NodeId nodeOf(const Tensor& tensor, std::string_view user, std::string_view captureName = {});
    Tensor tensorOf(ir::NodeId node) const { return Tensor::symbolic(m_id, node, m_graph.typeOf(node)); }
    /// Whether a symbolic tensor is of this trace.
    bool owns(const Tensor& tensor) const { return tensor.isSymbolic() && tensor.trace() == m_id; }
    /// The trace under way on this thread that a symbolic tensor is of. Throws UsageError if there is none.
    static Tracer& ownerOf(const Tensor& tensor);
    /// Whether a node stands for that eager tensor already.
    bool knows(const Tensor& tensor) const { return m_nodeOfTensor.contains(tensor.identity()); }

    /// Remembers which variable an argument of the graph stands for.
    void noteVariable(const Tensor& handle, std::shared_ptr<runtime::Variable> variable) {
        m_variables.emplace(handle.identity(), std::move(variable));
    }
    /// The variable that an argument of the graph stands for; null if it is none.
    std::shared_ptr<runtime::Variable> variableOf(const Tensor& handle) const {
        const auto known = m_variables.find(handle.identity());
        return known == m_variables.end() ? nullptr : known->second;
    }

    /// A new argument behind all others, asked for at each call. Inside a branch, one of its function.
    Tensor addDeferred(const DeferredCapture& capture);
    const std::vector<DeferredCapture>& deferredCaptures() const { return m_deferred; }

    /// Names what the graph captures, in order of first use.
    const std::vector<types::Capture>& captures() const { return m_captures; }
    /// In a branch: the tensors of the surrounding trace that it uses, one per input of the branch's graph.
    const std::vector<Tensor>& lifted() const { return m_lifted; }
    /// Adds inputs until the branch takes `lifted`, of which its own are the first.
    void liftAlso(std::span<const Tensor> lifted);

    /// Throws UsageError if this trace may not create variables; `where` is for its message.
    void addCreated(CreatedVariable created, std::source_location where);
    const std::vector<CreatedVariable>& created() const { return m_created; }

    /// Of a branch: what it does to locals (local_scope.h).
    LocalScope* locals() const { return m_locals; }
    void setLocals(LocalScope* locals) { m_locals = locals; }

    /// What is thrown for a symbolic tensor of a trace that is over or another one's: names the trace that
    /// made it and says what to do.
    static UsageError outOfScope(const Tensor& tensor, std::string_view user);

private:
    void requireCreation(const std::string& variable, std::source_location where) const;
    ir::NodeId capture(const Tensor& tensor, std::string_view name);
    ir::NodeId lift(const Tensor& tensor);
    ir::NodeId captureFromTrace(const Tensor& tensor, std::string_view user);
    bool isOrMadeInside(std::uint32_t trace) const;

    friend class EagerScope;
    static thread_local constinit Tracer* s_current;

    Tracer* const m_outer;
    const int m_depth; ///< 1 = nothing is traced around it
    const std::string m_name;
    const Role m_role;
    const Creation m_creation;
    const std::uint32_t m_id;
    ir::Graph m_graph;
    std::unordered_map<std::string, int> m_inputNames;
    std::unordered_map<std::uint64_t, ir::NodeId>
        m_nodeOfTensor;         ///< by identity, of captured and lifted ones
    std::vector<Tensor> m_kept; ///< keeps captured tensors alive, so that an identity means one tensor
    std::vector<types::Capture> m_captures;
    std::vector<DeferredCapture> m_deferred;
    std::vector<Tensor> m_lifted;
    std::vector<CreatedVariable> m_created;
    std::unordered_map<std::uint64_t, std::shared_ptr<runtime::Variable>> m_variables; ///< by handle
    LocalScope* m_locals = nullptr;
    bool m_keepsLeaks = false;
    const HiddenTapes m_hidden; ///< a tape from before sees the call, not the trace
};

/// While alive, no trace is current on this thread: ops compute at once (tf.init_scope of the rules).
class EagerScope {
public:
    EagerScope();
    ~EagerScope();
    EagerScope(const EagerScope&) = delete;
    EagerScope& operator=(const EagerScope&) = delete;

private:
    Tracer* m_left;
    const HiddenTapes m_hidden;
};

} // namespace retracescope::trace
