#include <retracescope/engine/trace/neural_ops.h>

#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <retracescope/engine/trace/array_ops.h>
#include <retracescope/engine/trace/composed.h>

namespace retracescope::trace {

namespace {

using types::Shape;

void requireFloating(const char* op, const Tensor& x, Where where) {
    requireTensor(op, x, where);
    if (!types::isFloating(x.dtype()))
        refuse(op, fmt::format("expected a floating dtype, got {}", types::dtypeName(x.dtype())), where);
}

void requireLabels(const char* op, const Tensor& labels, const Tensor& logits, Where where) {
    requireFloating(op, logits, where);
    requireTensor(op, labels, where);
    if (labels.dtype() != logits.dtype())
        refuse(op,
               fmt::format("expected labels of {} as the logits are, got {}",
                           types::dtypeName(logits.dtype()), types::toText(labels.type())),
               where);
}

/// [batch, height, width, channels] of which all but the batch are known.
void requireImages(const char* op, const Tensor& x, Where where) {
    requireFloating(op, x, where);
    const Shape& shape = x.shape();
    if (!shape.hasRank() || shape.rank() != 4 || shape[1] == Shape::kUnknown || shape[2] == Shape::kUnknown ||
        shape[3] == Shape::kUnknown)
        refuse(op,
               "expected [batch, height, width, channels] of which all but the batch are known while "
               "tracing, got " +
                   types::toText(x.type()),
               where);
}

/// How a window lies along one axis of an image.
struct Track {
    std::int64_t places = 0; ///< results
    std::int64_t before = 0; ///< padding
    std::int64_t after = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
};

Track trackOf(const char* op, std::int64_t size, std::int64_t window, std::int64_t stride,
              std::int64_t dilation, WindowEdges edges, Where where) {
    if (stride < 1 || dilation < 1 || window < 1)
        refuse(op,
               fmt::format("expected window, stride and dilation from 1 on, got {}, {} and {}", window,
                           stride, dilation),
               where);
    constexpr std::int64_t kFar = std::int64_t{1} << 40; // more than any image, and sums of it are safe
    if (window > kFar || stride > kFar || dilation > kFar || window - 1 > kFar / dilation)
        refuse(op,
               fmt::format("a window of {}, {} apart, with stride {} is too large", window, dilation, stride),
               where);
    const std::int64_t reach = (window - 1) * dilation + 1;
    Track track{0, 0, 0, stride, dilation};
    if (edges == WindowEdges::Valid) {
        if (reach > size)
            refuse(op, fmt::format("a window over {} does not fit {} elements; use edges Same", reach, size),
                   where);
        track.places = (size - reach) / stride + 1;
        return track;
    }
    track.places = (size + stride - 1) / stride;
    const std::int64_t padding = std::max<std::int64_t>(0, (track.places - 1) * stride + reach - size);
    track.before = padding / 2;
    track.after = padding - track.before;
    return track;
}

/// The windows over images, taken apart: for each place in the window, what all windows have there.
class Windows {
public:
    Windows(const char* op, const Tensor& x, std::int64_t height, std::int64_t width, const Window& window,
            Where where)
        : m_where(where) {
        const Shape& shape = x.shape();
        m_rows =
            trackOf(op, shape[1], height, window.strideHeight, window.dilationHeight, window.edges, where);
        m_columns =
            trackOf(op, shape[2], width, window.strideWidth, window.dilationWidth, window.edges, where);
    }

    Tensor padded(const Tensor& x, double filling) const {
        const bool isInside = m_rows.before + m_rows.after + m_columns.before + m_columns.after == 0;
        if (isInside)
            return x;
        return pad(x, {{0, 0}, {m_rows.before, m_rows.after}, {m_columns.before, m_columns.after}, {0, 0}},
                   Operand(filling, m_where));
    }

    /// [batch, rows, columns, channels] of an image that is padded.
    Tensor at(const Tensor& padded, std::int64_t row, std::int64_t column) const {
        const auto along = [](const Track& track, std::int64_t place) {
            const std::int64_t begin = place * track.dilation;
            return Slice(begin, begin + (track.places - 1) * track.stride + 1, track.stride);
        };
        return stridedSlice(padded, {Slice(), along(m_rows, row), along(m_columns, column)}, m_where);
    }

    std::int64_t rows() const { return m_rows.places; }
    std::int64_t columns() const { return m_columns.places; }

private:
    Where m_where;
    Track m_rows;
    Track m_columns;
};

void requireFilters(const char* op, const Tensor& x, const Tensor& filters, Where where) {
    requireImages(op, x, where);
    requireTensor(op, filters, where);
    const bool fits = filters.dtype() == x.dtype() && filters.shape().isKnown() &&
                      filters.shape().rank() == 4 && filters.shape()[2] == x.shape()[3];
    if (!fits)
        refuse(op,
               fmt::format("expected {} filters [height, width, {}, ...] of known sizes, got {} for {}",
                           types::dtypeName(x.dtype()), x.shape()[3], types::toText(filters.type()),
                           types::toText(x.type())),
               where);
}

Tensor sumOfPlaces(std::int64_t height, std::int64_t width,
                   const std::function<Tensor(std::int64_t, std::int64_t)>& atPlace, Where where) {
    Tensor sum;
    for (std::int64_t row = 0; row < height; ++row) {
        for (std::int64_t column = 0; column < width; ++column) {
            const Tensor part = atPlace(row, column);
            sum = sum.isEmpty() ? part : add(Operand(sum, where), Operand(part, where));
        }
    }
    return sum;
}

/// What is taken off before exp(), which then stays in its range.
Tensor greatest(const Tensor& x, std::initializer_list<std::int64_t> axes, Where where) {
    return reduceMax(x, axes, true, where);
}

Tensor minus(const Tensor& a, const Tensor& b, Where where) {
    return subtract(Operand(a, where), Operand(b, where));
}

} // namespace

Tensor softmax(const Tensor& x, std::int64_t axis, Where where) {
    requireFloating("softmax", x, where);
    return composed("softmax", [&] {
        const Tensor powers = exp(Operand(minus(x, greatest(x, {axis}, where), where), where));
        return divide(Operand(powers, where), Operand(reduceSum(powers, {axis}, true, where), where));
    });
}

Tensor logSoftmax(const Tensor& x, std::int64_t axis, Where where) {
    requireFloating("log_softmax", x, where);
    return composed("log_softmax", [&] {
        const Tensor shifted = minus(x, greatest(x, {axis}, where), where);
        const Tensor sum = reduceSum(exp(Operand(shifted, where)), {axis}, true, where);
        return minus(shifted, log(Operand(sum, where)), where);
    });
}

Tensor logSumExp(const Tensor& x, std::initializer_list<std::int64_t> axes, bool keepDims, Where where) {
    requireFloating("log_sum_exp", x, where);
    return composed("log_sum_exp", [&] {
        const Tensor greatestOrInfinity = greatest(x, axes, where);
        const Operand isInfinite(equal(Operand(abs(Operand(greatestOrInfinity, where)), where),
                                       Operand(std::numeric_limits<double>::infinity(), where)),
                                 where);
        const Tensor most = select(isInfinite, Operand(0, where), Operand(greatestOrInfinity, where));
        const Tensor powers = exp(Operand(minus(x, most, where), where));
        const Tensor logarithm = log(Operand(reduceSum(powers, axes, true, where), where));
        const Tensor sum = add(Operand(logarithm, where), Operand(most, where));
        return keepDims ? sum : reduceSum(sum, axes, false, where); // over axes of size 1
    });
}

Tensor softplus(const Tensor& x, Where where) {
    requireFloating("softplus", x, where);
    const Tensor distance = negative(Operand(abs(Operand(x, where)), where));
    const Tensor rest = log1p(Operand(exp(Operand(distance, where)), where));
    return add(Operand(maximum(Operand(x, where), Operand(0, where)), where), Operand(rest, where));
}

Tensor crossEntropyWithLogits(const Tensor& labels, const Tensor& logits, Where where) {
    constexpr const char* kOp = "cross_entropy_with_logits";
    requireLabels(kOp, labels, logits, where);
    return composed(kOp, [&] {
        const Tensor each = multiply(Operand(labels, where), Operand(logSoftmax(logits, -1, where), where));
        return negative(Operand(reduceSum(each, {-1}, false, where), where));
    });
}

Tensor sparseCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits, Where where) {
    constexpr const char* kOp = "sparse_cross_entropy_with_logits";
    requireFloating(kOp, logits, where);
    requireTensor(kOp, labels, where);
    const bool hasClasses = !logits.shape().hasRank() || logits.shape().rank() >= 1;
    if (!isIndex(labels.dtype()) || !hasClasses || !mayAgree(labels.shape(), withoutLastAxis(logits.shape())))
        refuse(kOp,
               fmt::format("expected int32 or int64 labels, one for each row of floating logits [..., "
                           "classes], got {} and {}",
                           types::toText(labels.type()), types::toText(logits.type())),
               where);
    return composed(kOp, [&] {
        const Tensor places = expandDims(labels, -1, where);
        const Tensor chosen = gather(logSoftmax(logits, -1, where), Operand(places, where), -1, -1);
        return negative(Operand(squeeze(chosen, {-1}, where), where));
    });
}

/// Its slope at 0 is that of the side above.
Tensor sigmoidCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits, Where where) {
    constexpr const char* kOp = "sigmoid_cross_entropy_with_logits";
    requireLabels(kOp, labels, logits, where);
    return composed(kOp, [&] {
        const Operand all(logits, where);
        const Operand isPositive(greaterEqual(all, Operand(0, where)), where);
        const Tensor away = select(isPositive, Operand(negative(all), where), all);
        const Tensor above = select(isPositive, all, Operand(0, where));
        const Tensor rest = log1p(Operand(exp(Operand(away, where)), where));
        return add(Operand(minus(above, multiply(all, Operand(labels, where)), where), where),
                   Operand(rest, where));
    });
}

Tensor conv2d(const Tensor& x, const Tensor& filters, const Window& window, Where where) {
    requireFilters("conv2d", x, filters, where);
    const Shape& shape = filters.shape();
    const Windows windows("conv2d", x, shape[0], shape[1], window, where);
    const Tensor image = windows.padded(x, 0);
    const Tensor sum = sumOfPlaces(
        shape[0], shape[1],
        [&](std::int64_t row, std::int64_t column) {
            const Tensor pixels = reshape(windows.at(image, row, column), {-1, shape[2]}, where);
            return matmul(pixels, stridedSlice(filters, {Slice(row), Slice(column)}, where), false, false,
                          where);
        },
        where);
    return reshape(sum, {-1, windows.rows(), windows.columns(), shape[3]}, where);
}

Tensor depthwiseConv2d(const Tensor& x, const Tensor& filters, const Window& window, Where where) {
    requireFilters("depthwise_conv2d", x, filters, where);
    const Shape& shape = filters.shape();
    const Windows windows("depthwise_conv2d", x, shape[0], shape[1], window, where);
    const Tensor image = windows.padded(x, 0);
    const Tensor sum = sumOfPlaces(
        shape[0], shape[1],
        [&](std::int64_t row, std::int64_t column) {
            const Tensor pixels = expandDims(windows.at(image, row, column), -1, where);
            return multiply(Operand(pixels, where),
                            Operand(stridedSlice(filters, {Slice(row), Slice(column)}, where), where));
        },
        where);
    return reshape(sum, {-1, windows.rows(), windows.columns(), shape[2] * shape[3]}, where);
}

Tensor maxPool(const Tensor& x, std::int64_t height, std::int64_t width, const Window& window, Where where) {
    requireImages("max_pool", x, where);
    const Windows windows("max_pool", x, height, width, window, where);
    const Tensor image = windows.padded(x, -std::numeric_limits<double>::infinity());
    Tensor most;
    for (std::int64_t row = 0; row < height; ++row) {
        for (std::int64_t column = 0; column < width; ++column) {
            const Tensor here = windows.at(image, row, column);
            most = most.isEmpty() ? here : maximum(Operand(most, where), Operand(here, where));
        }
    }
    return most;
}

Tensor averagePool(const Tensor& x, std::int64_t height, std::int64_t width, const Window& window,
                   Where where) {
    requireImages("average_pool", x, where);
    const Windows windows("average_pool", x, height, width, window, where);
    const auto sumOf = [&](const Tensor& image) {
        return sumOfPlaces(
            height, width,
            [&](std::int64_t row, std::int64_t column) { return windows.at(image, row, column); }, where);
    };
    const Tensor sum = sumOf(windows.padded(x, 0));
    const bool isWhole = window.edges == WindowEdges::Valid;
    const Tensor count = isWhole ? Tensor() : sumOf(windows.padded(onesLike(x, where), 0));
    return divide(Operand(sum, where), isWhole ? Operand(height * width, where) : Operand(count, where));
}

} // namespace retracescope::trace
