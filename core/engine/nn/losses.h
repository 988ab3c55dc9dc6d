#pragma once

#include <retracescope/engine/trace/ops.h>

/// How wrong a model is: scalars, the mean over all examples. Labels first, as in the field. Shapes must
/// agree and never broadcast ([n] beside [n, 1] would make [n, n]): what does not fit throws UsageError with
/// both.
namespace retracescope::nn {

using tensor::Tensor;
using trace::Where;

/// The mean of the squared differences; labels and predictions of one floating dtype and shape.
Tensor meanSquaredError(const Tensor& labels, const Tensor& predictions, Where where = Where::current());
/// Classes that exclude each other; labels [..., classes] are distributions, logits what softmax() takes.
Tensor categoricalCrossEntropy(const Tensor& labels, const Tensor& logits, Where where = Where::current());
/// The same with the number of the right class, int32 or int64, for each row of logits [..., classes].
Tensor sparseCategoricalCrossEntropy(const Tensor& labels, const Tensor& logits,
                                     Where where = Where::current());
/// Classes that do not exclude each other: labels from 0 to 1, logits what sigmoid() takes; one dtype and
/// shape.
Tensor binaryCrossEntropy(const Tensor& labels, const Tensor& logits, Where where = Where::current());

} // namespace retracescope::nn
