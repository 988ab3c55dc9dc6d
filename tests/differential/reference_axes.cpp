#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/differential/reference_parts.h"

namespace retracescope::test {

using ir::Attribute;
using ir::AttributeView;
using ir::Op;
using types::DType;

namespace {

Wide startOf(Op op, DType dtype) {
    const bool isUnsigned = dtype >= DType::UInt8 && dtype <= DType::UInt64;
    const int bits = static_cast<int>(types::dtypeBytes(dtype)) * 8;
    if (op == Op::ReduceMax)
        return isUnsigned ? 0 : -(Wide{1} << (bits - 1));
    if (op == Op::ReduceMin)
        return (Wide{1} << (isUnsigned ? bits : bits - 1)) - 1;
    return op == Op::ReduceProd || op == Op::ReduceAll;
}

long double realStartOf(Op op) {
    const long double infinity = std::numeric_limits<long double>::infinity();
    if (op == Op::ReduceMax || op == Op::ReduceMin)
        return op == Op::ReduceMax ? -infinity : infinity;
    return op == Op::ReduceProd;
}

bool isNan(long double value) {
    return std::isnan(value);
}
bool isNan(Wide) {
    return false;
}

template <class T>
T combined(Op op, T a, T b) {
    switch (op) {
    case Op::ReduceMax:
        return isNan(a) || (!isNan(b) && a > b) ? a : b;
    case Op::ReduceMin:
        return isNan(a) || (!isNan(b) && a < b) ? a : b;
    case Op::ReduceProd:
        return a * b;
    case Op::ReduceAny:
        return a != 0 || b != 0;
    case Op::ReduceAll:
        return a != 0 && b != 0;
    default:
        return a + b;
    }
}

/// What rounding errors are proportional to after one more element: of a sum all that was added up, of a
/// product the number of factors.
long double magnitudeAfter(Op op, long double before, long double element, long double result,
                           std::int64_t count) {
    if (op == Op::ReduceSum || op == Op::ReduceMean)
        return before + std::fabs(element);
    return std::fabs(result) * (op == Op::ReduceProd ? 1 + static_cast<long double>(count) / 16 : 1);
}

} // namespace

ReferenceValue reduce(Op op, const ReferenceValue& a, AttributeView attributes) {
    std::vector<bool> reduced(a.sizes.size(), !attributes.has(Attribute::Axes));
    for (const std::int64_t axis : attributes.list(Attribute::Axes))
        reduced[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(a.sizes.size())
                                                  : axis)] = true;
    Sizes kept;
    Sizes sizes;
    for (std::size_t axis = 0; axis < a.sizes.size(); ++axis) {
        kept.push_back(reduced[axis] ? 1 : a.sizes[axis]);
        if (!reduced[axis] || attributes.number(Attribute::KeepDims) != 0)
            sizes.push_back(kept.back());
    }
    ReferenceValue result = emptyValue(a.dtype, sizes);
    const bool isReal = types::isFloating(a.dtype);
    std::vector<std::int64_t> counts(result.elements());
    std::vector<Wide> totals(result.elements(), startOf(op, a.dtype));
    if (isReal)
        std::ranges::fill(result.reals, realStartOf(op));
    for (std::size_t i = 0; i < a.elements(); ++i) {
        Index index = indexOf(static_cast<std::int64_t>(i), a.sizes);
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            index[axis] = reduced[axis] ? 0 : index[axis];
        const std::size_t at = flatOf(index, kept);
        ++counts[at];
        if (!isReal) {
            totals[at] = combined(op, totals[at], Wide{a.integers[i]});
            if (op == Op::ReduceProd)
                totals[at] = wrapped(totals[at], a.dtype);
            continue;
        }
        result.reals[at] = combined(op, result.reals[at], a.reals[i]);
        result.magnitudes[at] =
            magnitudeAfter(op, result.magnitudes[at], a.reals[i], result.reals[at], counts[at]);
    }
    for (std::size_t at = 0; at < result.elements(); ++at) {
        if (op == Op::ReduceMean && isReal)
            result.reals[at] = counts[at] == 0 ? std::nanl("") : result.reals[at] / counts[at];
        if (!isReal) {
            result.integers[at] = wrapped(totals[at], a.dtype);
            if (op == Op::ReduceMean && counts[at] != 0)
                result.integers[at] /= counts[at];
        }
    }
    return result;
}

ReferenceValue argBest(Op op, const ReferenceValue& a, AttributeView attributes) {
    const std::size_t axis = axisOf(attributes, a.sizes.size());
    Sizes kept = a.sizes;
    kept[axis] = 1;
    ReferenceValue result = emptyValue(DType::Int64, kept);
    const auto isBetter = [&](std::size_t now, std::size_t so) {
        if (!types::isFloating(a.dtype))
            return op == Op::ArgMax ? a.integers[now] > a.integers[so] : a.integers[now] < a.integers[so];
        const long double x = a.reals[now];
        const long double y = a.reals[so];
        return !std::isnan(y) && (std::isnan(x) || (op == Op::ArgMax ? x > y : x < y));
    };
    for (std::size_t at = 0; at < result.elements(); ++at) {
        Index index = indexOf(static_cast<std::int64_t>(at), kept);
        std::size_t best = flatOf(index, a.sizes);
        for (std::int64_t i = 1; i < a.sizes[axis]; ++i) {
            index[axis] = i;
            if (isBetter(flatOf(index, a.sizes), best)) {
                best = flatOf(index, a.sizes);
                result.integers[at] = i;
            }
        }
    }
    if (attributes.number(Attribute::KeepDims) == 0)
        result.sizes.erase(result.sizes.begin() + static_cast<std::ptrdiff_t>(axis));
    return result;
}

/// Every total anew from its definition.
ReferenceValue cumulative(Op op, const ReferenceValue& a, AttributeView attributes) {
    const std::size_t axis = axisOf(attributes, a.sizes.size());
    const bool exclusive = attributes.number(Attribute::Exclusive) != 0;
    const bool reverse = attributes.number(Attribute::Reverse) != 0;
    const Op reduction = op == Op::CumSum ? Op::ReduceSum : Op::ReduceProd;
    ReferenceValue result = emptyValue(a.dtype, a.sizes);
    for (std::size_t at = 0; at < result.elements(); ++at) {
        Index index = indexOf(static_cast<std::int64_t>(at), a.sizes);
        const std::int64_t own = index[axis];
        long double real = realStartOf(reduction);
        Wide whole = startOf(reduction, a.dtype);
        long double magnitude = 0;
        for (std::int64_t step = 0; step < a.sizes[axis]; ++step) {
            const std::int64_t i = reverse ? a.sizes[axis] - 1 - step : step;
            const bool counts = (reverse ? i > own : i < own) || (i == own && !exclusive);
            if (!counts)
                continue;
            index[axis] = i;
            const std::size_t from = flatOf(index, a.sizes);
            if (types::isFloating(a.dtype)) {
                real = combined(reduction, real, a.reals[from]);
                magnitude = magnitudeAfter(reduction, magnitude, a.reals[from], real, step);
            } else {
                whole = wrapped(combined(reduction, whole, Wide{a.integers[from]}), a.dtype);
            }
        }
        if (types::isFloating(a.dtype)) {
            result.reals[at] = real;
            result.magnitudes[at] = magnitude;
        } else {
            result.integers[at] = wrapped(whole, a.dtype);
        }
    }
    return result;
}

} // namespace retracescope::test
