#include <retracescope/engine/runtime/kernels/list_kernels.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/kernels/integers.h>
#include <retracescope/engine/runtime/kernels/rows.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/list.h>

namespace retracescope::runtime {

using ir::Attribute;
using ir::Op;
using tensor::List;
using tensor::Tensor;
using types::Shape;

namespace {

types::TensorTypeId typeAttribute(ir::AttributeView attributes) {
    return static_cast<types::TensorTypeId>(attributes.number(Attribute::Type));
}

void requireType(Op op, std::int64_t index, types::TensorTypeId got, types::TensorTypeId expected) {
    if (expected != types::TensorTypeId::None && got != expected && !types::isSubtype(got, expected))
        throw UsageError(fmt::format("{}element {} is {}, expected {}: all elements have one dtype and shape",
                                     ir::messageStart(op), index, types::toText(got),
                                     types::toText(expected)));
}

void requireSet(Op op, std::int64_t index, const Tensor& element) {
    if (element.isEmpty())
        throw UsageError(fmt::format("{}element {} has not been written; write it before it is read",
                                     ir::messageStart(op), index));
}

/// What TensorArray::size() tells as an int32.
constexpr std::int64_t kMostElements = std::numeric_limits<std::int32_t>::max();

void requireIndex(Op op, std::int64_t index, std::int64_t size, bool mayGrow) {
    if (mayGrow && index >= kMostElements)
        throw UsageError(fmt::format("{}index {} is out of range: a list has at most {} elements",
                                     ir::messageStart(op), index, kMostElements));
    if (index < 0 || (index >= size && !mayGrow))
        throw UsageError(fmt::format("{}index {} is out of range, expected 0 to {}{}", ir::messageStart(op),
                                     index, size - 1,
                                     op == Op::ListSet ? "; a dynamic size lets a list grow" : ""));
}

Tensor zerosOf(types::TensorTypeId type) {
    Tensor zeros = Tensor::uninitialized(type);
    const std::size_t bytes = types::dtypeBytes(types::dtypeOf(type));
    std::fill_n(zeros.mutableBytes(), static_cast<std::size_t>(zeros.elements()) * bytes, std::byte{0});
    return zeros;
}

Tensor reserve(const Tensor& size, ir::AttributeView attributes) {
    const std::int64_t count = integerIn(size);
    if (count < 0 || count > kMostElements)
        throw UsageError(fmt::format("{}expected a size from 0 to {}, got {}",
                                     ir::messageStart(Op::ListReserve), kMostElements, count));
    return tensor::listTensor(std::make_shared<const List>(count, typeAttribute(attributes),
                                                           attributes.number(Attribute::DynamicSize) != 0));
}

Tensor fromTensor(const Tensor& whole) {
    if (whole.shape().rank() == 0)
        throw UsageError(fmt::format("{}expected a tensor with a leading axis, got {}",
                                     ir::messageStart(Op::ListFromTensor), types::toText(whole.type())));
    const types::TensorTypeId type = rowType(whole);
    auto list = std::make_shared<const List>(whole.shape()[0], type, false);
    for (std::int64_t i = 0; i < whole.shape()[0]; ++i)
        list = list->with(i, rowOf(whole, i, type));
    return tensor::listTensor(std::move(list));
}

Tensor zerosLike(const Tensor& like) {
    if (!tensor::isListType(like.type()))
        return zerosOf(like.type());
    return tensor::listTensor(
        std::make_shared<const List>(tensor::listOf(like).size(), types::TensorTypeId::None, true));
}

Tensor get(std::span<const Tensor> inputs, ir::AttributeView attributes) {
    const List& list = tensor::listOf(inputs[0]);
    const std::int64_t index = integerIn(inputs[1]);
    Tensor element = list.at(index);
    if (inputs.size() == 3)
        return element.isEmpty() ? zerosLike(inputs[2]) : element;
    requireIndex(Op::ListGet, index, list.size(), false);
    requireSet(Op::ListGet, index, element);
    requireType(Op::ListGet, index, element.type(), typeAttribute(attributes));
    return element;
}

Tensor set(const Tensor& listTensor, const Tensor& at, const Tensor& value) {
    const List& list = tensor::listOf(listTensor);
    const std::int64_t index = integerIn(at);
    requireIndex(Op::ListSet, index, list.size(), list.hasDynamicSize());
    if (!list.at(index).isEmpty())
        throw UsageError(fmt::format("{}element {} has been written before; each is written once",
                                     ir::messageStart(Op::ListSet), index));
    requireType(Op::ListSet, index, value.type(), list.element());
    return tensor::listTensor(list.with(index, value));
}

Tensor stackLike(const List& list, const Tensor& like) {
    Tensor result = zerosOf(like.type());
    const std::int64_t rows = like.shape()[0];
    for (std::int64_t i = 0; i < rows; ++i) {
        if (const Tensor row = list.at(i); !row.isEmpty())
            copyElements(row, 0, result, i * row.elements(), row.elements());
    }
    return result;
}

Tensor stack(std::span<const Tensor> inputs, ir::AttributeView attributes) {
    const List& list = tensor::listOf(inputs[0]);
    if (inputs.size() == 2)
        return stackLike(list, inputs[1]);
    types::TensorTypeId type = typeAttribute(attributes);
    if (list.size() > 0) {
        requireSet(Op::ListStack, 0, list.at(0));
        requireType(Op::ListStack, 0, list.at(0).type(), type);
        type = list.at(0).type();
    } else if (list.element() != types::TensorTypeId::None) {
        type = list.element();
    }
    if (!types::shapeOf(type).isKnown())
        throw UsageError(
            fmt::format("{}a list without elements stacks only if their shape is known, got {}; give the "
                        "element shape",
                        ir::messageStart(Op::ListStack), types::toText(type)));
    Tensor result = Tensor::uninitialized(stackType(type, list.size()));
    for (std::int64_t i = 0; i < list.size(); ++i) {
        const Tensor row = list.at(i);
        requireSet(Op::ListStack, i, row);
        requireType(Op::ListStack, i, row.type(), type);
        copyElements(row, 0, result, i * row.elements(), row.elements());
    }
    return result;
}

Tensor sum(const Tensor& a, const Tensor& b) {
    if (!tensor::isListType(a.type()))
        return runOp(Op::Add, {a, b});
    return tensor::listTensor(List::sumOf(tensor::listOf(a), tensor::listOf(b), &sum));
}

} // namespace

bool isOnLists(Op op) {
    return op >= Op::ListReserve && op <= Op::ListAdd;
}

Tensor runListOp(Op op, std::span<const Tensor> inputs, ir::AttributeView attributes) {
    switch (op) {
    case Op::ListReserve:
        return reserve(inputs[0], attributes);
    case Op::ListFromTensor:
        return fromTensor(inputs[0]);
    case Op::ListLength:
        return tensor::constant(tensor::listOf(inputs[0]).size());
    case Op::ListGet:
        return get(inputs, attributes);
    case Op::ListSet:
        return set(inputs[0], inputs[1], inputs[2]);
    case Op::ListStack:
        return stack(inputs, attributes);
    default:
        RETRACESCOPE_CHECK(op == Op::ListAdd);
        return sum(inputs[0], inputs[1]);
    }
}

} // namespace retracescope::runtime
