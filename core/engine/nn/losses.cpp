#include <retracescope/engine/nn/losses.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/neural_ops.h>

namespace retracescope::nn {

namespace {

void requireAlike(const char* loss, const Tensor& labels, const Tensor& outputs, const char* what,
                  Where where) {
    trace::requireTensor(loss, labels, where);
    trace::requireTensor(loss, outputs, where);
    const bool fits = types::isFloating(outputs.dtype()) && labels.dtype() == outputs.dtype() &&
                      trace::mayAgree(labels.shape(), outputs.shape());
    if (!fits)
        trace::refuse(loss,
                      fmt::format("expected labels and {} of one floating dtype and shape, got {} and {}",
                                  what, types::toText(labels.type()), types::toText(outputs.type())),
                      where);
}

} // namespace

Tensor meanSquaredError(const Tensor& labels, const Tensor& predictions, Where where) {
    requireAlike("mean_squared_error", labels, predictions, "predictions", where);
    const Tensor error = trace::subtract({predictions, where}, {labels, where});
    return trace::reduceMean(trace::square({error, where}), {}, false, where);
}

Tensor categoricalCrossEntropy(const Tensor& labels, const Tensor& logits, Where where) {
    requireAlike("categorical_cross_entropy", labels, logits, "logits", where);
    return trace::composed("categorical_cross_entropy", [&] {
        return trace::reduceMean(trace::crossEntropyWithLogits(labels, logits, where), {}, false, where);
    });
}

Tensor sparseCategoricalCrossEntropy(const Tensor& labels, const Tensor& logits, Where where) {
    return trace::composed("sparse_categorical_cross_entropy", [&] {
        return trace::reduceMean(trace::sparseCrossEntropyWithLogits(labels, logits, where), {}, false,
                                 where);
    });
}

Tensor binaryCrossEntropy(const Tensor& labels, const Tensor& logits, Where where) {
    requireAlike("binary_cross_entropy", labels, logits, "logits", where);
    return trace::reduceMean(trace::sigmoidCrossEntropyWithLogits(labels, logits, where), {}, false, where);
}

} // namespace retracescope::nn
