#include <retracescope/engine/ir/shape_rules.h>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/rule_checks.h>

namespace retracescope::ir::rules {

using types::Shape;

namespace {

constexpr std::int64_t kUnknown = Shape::kUnknown;

const Shape& shapeAt(const RuleInput& input, std::size_t index) {
    return types::shapeOf(input.types[index]);
}

std::string text(const Shape& shape) {
    return types::toText(shape);
}

/// One axis of a broadcast, or none if the sizes do not fit.
std::optional<std::int64_t> broadcastAxis(std::int64_t a, std::int64_t b) {
    if (a == b || b == 1)
        return a;
    if (a == 1)
        return b;
    if (a == kUnknown)
        return b;
    if (b == kUnknown)
        return a;
    return std::nullopt;
}

/// None if the sizes of an axis do not fit.
std::optional<Shape> broadcastOf(const Shape& a, const Shape& b) {
    if (!a.hasRank() || !b.hasRank())
        return Shape::unknownRank();
    const int rank = std::max(a.rank(), b.rank());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank));
    for (int fromEnd = 1; fromEnd <= rank; ++fromEnd) {
        const std::int64_t sizeA = fromEnd <= a.rank() ? a[a.rank() - fromEnd] : 1;
        const std::int64_t sizeB = fromEnd <= b.rank() ? b[b.rank() - fromEnd] : 1;
        const auto size = broadcastAxis(sizeA, sizeB);
        if (!size)
            return std::nullopt;
        sizes[static_cast<std::size_t>(rank - fromEnd)] = *size;
    }
    return Shape(sizes);
}

Shape anyShapeOfRank(std::size_t rank) {
    return Shape(std::vector<std::int64_t>(rank, kUnknown));
}

/// The shape that a vector of sizes describes if its values are known.
Shape shapeFromValue(const RuleInput& input, std::size_t index) {
    if (index < input.values.size() && input.values[index].isEager()) {
        const tensor::Tensor& value = input.values[index];
        std::vector<std::int64_t> sizes;
        if (value.dtype() == types::DType::Int32) {
            for (const std::int32_t size : value.data<std::int32_t>())
                sizes.push_back(size);
        } else {
            sizes = value.values<std::int64_t>();
        }
        if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; }))
            throw UsageError(
                fmt::format("{}a size is negative: [{}]", messageStart(input.op), fmt::join(sizes, ",")));
        return Shape(sizes);
    }
    const Shape& sizes = shapeAt(input, index);
    if (sizes.hasRank() && sizes[0] != kUnknown)
        return anyShapeOfRank(static_cast<std::size_t>(sizes[0]));
    return Shape::unknownRank();
}

std::vector<bool> reducedAxes(const RuleInput& input, int rank) {
    std::vector<bool> reduced(static_cast<std::size_t>(rank), !input.attributes.has(Attribute::Axes));
    for (const std::int64_t axis : input.attributes.list(Attribute::Axes)) {
        const auto row = static_cast<std::size_t>(checkedAxis(input.op, axis, rank));
        if (reduced[row])
            throw UsageError(fmt::format("{}axis {} is named twice", messageStart(input.op), row));
        reduced[row] = true;
    }
    return reduced;
}

} // namespace

Shape broadcast(Op op, const Shape& a, const Shape& b) {
    const auto shape = broadcastOf(a, b);
    if (!shape)
        throw UsageError(messageStart(op) + "shapes do not broadcast: " + text(a) + " with " + text(b));
    return *shape;
}

int checkedAxis(Op op, std::int64_t axis, int rank) {
    if (axis < -rank || axis >= rank)
        throw UsageError(fmt::format("{}axis {} is not one of the {} axes", messageStart(op), axis, rank));
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape sameShape(const RuleInput& input) {
    return shapeAt(input, 0);
}

Shape broadcastShape(const RuleInput& input) {
    return broadcast(input.op, shapeAt(input, 0), shapeAt(input, 1));
}

Shape selectShape(const RuleInput& input) {
    return broadcast(input.op, broadcast(input.op, shapeAt(input, 0), shapeAt(input, 1)), shapeAt(input, 2));
}

/// Products of the matrices in the last two axes; the axes before them broadcast.
Shape matMulShape(const RuleInput& input) {
    const Shape& a = shapeAt(input, 0);
    const Shape& b = shapeAt(input, 1);
    const bool transposeA = input.attributes.number(Attribute::TransposeA) != 0;
    const bool transposeB = input.attributes.number(Attribute::TransposeB) != 0;
    const auto refuse = [&](const char* problem) {
        throw UsageError(fmt::format("{}{}: {}{} x {}{}", messageStart(input.op), problem, text(a),
                                     transposeA ? " transposed" : "", text(b),
                                     transposeB ? " transposed" : ""));
    };
    for (const Shape* shape : {&a, &b}) {
        if (shape->hasRank() && shape->rank() < 2)
            refuse("expected two axes or more");
    }
    const auto size = [](const Shape& shape, bool second) {
        return shape.hasRank() ? shape[shape.rank() - (second ? 1 : 2)] : kUnknown;
    };
    const std::int64_t innerA = size(a, !transposeA);
    const std::int64_t innerB = size(b, transposeB);
    if (innerA != innerB && innerA != kUnknown && innerB != kUnknown)
        refuse("inner sizes differ");
    if (!a.hasRank() || !b.hasRank())
        return Shape::unknownRank();
    const auto batchesOf = [](const Shape& shape) {
        return Shape(shape.sizes().first(static_cast<std::size_t>(shape.rank() - 2)));
    };
    const auto batches = broadcastOf(batchesOf(a), batchesOf(b));
    if (!batches)
        refuse("batches do not broadcast");
    std::vector<std::int64_t> sizes(batches->sizes().begin(), batches->sizes().end());
    sizes.insert(sizes.end(), {size(a, transposeA), size(b, !transposeB)});
    return Shape(sizes);
}

Shape transposeShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const bool reversed = !input.attributes.has(Attribute::Permutation);
    const auto permutation = input.attributes.list(Attribute::Permutation);
    if (!shape.hasRank())
        return reversed ? Shape::unknownRank() : anyShapeOfRank(permutation.size());
    const int rank = shape.rank();
    std::vector<std::int64_t> sizes(shape.sizes().rbegin(), shape.sizes().rend());
    if (reversed)
        return Shape(sizes);
    std::vector<bool> seen(static_cast<std::size_t>(rank));
    bool valid = static_cast<int>(permutation.size()) == rank;
    for (std::size_t i = 0; valid && i < permutation.size(); ++i) {
        valid =
            permutation[i] >= 0 && permutation[i] < rank && !seen[static_cast<std::size_t>(permutation[i])];
        if (valid) {
            seen[static_cast<std::size_t>(permutation[i])] = true;
            sizes[i] = shape[static_cast<int>(permutation[i])];
        }
    }
    if (!valid)
        throw UsageError(fmt::format("{}[{}] does not permute the axes of {}", messageStart(input.op),
                                     fmt::join(permutation, ","), text(shape)));
    return Shape(sizes);
}

Shape reshapeShape(const RuleInput& input) {
    const auto wanted = input.attributes.list(Attribute::Shape);
    std::vector<std::int64_t> sizes(wanted.begin(), wanted.end());
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < -1; }))
        throw UsageError(fmt::format("{}expected sizes from 0 on and perhaps one of -1, got [{}]",
                                     messageStart(input.op), fmt::join(sizes, ",")));
    const auto open = std::ranges::count_if(sizes, [](std::int64_t size) { return size < 0; });
    if (open > 1)
        throw UsageError(messageStart(input.op) + "only one size may be -1, got " + text(Shape(sizes)));
    const auto count = shapeAt(input, 0).elementCount();
    if (!count)
        return Shape(sizes);
    std::vector<std::int64_t> known;
    std::ranges::copy_if(sizes, std::back_inserter(known), [](std::int64_t size) { return size >= 0; });
    const std::int64_t fixed = *Shape(known).elementCount();
    const bool fits = open == 0 ? fixed == *count : fixed != 0 && *count % fixed == 0;
    if (!fits)
        throw UsageError(fmt::format("{}{} elements of {} do not fill {}", messageStart(input.op), *count,
                                     text(shapeAt(input, 0)), text(Shape(sizes))));
    for (std::int64_t& size : sizes)
        size = size < 0 ? *count / fixed : size;
    return Shape(sizes);
}

Shape broadcastToShape(const RuleInput& input) {
    const Shape wanted(input.attributes.list(Attribute::Shape));
    if (!wanted.isKnown())
        throw UsageError(messageStart(input.op) + "every size must be known, got " + text(wanted));
    const Shape& shape = shapeAt(input, 0);
    bool fits = shape.rank() <= wanted.rank();
    for (int axis = 0; fits && axis < shape.rank(); ++axis) {
        const std::int64_t size = shape[axis];
        fits = size == 1 || size == kUnknown || size == wanted[wanted.rank() - shape.rank() + axis];
    }
    if (!fits)
        throw UsageError(messageStart(input.op) + text(shape) + " does not broadcast to " + text(wanted));
    return wanted;
}

Shape concatShape(const RuleInput& input) {
    Shape result = Shape::unknownRank();
    int axis = 0;
    for (std::size_t i = 0; i < input.types.size(); ++i) {
        const Shape& shape = shapeAt(input, i);
        if (!shape.hasRank())
            return Shape::unknownRank();
        if (!result.hasRank()) {
            axis = checkedAxis(input.op, input.attributes.number(Attribute::Axis), shape.rank());
            result = shape;
            continue;
        }
        if (shape.rank() != result.rank())
            throw UsageError(messageStart(input.op) + "ranks differ: " + text(result) + " and " +
                             text(shape));
        std::vector<std::int64_t> sizes(result.sizes().begin(), result.sizes().end());
        for (int k = 0; k < shape.rank(); ++k) {
            std::int64_t& size = sizes[static_cast<std::size_t>(k)];
            const bool isKnown = size != kUnknown && shape[k] != kUnknown;
            if (k == axis)
                size = isKnown ? sizeSum(input, size, shape[k]) : kUnknown;
            else if (isKnown && size != shape[k])
                throw UsageError(fmt::format("{}sizes of axis {} differ: {} and {}", messageStart(input.op),
                                             k, text(result), text(shape)));
            else if (size == kUnknown)
                size = shape[k];
        }
        result = Shape(sizes);
    }
    return result;
}

Shape reduceShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    const bool keepDims = input.attributes.number(Attribute::KeepDims) != 0;
    if (!shape.hasRank())
        return input.attributes.has(Attribute::Axes) || keepDims ? Shape::unknownRank() : Shape{};
    const std::vector<bool> reduced = reducedAxes(input, shape.rank());
    std::vector<std::int64_t> sizes;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (!reduced[static_cast<std::size_t>(axis)])
            sizes.push_back(shape[axis]);
        else if (keepDims)
            sizes.push_back(1);
    }
    return Shape(sizes);
}

Shape argShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    if (!shape.hasRank())
        return Shape::unknownRank();
    const int axis = checkedAxis(input.op, input.attributes.number(Attribute::Axis), shape.rank());
    if (shape[axis] == 0)
        throw UsageError(fmt::format("{}axis {} of {} is empty: it has no such element",
                                     messageStart(input.op), axis, text(shape)));
    std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    if (input.attributes.number(Attribute::KeepDims) != 0)
        sizes[static_cast<std::size_t>(axis)] = 1;
    else
        sizes.erase(sizes.begin() + axis);
    return Shape(sizes);
}

Shape scanShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    if (shape.hasRank())
        checkedAxis(input.op, input.attributes.number(Attribute::Axis), shape.rank());
    return shape;
}

Shape reshapeLikeShape(const RuleInput& input) {
    const auto count = shapeAt(input, 0).elementCount();
    const auto wanted = shapeAt(input, 1).elementCount();
    if (count && wanted && *count != *wanted)
        throw UsageError(fmt::format("{}{} elements of {} do not fill {}", messageStart(input.op), *count,
                                     text(shapeAt(input, 0)), text(shapeAt(input, 1))));
    return shapeAt(input, 1);
}

Shape sumLikeShape(const RuleInput& input) {
    const Shape& from = shapeAt(input, 0);
    const Shape& to = shapeAt(input, 1);
    bool fits = !from.hasRank() || !to.hasRank() || to.rank() <= from.rank();
    for (int axis = 1; fits && from.hasRank() && to.hasRank() && axis <= to.rank(); ++axis) {
        const std::int64_t size = to[to.rank() - axis];
        const std::int64_t whole = from[from.rank() - axis];
        fits = size == 1 || size == kUnknown || whole == kUnknown || size == whole;
    }
    if (!fits)
        throw UsageError(messageStart(input.op) + text(to) + " does not broadcast to " + text(from));
    return to;
}

Shape concatPartShape(const RuleInput& input) {
    const std::int64_t index = input.attributes.number(Attribute::Index);
    if (index < 0 || index + 1 >= static_cast<std::int64_t>(input.types.size()))
        throw UsageError(fmt::format("{}index {} is not one of {} parts", messageStart(input.op), index,
                                     input.types.size() - 1));
    const Shape joined = concatShape({Op::Concat, input.types.subspan(1), input.attributes, {}});
    if (joined.isKnown() && shapeAt(input, 0).isKnown() && joined != shapeAt(input, 0))
        throw UsageError(messageStart(input.op) + "the parts join to " + text(joined) + ", not to " +
                         text(shapeAt(input, 0)));
    return shapeAt(input, static_cast<std::size_t>(index) + 1);
}

Shape shapeOfShape(const RuleInput& input) {
    const Shape& shape = shapeAt(input, 0);
    return Shape{shape.hasRank() ? shape.rank() : kUnknown};
}

Shape fillShape(const RuleInput& input) {
    const Shape& sizes = shapeAt(input, 0);
    const Shape& value = shapeAt(input, 1);
    if ((sizes.hasRank() && sizes.rank() != 1) || (value.hasRank() && value.rank() != 0))
        throw UsageError(messageStart(input.op) + "expected a vector of sizes and a scalar, got " +
                         text(sizes) + " and " + text(value));
    return shapeFromValue(input, 0);
}

Shape randomBitsShape(const RuleInput& input) {
    const Shape& sizes = shapeAt(input, 0);
    const Shape& seed = shapeAt(input, 1);
    const bool isSeed = !seed.hasRank() || (seed.rank() == 1 && (seed[0] == 2 || seed[0] == kUnknown));
    if ((sizes.hasRank() && sizes.rank() != 1) || !isSeed)
        throw UsageError(messageStart(input.op) + "expected a vector of sizes and a seed of shape [2], got " +
                         text(sizes) + " and " + text(seed));
    return shapeFromValue(input, 0);
}

Shape variableShape(const RuleInput& input) {
    return types::shapeOf(static_cast<types::TensorTypeId>(input.attributes.number(Attribute::Type)));
}

Shape noShape(const RuleInput&) {
    return Shape{};
}

} // namespace retracescope::ir::rules
