#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/rule_checks.h>
#include <retracescope/engine/ir/shape_rules.h>
#include <retracescope/engine/ir/slices.h>

namespace retracescope::ir {

using types::Shape;

namespace {

constexpr std::int64_t kUnknown = Shape::kUnknown;

bool hasBit(AttributeView attributes, Attribute mask, std::size_t axis) {
    return ((attributes.number(mask) >> axis) & 1) != 0;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Numbers from `begin` to before `end`, `step` apart; 2^63 - 1 if there are more.
std::int64_t stepCount(std::int64_t begin, std::int64_t end, std::int64_t step) {
    if (step > 0 ? begin >= end : begin <= end)
        return 0;
    const auto from = static_cast<std::uint64_t>(begin);
    const auto to = static_cast<std::uint64_t>(end);
    const auto apart = static_cast<std::uint64_t>(step);
    const std::uint64_t count = step > 0 ? (to - from - 1) / apart + 1 : (from - to - 1) / (0 - apart) + 1;
    return static_cast<std::int64_t>(std::min(count, static_cast<std::uint64_t>(kMost)));
}

SlicedAxis oneIndex(Op op, const Shape& shape, std::size_t axis, std::int64_t index) {
    const std::int64_t size = shape[static_cast<int>(axis)];
    if (size != kUnknown && (index < -size || index >= size))
        throw UsageError(fmt::format("{}index {} is not one of the {} elements of axis {} of {}",
                                     messageStart(op), index, size, axis, types::toText(shape)));
    return {index < 0 && size != kUnknown ? index + size : index, 1, 1, true};
}

} // namespace

std::vector<SlicedAxis> slicedAxes(Op op, const Shape& shape, AttributeView attributes) {
    const auto begins = attributes.list(Attribute::Begin);
    const auto ends = attributes.list(Attribute::End);
    const auto strides = attributes.list(Attribute::Strides);
    const auto rank = static_cast<std::size_t>(shape.rank());
    if (begins.size() > rank && begins.size() == ends.size())
        throw UsageError(fmt::format("{}expected at most {} {} for {}, got {}", messageStart(op), rank,
                                     rank == 1 ? "slice" : "slices, one for each axis,", types::toText(shape),
                                     begins.size()));
    if (begins.size() != ends.size() || (!strides.empty() && strides.size() != begins.size()))
        throw UsageError(
            fmt::format("{}begins of {} axes, ends of {}, strides of {} do not fit {}; give as many "
                        "of each, for the leading axes",
                        messageStart(op), begins.size(), ends.size(), strides.size(), types::toText(shape)));
    std::vector<SlicedAxis> result;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t size = shape[static_cast<int>(axis)];
        const std::int64_t stride = axis < strides.size() ? strides[axis] : 1;
        if (stride == 0)
            throw UsageError(fmt::format("{}the stride of axis {} is 0", messageStart(op), axis));
        if (axis >= begins.size()) {
            result.push_back({0, size, 1, false});
        } else if (hasBit(attributes, Attribute::ShrinkMask, axis)) {
            result.push_back(oneIndex(op, shape, axis, begins[axis]));
        } else if (size == kUnknown) {
            result.push_back({begins[axis], kUnknown, stride, false});
        } else {
            const std::int64_t first = stride > 0 ? 0 : -1; // where ends may lie
            const auto placed = [&](std::int64_t at) {
                return std::clamp(at < 0 ? at + size : at, first, size + first);
            };
            const bool fromStart = hasBit(attributes, Attribute::BeginMask, axis);
            const bool toEnd = hasBit(attributes, Attribute::EndMask, axis);
            const std::int64_t begin = fromStart ? (stride > 0 ? 0 : size - 1) : placed(begins[axis]);
            const std::int64_t end = toEnd ? (stride > 0 ? size : -1) : placed(ends[axis]);
            result.push_back({begin, stepCount(begin, end, stride), stride, false});
        }
    }
    return result;
}

GatherAxes gatherAxes(Op op, const Shape& shape, const Shape& indices, AttributeView attributes) {
    const int axis = rules::checkedAxis(op, attributes.number(Attribute::Axis), shape.rank());
    const std::int64_t given = attributes.number(Attribute::BatchDims);
    const std::int64_t batchDims = given < 0 ? given + indices.rank() : given;
    if (batchDims < 0 || batchDims > indices.rank() || batchDims > axis)
        throw UsageError(
            fmt::format("{}{} batch axes do not fit axis {} of {} and indices {}; they lead in both and "
                        "lie before the axis",
                        messageStart(op), given, axis, types::toText(shape), types::toText(indices)));
    return {axis, static_cast<int>(batchDims)};
}

namespace rules {

namespace {

const Shape& shapeAt(const RuleInput& input, std::size_t index) {
    return types::shapeOf(input.types[index]);
}

void requireOnePerAxis(const RuleInput& input, std::size_t given, const char* what, const Shape& shape) {
    if (shape.hasRank() && given != static_cast<std::size_t>(shape.rank()))
        throw UsageError(fmt::format("{}{} {} do not fit {}; give as many as it has axes",
                                     messageStart(input.op), given, what, types::toText(shape)));
}

template <class T>
std::int64_t rangeCount(const RuleInput& input) {
    const T start = input.values[0].data<T>()[0];
    const T limit = input.values[1].data<T>()[0];
    const T delta = input.values[2].data<T>()[0];
    if (delta == T(0))
        throw UsageError(messageStart(input.op) + "the step is 0");
    if (delta > T(0) ? start > limit : start < limit) // as tf.range
        throw UsageError(fmt::format("{}steps of {} do not lead from {} to {}", messageStart(input.op), delta,
                                     start, limit));
    if constexpr (std::is_floating_point_v<T>) {
        const double steps = std::ceil((static_cast<double>(limit) - start) / delta);
        if (!std::isfinite(steps))
            throw UsageError(messageStart(input.op) + "expected finite numbers");
        constexpr double kTooMany = 9223372036854775808.0; // 2^63
        return steps >= kTooMany ? kMost : steps > 0 ? static_cast<std::int64_t>(steps) : 0;
    } else {
        return stepCount(static_cast<std::int64_t>(start), static_cast<std::int64_t>(limit),
                         static_cast<std::int64_t>(delta));
    }
}

} // namespace

Shape stridedSliceShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    if (!shape.hasRank())
        return Shape::unknownRank();
    std::vector<std::int64_t> sizes;
    for (const SlicedAxis& axis : slicedAxes(input.op, shape, input.attributes)) {
        if (!axis.goes)
            sizes.push_back(axis.size);
    }
    return Shape(sizes);
}

Shape stridedSliceGradShape(const RuleInput& input) {
    const Shape& part = shapeAt(input, 0);
    const Shape& whole = shapeAt(input, 1);
    const Shape slice = stridedSliceShape({input.op, input.types.subspan(1), input.attributes, {}});
    if (slice.isKnown() && part.isKnown() && slice != part)
        throw UsageError(messageStart(input.op) + "the slice is " + types::toText(slice) + ", got " +
                         types::toText(part));
    return whole;
}

Shape gatherShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const Shape& indices = shapeAt(input, 1);
    if (!shape.hasRank() || !indices.hasRank())
        return Shape::unknownRank();
    const GatherAxes axes = gatherAxes(input.op, shape, indices, input.attributes);
    std::vector<std::int64_t> sizes;
    for (int axis = 0; axis < axes.axis; ++axis) {
        std::int64_t size = shape[axis];
        if (axis < axes.batchDims) {
            const std::int64_t other = indices[axis];
            if (size != kUnknown && other != kUnknown && size != other)
                throw UsageError(fmt::format("{}batch axis {} differs: {} and indices {}",
                                             messageStart(input.op), axis, types::toText(shape),
                                             types::toText(indices)));
            size = size == kUnknown ? other : size;
        }
        sizes.push_back(size);
    }
    for (int axis = axes.batchDims; axis < indices.rank(); ++axis)
        sizes.push_back(indices[axis]);
    for (int axis = axes.axis + 1; axis < shape.rank(); ++axis)
        sizes.push_back(shape[axis]);
    return Shape(sizes);
}

Shape gatherGradShape(const RuleInput& input) {
    const std::array gathered{input.types[2], input.types[1]};
    const Shape expected = gatherShape({input.op, gathered, input.attributes, {}});
    const Shape& given = shapeAt(input, 0);
    if (expected.isKnown() && given.isKnown() && expected != given)
        throw UsageError(messageStart(input.op) + "expected " + types::toText(expected) + ", got " +
                         types::toText(given));
    return shapeAt(input, 2);
}

Shape expandDimsShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    if (!shape.hasRank())
        return Shape::unknownRank();
    const int axis = checkedAxis(input.op, input.attributes.number(Attribute::Axis), shape.rank() + 1);
    std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    sizes.insert(sizes.begin() + axis, 1);
    return Shape(sizes);
}

Shape squeezeShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const bool all = !input.attributes.has(Attribute::Axes);
    const bool isOpen = shape.hasRank() && std::ranges::count(shape.sizes(), kUnknown) > 0;
    if (!shape.hasRank() || (all && isOpen))
        return Shape::unknownRank();
    std::vector<bool> goes(static_cast<std::size_t>(shape.rank()));
    for (int axis = 0; axis < shape.rank(); ++axis)
        goes[static_cast<std::size_t>(axis)] = all && shape[axis] == 1;
    for (const std::int64_t given : input.attributes.list(Attribute::Axes)) {
        const int axis = checkedAxis(input.op, given, shape.rank());
        if (shape[axis] != 1 && shape[axis] != kUnknown)
            throw UsageError(fmt::format("{}expected axis {} of size 1, got {}", messageStart(input.op), axis,
                                         types::toText(shape)));
        goes[static_cast<std::size_t>(axis)] = true;
    }
    std::vector<std::int64_t> sizes;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (!goes[static_cast<std::size_t>(axis)])
            sizes.push_back(shape[axis]);
    }
    return Shape(sizes);
}

Shape padShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const Shape& value = shapeAt(input, 1);
    const auto paddings = input.attributes.list(Attribute::Paddings);
    if (value.hasRank() && value.rank() != 0)
        throw UsageError(messageStart(input.op) + "expected a scalar to pad with, got " +
                         types::toText(value));
    if (std::ranges::any_of(paddings, [](std::int64_t count) { return count < 0; }))
        throw UsageError(messageStart(input.op) + "a padding is negative; slice to take elements away");
    requireOnePerAxis(input, paddings.size() / 2, "paddings", shape);
    std::vector<std::int64_t> sizes(paddings.size() / 2, kUnknown);
    for (std::size_t axis = 0; shape.hasRank() && axis < sizes.size(); ++axis) {
        const std::int64_t size = shape[static_cast<int>(axis)];
        sizes[axis] = size == kUnknown
                          ? kUnknown
                          : sizeSum(input, sizeSum(input, size, paddings[2 * axis]), paddings[2 * axis + 1]);
    }
    return Shape(sizes);
}

Shape tileShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const auto multiples = input.attributes.list(Attribute::Multiples);
    if (std::ranges::any_of(multiples, [](std::int64_t count) { return count < 0; }))
        throw UsageError(messageStart(input.op) + "a multiple is negative");
    requireOnePerAxis(input, multiples.size(), "multiples", shape);
    std::vector<std::int64_t> sizes(multiples.size(), kUnknown);
    for (std::size_t axis = 0; shape.hasRank() && axis < sizes.size(); ++axis) {
        const std::int64_t size = shape[static_cast<int>(axis)];
        sizes[axis] = size == kUnknown ? kUnknown : sizeProduct(input, size, multiples[axis]);
    }
    return Shape(sizes);
}

Shape tileGradShape(const RuleInput& input) {
    const Shape& tiles = shapeAt(input, 0);
    const Shape whole = tileShape({input.op, input.types.subspan(1), input.attributes, {}});
    if (whole.isKnown() && tiles.isKnown() && whole != tiles)
        throw UsageError(messageStart(input.op) + "expected tiles " + types::toText(whole) + ", got " +
                         types::toText(tiles));
    return shapeAt(input, 1);
}

Shape argSortShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    if (shape.hasRank() && shape.rank() == 0)
        throw UsageError(messageStart(input.op) + "expected at least one axis, got a scalar");
    return shape;
}

Shape rangeShape(const RuleInput& input) {
    for (std::size_t i = 0; i < input.types.size(); ++i) {
        if (shapeAt(input, i).hasRank() && shapeAt(input, i).rank() != 0)
            throw UsageError(messageStart(input.op) + "expected scalars, got " +
                             types::toText(shapeAt(input, i)));
    }
    const bool areKnown =
        input.values.size() == 3 && std::ranges::all_of(input.values, &tensor::Tensor::isEager);
    if (!areKnown)
        return Shape{kUnknown};
    switch (types::dtypeOf(input.types[0])) {
    case types::DType::Int32:
        return Shape{rangeCount<std::int32_t>(input)};
    case types::DType::Int64:
        return Shape{rangeCount<std::int64_t>(input)};
    case types::DType::Float32:
        return Shape{rangeCount<float>(input)};
    case types::DType::Float64:
        return Shape{rangeCount<double>(input)};
    default:
        throw UsageError(fmt::format("{}{} has no kernel yet", messageStart(input.op),
                                     types::dtypeName(types::dtypeOf(input.types[0]))));
    }
}

Shape whereShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const std::int64_t rank = shape.hasRank() ? shape.rank() : kUnknown;
    if (input.values.empty() || !input.values[0].isEager())
        return Shape{kUnknown, rank};
    return Shape{static_cast<std::int64_t>(std::ranges::count(input.values[0].data<bool>(), true)), rank};
}

} // namespace rules

} // namespace retracescope::ir
