#include <retracescope/engine/trace/variable.h>

#include <array>

#include <fmt/format.h>

#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

ir::Attributes holding(types::TensorTypeId type) {
    return ir::Attributes().set(ir::Attribute::Type, static_cast<std::int64_t>(type));
}

} // namespace

Variable::Variable(const Operand& initial, Options options) {
    const Tensor value = initial.tensorFor("variable");
    m_type = types::tensorType(value.dtype(), options.shape.value_or(value.shape()));
    if (!types::isSubtype(value.type(), m_type))
        throw UsageError(fmt::format(
            "[variable '{}'] holds {}, expected an initial value of that type, got {}{}", options.name,
            types::toText(m_type), types::toText(value.type()), placeText(initial.where())));
    Tracer* tracer = Tracer::current();
    m_variable = runtime::Variable::make(std::move(options.name), m_type,
                                         tracer == nullptr ? value : Tensor(), options.trainable);
    m_handle = Tensor::resource(m_variable);
    if (tracer != nullptr)
        tracer->addCreated({m_variable, tracer->nodeOf(value, "variable")}, initial.where());
}

Variable Variable::of(const Tensor& handle) {
    runtime::Variable::of(handle); // checks
    return {std::static_pointer_cast<runtime::Variable>(handle.target()), handle};
}

void Variable::requireVariable(Where where) const {
    if (isEmpty())
        throw UsageError("[variable] expected a variable, got an empty Variable; give it a value first: "
                         "Variable v(constant(1.0f))" +
                         placeText(where));
}

Tensor Variable::read(Where where) const {
    requireVariable(where);
    if (Tape::isAny()) [[unlikely]]
        Tape::noteRead(*this);
    return apply(ir::Op::ReadVariable, std::span(&m_handle, 1), holding(m_type), where);
}

void Variable::assign(const Operand& value) const {
    update(ir::Op::AssignVariable, value);
}

void Variable::assignAdd(const Operand& delta) const {
    update(ir::Op::AssignAddVariable, delta);
}

void Variable::assignSub(const Operand& delta) const {
    update(ir::Op::AssignSubVariable, delta);
}

void Variable::update(ir::Op op, const Operand& value) const {
    requireVariable(value.where());
    const Tensor content =
        value.isHost() ? hostScalarAs(value, types::dtypeOf(m_type), ir::calledName(op)) : value.tensor();
    const Tensor input = value.isHost() ? embedded(content, value.where()) : content;
    apply(op, std::array{m_handle, input}, holding(m_type), value.where());
}

} // namespace retracescope::trace
