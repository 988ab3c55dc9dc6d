#pragma once

#include <retracescope/engine/trace/ops.h>

/// What neural networks are made of, written with the ops of ops.h and array_ops.h: as those they are eager
/// or traced and have gradients of every order. Floating dtypes; what does not fit throws UsageError.
namespace retracescope::trace {

/// exp(x) divided by its sum along `axis`; large numbers do no harm, as in all of these.
Tensor softmax(const Tensor& x, std::int64_t axis = -1, Where where = Where::current());
Tensor logSoftmax(const Tensor& x, std::int64_t axis = -1, Where where = Where::current());
/// log(sum(exp(x))) over `axes`, or over all.
Tensor logSumExp(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                 Where where = Where::current());
Tensor softplus(const Tensor& x, Where where = Where::current()); ///< log(1 + exp(x))

/// Per row of the last axis: how far the distribution softmax(logits) is from `labels`, a distribution
/// itself.
Tensor crossEntropyWithLogits(const Tensor& labels, const Tensor& logits, Where where = Where::current());
/// The same with the number of the one right class (int32 or int64) for each row.
Tensor sparseCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits,
                                    Where where = Where::current());
/// Element by element, for classes that do not exclude each other; labels from 0 to 1.
Tensor sigmoidCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits,
                                     Where where = Where::current());

/// Where a window over an image may lie: Valid inside only; Same also beyond the edges, as if there were
/// zeros, so that every stride has a result.
enum class WindowEdges : std::uint8_t { Valid, Same };

/// How a window goes over height and width.
struct Window {
    std::int64_t strideHeight = 1;
    std::int64_t strideWidth = 1;
    WindowEdges edges = WindowEdges::Valid;
    std::int64_t dilationHeight = 1; ///< distance of the window's neighbouring rows in the image
    std::int64_t dilationWidth = 1;
};

/// [batch, height, width, in] with filters [height, width, in, out] to [batch, ..., ..., out]. All sizes but
/// the batch are known while tracing. Staged as a product of matrices per place in the filter.
Tensor conv2d(const Tensor& x, const Tensor& filters, const Window& window = {},
              Where where = Where::current());
/// Filters [height, width, in, multiplier]: every channel by itself, to in * multiplier channels.
Tensor depthwiseConv2d(const Tensor& x, const Tensor& filters, const Window& window = {},
                       Where where = Where::current());
/// The greatest (mean) element of every window of `height` x `width`; what lies beyond the edges does not
/// count. The gradient of equal greatest elements goes to the first.
Tensor maxPool(const Tensor& x, std::int64_t height, std::int64_t width, const Window& window,
               Where where = Where::current());
Tensor averagePool(const Tensor& x, std::int64_t height, std::int64_t width, const Window& window,
                   Where where = Where::current());

} // namespace retracescope::trace
