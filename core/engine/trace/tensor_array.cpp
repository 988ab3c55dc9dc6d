#include <retracescope/engine/trace/tensor_array.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using types::DType;
using types::Shape;
using types::TensorTypeId;

TensorTypeId rowType(TensorTypeId type) {
    const Shape& shape = types::shapeOf(type);
    return types::tensorType(types::dtypeOf(type),
                             shape.hasRank() ? Shape(shape.sizes().subspan(1)) : Shape::unknownRank());
}

/// What the graph says of the elements of a list: the type of any value that is written to it, in a loop or a
/// branch, too, since all have one type; None if it does not say.
TensorTypeId writtenType(const Graph& graph, NodeId list) {
    NodeId maker = list;
    if (graph.node(list).op == Op::Result)
        maker = graph.inputsOf(list)[0];
    const auto inputs = graph.inputsOf(maker);
    switch (graph.node(maker).op) {
    case Op::ListFromTensor:
        return rowType(graph.typeOf(inputs[0]));
    case Op::ListSet:
        return graph.typeOf(inputs[2]);
    case Op::While: {
        const Graph& body = graph.branchOf(maker, Attribute::Body);
        const TensorTypeId type = writtenType(body, body.outputs()[list - maker]);
        return type == TensorTypeId::None ? writtenType(graph, inputs[list - maker]) : type;
    }
    case Op::Call:
    case Op::Cond: {
        for (const Graph* inner : graph.innerGraphsOf(maker)) {
            const TensorTypeId type = writtenType(*inner, inner->outputs()[list - maker]);
            if (type != TensorTypeId::None)
                return type;
        }
        return TensorTypeId::None;
    }
    default:
        return TensorTypeId::None;
    }
}

/// The type of an element as declared, or as far as the trace under way knows better.
TensorTypeId knownType(const Tensor& list, TensorTypeId declared) {
    Tracer* const tracer = Tracer::current();
    if (!tracer || list.isEmpty())
        return declared;
    const TensorTypeId written = writtenType(tracer->graph(), tracer->nodeOf(list, "TensorArray"));
    return written != TensorTypeId::None && types::isSubtype(written, declared) ? written : declared;
}

[[noreturn]] void refuse(std::string_view what, TensorTypeId expected, TensorTypeId got, Where where) {
    throw UsageError(fmt::format("[TensorArray.{}] expected {}, got {}{}", what, types::toText(expected),
                                 types::toText(got), placeText(where)));
}

void requireArray(std::string_view what, const Tensor& list, Where where) {
    if (list.isEmpty())
        throw UsageError(fmt::format("[TensorArray.{}] expected an array, got an empty TensorArray; make it "
                                     "with a dtype and a size{}",
                                     what, placeText(where)));
}

Tensor inTrace(const Operand& x) {
    return x.isHost() ? embedded(x.tensor(), x.where()) : x.tensor();
}

} // namespace

TensorArray::TensorArray(DType dtype, const Operand& size, const TensorArrayOptions& options)
    : m_dtype(dtype) {
    setElementShape(options.elementShape);
    Attributes attributes = typeAttribute(elementType());
    if (options.dynamicSize)
        attributes.set(Attribute::DynamicSize, 1);
    m_list = apply(Op::ListReserve, std::array{inTrace(size)}, attributes, size.where());
}

TensorArray TensorArray::unstack(const Tensor& value, Where where) {
    TensorArray array;
    array.m_list = apply(Op::ListFromTensor, std::array{value}, {}, where);
    array.m_dtype = value.dtype();
    array.setElementShape(types::shapeOf(rowType(value.type())));
    return array;
}

TensorArray TensorArray::write(const Operand& index, const Operand& value) const {
    requireArray("write", m_list, value.where());
    const Tensor element = value.isHost()
                               ? embedded(hostScalarAs(value, m_dtype, "TensorArray.write"), value.where())
                               : value.tensorFor("TensorArray.write");
    const TensorTypeId declared = elementType();
    const bool mayFit = element.dtype() == m_dtype && (types::isSubtype(element.type(), declared) ||
                                                       !types::shapeOf(element.type()).isKnown());
    if (!mayFit)
        refuse("write", declared, element.type(), value.where());
    TensorArray array = *this;
    array.m_list = apply(Op::ListSet, std::array{m_list, inTrace(index), element}, {}, value.where());
    return array;
}

Tensor TensorArray::read(const Operand& index) const {
    requireArray("read", m_list, index.where());
    return apply(Op::ListGet, std::array{m_list, inTrace(index)},
                 typeAttribute(knownType(m_list, elementType())), index.where());
}

Tensor TensorArray::stack(Where where) const {
    requireArray("stack", m_list, where);
    return apply(Op::ListStack, std::span(&m_list, 1), typeAttribute(knownType(m_list, elementType())),
                 where);
}

Tensor TensorArray::concat(Where where) const {
    requireArray("concat", m_list, where);
    const Tensor rows = stack(where);
    const Shape& shape = rows.shape();
    std::vector<std::int64_t> sizes{-1};
    for (int axis = 2; shape.hasRank() && axis < shape.rank(); ++axis)
        sizes.push_back(shape[axis]);
    const bool isKnown = shape.hasRank() && shape.rank() >= 2 &&
                         std::ranges::count(std::span(sizes).subspan(1), Shape::kUnknown) == 0;
    if (!isKnown)
        throw UsageError(
            fmt::format("[TensorArray.concat] expected elements of one axis or more, all known but the "
                        "leading one, got rows of {}; give the element shape{}",
                        types::toText(rows.type()), placeText(where)));
    return apply(Op::Reshape, std::span(&rows, 1), Attributes().set(Attribute::Shape, sizes), where);
}

Tensor TensorArray::size(Where where) const {
    requireArray("size", m_list, where);
    return cast(Operand(apply(Op::ListLength, std::span(&m_list, 1), {}, where), where), DType::Int32);
}

Shape TensorArray::elementShape() const {
    return m_hasRank ? Shape(m_sizes) : Shape::unknownRank();
}

void TensorArray::setElementShape(const Shape& shape) {
    m_hasRank = shape.hasRank();
    if (m_hasRank)
        m_sizes.assign(shape.sizes().begin(), shape.sizes().end());
}

TensorTypeId TensorArray::elementType() const {
    return types::tensorType(m_dtype, elementShape());
}

Attributes TensorArray::typeAttribute(TensorTypeId type) const {
    return Attributes().set(Attribute::Type, static_cast<std::int64_t>(type));
}

} // namespace retracescope::trace
