#include <retracescope/engine/nn/dynamic_rnn.h>

#include <tuple>

#include <fmt/format.h>

#include <retracescope/engine/trace/array_ops.h>
#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/loop.h>
#include <retracescope/engine/trace/tensor_array.h>

namespace retracescope::nn {

namespace {

using trace::TensorArray;
using types::DType;
using types::Shape;
using State = RecurrentCell::State;

void requireSequences(const Tensor& x, Where where) {
    trace::requireTensor("dynamic_rnn", x, where);
    const bool fits = types::isFloating(x.dtype()) && x.shape().hasRank() && x.shape().rank() == 3;
    if (!fits)
        trace::refuse("dynamic_rnn",
                      "expected floating [batch, time, features], got " + types::toText(x.type()), where);
}

void requireLengths(const Tensor& lengths, std::int64_t batch, Where where) {
    const Shape& shape = lengths.shape();
    const bool fits = trace::isIndex(lengths.dtype()) && shape.hasRank() && shape.rank() == 1 &&
                      (shape[0] == batch || shape[0] == Shape::kUnknown || batch == Shape::kUnknown);
    if (!fits)
        trace::refuse("dynamic_rnn",
                      fmt::format("expected lengths int32 or int64 [{}], one for each row, got {}",
                                  batch == Shape::kUnknown ? "batch" : std::to_string(batch),
                                  types::toText(lengths.type())),
                      where);
}

Tensor chosen(const Tensor& condition, const Tensor& a, const Tensor& b, Where where) {
    return trace::select({condition, where}, {a, where}, {b, where});
}

/// Which rows have a step `at`, as [batch, 1].
Tensor runningRows(const Tensor& at, const Tensor& lengths, std::int64_t batch, Where where) {
    const Tensor isRunning = trace::less({at, where}, {lengths, where});
    return batch == Shape::kUnknown ? trace::expandDims(isRunning, 1, where)
                                    : trace::reshape(isRunning, {batch, 1}, where);
}

/// Where a row has ended its state stays; `isRunning` is empty or [batch, 1].
State whileRunning(const Tensor& isRunning, const State& after, const State& before, Where where) {
    if (isRunning.isEmpty())
        return after;
    State result;
    for (std::size_t i = 0; i < after.size(); ++i)
        result.push_back(chosen(isRunning, after[i], before[i], where));
    return result;
}

} // namespace

RnnResult dynamicRnn(const RecurrentCell& cell, const Tensor& x, const RnnOptions& options, Where where) {
    requireSequences(x, where);
    const Tensor& lengths = options.lengths;
    if (!lengths.isEmpty())
        requireLengths(lengths, x.shape()[0], where);
    const Tensor steps = trace::transpose(x, {1, 0, 2}, where);
    const Tensor anyStep = trace::reduceSum(steps, {0}, false, where); // for its shape
    const RecurrentCell::Weights weights = cell.weightsFor(anyStep, where);
    const State initial =
        options.initialState.empty() ? cell.zeroState(anyStep, where) : options.initialState;
    cell.requireState(anyStep, initial, where);
    for (const Tensor& one : initial)
        if (!trace::mayAgree(one.shape(), {x.shape()[0], cell.units()}))
            trace::refuse("dynamic_rnn",
                          fmt::format("expected an initial state for each row of {}, got {}",
                                      types::toText(x.type()), types::toText(one.type())),
                          where);

    const DType counting = lengths.isEmpty() ? DType::Int32 : lengths.dtype();
    const Tensor start = trace::cast({trace::constant(0, where), where}, counting);
    const Tensor count = trace::stridedSlice(trace::shapeOf(steps, where), {0}, where);
    const Shape element{x.shape()[0], cell.units()};
    const auto [end, state, outputs] = trace::forEach(
        trace::Operand(steps, where),
        [&](const Tensor& input, const Tensor& at, const State& before, const TensorArray& so) {
            const State after = cell.step(input, before, weights, where);
            Tensor isRunning;
            Tensor output = after[0];
            if (!lengths.isEmpty()) {
                isRunning = runningRows(at, lengths, x.shape()[0], where);
                output = chosen(isRunning, output, trace::zerosLike(output, where), where);
            }
            return std::tuple(trace::add({at, where}, {1, where}),
                              whileRunning(isRunning, after, before, where),
                              so.write({at, where}, {output, where}));
        },
        std::tuple(start, initial, TensorArray(x.dtype(), {count, where}, {.elementShape = element})), {},
        where);
    return {trace::transpose(outputs.stack(where), {1, 0, 2}, where), state};
}

} // namespace retracescope::nn
