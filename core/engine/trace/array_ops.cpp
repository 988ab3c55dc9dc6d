#include <retracescope/engine/trace/array_ops.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;
using types::DType;
using types::Shape;

Tensor one(Op op, const Tensor& x, const Attributes& attributes, Where where) {
    return apply(op, std::span(&x, 1), attributes, where);
}

/// A host value as a scalar of that dtype; a tensor as it is.
Tensor inDType(const char* op, const Operand& x, DType dtype) {
    return x.isHost() ? embedded(hostScalarAs(x, dtype, op), x.where()) : x.tensorFor(op);
}

void requireAxes(const char* op, const Tensor& x, Where where) {
    requireTensor(op, x, where);
    if (x.shape().hasRank() && x.shape().rank() == 0)
        refuse(op, "expected at least one axis, got " + types::toText(x.type()), where);
}

/// Counted from the start; the rank has to be known for that.
int axisOf(const char* op, const Tensor& x, std::int64_t axis, Where where) {
    requireTensor(op, x, where);
    if (!x.shape().hasRank())
        refuse(op, "the rank of " + types::toText(x.type()) + " is not known while tracing", where);
    const int rank = x.shape().rank();
    if (axis < -rank || axis >= rank)
        refuse(op, fmt::format("axis {} is not one of the {} axes", axis, rank), where);
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::int64_t sizeOf(const char* op, const Tensor& x, int axis, const char* advice, Where where) {
    const std::int64_t size = x.shape()[axis];
    if (size == Shape::kUnknown)
        refuse(op,
               fmt::format("the size of axis {} of {} is not known while tracing; {}", axis,
                           types::toText(x.type()), advice),
               where);
    return size;
}

/// All of the leading axes, then one slice.
Tensor sliceAlong(const Tensor& x, int axis, const Slice& what, Where where) {
    std::vector<std::int64_t> begins(static_cast<std::size_t>(axis) + 1, 0);
    std::vector<std::int64_t> ends(begins.size(), 0);
    std::vector<std::int64_t> strides(begins.size(), 1);
    std::int64_t leading = (std::int64_t{1} << axis) - 1;
    const std::int64_t own = std::int64_t{1} << axis;
    begins.back() = what.begin().value_or(0);
    ends.back() = what.end().value_or(0);
    strides.back() = what.stride();
    Attributes attributes;
    attributes.set(Attribute::Begin, begins).set(Attribute::End, ends);
    if (what.stride() != 1)
        attributes.set(Attribute::Strides, strides);
    attributes.set(Attribute::BeginMask, leading | (what.begin() ? 0 : own))
        .set(Attribute::EndMask, leading | (what.end() || what.isIndex() ? 0 : own));
    if (what.isIndex())
        attributes.set(Attribute::ShrinkMask, own);
    return one(Op::StridedSlice, x, attributes, where);
}

/// A vector of 0, 1, ... of that many.
Tensor counting(std::string_view op, std::int64_t count, DType dtype, Where where) {
    Tensor numbers = placed(
        where, [&] { return Tensor::uninitialized(types::tensorType(DType::Int64, Shape{count}), op); });
    const auto places = numbers.mutableData<std::int64_t>();
    std::iota(places.begin(), places.end(), 0);
    return cast(Operand(embedded(numbers, where), where), dtype);
}

/// The last axis changes places with another, which undoes itself.
Tensor withAxisLast(const Tensor& x, int axis, Where where) {
    const int last = x.shape().rank() - 1;
    if (axis == last)
        return x;
    std::vector<std::int64_t> permutation(static_cast<std::size_t>(last) + 1);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::swap(permutation[static_cast<std::size_t>(axis)], permutation.back());
    return one(Op::Transpose, x, Attributes().set(Attribute::Permutation, permutation), where);
}

Tensor argSortLast(const Tensor& x, bool descending, Where where) {
    Attributes attributes;
    if (descending)
        attributes.set(Attribute::Descending, 1);
    return one(Op::ArgSort, x, attributes, where);
}

/// The elements of the last axis in the places that `indices` name, row by row.
Tensor alongLast(const Tensor& x, const Tensor& indices, Where where) {
    return gather(x, Operand(indices, where), -1, -1);
}

} // namespace

Tensor stridedSlice(const Tensor& x, std::initializer_list<Slice> slices, Where where) {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> strides;
    std::int64_t beginMask = 0;
    std::int64_t endMask = 0;
    std::int64_t shrinkMask = 0;
    for (const Slice& each : slices) {
        const std::int64_t bit = std::int64_t{1} << begins.size();
        beginMask |= each.begin() ? 0 : bit;
        endMask |= each.end() || each.isIndex() ? 0 : bit;
        shrinkMask |= each.isIndex() ? bit : 0;
        begins.push_back(each.begin().value_or(0));
        ends.push_back(each.end().value_or(0));
        strides.push_back(each.stride());
    }
    Attributes attributes;
    attributes.set(Attribute::Begin, begins).set(Attribute::End, ends);
    if (std::ranges::any_of(strides, [](std::int64_t stride) { return stride != 1; }))
        attributes.set(Attribute::Strides, strides);
    if (beginMask != 0)
        attributes.set(Attribute::BeginMask, beginMask);
    if (endMask != 0)
        attributes.set(Attribute::EndMask, endMask);
    if (shrinkMask != 0)
        attributes.set(Attribute::ShrinkMask, shrinkMask);
    return one(Op::StridedSlice, x, attributes, where);
}

Tensor slice(const Tensor& x, std::initializer_list<std::int64_t> begin,
             std::initializer_list<std::int64_t> sizes, Where where) {
    requireTensor("slice", x, where);
    const bool areNegative = std::ranges::any_of(begin, [](std::int64_t at) { return at < 0; });
    const bool fits = begin.size() == sizes.size() &&
                      (!x.shape().hasRank() || static_cast<std::size_t>(x.shape().rank()) == begin.size());
    if (!fits || areNegative)
        refuse("slice",
               fmt::format("expected a begin from 0 on and a size for every axis of {}, got {} and {}",
                           types::toText(x.type()), begin.size(), sizes.size()),
               where);
    std::vector<std::int64_t> ends;
    std::int64_t endMask = 0;
    for (std::size_t axis = 0; axis < begin.size(); ++axis) {
        const std::int64_t first = begin.begin()[axis];
        const std::int64_t size = sizes.begin()[axis];
        const std::int64_t known = x.shape().hasRank() ? x.shape()[static_cast<int>(axis)] : Shape::kUnknown;
        const std::int64_t whole =
            known != Shape::kUnknown ? known : std::numeric_limits<std::int64_t>::max();
        if (size < -1 || first > whole || size > whole - first)
            refuse("slice",
                   fmt::format("{} elements from {} on are not in axis {} of {}", size, first, axis,
                               types::toText(x.type())),
                   where);
        endMask |= size == -1 ? std::int64_t{1} << axis : 0;
        ends.push_back(size == -1 ? 0 : first + size);
    }
    Attributes attributes;
    attributes.set(Attribute::Begin, begin).set(Attribute::End, ends);
    if (endMask != 0)
        attributes.set(Attribute::EndMask, endMask);
    return one(Op::StridedSlice, x, attributes, where);
}

Tensor gather(const Tensor& x, const Operand& indices, std::int64_t axis, std::int64_t batchDims) {
    Attributes attributes;
    attributes.set(Attribute::Axis, axis);
    if (batchDims != 0)
        attributes.set(Attribute::BatchDims, batchDims);
    const Tensor names = inDType("gather", indices, indices.tensorFor("gather").dtype());
    return apply(Op::Gather, std::array{x, names}, attributes, indices.where());
}

Tensor expandDims(const Tensor& x, std::int64_t axis, Where where) {
    return one(Op::ExpandDims, x, Attributes().set(Attribute::Axis, axis), where);
}

Tensor squeeze(const Tensor& x, std::initializer_list<std::int64_t> axes, Where where) {
    Attributes attributes;
    if (axes.size() > 0)
        attributes.set(Attribute::Axes, axes);
    return one(Op::Squeeze, x, attributes, where);
}

Tensor concat(std::span<const Tensor> parts, std::int64_t axis, Where where) {
    return apply(Op::Concat, parts, Attributes().set(Attribute::Axis, axis), where);
}

Tensor stack(std::span<const Tensor> parts, std::int64_t axis, Where where) {
    if (parts.empty())
        refuse("stack", "expected at least one part, got none", where);
    for (const Tensor& part : parts)
        requireTensor("stack", part, where);
    for (const Tensor& part : parts)
        if (part.dtype() != parts[0].dtype() || !mayAgree(part.shape(), parts[0].shape()))
            refuse("stack",
                   fmt::format("expected parts of one dtype and shape, got {} and {}",
                               types::toText(parts[0].type()), types::toText(part.type())),
                   where);
    return composed("stack", [&] {
        std::vector<Tensor> expanded;
        for (const Tensor& part : parts)
            expanded.push_back(expandDims(part, axis, where));
        return concat(expanded, axis, where);
    });
}

std::vector<Tensor> unstack(const Tensor& x, std::int64_t axis, Where where) {
    const int at = axisOf("unstack", x, axis, where);
    std::vector<Tensor> parts;
    const std::int64_t size = sizeOf(
        "unstack", x, at, "give it in an input signature, or go through the rows with forEach()", where);
    for (std::int64_t i = 0; i < size; ++i)
        parts.push_back(sliceAlong(x, at, Slice(i), where));
    return parts;
}

std::vector<Tensor> split(const Tensor& x, std::int64_t parts, std::int64_t axis, Where where) {
    const int at = axisOf("split", x, axis, where);
    const std::int64_t size = sizeOf("split", x, at, "give the parts' sizes", where);
    if (parts < 1 || size % parts != 0)
        refuse("split",
               fmt::format("axis {} of {} does not split into {} equal parts; give their sizes", at,
                           types::toText(x.type()), parts),
               where);
    std::vector<Tensor> result;
    for (std::int64_t i = 0; i < parts; ++i)
        result.push_back(sliceAlong(x, at, Slice(i * (size / parts), (i + 1) * (size / parts)), where));
    return result;
}

std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> sizes, std::int64_t axis,
                          Where where) {
    const int at = axisOf("split", x, axis, where);
    const std::int64_t whole = x.shape()[at];
    const std::int64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const bool areNegative = std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; });
    if (areNegative || (whole != Shape::kUnknown && whole != sum))
        refuse("split",
               fmt::format("sizes of {} elements do not make up axis {} of {}", sum, at,
                           types::toText(x.type())),
               where);
    std::vector<Tensor> result;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        result.push_back(sliceAlong(x, at, Slice(begin, begin + size), where));
        begin += size;
    }
    return result;
}

Tensor pad(const Tensor& x, std::initializer_list<Padding> paddings, const Operand& value) {
    std::vector<std::int64_t> flat;
    for (const auto& [before, after] : paddings)
        flat.insert(flat.end(), {before, after});
    requireTensor("pad", x, value.where());
    const Tensor filling = inDType("pad", value, x.dtype());
    return apply(Op::Pad, std::array{x, filling}, Attributes().set(Attribute::Paddings, flat), value.where());
}

Tensor tile(const Tensor& x, std::initializer_list<std::int64_t> multiples, Where where) {
    return one(Op::Tile, x, Attributes().set(Attribute::Multiples, multiples), where);
}

Tensor reverse(const Tensor& x, std::initializer_list<std::int64_t> axes, Where where) {
    Tensor result = x;
    std::vector<int> reversed;
    for (const std::int64_t axis : axes) {
        const int at = axisOf("reverse", x, axis, where);
        if (std::ranges::find(reversed, at) != reversed.end())
            refuse("reverse", fmt::format("axis {} is named twice", at), where);
        reversed.push_back(at);
        result = sliceAlong(result, at, Slice({}, {}, -1), where);
    }
    return result;
}

Tensor oneHot(const Operand& indices, std::int64_t depth, DType dtype) {
    const Where where = indices.where();
    const Tensor names = inDType("one_hot", indices, indices.tensorFor("one_hot").dtype());
    if (!isIndex(names.dtype()))
        refuse("one_hot",
               fmt::format("expected indices of int32 or int64, got {}", types::toText(names.type())), where);
    if (depth < 0)
        refuse("one_hot", fmt::format("expected a depth from 0 on, got {}", depth), where);
    if (!types::isNumeric(dtype) && dtype != DType::Bool)
        refuse("one_hot", fmt::format("expected a dtype of numbers, got {}", types::dtypeName(dtype)), where);
    const Tensor isThere = equal(Operand(expandDims(names, -1, where), where),
                                 Operand(counting("one_hot", depth, names.dtype(), where), where));
    return cast(Operand(isThere, where), dtype);
}

Tensor argSort(const Tensor& x, bool descending, std::int64_t axis, Where where) {
    if (axis == -1)
        return argSortLast(x, descending, where);
    const int at = axisOf("arg_sort", x, axis, where);
    return withAxisLast(argSortLast(withAxisLast(x, at, where), descending, where), at, where);
}

Tensor sort(const Tensor& x, bool descending, std::int64_t axis, Where where) {
    return composed("sort", [&] {
        if (axis == -1)
            return alongLast(x, argSortLast(x, descending, where), where);
        const int at = axisOf("sort", x, axis, where);
        return withAxisLast(sort(withAxisLast(x, at, where), descending, -1, where), at, where);
    });
}

TopK topK(const Tensor& x, std::int64_t k, Where where) {
    requireAxes("top_k", x, where);
    const int last = axisOf("top_k", x, -1, where);
    const std::int64_t size = x.shape()[last];
    if (k < 0 || (size != Shape::kUnknown && k > size))
        refuse("top_k", fmt::format("{} has no {} elements in its last axis", types::toText(x.type()), k),
               where);
    return composed("top_k", [&] {
        const Tensor indices = sliceAlong(argSortLast(x, true, where), last, Slice(0, k), where);
        return TopK{alongLast(x, indices, where), indices};
    });
}

Tensor range(const Operand& start, const Operand& limit, const Operand& delta) {
    // Host numbers take the dtype of the first that is a tensor, else of the first that is floating.
    const std::array all{&start, &limit, &delta};
    const auto dtypeOf = [](const Operand* each) { return each->tensorFor("range").dtype(); };
    DType dtype = dtypeOf(&start);
    for (const Operand* each : {&delta, &limit, &start}) {
        if (types::isFloating(dtypeOf(each)))
            dtype = dtypeOf(each);
    }
    for (const Operand* each : {&delta, &limit, &start}) {
        if (!each->isHost())
            dtype = dtypeOf(each);
    }
    std::vector<Tensor> inputs;
    for (const Operand* each : all)
        inputs.push_back(inDType("range", *each, dtype));
    return apply(Op::Range, inputs, {}, limit.where());
}

Tensor range(const Operand& limit) {
    return range(Operand(0, limit.where()), limit, Operand(1, limit.where()));
}

Tensor linspace(const Operand& start, const Operand& stop, const Operand& count) {
    const Where where = start.where();
    const DType dtype = (start.isHost() ? stop : start).tensorFor("linspace").dtype();
    if (!types::isFloating(dtype))
        refuse("linspace", fmt::format("expected a floating dtype, got {}", types::dtypeName(dtype)), where);
    if (!types::isInteger(count.tensorFor("linspace").dtype()))
        refuse("linspace", "expected an integer scalar as count, got " + types::toText(count.tensor().type()),
               where);
    if (const Tensor& known = count.tensor(); known.isEager() && known.elements() == 1) {
        const EagerScope eager;
        const auto number = cast(known, DType::Int64).scalar<std::int64_t>();
        if (number < 0)
            refuse("linspace", fmt::format("expected a count from 0 on, got {}", number), where);
    }
    return composed("linspace", [&] {
        const Operand steps(cast(Operand(range(count), where), dtype), where);
        const Tensor atLeastOne =
            maximum(Operand(subtract(count, Operand(1, where)), where), Operand(1, where));
        const Operand gaps(cast(Operand(atLeastOne, where), dtype), where);
        const Operand width(subtract(stop, start), where);
        return add(start, Operand(multiply(width, Operand(divide(steps, gaps), where)), where));
    });
}

Tensor fill(const Operand& sizes, const Operand& value) {
    const Tensor filling = inDType("fill", value, value.tensorFor("fill").dtype());
    return apply(Op::Fill, std::array{inDType("fill", sizes, sizes.tensorFor("fill").dtype()), filling}, {},
                 sizes.where());
}

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Where where) {
    if (rows < 0 || columns < 0)
        refuse("eye", fmt::format("expected sizes from 0 on, got {} and {}", rows, columns), where);
    return composed("eye", [&] {
        return oneHot(Operand(counting("eye", rows, DType::Int64, where), where), columns, dtype);
    });
}

Tensor where(const Operand& condition) {
    return one(Op::Where, condition.tensor(), {}, condition.where());
}

Tensor where(const Operand& condition, const Operand& a, const Operand& b) {
    return composed("where", [&] { return select(condition, a, b); });
}

Tensor booleanMask(const Tensor& x, const Tensor& mask, Where where) {
    requireAxes("boolean_mask", x, where);
    requireTensor("boolean_mask", mask, where);
    const Shape& mark = mask.shape();
    if (mask.dtype() != DType::Bool || !mayAgree(mark, {Shape::kUnknown}))
        refuse("boolean_mask", "expected a bool vector as mask, got " + types::toText(mask.type()), where);
    if (x.shape().hasRank() && !mayAgree(mark, {x.shape()[0]}))
        refuse("boolean_mask",
               fmt::format("expected a mask with an element for each of the {} slices of {}, got {}",
                           x.shape()[0], types::toText(x.type()), types::toText(mask.type())),
               where);
    const Tensor indices = trace::where(Operand(mask, where));
    return gather(x, Operand(squeeze(indices, {1}, where), where));
}

Tensor segmentSum(const Tensor& x, const Operand& ids, std::int64_t count) {
    const Where where = ids.where();
    requireTensor("segment_sum", x, where);
    if (!x.shape().hasRank() || x.shape().rank() == 0)
        refuse("segment_sum", "expected a tensor with at least one axis, got " + types::toText(x.type()),
               where);
    if (!isIndex(ids.tensorFor("segment_sum").dtype()) || !mayAgree(ids.tensor().shape(), {x.shape()[0]}))
        refuse("segment_sum",
               fmt::format("expected an int32 or int64 id for each slice of {}, got {}",
                           types::toText(x.type()), types::toText(ids.tensor().type())),
               where);
    if (!types::isNumeric(x.dtype()))
        refuse("segment_sum", "expected numbers, got " + types::toText(x.type()), where);
    if (count < 0)
        refuse("segment_sum", fmt::format("expected a count from 0 on, got {}", count), where);
    // The sums' shape is that of x but for the first axis.
    std::vector<std::int64_t> known(x.shape().sizes().begin(), x.shape().sizes().end());
    known[0] = count;
    const bool isKnown = std::ranges::count(known, Shape::kUnknown) == 0;
    const Tensor sizes =
        isKnown ? constant(known, {static_cast<std::int64_t>(known.size())}, where)
                : concat({constant({count}, where), sliceAlong(shapeOf(x, where), 0, Slice(1, {}), where)}, 0,
                         where);
    const Tensor zero = cast(Operand(0, where), x.dtype());
    const Tensor like = apply(Op::Fill, std::array{sizes, zero}, {}, where);
    return apply(Op::GatherGrad, std::array{x, ids.tensor(), like}, Attributes().set(Attribute::Axis, 0),
                 where);
}

} // namespace retracescope::trace
