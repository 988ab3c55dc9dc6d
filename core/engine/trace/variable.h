#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/trace/ops.h>

namespace retracescope::trace {

/// State that outlives calls. A traced function that uses one holds its handle, not its value: an assignment
/// between two calls is seen without a retrace. Reads and writes happen in program order. Copies are the same
/// variable.
///
/// Made while a function is traced, it is created by that function: allowed in its first trace only, so keep
/// it (for instance in a std::optional outside) and make it once (features.md, row 85).
class Variable {
public:
    struct Options {
        std::string name = "variable";
        bool trainable = true;
        /// What it may hold besides the shape of `initial`: open axes, an unknown rank.
        std::optional<types::Shape> shape = std::nullopt;
    };

    /// No variable.
    Variable() = default;
    explicit Variable(const Operand& initial, Options options);
    explicit Variable(const Operand& initial) : Variable(initial, Options{}) {}

    /// What stands for the variable `original` inside a trace: `handle` is an argument of its graph.
    Variable(const Variable& original, Tensor handle, types::TensorTypeId type)
        : m_variable(original.m_variable), m_handle(std::move(handle)), m_type(type) {}

    /// The variable that `handle` is a handle of.
    Variable(std::shared_ptr<runtime::Variable> variable, Tensor handle)
        : m_variable(std::move(variable)), m_handle(std::move(handle)), m_type(m_variable->type()) {}
    /// Of an eager handle; throws UsageError if it is no variable's.
    static Variable of(const Tensor& handle);

    bool isEmpty() const { return m_variable == nullptr; }
    const std::string& name() const { return storage()->name(); }
    types::TensorTypeId type() const { return m_type; }
    bool isTrainable() const { return storage()->isTrainable(); }
    std::uint32_t id() const { return storage()->id(); }
    const Tensor& handle() const { return m_handle; }
    /// Throws UsageError for an empty one, as name(), isTrainable() and id() do.
    const std::shared_ptr<runtime::Variable>& storage() const {
        if (isEmpty()) [[unlikely]]
            requireVariable({});
        return m_variable;
    }

    Tensor read(Where where = Where::current()) const;
    operator Tensor() const { return read({}); } ///< of the line before: a conversion knows none
    void assign(const Operand& value) const;
    void assignAdd(const Operand& delta) const;
    void assignSub(const Operand& delta) const;

private:
    void requireVariable(Where where) const;
    void update(ir::Op op, const Operand& value) const;

    std::shared_ptr<runtime::Variable> m_variable;
    Tensor m_handle; ///< of dtype Resource: eager, or an argument of a trace
    types::TensorTypeId m_type = types::TensorTypeId::None;
};

} // namespace retracescope::trace
