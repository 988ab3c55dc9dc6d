#include <retracescope/engine/nn/losses.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/neural_ops.h>

namespace retracescope::nn {

namespace {

using types::DType;
using types::Shape;

/// Whether one shape may turn out to be the other when it runs.
bool mayAgree(const Shape& a, const Shape& b) {
    if (!a.hasRank() || !b.hasRank())
        return true;
    if (a.rank() != b.rank())
        return false;
    for (int axis = 0; axis < a.rank(); ++axis)
        if (a[axis] != b[axis] && a[axis] != Shape::kUnknown && b[axis] != Shape::kUnknown)
            return false;
    return true;
}

void requireAlike(const char* loss, const Tensor& labels, const Tensor& outputs, const char* what,
                  Where where) {
    const bool fits = types::isFloating(outputs.dtype()) && labels.dtype() == outputs.dtype() &&
                      mayAgree(labels.shape(), outputs.shape());
    if (!fits)
        trace::refuse(loss,
                      fmt::format("expected labels and {} of one floating dtype and shape, got {} and {}",
                                  what, types::toText(labels.type()), types::toText(outputs.type())),
                      where);
}

Shape withoutLastAxis(const Shape& shape) {
    return shape.hasRank() ? Shape(shape.sizes().first(shape.sizes().size() - 1)) : shape;
}

} // namespace

Tensor meanSquaredError(const Tensor& labels, const Tensor& predictions, Where where) {
    requireAlike("mean_squared_error", labels, predictions, "predictions", where);
    const Tensor error = trace::subtract({predictions, where}, {labels, where});
    return trace::reduceMean(trace::square({error, where}), {}, false, where);
}

Tensor categoricalCrossEntropy(const Tensor& labels, const Tensor& logits, Where where) {
    requireAlike("categorical_cross_entropy", labels, logits, "logits", where);
    return trace::reduceMean(trace::crossEntropyWithLogits(labels, logits, where), {}, false, where);
}

Tensor sparseCategoricalCrossEntropy(const Tensor& labels, const Tensor& logits, Where where) {
    const bool isIndex = labels.dtype() == DType::Int32 || labels.dtype() == DType::Int64;
    const bool hasClasses = !logits.shape().hasRank() || logits.shape().rank() >= 1;
    const bool fits = isIndex && types::isFloating(logits.dtype()) && hasClasses &&
                      mayAgree(labels.shape(), withoutLastAxis(logits.shape()));
    if (!fits)
        trace::refuse("sparse_categorical_cross_entropy",
                      fmt::format("expected int32 or int64 labels, one for each row of floating logits [..., "
                                  "classes], got {} and {}",
                                  types::toText(labels.type()), types::toText(logits.type())),
                      where);
    return trace::reduceMean(trace::sparseCrossEntropyWithLogits(labels, logits, where), {}, false, where);
}

Tensor binaryCrossEntropy(const Tensor& labels, const Tensor& logits, Where where) {
    requireAlike("binary_cross_entropy", labels, logits, "logits", where);
    return trace::reduceMean(trace::sigmoidCrossEntropyWithLogits(labels, logits, where), {}, false, where);
}

} // namespace retracescope::nn
