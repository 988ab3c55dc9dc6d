#include <retracescope/engine/trace/ops.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/checks.h>
#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;

/// A host value is part of the graph's text, no capture.
Tensor inTrace(const Operand& x) {
    return x.isHost() ? embedded(x.tensor(), x.where()) : x.tensor();
}

Tensor unary(Op op, const Operand& x) {
    const Tensor input = inTrace(x);
    return apply(op, std::span(&input, 1), {}, x.where());
}

/// A host side takes the dtype of the tensor beside it.
Tensor binary(Op op, const Operand& a, const Operand& b) {
    std::array inputs{a.tensor(), b.tensor()};
    if (a.isHost() && !b.isHost())
        inputs[0] = hostScalarAs(a, b.tensorFor(ir::calledName(op)).dtype(), ir::calledName(op));
    if (b.isHost() && !a.isHost())
        inputs[1] = hostScalarAs(b, a.tensorFor(ir::calledName(op)).dtype(), ir::calledName(op));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if ((i == 0 ? a : b).isHost())
            inputs[i] = embedded(inputs[i], a.where());
    return apply(op, inputs, {}, a.where());
}

/// The number in a host scalar, which is bool, integer or floating.
double numberIn(const Tensor& host) {
    switch (host.dtype()) {
    case types::DType::Bool:
        return host.data<bool>()[0] ? 1.0 : 0.0;
    case types::DType::Float32:
        return host.data<float>()[0];
    case types::DType::Float64:
        return host.data<double>()[0];
    default:
        return runtime::runOp(
                   Op::Cast, {host},
                   Attributes().set(Attribute::DType, static_cast<std::int64_t>(types::DType::Float64)))
            .data<double>()[0];
    }
}

Attributes reduction(std::initializer_list<std::int64_t> axes, bool keepDims) {
    Attributes attributes;
    if (axes.size() > 0)
        attributes.set(Attribute::Axes, axes);
    if (keepDims)
        attributes.set(Attribute::KeepDims, 1);
    return attributes;
}

Attributes alongAxis(std::int64_t axis, bool keepDims) {
    Attributes attributes = Attributes().set(Attribute::Axis, axis);
    if (keepDims)
        attributes.set(Attribute::KeepDims, 1);
    return attributes;
}

Attributes runningAlong(std::int64_t axis, Running how) {
    Attributes attributes = Attributes().set(Attribute::Axis, axis);
    if (how.exclusive)
        attributes.set(Attribute::Exclusive, 1);
    if (how.reverse)
        attributes.set(Attribute::Reverse, 1);
    return attributes;
}

/// Computes an op at once, or adds it to the trace under way.
Tensor computed(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes, Where where) {
    for (const Tensor& input : inputs)
        if (input.isEmpty()) [[unlikely]]
            requireTensor(ir::calledName(op), input, where);
    if (Tracer* tracer = Tracer::current())
        return tracer->append(op, inputs, attributes, where);
    return placed(where, [&] {
        for (const Tensor& input : inputs)
            if (input.isSymbolic())
                throw Tracer::outOfScope(input, ir::calledName(op));
        Tensor result = runtime::runOp(op, inputs, attributes.view());
        if (runtime::checksNumerics() && !result.isEmpty() && types::isFloating(result.dtype())) [[unlikely]]
            runtime::requireNumbers(fmt::format("the result of {}", ir::opName(op)), result);
        return result;
    });
}

} // namespace

Tensor apply(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes, Where where) {
    Tensor result = computed(op, inputs, attributes, where);
    if (Tape::isAny()) [[unlikely]]
        Tape::recordOp(op, inputs, attributes, result);
    return result;
}

void refuse(std::string_view op, const std::string& message, Where where) {
    throw UsageError(fmt::format("[{}] {}{}", op, message, placeText(where)));
}

void Operand::refuseEmpty(std::string_view user) const {
    composed(user, [this] { m_tensor.requireTensor(m_where); });
    std::abort(); // it throws
}

Tensor hostScalarAs(const Operand& operand, types::DType dtype, std::string_view user) {
    const Tensor& host = operand.tensor();
    if (host.dtype() == dtype)
        return host;
    const bool fromNumber = types::isNumeric(host.dtype());
    const bool fits = fromNumber && (types::isFloating(dtype) ||
                                     (types::isInteger(dtype) && types::isInteger(host.dtype())));
    if (!fits)
        refuse(user,
               fmt::format("a host {} does not become {}; cast one of the two",
                           types::dtypeName(host.dtype()), types::dtypeName(dtype)),
               operand.where());
    const Tensor result = runtime::runOp(
        Op::Cast, {host}, Attributes().set(Attribute::DType, static_cast<std::int64_t>(dtype)));
    const bool isKept = types::isInteger(dtype) ? numberIn(result) == numberIn(host)
                                                : std::isinf(numberIn(result)) == std::isinf(numberIn(host));
    if (!isKept)
        refuse(
            user,
            fmt::format("the host number {} does not fit into {}", numberIn(host), types::dtypeName(dtype)),
            operand.where());
    return result;
}

Tensor add(const Operand& a, const Operand& b) {
    return binary(Op::Add, a, b);
}
Tensor subtract(const Operand& a, const Operand& b) {
    return binary(Op::Sub, a, b);
}
Tensor multiply(const Operand& a, const Operand& b) {
    return binary(Op::Mul, a, b);
}
Tensor divide(const Operand& a, const Operand& b) {
    return binary(Op::Div, a, b);
}
Tensor pow(const Operand& a, const Operand& b) {
    return binary(Op::Pow, a, b);
}
Tensor maximum(const Operand& a, const Operand& b) {
    return binary(Op::Maximum, a, b);
}
Tensor minimum(const Operand& a, const Operand& b) {
    return binary(Op::Minimum, a, b);
}
Tensor atan2(const Operand& y, const Operand& x) {
    return binary(Op::Atan2, y, x);
}
Tensor floorDiv(const Operand& a, const Operand& b) {
    return binary(Op::FloorDiv, a, b);
}
Tensor mod(const Operand& a, const Operand& b) {
    return binary(Op::FloorMod, a, b);
}
Tensor equal(const Operand& a, const Operand& b) {
    return binary(Op::Equal, a, b);
}
Tensor notEqual(const Operand& a, const Operand& b) {
    return binary(Op::NotEqual, a, b);
}
Tensor less(const Operand& a, const Operand& b) {
    return binary(Op::Less, a, b);
}
Tensor lessEqual(const Operand& a, const Operand& b) {
    return binary(Op::LessEqual, a, b);
}
Tensor greater(const Operand& a, const Operand& b) {
    return binary(Op::Greater, a, b);
}
Tensor greaterEqual(const Operand& a, const Operand& b) {
    return binary(Op::GreaterEqual, a, b);
}
Tensor logicalAnd(const Operand& a, const Operand& b) {
    return binary(Op::LogicalAnd, a, b);
}
Tensor logicalOr(const Operand& a, const Operand& b) {
    return binary(Op::LogicalOr, a, b);
}
Tensor logicalXor(const Operand& a, const Operand& b) {
    for (const Operand* side : {&a, &b})
        if (side->tensor().dtype() != types::DType::Bool)
            refuse("logical_xor",
                   fmt::format("expected bool, got {}", types::dtypeName(side->tensor().dtype())), a.where());
    return composed("logical_xor", [&] { return binary(Op::NotEqual, a, b); });
}
Tensor logicalNot(const Operand& x) {
    return unary(Op::LogicalNot, x);
}
Tensor negative(const Operand& x) {
    return unary(Op::Neg, x);
}
Tensor abs(const Operand& x) {
    return unary(Op::Abs, x);
}
Tensor square(const Operand& x) {
    return unary(Op::Square, x);
}
Tensor sqrt(const Operand& x) {
    return unary(Op::Sqrt, x);
}
Tensor exp(const Operand& x) {
    return unary(Op::Exp, x);
}
Tensor log(const Operand& x) {
    return unary(Op::Log, x);
}
Tensor tanh(const Operand& x) {
    return unary(Op::Tanh, x);
}
Tensor sigmoid(const Operand& x) {
    return unary(Op::Sigmoid, x);
}
Tensor relu(const Operand& x) {
    return unary(Op::Relu, x);
}
Tensor sin(const Operand& x) {
    return unary(Op::Sin, x);
}
Tensor cos(const Operand& x) {
    return unary(Op::Cos, x);
}
Tensor tan(const Operand& x) {
    return unary(Op::Tan, x);
}
Tensor erf(const Operand& x) {
    return unary(Op::Erf, x);
}
Tensor log1p(const Operand& x) {
    return unary(Op::Log1p, x);
}
Tensor expm1(const Operand& x) {
    return unary(Op::Expm1, x);
}
Tensor rsqrt(const Operand& x) {
    return unary(Op::Rsqrt, x);
}
Tensor floor(const Operand& x) {
    return unary(Op::Floor, x);
}
Tensor ceil(const Operand& x) {
    return unary(Op::Ceil, x);
}
Tensor round(const Operand& x) {
    return unary(Op::Round, x);
}
Tensor sign(const Operand& x) {
    return unary(Op::Sign, x);
}
Tensor isNan(const Operand& x) {
    if (!types::isNumeric(x.tensorFor("is_nan").dtype()))
        refuse("is_nan", fmt::format("expected numbers, got {}", types::dtypeName(x.tensor().dtype())),
               x.where());
    const Operand value(inTrace(x), x.where());
    return notEqual(value, value);
}
Tensor identity(const Operand& x) {
    return unary(Op::Identity, x);
}
Tensor stopGradient(const Operand& x) {
    return unary(Op::StopGradient, x);
}

Tensor select(const Operand& condition, const Operand& a, const Operand& b) {
    std::array inputs{inTrace(condition), a.tensor(), b.tensor()};
    if (a.isHost() && !b.isHost())
        inputs[1] = hostScalarAs(a, b.tensorFor("select").dtype(), "select");
    if (b.isHost() && !a.isHost())
        inputs[2] = hostScalarAs(b, a.tensorFor("select").dtype(), "select");
    for (std::size_t i = 1; i < inputs.size(); ++i)
        if ((i == 1 ? a : b).isHost())
            inputs[i] = embedded(inputs[i], condition.where());
    return apply(Op::Select, inputs, {}, condition.where());
}

Tensor cast(const Operand& x, types::DType dtype) {
    const Tensor input = inTrace(x);
    return apply(Op::Cast, std::span(&input, 1),
                 Attributes().set(Attribute::DType, static_cast<std::int64_t>(dtype)), x.where());
}

Tensor matmul(const Tensor& a, const Tensor& b, bool transposeA, bool transposeB, Where where) {
    Attributes attributes;
    if (transposeA)
        attributes.set(Attribute::TransposeA, 1);
    if (transposeB)
        attributes.set(Attribute::TransposeB, 1);
    return apply(Op::MatMul, std::array{a, b}, attributes, where);
}

Tensor reduceSum(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceSum, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor reduceMean(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceMean, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor reduceMax(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceMax, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor reduceMin(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceMin, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor reduceProd(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceProd, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor reduceAny(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceAny, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor reduceAll(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    return apply(Op::ReduceAll, std::span(&x, 1), reduction(axes, keepDims), where);
}

Tensor argMax(const Tensor& x, std::int64_t axis, bool keepDims, Where where) {
    return apply(Op::ArgMax, std::span(&x, 1), alongAxis(axis, keepDims), where);
}

Tensor argMin(const Tensor& x, std::int64_t axis, bool keepDims, Where where) {
    return apply(Op::ArgMin, std::span(&x, 1), alongAxis(axis, keepDims), where);
}

Tensor cumSum(const Tensor& x, std::int64_t axis, Running how, Where where) {
    return apply(Op::CumSum, std::span(&x, 1), runningAlong(axis, how), where);
}

Tensor cumProd(const Tensor& x, std::int64_t axis, Running how, Where where) {
    return apply(Op::CumProd, std::span(&x, 1), runningAlong(axis, how), where);
}

Tensor transpose(const Tensor& x, std::initializer_list<std::int64_t> permutation, Where where) {
    Attributes attributes;
    if (permutation.size() > 0)
        attributes.set(Attribute::Permutation, permutation);
    return apply(Op::Transpose, std::span(&x, 1), attributes, where);
}

Tensor reshape(const Tensor& x, std::initializer_list<std::int64_t> shape, Where where) {
    return apply(Op::Reshape, std::span(&x, 1), Attributes().set(Attribute::Shape, shape), where);
}

Tensor reshape(const Tensor& x, const types::Shape& shape, Where where) {
    if (!shape.hasRank())
        refuse("reshape", "expected a shape of known rank", where);
    return apply(Op::Reshape, std::span(&x, 1), Attributes().set(Attribute::Shape, shape.sizes()), where);
}

Tensor broadcastTo(const Tensor& x, std::initializer_list<std::int64_t> shape, Where where) {
    return apply(Op::BroadcastTo, std::span(&x, 1), Attributes().set(Attribute::Shape, shape), where);
}

Tensor concat(std::initializer_list<Tensor> parts, std::int64_t axis, Where where) {
    return apply(Op::Concat, std::span(parts.begin(), parts.size()), Attributes().set(Attribute::Axis, axis),
                 where);
}

Tensor shapeOf(const Tensor& x, Where where) {
    return apply(Op::ShapeOf, std::span(&x, 1), {}, where);
}

Tensor onesLike(const Tensor& x, Where where) {
    return apply(Op::OnesLike, std::span(&x, 1), {}, where);
}

Tensor zerosLike(const Tensor& x, Where where) {
    return apply(Op::ZerosLike, std::span(&x, 1), {}, where);
}

void print(std::string_view text, std::initializer_list<Tensor> values, Where where) {
    apply(Op::Print, std::span(values.begin(), values.size()), Attributes().set(Attribute::Text, text),
          where);
}

Tensor embedded(const Tensor& value, Where where) {
    Tracer* tracer = Tracer::current();
    return tracer == nullptr ? value : tracer->embed(value, where);
}

} // namespace retracescope::trace
