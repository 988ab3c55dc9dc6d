#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// The place behind a Local: what it holds as the code that runs now sees it.
class LocalCell : public std::enable_shared_from_this<LocalCell> {
public:
    /// Declared in the trace under way, or outside of any. Without a value it has to be assigned before it is
    /// read.
    LocalCell(std::optional<Value> initial, Where declaredAt);

    /// Throws UsageError if it has no value.
    Value read(Where where);
    /// Throws UsageError where assigning could not be seen outside: in the trace of another function, in the
    /// condition of a loop.
    void assign(Value value, Where where);

    bool hasValue() const { return m_value.has_value(); }
    /// The dtype of the tensor that it holds; none if it holds no tensor.
    types::DType dtype() const;
    Where declaredAt() const { return m_declaredAt; }
    /// "the local declared at (loop.cpp:12)"
    std::string name() const;

    /// What its tensors may become in loops; a structure of TensorSpecs.
    void setInvariants(Value specs) { m_invariants = std::move(specs); }

private:
    friend class LocalScope;

    std::optional<Value> m_value;
    std::optional<Value> m_invariants;
    const std::uint32_t m_home; ///< Tracer::id() where it was declared; 0 outside of traces
    const Where m_declaredAt;
};

/// What a branch of a cond, or condition or body of a loop, does to the locals declared outside of it. While
/// the branch is traced they hold what it sees; afterwards what they held before.
class LocalScope {
public:
    enum class Kind : std::uint8_t {
        Branch,    ///< sees what a local holds outside
        Condition, ///< sees an input of the graph; may not assign
        Body,      ///< sees an input of the graph
    };
    struct Touched {
        std::shared_ptr<LocalCell> cell;
        std::optional<Value>
            before; ///< outside, in tensors of the surrounding trace; none if it had no value
        types::TypeId type = types::TypeId::None; ///< of `before`, or what the invariants open it to
        std::vector<Tensor> inputs;               ///< of the condition or body: what stands for `before`
        std::optional<Value> after;               ///< if it was assigned: in tensors of the branch
    };

    /// Of the branch that `tracer` traces, which is current.
    LocalScope(Tracer& tracer, Kind kind);
    ~LocalScope();
    LocalScope(const LocalScope&) = delete;
    LocalScope& operator=(const LocalScope&) = delete;

    /// Lets the branch see a local, and every branch around it up to the one that declared it.
    void touch(LocalCell& cell);
    /// To be asked once, when the branch has been traced: all locals that it touched, in order.
    std::vector<Touched> finish();

private:
    friend class LocalCell;

    /// Touches it in all branches between its declaration and the trace under way; false if that is another
    /// function's.
    static bool reach(Tracer* tracer, LocalCell& cell);
    Touched* find(const LocalCell& cell);

    Tracer& m_tracer;
    const Kind m_kind;
    std::vector<Touched> m_touched;
};

} // namespace retracescope::trace
