#include <retracescope/engine/trace/dataset_iterator.h>

#include <array>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/list.h>
#include <retracescope/engine/trace/dataset.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;

Tensor OptionalElement::hasValue(Where where) const {
    const Tensor count = apply(Op::ListLength, std::span(&m_list, 1), {}, where);
    return greater(Operand(count, where), std::int64_t{0});
}

Value OptionalElement::structured(Where where) const {
    if (m_list.isEager() && tensor::listOf(m_list).size() == 0)
        refuse("OptionalElement", "expected an element, got none: the dataset has ended; ask hasValue()",
               where);
    std::vector<Tensor> leaves;
    for (const types::TypeId leaf : types::leavesOf(m_element)) {
        const Tensor index = constant(static_cast<std::int64_t>(leaves.size()), where);
        const Attributes type =
            Attributes().set(Attribute::Type, static_cast<std::int64_t>(types::typeOf(leaf).tensor));
        leaves.push_back(apply(Op::ListGet, std::array{m_list, index}, type, where));
    }
    std::size_t next = 0;
    return packed(m_element, leaves, next);
}

DatasetIterator::DatasetIterator(const Dataset& dataset, Where where) : m_element(dataset.elementType()) {
    const Tensor& handle = dataset.handle();
    if (handle.isEmpty())
        refuse("DatasetIterator", "expected a dataset, got an empty one", where);
    m_handle = apply(Op::DatasetIterator, std::span(&handle, 1), {}, where);
}

Value DatasetIterator::spec(const Value& element) {
    return Value::Stream{Tensor(), types::iteratorType(typeOfValue(element))};
}

DatasetIterator DatasetIterator::fromArgument(const Value& value) {
    const auto* stream = value.as<Value::Stream>();
    if (stream == nullptr || types::typeOf(stream->type).kind != types::TypeKind::Iterator)
        detail::refuseValue(value, "an iterator over a dataset");
    return {stream->handle, types::typeOf(stream->type).items[0]};
}

OptionalElement DatasetIterator::pulled(bool optional, Where where) const {
    if (m_handle.isEmpty())
        refuse("DatasetIterator", "expected an iterator, got an empty one", where);
    const Attributes attributes = optional ? Attributes().set(Attribute::Optional, 1) : Attributes();
    return {apply(Op::IteratorNext, std::span(&m_handle, 1), attributes, where), m_element};
}

DatasetIterator DatasetIterator::onHost(const Dataset& dataset, Where where) {
    if (dataset.handle().isSymbolic())
        refuse(
            "dataset",
            "the elements of a symbolic dataset are not known while a function is traced; loop with forEach",
            where);
    const EagerScope eager;
    return {dataset, where};
}

std::optional<Value> DatasetIterator::nextOnHost(Where where) const {
    const EagerScope eager;
    const OptionalElement element = nextOptional(where);
    return tensor::listOf(element.list()).size() > 0 ? std::optional(element.structured(where))
                                                     : std::nullopt;
}

} // namespace retracescope::trace
