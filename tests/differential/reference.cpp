#include "tests/differential/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/dataset_functions.h>
#include <retracescope/engine/tensor/list.h>
#include <retracescope/engine/tensor/text.h>

#include "tests/differential/reference_parts.h"

namespace retracescope::test {

using ir::Attribute;
using ir::AttributeView;
using ir::Op;
using types::DType;

std::int64_t product(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

Index indexOf(std::int64_t flat, const Sizes& sizes) {
    Index index(sizes.size());
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
        index[axis] = flat % sizes[axis];
        flat /= sizes[axis];
    }
    return index;
}

std::size_t flatOf(const Index& index, const Sizes& sizes) {
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
        flat = flat * sizes[axis] + index[axis];
    return static_cast<std::size_t>(flat);
}

std::size_t broadcastSource(const Index& index, const Sizes& sizes) {
    Index source(sizes.size());
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
        source[axis] = sizes[axis] == 1 ? 0 : index[index.size() - sizes.size() + axis];
    return flatOf(source, sizes);
}

Sizes broadcastSizes(const Sizes& a, const Sizes& b) {
    Sizes result(std::max(a.size(), b.size()), 1);
    for (const Sizes* sizes : {&a, &b}) {
        for (std::size_t i = 0; i < sizes->size(); ++i) {
            std::int64_t& size = result[result.size() - sizes->size() + i];
            size = (*sizes)[i] == 1 ? size : (*sizes)[i];
        }
    }
    return result;
}

ReferenceValue emptyValue(DType dtype, Sizes sizes) {
    ReferenceValue value;
    value.dtype = dtype;
    value.sizes = std::move(sizes);
    const auto count = static_cast<std::size_t>(product(value.sizes));
    if (types::isFloating(dtype)) {
        value.reals.resize(count);
        value.magnitudes.resize(count);
    } else if (dtype == DType::String) {
        value.texts.resize(count);
    } else {
        value.integers.resize(count);
    }
    return value;
}

void copyElement(ReferenceValue& to, std::size_t at, const ReferenceValue& from, std::size_t source) {
    if (types::isFloating(to.dtype)) {
        to.reals[at] = from.reals[source];
        to.magnitudes[at] = std::fabs(from.reals[source]);
    } else if (to.dtype == DType::String) {
        to.texts[at] = from.texts[source];
    } else {
        to.integers[at] = from.integers[source];
    }
}

std::int64_t wrapped(Wide value, DType dtype) {
    const int bits = static_cast<int>(types::dtypeBytes(dtype)) * 8;
    const auto low = static_cast<std::uint64_t>(value);
    if (bits == 64)
        return static_cast<std::int64_t>(low);
    const std::uint64_t kept = low & ((std::uint64_t{1} << bits) - 1);
    const bool isSigned = dtype >= DType::Int8 && dtype <= DType::Int64;
    const bool isNegative = isSigned && (kept >> (bits - 1)) != 0;
    return isNegative ? static_cast<std::int64_t>(kept) - (std::int64_t{1} << bits)
                      : static_cast<std::int64_t>(kept);
}

std::int64_t integerFrom(long double value, DType dtype) {
    if (std::isnan(value))
        return 0;
    const int bits = static_cast<int>(types::dtypeBytes(dtype)) * 8;
    const bool isSigned = dtype >= DType::Int8 && dtype <= DType::Int64;
    const long double end = std::ldexp(1.0L, isSigned ? bits - 1 : bits);
    return static_cast<std::int64_t>(std::trunc(std::clamp(value, isSigned ? -end : 0.0L, end - 1)));
}

std::size_t axisOf(AttributeView attributes, std::size_t rank) {
    const std::int64_t given = attributes.number(Attribute::Axis);
    return static_cast<std::size_t>(given < 0 ? given + static_cast<std::int64_t>(rank) : given);
}

namespace {

long double realOf(Op op, long double a, long double b) {
    switch (op) {
    case Op::Neg:
        return -a;
    case Op::Abs:
        return std::fabs(a);
    case Op::Square:
        return a * a;
    case Op::Sqrt:
        return std::sqrt(a);
    case Op::Exp:
        return std::exp(a);
    case Op::Log:
        return std::log(a);
    case Op::Tanh:
        return std::tanh(a);
    case Op::Sigmoid:
        return 1 / (1 + std::exp(-a));
    case Op::Relu:
        return std::isnan(a) ? a : std::max<long double>(a, 0);
    case Op::Sin:
        return std::sin(a);
    case Op::Cos:
        return std::cos(a);
    case Op::Tan:
        return std::tan(a);
    case Op::Erf:
        return std::erf(a);
    case Op::Log1p:
        return std::log1p(a);
    case Op::Expm1:
        return std::expm1(a);
    case Op::Rsqrt:
        return 1 / std::sqrt(a);
    case Op::Floor:
        return std::floor(a);
    case Op::Ceil:
        return std::ceil(a);
    case Op::Round:
        return std::nearbyint(a);
    case Op::Sign:
        return std::isnan(a) ? a : (a > 0) - (a < 0);
    case Op::Atan2:
        return std::atan2(a, b);
    case Op::FloorMod: {
        const long double rest = std::fmod(a, b);
        return rest != 0 && std::signbit(rest) != std::signbit(b) ? rest + b : rest;
    }
    case Op::Add:
        return a + b;
    case Op::Sub:
        return a - b;
    case Op::Mul:
        return a * b;
    case Op::Div:
        return a / b;
    case Op::Pow:
        return std::pow(a, b);
    case Op::Maximum:
        return std::isnan(a) || std::isnan(b) ? std::nanl("") : std::max(a, b);
    case Op::Minimum:
        return std::isnan(a) || std::isnan(b) ? std::nanl("") : std::min(a, b);
    default:
        RETRACESCOPE_CHECK(!"no real op");
    }
}

Wide floorMod(Wide a, Wide b) {
    return (a % b + b) % b;
}

Wide integerOf(Op op, Wide a, Wide b) {
    switch (op) {
    case Op::Neg:
        return -a;
    case Op::Abs:
        return a < 0 ? -a : a;
    case Op::Square:
        return a * a;
    case Op::Relu:
        return a < 0 ? 0 : a;
    case Op::Sign:
        return (a > 0) - (a < 0);
    case Op::FloorDiv:
        return (a - floorMod(a, b)) / b;
    case Op::FloorMod:
        return floorMod(a, b);
    case Op::LogicalNot:
        return !a;
    case Op::Add:
        return a + b;
    case Op::Sub:
        return a - b;
    case Op::Mul:
        return a * b;
    case Op::Div:
        return a / b;
    case Op::Pow: {
        __extension__ typedef unsigned __int128 Bits;
        Bits power = 1; // whose low bits are those of the product
        for (auto factor = static_cast<Bits>(a); b > 0; b /= 2, factor *= factor)
            power *= b % 2 != 0 ? factor : 1;
        return static_cast<Wide>(power);
    }
    case Op::Maximum:
        return a > b ? a : b;
    case Op::Minimum:
        return a < b ? a : b;
    case Op::LogicalAnd:
        return a && b;
    case Op::LogicalOr:
        return a || b;
    default:
        RETRACESCOPE_CHECK(!"no integer op");
    }
}

bool isComparison(Op op) {
    return op >= Op::Equal && op <= Op::GreaterEqual;
}

template <class T>
bool compared(Op op, const T& a, const T& b) {
    switch (op) {
    case Op::Equal:
        return a == b;
    case Op::NotEqual:
        return a != b;
    case Op::Less:
        return a < b;
    case Op::LessEqual:
        return a <= b;
    case Op::Greater:
        return a > b;
    default:
        return a >= b;
    }
}

ReferenceValue elementwise(Op op, const ReferenceValue& a, const ReferenceValue& b) {
    const Sizes sizes = broadcastSizes(a.sizes, b.sizes);
    ReferenceValue result = emptyValue(isComparison(op) ? DType::Bool : a.dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const Index index = indexOf(static_cast<std::int64_t>(i), sizes);
        const std::size_t x = broadcastSource(index, a.sizes);
        const std::size_t y = broadcastSource(index, b.sizes);
        if (a.dtype == DType::String) {
            if (isComparison(op))
                result.integers[i] = compared(op, a.texts[x], b.texts[y]);
            else
                result.texts[i] = a.texts[x] + b.texts[y];
        } else if (types::isFloating(a.dtype)) {
            if (isComparison(op)) {
                result.integers[i] = compared(op, a.reals[x], b.reals[y]);
                continue;
            }
            if (op == Op::FloorDiv) // of the quotient as the dtype has it, which may be a whole number itself
                result.reals[i] =
                    std::floor(a.dtype == DType::Float32 ? static_cast<float>(a.reals[x] / b.reals[y])
                                                         : static_cast<double>(a.reals[x] / b.reals[y]));
            else
                result.reals[i] = realOf(op, a.reals[x], b.reals[y]);
            result.magnitudes[i] =
                std::max(std::fabs(result.reals[i]), op == Op::Sub || op == Op::Add || op == Op::FloorMod
                                                         ? std::fabs(a.reals[x]) + std::fabs(b.reals[y])
                                                         : 0);
        } else if (isComparison(op)) {
            result.integers[i] = compared(op, a.integers[x], b.integers[y]);
        } else {
            result.integers[i] = wrapped(integerOf(op, a.integers[x], b.integers[y]), a.dtype);
        }
    }
    return result;
}

ReferenceValue select(const ReferenceValue& condition, const ReferenceValue& a, const ReferenceValue& b) {
    const Sizes sizes = broadcastSizes(condition.sizes, broadcastSizes(a.sizes, b.sizes));
    ReferenceValue result = emptyValue(a.dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const Index index = indexOf(static_cast<std::int64_t>(i), sizes);
        const bool taken = condition.integers[broadcastSource(index, condition.sizes)] != 0;
        copyElement(result, i, taken ? a : b, broadcastSource(index, taken ? a.sizes : b.sizes));
    }
    return result;
}

ReferenceValue cast(const ReferenceValue& a, DType dtype) {
    ReferenceValue result = emptyValue(dtype, a.sizes);
    for (std::size_t i = 0; i < a.elements(); ++i) {
        const bool isReal = types::isFloating(a.dtype);
        if (types::isFloating(dtype)) {
            result.reals[i] = isReal ? a.reals[i] : static_cast<long double>(a.integers[i]);
            result.magnitudes[i] = std::fabs(result.reals[i]);
        } else if (dtype == DType::Bool) {
            result.integers[i] = isReal ? a.reals[i] != 0 : a.integers[i] != 0;
        } else {
            result.integers[i] = isReal ? integerFrom(a.reals[i], dtype) : wrapped(a.integers[i], dtype);
        }
    }
    return result;
}

ReferenceValue matMul(const ReferenceValue& a, const ReferenceValue& b, AttributeView attributes) {
    const bool transposeA = attributes.number(Attribute::TransposeA) != 0;
    const bool transposeB = attributes.number(Attribute::TransposeB) != 0;
    const std::size_t rankA = a.sizes.size();
    const std::size_t rankB = b.sizes.size();
    const std::size_t rank = std::max(rankA, rankB);
    const std::int64_t inner = a.sizes[rankA - (transposeA ? 2 : 1)];
    const auto placeIn = [&](const Sizes& sizes, const Index& at, std::int64_t row, std::int64_t column) {
        Index place;
        for (std::size_t axis = 0; axis + 2 < sizes.size(); ++axis)
            place.push_back(sizes[axis] == 1 ? 0 : at[rank - sizes.size() + axis]);
        place.insert(place.end(), {row, column});
        return flatOf(place, sizes);
    };
    Sizes sizes;
    for (std::size_t fromEnd = rank; fromEnd > 2; --fromEnd) {
        const std::int64_t ofA = fromEnd <= rankA ? a.sizes[rankA - fromEnd] : 1;
        sizes.push_back(ofA != 1 || fromEnd > rankB ? ofA : b.sizes[rankB - fromEnd]);
    }
    sizes.insert(sizes.end(), {a.sizes[rankA - (transposeA ? 1 : 2)], b.sizes[rankB - (transposeB ? 2 : 1)]});
    ReferenceValue result = emptyValue(a.dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const Index at = indexOf(static_cast<std::int64_t>(i), result.sizes);
        const std::int64_t row = at[rank - 2];
        const std::int64_t column = at[rank - 1];
        for (std::int64_t k = 0; k < inner; ++k) {
            const long double x =
                a.reals[transposeA ? placeIn(a.sizes, at, k, row) : placeIn(a.sizes, at, row, k)];
            const long double y =
                b.reals[transposeB ? placeIn(b.sizes, at, column, k) : placeIn(b.sizes, at, k, column)];
            result.reals[i] += x * y;
            result.magnitudes[i] += std::fabs(x * y);
        }
    }
    return result;
}

ReferenceValue transpose(const ReferenceValue& a, AttributeView attributes) {
    Sizes permutation(a.sizes.size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
    if (attributes.has(Attribute::Permutation))
        std::ranges::copy(attributes.list(Attribute::Permutation), permutation.begin());
    Sizes sizes(a.sizes.size());
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
        sizes[axis] = a.sizes[static_cast<std::size_t>(permutation[axis])];
    ReferenceValue result = emptyValue(a.dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const Index index = indexOf(static_cast<std::int64_t>(i), sizes);
        Index source(index.size());
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            source[static_cast<std::size_t>(permutation[axis])] = index[axis];
        copyElement(result, i, a, flatOf(source, a.sizes));
    }
    return result;
}

ReferenceValue broadcastTo(const ReferenceValue& a, Sizes sizes) {
    ReferenceValue result = emptyValue(a.dtype, std::move(sizes));
    for (std::size_t i = 0; i < result.elements(); ++i)
        copyElement(result, i, a,
                    broadcastSource(indexOf(static_cast<std::int64_t>(i), result.sizes), a.sizes));
    return result;
}

ReferenceValue reshape(const ReferenceValue& a, AttributeView attributes) {
    const auto wanted = attributes.list(Attribute::Shape);
    Sizes sizes(wanted.begin(), wanted.end());
    const auto open = std::ranges::find(sizes, -1);
    if (open != sizes.end()) {
        *open = 1;
        *open = static_cast<std::int64_t>(a.elements()) / product(sizes);
    }
    ReferenceValue result = emptyValue(a.dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i)
        copyElement(result, i, a, i);
    return result;
}

ReferenceValue concat(const std::vector<ReferenceValue>& inputs, AttributeView attributes) {
    Sizes sizes = inputs[0].sizes;
    const std::size_t axis = axisOf(attributes, sizes.size());
    for (std::size_t i = 1; i < inputs.size(); ++i)
        sizes[axis] += inputs[i].sizes[axis];
    ReferenceValue result = emptyValue(inputs[0].dtype, sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        Index index = indexOf(static_cast<std::int64_t>(i), sizes);
        std::size_t input = 0;
        while (index[axis] >= inputs[input].sizes[axis])
            index[axis] -= inputs[input++].sizes[axis];
        copyElement(result, i, inputs[input], flatOf(index, inputs[input].sizes));
    }
    return result;
}

ReferenceValue reshapeLike(const ReferenceValue& a, const ReferenceValue& like) {
    ReferenceValue result = emptyValue(a.dtype, like.sizes);
    for (std::size_t i = 0; i < result.elements(); ++i)
        copyElement(result, i, a, i);
    return result;
}

ReferenceValue sumLike(const ReferenceValue& a, const ReferenceValue& like) {
    ReferenceValue result = emptyValue(a.dtype, like.sizes);
    std::vector<Wide> sums(result.elements());
    for (std::size_t i = 0; i < a.elements(); ++i) {
        const std::size_t at = broadcastSource(indexOf(static_cast<std::int64_t>(i), a.sizes), like.sizes);
        if (types::isFloating(a.dtype)) {
            result.reals[at] += a.reals[i];
            result.magnitudes[at] += std::fabs(a.reals[i]);
        } else {
            sums[at] += a.integers[i];
        }
    }
    if (!types::isFloating(a.dtype)) {
        for (std::size_t at = 0; at < result.elements(); ++at)
            result.integers[at] = wrapped(sums[at], a.dtype);
    }
    return result;
}

ReferenceValue concatPart(const std::vector<ReferenceValue>& inputs, AttributeView attributes) {
    const ReferenceValue& whole = inputs[0];
    const auto part = static_cast<std::size_t>(attributes.number(Attribute::Index)) + 1;
    const std::size_t axis = axisOf(attributes, whole.sizes.size());
    ReferenceValue result = emptyValue(whole.dtype, inputs[part].sizes);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        Index index = indexOf(static_cast<std::int64_t>(i), result.sizes);
        for (std::size_t before = 1; before < part; ++before)
            index[axis] += inputs[before].sizes[axis];
        copyElement(result, i, whole, flatOf(index, whole.sizes));
    }
    return result;
}

ReferenceValue fill(const ReferenceValue& sizes, const ReferenceValue& value) {
    return broadcastTo(value, sizes.integers);
}

ReferenceValue shapeOf(const ReferenceValue& a) {
    ReferenceValue result = emptyValue(DType::Int64, {static_cast<std::int64_t>(a.sizes.size())});
    result.integers = a.sizes;
    return result;
}

ReferenceValue allOf(const ReferenceValue& like, int value) {
    ReferenceValue result = emptyValue(like.dtype, like.sizes);
    std::ranges::fill(result.reals, value);
    std::ranges::fill(result.integers, value);
    return result;
}

bool isClose(long double computed, long double expected, long double magnitude, DType dtype) {
    if (std::isnan(expected) || std::isnan(computed))
        return std::isnan(expected) && std::isnan(computed);
    if (std::isinf(computed) || std::isinf(expected)) {
        const long double largest =
            dtype == DType::Float32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
        return computed == expected ||
               (std::fabs(expected) > 0.9999L * largest && std::signbit(computed) == std::signbit(expected));
    }
    const long double epsilon = dtype == DType::Float32 ? 1.2e-7L : 2.3e-16L;
    const long double smallest = dtype == DType::Float32 ? 1e-37L : 1e-300L;
    return std::fabs(computed - expected) <=
           16 * epsilon * std::max(std::fabs(expected), magnitude) + smallest;
}

ReferenceValue rowsOf(const std::vector<ReferenceValue>& rows, DType dtype, Sizes sizes) {
    ReferenceValue whole = emptyValue(dtype, std::move(sizes));
    const std::size_t each = rows.empty() ? 0 : static_cast<std::size_t>(product(whole.sizes)) / rows.size();
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t i = 0; i < each && rows[row].dtype != DType::None; ++i)
            copyElement(whole, row * each + i, rows[row], i);
    }
    return whole;
}

ReferenceValue oneRow(const ReferenceValue& whole, std::int64_t row) {
    ReferenceValue item = emptyValue(whole.dtype, Sizes(whole.sizes.begin() + 1, whole.sizes.end()));
    const std::int64_t each = product(item.sizes);
    for (std::int64_t i = 0; i < each; ++i)
        copyElement(item, static_cast<std::size_t>(i), whole, static_cast<std::size_t>(row * each + i));
    return item;
}

ReferenceValue listOp(Op op, const std::vector<ReferenceValue>& inputs) {
    ReferenceValue list = inputs[0];
    list.dtype = DType::Variant;
    const auto integer = [&](std::size_t input) {
        return static_cast<std::size_t>(inputs[input].integers[0]);
    };
    if (op == Op::ListReserve) {
        list = ReferenceValue();
        list.dtype = DType::Variant;
        list.items.resize(integer(0));
    } else if (op == Op::ListFromTensor) {
        list = ReferenceValue();
        list.dtype = DType::Variant;
        for (std::int64_t row = 0; row < inputs[0].sizes[0]; ++row)
            list.items.push_back(oneRow(inputs[0], row));
    } else if (op == Op::ListLength) {
        ReferenceValue length = emptyValue(DType::Int64, {});
        length.integers[0] = static_cast<std::int64_t>(inputs[0].items.size());
        return length;
    } else if (op == Op::ListGet) {
        const bool isSet = integer(1) < list.items.size() && list.items[integer(1)].dtype != DType::None;
        return isSet ? list.items[integer(1)] : emptyValue(inputs[2].dtype, inputs[2].sizes);
    } else if (op == Op::ListSet) {
        list.items.resize(std::max(list.items.size(), integer(1) + 1));
        list.items[integer(1)] = inputs[2];
    } else if (op == Op::ListStack) {
        Sizes sizes = inputs.size() == 2 ? inputs[1].sizes : list.items[0].sizes;
        if (inputs.size() == 1)
            sizes.insert(sizes.begin(), static_cast<std::int64_t>(list.items.size()));
        list.items.resize(static_cast<std::size_t>(sizes[0]));
        return rowsOf(list.items, inputs.size() == 2 ? inputs[1].dtype : list.items[0].dtype, sizes);
    } else {
        const std::vector<ReferenceValue>& others = inputs[1].items;
        list.items.resize(std::max(list.items.size(), others.size()));
        for (std::size_t i = 0; i < others.size(); ++i) {
            ReferenceValue& item = list.items[i];
            if (item.dtype == DType::None || others[i].dtype == DType::None)
                item = item.dtype == DType::None ? others[i] : item;
            else
                item = computeReference(Op::Add, {item, others[i]}, {});
        }
    }
    return list;
}

ReferenceValue elementOf(std::vector<ReferenceValue> leaves) {
    ReferenceValue element;
    element.dtype = DType::Variant;
    element.items = std::move(leaves);
    return element;
}

/// Of a dataset all elements, of an element all tensors are items.
ReferenceValue datasetOp(Op op, const std::vector<ReferenceValue>& inputs, AttributeView attributes) {
    ReferenceValue made;
    made.dtype = DType::Resource;
    const auto number = [&](std::size_t input) { return inputs[input].integers[0]; };
    const std::vector<ReferenceValue>& items = inputs[0].items;
    const auto count = static_cast<std::int64_t>(items.size());
    switch (op) {
    case Op::DatasetRange:
        for (std::int64_t i = number(0); number(2) > 0 ? i < number(1) : i > number(1); i += number(2)) {
            ReferenceValue value = emptyValue(DType::Int64, {});
            value.integers[0] = i;
            made.items.push_back(elementOf({value}));
        }
        break;
    case Op::DatasetTensors:
        made.items.push_back(elementOf(inputs));
        break;
    case Op::DatasetSlices:
        for (std::int64_t row = 0; row < inputs[0].sizes[0]; ++row) {
            std::vector<ReferenceValue> leaves;
            for (const ReferenceValue& whole : inputs)
                leaves.push_back(oneRow(whole, row));
            made.items.push_back(elementOf(leaves));
        }
        break;
    case Op::DatasetBatch:
        for (std::int64_t first = 0; first < count; first += number(1)) {
            const std::int64_t size = std::min(number(1), count - first);
            if (size < number(1) && attributes.number(Attribute::DropRemainder) != 0)
                break;
            std::vector<ReferenceValue> leaves;
            for (std::size_t leaf = 0; leaf < items[0].items.size(); ++leaf) {
                std::vector<ReferenceValue> rows;
                for (std::int64_t i = first; i < first + size; ++i)
                    rows.push_back(items[static_cast<std::size_t>(i)].items[leaf]);
                Sizes sizes = rows[0].sizes;
                sizes.insert(sizes.begin(), size);
                leaves.push_back(rowsOf(rows, rows[0].dtype, sizes));
            }
            made.items.push_back(elementOf(leaves));
        }
        break;
    case Op::DatasetRepeat:
        for (std::int64_t pass = 0; pass < number(1); ++pass)
            made.items.insert(made.items.end(), items.begin(), items.end());
        break;
    case Op::DatasetTake:
        made.items.assign(items.begin(), items.begin() + std::min(count, number(1)));
        break;
    case Op::DatasetSkip:
        made.items.assign(items.begin() + std::min(count, number(1)), items.end());
        break;
    case Op::DatasetMap: // programs have one function for each of the two
        made.items = items;
        for (ReferenceValue& item : made.items)
            ++item.items.back().integers[0];
        break;
    case Op::DatasetFilter:
        for (const ReferenceValue& item : items)
            if (item.items.back().integers[0] < 5)
                made.items.push_back(item);
        break;
    case Op::DatasetZip:
        for (std::size_t i = 0; i < items.size(); ++i) {
            std::vector<ReferenceValue> leaves;
            for (const ReferenceValue& input : inputs)
                if (i < input.items.size())
                    leaves.insert(leaves.end(), input.items[i].items.begin(), input.items[i].items.end());
                else
                    return made;
            made.items.push_back(elementOf(leaves));
        }
        break;
    default:
        RETRACESCOPE_CHECK(op == Op::DatasetCardinality);
        made = emptyValue(DType::Int64, {});
        made.integers[0] = count;
    }
    return made;
}

} // namespace

std::size_t ReferenceValue::elements() const {
    return static_cast<std::size_t>(product(sizes));
}

ReferenceValue computeReference(Op op, const std::vector<ReferenceValue>& inputs, AttributeView attributes) {
    if (ir::opInfo(op).elementwise && op != Op::Select && op != Op::Cast)
        return elementwise(op, inputs[0], inputs.size() > 1 ? inputs[1] : inputs[0]);
    if (isMovementOp(op))
        return computeMovement(op, inputs, attributes);
    const auto shape = attributes.list(Attribute::Shape);
    switch (op) {
    case Op::Identity:
    case Op::StopGradient:
    case Op::CheckNumerics:
        return inputs[0];
    case Op::Select:
        return select(inputs[0], inputs[1], inputs[2]);
    case Op::Cast:
        return cast(inputs[0], static_cast<DType>(attributes.number(Attribute::DType)));
    case Op::MatMul:
        return matMul(inputs[0], inputs[1], attributes);
    case Op::Transpose:
        return transpose(inputs[0], attributes);
    case Op::Reshape:
        return reshape(inputs[0], attributes);
    case Op::BroadcastTo:
        return broadcastTo(inputs[0], Sizes(shape.begin(), shape.end()));
    case Op::Concat:
        return concat(inputs, attributes);
    case Op::ReduceSum:
    case Op::ReduceMean:
    case Op::ReduceMax:
    case Op::ReduceMin:
    case Op::ReduceProd:
    case Op::ReduceAny:
    case Op::ReduceAll:
        return reduce(op, inputs[0], attributes);
    case Op::ArgMax:
    case Op::ArgMin:
        return argBest(op, inputs[0], attributes);
    case Op::CumSum:
    case Op::CumProd:
        return cumulative(op, inputs[0], attributes);
    case Op::ReshapeLike:
        return reshapeLike(inputs[0], inputs[1]);
    case Op::SumLike:
        return sumLike(inputs[0], inputs[1]);
    case Op::ConcatPart:
        return concatPart(inputs, attributes);
    case Op::ShapeOf:
        return shapeOf(inputs[0]);
    case Op::Fill:
        return fill(inputs[0], inputs[1]);
    case Op::ListReserve:
    case Op::ListFromTensor:
    case Op::ListLength:
    case Op::ListGet:
    case Op::ListSet:
    case Op::ListStack:
    case Op::ListAdd:
        return listOp(op, inputs);
    case Op::DatasetRange:
    case Op::DatasetTensors:
    case Op::DatasetSlices:
    case Op::DatasetBatch:
    case Op::DatasetRepeat:
    case Op::DatasetTake:
    case Op::DatasetSkip:
    case Op::DatasetMap:
    case Op::DatasetFilter:
    case Op::DatasetZip:
    case Op::DatasetCardinality:
        return datasetOp(op, inputs, attributes);
    case Op::OnesLike:
        return allOf(inputs[0], 1);
    case Op::ZerosLike:
        return allOf(inputs[0], 0);
    default:
        RETRACESCOPE_CHECK(!"no pure op");
    }
}

namespace {

template <class T>
void readNumbers(const tensor::Tensor& tensor, ReferenceValue& value) {
    for (const T element : tensor.data<T>()) {
        if constexpr (std::is_floating_point_v<T>) {
            value.reals.push_back(element);
            value.magnitudes.push_back(std::fabs(static_cast<long double>(element)));
        } else {
            value.integers.push_back(static_cast<std::int64_t>(element));
        }
    }
}

} // namespace

ReferenceValue toReference(const tensor::Tensor& tensor) {
    ReferenceValue value;
    value.dtype = tensor.dtype();
    const auto sizes = tensor.shape().sizes();
    value.sizes.assign(sizes.begin(), sizes.end());
    switch (tensor.dtype()) {
    case DType::Bool:
        readNumbers<bool>(tensor, value);
        break;
    case DType::Int8:
        readNumbers<std::int8_t>(tensor, value);
        break;
    case DType::Int16:
        readNumbers<std::int16_t>(tensor, value);
        break;
    case DType::Int32:
        readNumbers<std::int32_t>(tensor, value);
        break;
    case DType::Int64:
        readNumbers<std::int64_t>(tensor, value);
        break;
    case DType::UInt8:
        readNumbers<std::uint8_t>(tensor, value);
        break;
    case DType::UInt16:
        readNumbers<std::uint16_t>(tensor, value);
        break;
    case DType::UInt32:
        readNumbers<std::uint32_t>(tensor, value);
        break;
    case DType::Float32:
        readNumbers<float>(tensor, value);
        break;
    case DType::Float64:
        readNumbers<double>(tensor, value);
        break;
    case DType::String:
        value.texts = tensor.values<std::string>();
        break;
    case DType::Variant:
        for (std::int64_t i = 0; i < tensor::listOf(tensor).size(); ++i) {
            const tensor::Tensor item = tensor::listOf(tensor).at(i);
            value.items.push_back(item.isEmpty() ? ReferenceValue() : toReference(item));
        }
        break;
    case DType::Resource: { // a dataset: all that it has
        if (std::dynamic_pointer_cast<runtime::ElementFunction>(tensor.target()) != nullptr)
            break;
        runtime::Iterator all(runtime::Dataset::of(tensor, ""));
        for (runtime::Element element; all.next(element);) {
            ReferenceValue& item = value.items.emplace_back();
            item.dtype = DType::Variant;
            for (const tensor::Tensor& leaf : element)
                item.items.push_back(toReference(leaf));
        }
        break;
    }
    default:
        RETRACESCOPE_CHECK(!"dtype unknown to the reference");
    }
    return value;
}

namespace {

std::string textOf(const ReferenceValue& value) {
    const std::vector<double> reals(value.reals.begin(), value.reals.end());
    return fmt::format("{}[{}] {}{}{}", types::dtypeName(value.dtype), fmt::join(value.sizes, ","),
                       value.integers, reals, value.texts);
}

std::string differenceOf(const ReferenceValue& got, const ReferenceValue& expected) {
    if (got.items.size() != expected.items.size())
        return fmt::format("has {} elements, expected {}", got.items.size(), expected.items.size());
    for (std::size_t i = 0; i < got.items.size(); ++i) {
        const bool isSet = expected.items[i].dtype != DType::None;
        const std::string found = (got.items[i].dtype != DType::None) != isSet
                                      ? "is set where it should not, or the other way round"
                                  : isSet ? differenceOf(got.items[i], expected.items[i])
                                          : "";
        if (!found.empty())
            return fmt::format("element {} {}", i, found);
    }
    if (got.dtype != expected.dtype || got.sizes != expected.sizes || got.integers != expected.integers ||
        got.texts != expected.texts)
        return fmt::format("is {}, expected {}", textOf(got), textOf(expected));
    for (std::size_t i = 0; i < expected.reals.size(); ++i) {
        if (!isClose(got.reals[i], expected.reals[i], expected.magnitudes[i], expected.dtype))
            return fmt::format("element {} is {}, expected {}", i, static_cast<double>(got.reals[i]),
                               static_cast<double>(expected.reals[i]));
    }
    return {};
}

} // namespace

std::string findDifference(const tensor::Tensor& computed, const ReferenceValue& expected) {
    return differenceOf(toReference(computed), expected);
}

} // namespace retracescope::test
