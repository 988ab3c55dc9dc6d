#include <algorithm>
#include <cmath>
#include <numeric>

#include <retracescope/base/check.h>

#include "tests/differential/reference_parts.h"

namespace retracescope::test {

using ir::Attribute;
using ir::AttributeView;
using ir::Op;
using types::DType;

namespace {

/// The places that a slice takes of an axis, one after the other.
std::vector<std::int64_t> placesOf(std::int64_t size, std::size_t axis, AttributeView attributes) {
    std::vector<std::int64_t> places;
    const auto begins = attributes.list(Attribute::Begin);
    const auto isSet = [&](Attribute mask) { return ((attributes.number(mask) >> axis) & 1) != 0; };
    if (axis >= begins.size()) {
        places.resize(static_cast<std::size_t>(size));
        std::iota(places.begin(), places.end(), 0);
        return places;
    }
    const auto fromStart = [size](std::int64_t place) { return place < 0 ? place + size : place; };
    if (isSet(Attribute::ShrinkMask))
        return {fromStart(begins[axis])};
    const auto strides = attributes.list(Attribute::Strides);
    const std::int64_t stride = strides.empty() ? 1 : strides[axis];
    std::int64_t begin = fromStart(begins[axis]);
    std::int64_t end = fromStart(attributes.list(Attribute::End)[axis]);
    if (isSet(Attribute::BeginMask))
        begin = stride > 0 ? 0 : size - 1;
    if (isSet(Attribute::EndMask))
        end = stride > 0 ? size : -1;
    begin = stride > 0 ? std::max<std::int64_t>(begin, 0) : std::min(begin, size - 1);
    for (std::int64_t at = begin;
         stride > 0 ? at < std::min(end, size) : at > std::max<std::int64_t>(end, -1); at += stride)
        places.push_back(at);
    return places;
}

/// For every element of a slice its place in the whole.
struct Sliced {
    Sizes sizes;
    std::vector<std::size_t> from;
};

Sliced sliced(const Sizes& whole, AttributeView attributes) {
    Sliced result;
    Sizes all; // with the axes that go
    std::vector<std::vector<std::int64_t>> places;
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        places.push_back(placesOf(whole[axis], axis, attributes));
        all.push_back(static_cast<std::int64_t>(places.back().size()));
        if (((attributes.number(Attribute::ShrinkMask) >> axis) & 1) == 0)
            result.sizes.push_back(all.back());
    }
    for (std::int64_t i = 0; i < product(all); ++i) {
        Index index = indexOf(i, all);
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            index[axis] = places[axis][static_cast<std::size_t>(index[axis])];
        result.from.push_back(flatOf(index, whole));
    }
    return result;
}

void addElement(ReferenceValue& to, std::size_t at, const ReferenceValue& from, std::size_t source) {
    if (types::isFloating(to.dtype)) {
        to.reals[at] += from.reals[source];
        to.magnitudes[at] += std::fabs(from.reals[source]);
    } else {
        to.integers[at] = wrapped(Wide{to.integers[at]} + from.integers[source], to.dtype);
    }
}

/// For every element of what is gathered from a whole of these sizes its place there.
Sliced gathered(const Sizes& whole, const ReferenceValue& indices, AttributeView attributes) {
    const std::size_t axis = axisOf(attributes, whole.size());
    const auto batch = static_cast<std::size_t>(attributes.number(Attribute::BatchDims));
    Sliced result;
    result.sizes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(axis));
    result.sizes.insert(result.sizes.end(), indices.sizes.begin() + static_cast<std::ptrdiff_t>(batch),
                        indices.sizes.end());
    result.sizes.insert(result.sizes.end(), whole.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                        whole.end());
    const std::size_t own = indices.sizes.size() - batch;
    for (std::int64_t i = 0; i < product(result.sizes); ++i) {
        const Index index = indexOf(i, result.sizes);
        Index name(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(batch));
        name.insert(name.end(), index.begin() + static_cast<std::ptrdiff_t>(axis),
                    index.begin() + static_cast<std::ptrdiff_t>(axis + own));
        Index source(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(axis));
        source.push_back(indices.integers[flatOf(name, indices.sizes)]);
        source.insert(source.end(), index.begin() + static_cast<std::ptrdiff_t>(axis + own), index.end());
        result.from.push_back(flatOf(source, whole));
    }
    return result;
}

ReferenceValue taken(const ReferenceValue& from, const Sliced& places) {
    ReferenceValue result = emptyValue(from.dtype, places.sizes);
    for (std::size_t i = 0; i < places.from.size(); ++i)
        copyElement(result, i, from, places.from[i]);
    return result;
}

ReferenceValue added(const ReferenceValue& parts, const Sizes& sizes, const Sliced& places) {
    ReferenceValue result = emptyValue(parts.dtype, sizes);
    for (std::size_t i = 0; i < places.from.size(); ++i)
        addElement(result, places.from[i], parts, i);
    return result;
}

ReferenceValue put(const ReferenceValue& part, const Sizes& sizes, const Sliced& places) {
    ReferenceValue result = emptyValue(part.dtype, sizes);
    for (std::size_t i = 0; i < places.from.size(); ++i)
        copyElement(result, places.from[i], part, i);
    return result;
}

ReferenceValue withSizes(ReferenceValue value, Sizes sizes) {
    value.sizes = std::move(sizes);
    return value;
}

ReferenceValue expandDims(const ReferenceValue& a, AttributeView attributes) {
    Sizes sizes = a.sizes;
    const std::size_t axis = axisOf(attributes, sizes.size() + 1);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return withSizes(a, sizes);
}

ReferenceValue squeeze(const ReferenceValue& a) {
    Sizes sizes;
    std::ranges::copy_if(a.sizes, std::back_inserter(sizes), [](std::int64_t size) { return size != 1; });
    return withSizes(a, sizes);
}

ReferenceValue pad(const ReferenceValue& a, const ReferenceValue& value, AttributeView attributes) {
    const auto paddings = attributes.list(Attribute::Paddings);
    Sizes sizes = a.sizes;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
        sizes[axis] += paddings[2 * axis] + paddings[2 * axis + 1];
    ReferenceValue result = emptyValue(a.dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        Index index = indexOf(static_cast<std::int64_t>(i), sizes);
        bool isInside = true;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            index[axis] -= paddings[2 * axis];
            isInside = isInside && index[axis] >= 0 && index[axis] < a.sizes[axis];
        }
        if (isInside)
            copyElement(result, i, a, flatOf(index, a.sizes));
        else
            copyElement(result, i, value, 0);
    }
    return result;
}

/// For every element of the tiles its place in the one.
Sliced tiled(const Sizes& one, AttributeView attributes) {
    Sliced result{one, {}};
    for (std::size_t axis = 0; axis < one.size(); ++axis)
        result.sizes[axis] *= attributes.list(Attribute::Multiples)[axis];
    for (std::int64_t i = 0; i < product(result.sizes); ++i) {
        Index index = indexOf(i, result.sizes);
        for (std::size_t axis = 0; axis < one.size(); ++axis)
            index[axis] %= one[axis];
        result.from.push_back(flatOf(index, one));
    }
    return result;
}

ReferenceValue argSort(const ReferenceValue& a, AttributeView attributes) {
    const bool descending = attributes.number(Attribute::Descending) != 0;
    ReferenceValue result = emptyValue(DType::Int32, a.sizes);
    const auto size = static_cast<std::size_t>(a.sizes.back());
    const auto isLess = [&](std::size_t x, std::size_t y) {
        if (!types::isFloating(a.dtype))
            return a.integers[x] < a.integers[y];
        return !std::isnan(a.reals[x]) && (std::isnan(a.reals[y]) || a.reals[x] < a.reals[y]);
    };
    for (std::size_t row = 0; size > 0 && row < result.elements(); row += size) {
        std::vector<std::int64_t> order(size);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, [&](std::int64_t x, std::int64_t y) {
            const std::size_t left = row + static_cast<std::size_t>(x);
            const std::size_t right = row + static_cast<std::size_t>(y);
            return descending ? isLess(right, left) : isLess(left, right);
        });
        std::ranges::copy(order, result.integers.begin() + static_cast<std::ptrdiff_t>(row));
    }
    return result;
}

ReferenceValue range(const ReferenceValue& start, const ReferenceValue& limit, const ReferenceValue& delta) {
    const bool isReal = types::isFloating(start.dtype);
    const auto at = [isReal](const ReferenceValue& value) {
        return isReal ? value.reals[0] : static_cast<long double>(value.integers[0]);
    };
    std::vector<long double> values;
    for (long double next = at(start); at(delta) > 0 ? next < at(limit) : next > at(limit); next += at(delta))
        values.push_back(next);
    ReferenceValue result = emptyValue(start.dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (isReal)
            result.reals[i] = values[i];
        else
            result.integers[i] = static_cast<std::int64_t>(values[i]);
    }
    return result;
}

ReferenceValue trueIndices(const ReferenceValue& condition) {
    std::vector<std::int64_t> all;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < condition.elements(); ++i) {
        if (condition.integers[i] == 0)
            continue;
        const Index index = indexOf(static_cast<std::int64_t>(i), condition.sizes);
        all.insert(all.end(), index.begin(), index.end());
        ++count;
    }
    ReferenceValue result =
        emptyValue(DType::Int64, {count, static_cast<std::int64_t>(condition.sizes.size())});
    result.integers = all;
    return result;
}

/// Word `i` of the stream: Philox 4x32-10 as its authors describe it, on single words.
std::uint32_t randomWord(std::uint64_t key, std::uint64_t stream, std::uint64_t i) {
    std::uint64_t word[4] = {(i / 4) & 0xffffffff, (i / 4) >> 32, stream & 0xffffffff, stream >> 32};
    std::uint64_t keys[2] = {key & 0xffffffff, key >> 32};
    for (int round = 0; round < 10; ++round) {
        const Wide first = Wide{0xD2511F53} * word[0];
        const Wide second = Wide{0xCD9E8D57} * word[2];
        const auto high = [](Wide value) { return static_cast<std::uint64_t>(value >> 32); };
        const auto low = [](Wide value) { return static_cast<std::uint64_t>(value & 0xffffffff); };
        const std::uint64_t next[4] = {high(second) ^ word[1] ^ keys[0], low(second),
                                       high(first) ^ word[3] ^ keys[1], low(first)};
        std::ranges::copy(next, word);
        keys[0] = (keys[0] + 0x9E3779B9) & 0xffffffff;
        keys[1] = (keys[1] + 0xBB67AE85) & 0xffffffff;
    }
    return static_cast<std::uint32_t>(word[i % 4]);
}

ReferenceValue randomBits(const ReferenceValue& sizes, const ReferenceValue& seed) {
    ReferenceValue result = emptyValue(DType::UInt32, sizes.integers);
    for (std::size_t i = 0; i < result.elements(); ++i)
        result.integers[i] = randomWord(static_cast<std::uint64_t>(seed.integers[0]),
                                        static_cast<std::uint64_t>(seed.integers[1]), i);
    return result;
}

} // namespace

bool isMovementOp(Op op) {
    return (op >= Op::StridedSlice && op <= Op::Where) || op == Op::StridedSliceGrad ||
           op == Op::GatherGrad || op == Op::TileGrad;
}

ReferenceValue computeMovement(Op op, const std::vector<ReferenceValue>& inputs, AttributeView attributes) {
    const ReferenceValue& a = inputs[0];
    switch (op) {
    case Op::StridedSlice:
        return taken(a, sliced(a.sizes, attributes));
    case Op::StridedSliceGrad:
        return put(a, inputs[1].sizes, sliced(inputs[1].sizes, attributes));
    case Op::Gather:
        return taken(a, gathered(a.sizes, inputs[1], attributes));
    case Op::GatherGrad:
        return added(a, inputs[2].sizes, gathered(inputs[2].sizes, inputs[1], attributes));
    case Op::ExpandDims:
        return expandDims(a, attributes);
    case Op::Squeeze:
        return squeeze(a);
    case Op::Pad:
        return pad(a, inputs[1], attributes);
    case Op::Tile:
        return taken(a, tiled(a.sizes, attributes));
    case Op::TileGrad:
        return added(a, inputs[1].sizes, tiled(inputs[1].sizes, attributes));
    case Op::ArgSort:
        return argSort(a, attributes);
    case Op::Range:
        return range(a, inputs[1], inputs[2]);
    case Op::RandomBits:
        return randomBits(a, inputs[1]);
    case Op::Where:
        return trueIndices(a);
    default:
        RETRACESCOPE_CHECK(!"no such op");
    }
}

} // namespace retracescope::test
