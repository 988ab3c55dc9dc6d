#include <retracescope/engine/trace/dataset.h>

#include <array>
#include <limits>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/element_function.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;
using types::DType;
using types::Shape;
using types::TensorTypeId;
using types::TypeId;

namespace {

/// An integer scalar; a host number is written into the graph as an int64.
Tensor numberIn(const Operand& number, std::string_view user) {
    return number.isHost() ? embedded(hostScalarAs(number, DType::Int64, user), number.where())
                           : number.tensorFor(user);
}

/// The same as an int64.
Tensor int64In(const Operand& number) {
    return number.isHost() ? numberIn(number, "range")
                           : cast(Operand(number.tensorFor("range"), number.where()), DType::Int64);
}

/// Tensors of what an element is made from.
Value tensorsOf(const Value& value, std::string_view user, Where where) {
    Tracer* const tracer = Tracer::current();
    const Value tensors = placed(where, [&] {
        return tracer != nullptr ? resultOf(value, *tracer, user) : eagerResultOf(value, user);
    });
    const std::vector<TypeId> leaves = types::leavesOf(typeOfValue(tensors));
    if (leaves.empty())
        refuse(user, fmt::format("expected a tensor or more, got {}", types::toText(typeOfValue(value))),
               where);
    for (const TypeId leaf : leaves)
        if (types::typeOf(leaf).kind != types::TypeKind::Tensor)
            refuse(user, fmt::format("expected tensors, got {}", types::toText(leaf)), where);
    return tensors;
}

TensorTypeId rowOf(TensorTypeId type) {
    const Shape& shape = types::shapeOf(type);
    return types::tensorType(types::dtypeOf(type), shape.hasRank() && shape.rank() > 0
                                                       ? Shape(shape.sizes().subspan(1))
                                                       : Shape::unknownRank());
}

TensorTypeId batchOf(TensorTypeId type, std::int64_t size) {
    const Shape& shape = types::shapeOf(type);
    if (!shape.hasRank())
        return type;
    std::vector<std::int64_t> sizes{size};
    sizes.insert(sizes.end(), shape.sizes().begin(), shape.sizes().end());
    return types::tensorType(types::dtypeOf(type), Shape(sizes));
}

/// Of a host number, or of an eager tensor.
std::int64_t knownSize(const Operand& size) {
    const Tensor& tensor = size.tensor();
    if (!tensor.isEager() || tensor.elements() != 1 || !types::isInteger(tensor.dtype()))
        return Shape::kUnknown;
    const EagerScope eager;
    return std::max<std::int64_t>(cast(tensor, DType::Int64).scalar<std::int64_t>(), Shape::kUnknown);
}

} // namespace

Dataset Dataset::range(const Operand& stop) {
    return range(Operand(0, stop.where()), stop, Operand(1, stop.where()));
}

Dataset Dataset::range(const Operand& start, const Operand& stop, const Operand& step) {
    const std::array inputs{int64In(start), int64In(stop), int64In(step)};
    return {apply(Op::DatasetRange, inputs, {}, stop.where()),
            types::tensorSpec(types::tensorType(DType::Int64, Shape{}))};
}

Dataset Dataset::fromTensors(const Value& element, Where where) {
    const Value tensors = tensorsOf(element, "fromTensors", where);
    return {apply(Op::DatasetTensors, leavesOf(tensors), {}, where), typeOfValue(tensors)};
}

Dataset Dataset::fromTensorSlices(const Value& tensors, Where where) {
    const Value wholes = tensorsOf(tensors, "fromTensorSlices", where);
    return {apply(Op::DatasetSlices, leavesOf(wholes), {}, where),
            types::withTensors(typeOfValue(wholes), &rowOf)};
}

Dataset Dataset::zip(const std::vector<Dataset>& datasets, Where where) {
    std::vector<Tensor> handles;
    std::vector<TypeId> elements;
    for (const Dataset& dataset : datasets) {
        handles.push_back(dataset.given("zip", where));
        elements.push_back(dataset.m_element);
    }
    if (handles.empty())
        refuse("zip", "expected a dataset or more, got none", where);
    return {apply(Op::DatasetZip, handles, {}, where), types::tupleType(elements)};
}

Value Dataset::spec(const Value& element) {
    return Value::Stream{Tensor(), types::datasetType(typeOfValue(element))};
}

const Tensor& Dataset::given(std::string_view user, Where where) const {
    if (m_handle.isEmpty())
        refuse(user, "expected a dataset, got an empty one", where);
    return m_handle;
}

Dataset Dataset::stage(Op op, std::span<const Operand> numbers, const Attributes& attributes,
                       TypeId element) const {
    const Where where = numbers[0].where();
    std::vector<Tensor> inputs{given(ir::opName(op), where)};
    for (const Operand& number : numbers)
        inputs.push_back(numberIn(number, ir::opName(op)));
    return {apply(op, inputs, attributes, where), element};
}

Dataset Dataset::batch(const Operand& size, bool dropRemainder) const {
    given("batch", size.where());
    const std::int64_t known = dropRemainder ? knownSize(size) : Shape::kUnknown;
    const TypeId element =
        types::withTensors(m_element, [&](TensorTypeId type) { return batchOf(type, known); });
    return stage(Op::DatasetBatch, std::array{size},
                 dropRemainder ? Attributes().set(Attribute::DropRemainder, 1) : Attributes(), element);
}

Dataset Dataset::shuffle(const Operand& bufferSize, std::int64_t seed, bool reshuffleEachIteration) const {
    return stage(Op::DatasetShuffle, std::array{bufferSize, Operand(seed, bufferSize.where())},
                 reshuffleEachIteration ? Attributes().set(Attribute::Reshuffle, 1) : Attributes(),
                 m_element);
}

Dataset Dataset::repeat(const Operand& count) const {
    return stage(Op::DatasetRepeat, std::array{count}, {}, m_element);
}

Dataset Dataset::take(const Operand& count) const {
    return stage(Op::DatasetTake, std::array{count}, {}, m_element);
}

Dataset Dataset::skip(const Operand& count) const {
    return stage(Op::DatasetSkip, std::array{count}, {}, m_element);
}

Dataset Dataset::enumerate(const Operand& start) const {
    const Dataset numbers = range(start, Operand(std::numeric_limits<std::int64_t>::max(), start.where()),
                                  Operand(1, start.where()));
    return zip({numbers, *this}, start.where());
}

Dataset Dataset::mapValue(const std::function<Value(const Value&)>& function, Where where) const {
    const Tensor& source = given("map", where);
    const ElementFunctionTrace traced = traceElementFunction("map", m_element, function, where);
    return {apply(Op::DatasetMap, traced.inputsBehind(source), {}, where), traced.result};
}

Dataset Dataset::filterValue(const std::function<Value(const Value&)>& predicate, Where where) const {
    const Tensor& source = given("filter", where);
    const ElementFunctionTrace traced = traceElementFunction("filter", m_element, predicate, where);
    const types::TraceType& answer = types::typeOf(traced.result);
    const bool isBool = answer.kind == types::TypeKind::Tensor &&
                        types::dtypeOf(answer.tensor) == DType::Bool &&
                        types::shapeOf(answer.tensor).rank() <= 0;
    if (!isBool)
        refuse("filter",
               fmt::format("expected a bool scalar from the predicate, got {}", types::toText(traced.result)),
               where);
    return {apply(Op::DatasetFilter, traced.inputsBehind(source), {}, where), m_element};
}

Tensor Dataset::cardinality(Where where) const {
    return apply(Op::DatasetCardinality, std::array{given("cardinality", where)}, {}, where);
}

Dataset Dataset::fromArgument(const Value& value) {
    const auto* stream = value.as<Value::Stream>();
    if (stream == nullptr || types::typeOf(stream->type).kind != types::TypeKind::Dataset)
        detail::refuseValue(value, "a dataset");
    return {stream->handle, types::typeOf(stream->type).items[0]};
}

} // namespace retracescope::trace
