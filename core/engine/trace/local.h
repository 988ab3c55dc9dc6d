#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <retracescope/engine/trace/local_scope.h>

namespace retracescope::trace {

/// A value that branches of cond() and If(), and bodies of whileLoop(), While() and For(), may assign: what a
/// local variable is to an `if` of Python under AutoGraph (section 20 of the rules).
///
///     Local y = x;
///     If(x > 0.0f, [&] { y = x * 2.0f; });
///     return y * 3.0f;
///
/// Inside a traced function every such assignment becomes a result of the branch or a value of the loop, by
/// their rules: one structure and dtype, in loops one shape unless shapeInvariants() opens it. Outside it is
/// a plain variable. T is Tensor, TensorArray, or a structure of these; host numbers become tensors, and take
/// the dtype of what the local holds.
///
/// One without a first value must be assigned before it is read: in both branches of a cond, or in the body
/// of a loop, which then has to run at least once ([assert] when the graph runs).
///
/// A plain Tensor that a branch assigns is not seen outside: it is a value of the branch, and using it is an
/// error. A Local may be assigned in the trace where it was declared and in the branches and loops inside it;
/// elsewhere, for instance in another traced function, UsageError. Copies are locals of their own.
template <class T = Tensor>
class Local {
    static constexpr bool kHoldsTensor = std::is_same_v<T, Tensor>;
    template <class U>
    static constexpr bool kIsValue =
        !std::is_same_v<std::remove_cvref_t<U>, Local> &&
        (kHoldsTensor ? std::is_convertible_v<U, Operand> : std::is_convertible_v<U, T>);

public:
    explicit Local(Where where = Where::current())
        : m_cell(std::make_shared<LocalCell>(std::nullopt, where)) {}

    template <class U>
        requires(kIsValue<U>)
    Local(const U& value, Where where = Where::current())
        : m_cell(std::make_shared<LocalCell>(stored(value, types::DType::None, where), where)) {}

    Local(const Local& other) : Local(other.read(other.m_cell->declaredAt()), other.m_cell->declaredAt()) {}
    Local& operator=(const Local& other) { return *this = other.read(other.m_cell->declaredAt()); }
    ~Local() = default;

    template <class U>
        requires(kIsValue<U>)
    Local& operator=(const U& value) {
        const Where where = m_cell->declaredAt(); // an operator cannot know its caller's line
        m_cell->assign(stored(value, m_cell->dtype(), where), where);
        return *this;
    }

    Local& operator+=(const Operand& value)
        requires(kHoldsTensor)
    {
        return *this = Operand(*this, value.where()) + value;
    }
    Local& operator-=(const Operand& value)
        requires(kHoldsTensor)
    {
        return *this = Operand(*this, value.where()) - value;
    }
    Local& operator*=(const Operand& value)
        requires(kHoldsTensor)
    {
        return *this = Operand(*this, value.where()) * value;
    }
    Local& operator/=(const Operand& value)
        requires(kHoldsTensor)
    {
        return *this = Operand(*this, value.where()) / value;
    }

    /// What it holds where the program is; throws UsageError if it has no value yet.
    T read(Where where = Where::current()) const { return fromValue<T>(m_cell->read(where)); }
    operator T() const { return read(m_cell->declaredAt()); }
    operator Value() const
        requires(!kHoldsTensor)
    {
        return m_cell->read(m_cell->declaredAt());
    }

    /// For the members of what it holds: all->stack().
    class Arrow {
    public:
        explicit Arrow(T value) : m_value(std::move(value)) {}
        const T* operator->() const { return &m_value; }

    private:
        T m_value;
    };
    Arrow operator->() const { return Arrow(read(m_cell->declaredAt())); }

    /// What its tensors may become from trip to trip of a loop: TensorSpecs in the structure of T. Without
    /// them they keep their shapes.
    Local& shapeInvariants(Value specs) {
        m_cell->setInvariants(std::move(specs));
        return *this;
    }

private:
    /// As a value of the local; a host number takes `dtype` if there is one.
    template <class U>
    static Value stored(const U& value, types::DType dtype, Where where) {
        if constexpr (kHoldsTensor) {
            const Operand operand(value, where);
            return dtype != types::DType::None && operand.isHost()
                       ? embedded(hostScalarAs(operand, dtype, "Local"), where)
                       : tensorOf(operand);
        } else {
            return Value(static_cast<T>(value));
        }
    }
    static Tensor tensorOf(const Operand& operand) {
        return operand.isHost() ? embedded(operand.tensor(), operand.where()) : operand.tensorFor("Local");
    }

    std::shared_ptr<LocalCell> m_cell;
};

namespace detail {
template <class T>
struct HeldBy<Local<T>> {
    using Type = T;
};
} // namespace detail

template <class U>
    requires std::is_convertible_v<U, Operand>
Local(U, Where = Where::current()) -> Local<Tensor>;
template <class U>
    requires(!std::is_convertible_v<U, Operand>)
Local(U, Where = Where::current()) -> Local<detail::Held<U>>;

} // namespace retracescope::trace
