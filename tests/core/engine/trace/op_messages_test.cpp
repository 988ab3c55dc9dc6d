#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/misuse.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;
using test::Misuse;

namespace {

Tensor floats(std::initializer_list<std::int64_t> shape) {
    return zeros(Shape(std::vector<std::int64_t>(shape)));
}
Tensor integers(std::initializer_list<std::int64_t> shape) {
    return cast(floats(shape), DType::Int32);
}
Tensor bools(std::initializer_list<std::int64_t> shape) {
    return cast(floats(shape), DType::Bool);
}
Tensor doubles(std::initializer_list<std::int64_t> shape) {
    return cast(floats(shape), DType::Float64);
}

/// Wrong dtypes, ranks, sizes and axes of the ops that are written with other ops.
std::vector<Misuse> misuses() {
    const auto seed = [] { return constant({1, 2}); };
    const Window same{.edges = WindowEdges::Same};
    return {
        {"[logical_xor] expected bool, got float32", [] { logicalXor(floats({2}), bools({2})); }},
        {"[logical_xor] shapes do not broadcast: [2] with [3]", [] { logicalXor(bools({2}), bools({3})); }},
        {"[is_nan] expected numbers, got bool", [] { isNan(bools({2})); }},
        {"[mod] dtypes differ: int32 and float32", [] { mod(integers({2}), floats({2})); }},
        {"[mod] a host float32 does not become int32", [] { mod(integers({2}), 2.0f); }},
        {"[mul] the host number 1e+300 does not fit into float32", [] { floats({2}) * 1e300; }},
        {"[maximum] the host number 1e+300 does not fit into float32", [] { maximum(floats({2}), 1e300); }},
        {"[select] a host float32 does not become int32", [] { select(bools({2}), integers({2}), 2.0f); }},
        {"[where] expected a bool condition, got float32",
         [] { where(floats({2}), floats({2}), floats({2})); }},
        {"[where] expected bool, got float32", [] { where(floats({2})); }},

        {"[linspace] expected a count from 0 on, got -1", [] { linspace(0.0f, 1.0f, -1); }},
        {"[reduce_sum] axis 1 is named twice",
         [] {
             reduceSum(floats({2, 3}), {1, -1});
         }},
        {"[stack] expected parts of one dtype and shape, got float32[2] and float32[3]",
         [] {
             stack({floats({2}), floats({3})});
         }},
        {"[stack] expected parts of one dtype and shape, got float32[2] and int32[2]",
         [] {
             stack({floats({2}), integers({2})});
         }},
        {"[stack] axis 2 is not one of the 2 axes",
         [] {
             stack({floats({2}), floats({2})}, 2);
         }},
        {"[stack] expected at least one part, got none", [] { stack(std::span<const Tensor>()); }},
        {"[stack] expected a tensor, got an empty one",
         [] {
             stack({floats({2}), Tensor()});
         }},
        {"[unstack] axis 1 is not one of the 1 axes", [] { unstack(floats({2}), 1); }},
        {"[split] axis 0 of float32[5] does not split into 2 equal parts", [] { split(floats({5}), 2); }},
        {"[split] axis 3 is not one of the 1 axes", [] { split(floats({5}), 5, 3); }},
        {"[split] sizes of 4 elements do not make up axis 0 of float32[5]",
         [] {
             split(floats({5}), {1, 3});
         }},
        {"[slice] expected a begin from 0 on and a size for every axis of float32[5]",
         [] {
             slice(floats({5}), {0, 0}, {1, 1});
         }},
        {"[reverse] axis 1 is not one of the 1 axes", [] { reverse(floats({2}), {1}); }},
        {"[one_hot] expected indices of int32 or int64, got float32[2]", [] { oneHot(floats({2}), 3); }},
        {"[one_hot] expected a dtype of numbers, got string",
         [] { oneHot(integers({2}), 3, DType::String); }},
        {"[eye] expected a dtype of numbers, got string", [] { eye(2, 2, DType::String); }},
        {"[sort] expected numbers, got bool", [] { sort(bools({2})); }},
        {"[sort] expected at least one axis, got a scalar", [] { sort(floats({})); }},
        {"[sort] axis 2 is not one of the 2 axes",
         [] {
             sort(floats({2, 2}), false, 2);
         }},
        {"[arg_sort] axis 2 is not one of the 2 axes",
         [] {
             argSort(floats({2, 2}), false, 2);
         }},
        {"[top_k] expected numbers, got bool", [] { topK(bools({2}), 1); }},
        {"[top_k] expected at least one axis, got float32[]", [] { topK(floats({}), 1); }},
        {"[top_k] float32[2] has no 3 elements in its last axis", [] { topK(floats({2}), 3); }},
        {"[linspace] expected a floating dtype, got int32", [] { linspace(0, 1, 3); }},
        {"[linspace] expected an integer scalar as count, got float32[]", [] { linspace(0.0f, 1.0f, 2.5f); }},
        {"[linspace] dtypes differ: float64 and float32", [] { linspace(floats({}), doubles({}), 3); }},
        {"[boolean_mask] expected a bool vector as mask, got int32[2]",
         [] { booleanMask(floats({2}), integers({2})); }},
        {"[boolean_mask] expected a bool vector as mask, got bool[2,2]",
         [] {
             booleanMask(floats({2, 2}), bools({2, 2}));
         }},
        {"[boolean_mask] expected a mask with an element for each of the 3 slices of float32[3,2], got "
         "bool[2]",
         [] {
             booleanMask(floats({3, 2}), bools({2}));
         }},
        {"[segment_sum] expected an int32 or int64 id for each slice of float32[4,3], got int32[2]",
         [] {
             segmentSum(floats({4, 3}), integers({2}), 2);
         }},
        {"[segment_sum] expected an int32 or int64 id for each slice of float32[4], got float32[4]",
         [] { segmentSum(floats({4}), floats({4}), 2); }},
        {"[segment_sum] expected numbers, got bool[4]", [] { segmentSum(bools({4}), integers({4}), 2); }},
        {"[segment_sum] expected a count from 0 on, got -1",
         [] { segmentSum(floats({4}), integers({4}), -1); }},

        {"[reshape] expected sizes from 0 on and perhaps one of -1, got [-2,2]",
         [] {
             reshape(floats({4}), {-2, 2});
         }},
        {"[reverse] axis 0 is named twice",
         [] {
             reverse(floats({2}), {0, -1});
         }},
        {"[fill] a size is negative: [2,-1]",
         [] {
             fill(constant({2, -1}), 1.0f);
         }},
        {"[zeros_like] expected numbers or bools, got string", [] { zerosLike(constant("a")); }},

        // sizes and their products beyond what an integer holds
        {"[reshape] 0 elements of [0] do not fill [1099511627776,1099511627776]",
         [] {
             reshape(floats({0}), {std::int64_t{1} << 40, std::int64_t{1} << 40});
         }},
        {"[tensor] float32[1099511627776,1099511627776] does not fit into memory",
         [] {
             floats({std::int64_t{1} << 40, std::int64_t{1} << 40});
         }},
        {"[slice] 4611686018427387904 elements from 4611686018427387904 on are not in axis 0 of float32[4]",
         [] { slice(floats({4}), {std::int64_t{1} << 62}, {std::int64_t{1} << 62}); }},
        {"[one_hot] int64[4611686018427387904] does not fit into memory",
         [] { oneHot(integers({2}), std::int64_t{1} << 62); }},
        {"[eye] int64[1099511627776] does not fit into memory", [] { eye(std::int64_t{1} << 40); }},
        {"[conv2d] a window of 2, 4611686018427387904 apart, with stride 1 is too large",
         [] {
             conv2d(floats({1, 4, 4, 1}), floats({2, 2, 1, 1}), {.dilationHeight = std::int64_t{1} << 62});
         }},
        {"[max_pool] a window of 1073741824, 1099511627776 apart, with stride 1 is too large",
         [] {
             maxPool(floats({1, 4, 4, 1}), 1 << 30, 1, {.dilationHeight = std::int64_t{1} << 40});
         }},
        {"[conv2d] a window of 2, 1 apart, with stride 9223372036854775807 is too large",
         [] {
             conv2d(floats({1, 4, 4, 1}), floats({2, 2, 1, 1}),
                    {.strideHeight = std::numeric_limits<std::int64_t>::max()});
         }},
        {"[tile] an axis of 4 x 4611686018427387904 elements is too long",
         [] { tile(floats({4}), {std::int64_t{1} << 62}); }},
        {"[pad] an axis of 4611686018427387906 + 4611686018427387904 elements is too long",
         [] {
             pad(floats({2}), {{std::int64_t{1} << 62, std::int64_t{1} << 62}});
         }},

        {"[strided_slice] expected at most 1 slice for [5], got 2",
         [] {
             stridedSlice(floats({5}), {Slice(1), Slice(2)});
         }},
        {"[strided_slice] expected at most 2 slices, one for each axis, for [5,6], got 3",
         [] {
             stridedSlice(floats({5, 6}), {Slice(1), Slice(2), Slice(3)});
         }},
        {"[softmax] expected a floating dtype, got int32", [] { softmax(integers({2})); }},
        {"[softmax] axis 2 is not one of the 1 axes", [] { softmax(floats({2}), 2); }},
        {"[softmax] axis -1 is not one of the 0 axes", [] { softmax(floats({})); }},
        {"[softmax] expected a tensor, got an empty one", [] { softmax(Tensor()); }},
        {"[log_softmax] axis 2 is not one of the 1 axes", [] { logSoftmax(floats({2}), 2); }},
        {"[log_sum_exp] axis 2 is not one of the 1 axes", [] { logSumExp(floats({2}), {2}); }},
        {"[softplus] expected a floating dtype, got bool", [] { softplus(bools({2})); }},
        {"[cross_entropy_with_logits] shapes do not broadcast: [2,3] with [2,4]",
         [] {
             crossEntropyWithLogits(floats({2, 3}), floats({2, 4}));
         }},
        {"[cross_entropy_with_logits] expected labels of float32 as the logits are, got int32[2,3]",
         [] {
             crossEntropyWithLogits(integers({2, 3}), floats({2, 3}));
         }},
        {"[sparse_cross_entropy_with_logits] expected int32 or int64 labels, one for each row",
         [] {
             sparseCrossEntropyWithLogits(integers({3}), floats({2, 3}));
         }},
        {"[sparse_cross_entropy_with_logits] expected int32 or int64 labels, one for each row",
         [] {
             sparseCrossEntropyWithLogits(floats({2}), floats({2, 3}));
         }},
        {"[sigmoid_cross_entropy_with_logits] shapes do not broadcast: [2,4] with [2,3]",
         [] {
             sigmoidCrossEntropyWithLogits(floats({2, 3}), floats({2, 4}));
         }},
        {"[conv2d] expected [batch, height, width, channels] of which all but the batch are known while "
         "tracing, got float32[8,8,3]",
         [] {
             conv2d(floats({8, 8, 3}), floats({3, 3, 3, 1}));
         }},
        {"[conv2d] expected float32 filters [height, width, 3, ...] of known sizes, got float64[3,3,3,1]",
         [] {
             conv2d(floats({1, 8, 8, 3}), doubles({3, 3, 3, 1}));
         }},
        {"[conv2d] expected window, stride and dilation from 1 on, got 3, 0 and 1",
         [] {
             conv2d(floats({1, 8, 8, 3}), floats({3, 3, 3, 1}), {.strideHeight = 0});
         }},
        {"[depthwise_conv2d] expected float32 filters [height, width, 3, ...] of known sizes, got "
         "float32[3,3]",
         [] {
             depthwiseConv2d(floats({1, 8, 8, 3}), floats({3, 3}));
         }},
        {"[max_pool] expected a floating dtype, got int32",
         [=] {
             maxPool(integers({1, 8, 8, 3}), 2, 2, same);
         }},
        {"[average_pool] expected [batch, height, width, channels]",
         [=] {
             averagePool(floats({8, 8}), 2, 2, same);
         }},

        {"[random_uniform] expected float32 or float64, got int32",
         [] { randomUniform({2}, 0, 1, DType::Int32); }},
        {"[random_uniform] expected sizes as an int32 or int64 vector, got float32[1]",
         [] { randomUniform(floats({1})); }},
        {"[Extent] expected sizes from 0 on, got [2,-1]",
         [] {
             randomNormal({2, -1});
         }},
        {"[Extent] expected a shape whose sizes are known, got [None]",
         [] { randomNormal(Shape{Shape::kUnknown}); }},
        {"[random_normal] expected sizes as an int32 or int64 vector, got int32[]",
         [] { randomNormal(integers({})); }},
        {"[random_truncated_normal] expected float32 or float64, got string",
         [] { randomTruncatedNormal({2}, 0, 1, DType::String); }},
        {"[random_integers] expected a range with elements that int8 holds, got 0 to below 200",
         [] { randomIntegers({2}, 0, 200, DType::Int8); }},
        {"[random_shuffle] expected at least one axis, got float32[]", [] { randomShuffle(floats({})); }},
        {"[dropout] expected float32 or float64, got int32", [] { dropout(integers({2}), 0.5); }},
        {"[dropout] expected a rate from 0 to below 1, got 1", [] { dropout(floats({2}), 1); }},
        {"[stateless_uniform] expected a seed int32[2] or int64[2], got int32[3]",
         [] { statelessUniform({2}, integers({3})); }},
        {"[stateless_normal] expected a seed int32[2] or int64[2], got float32[2]",
         [] { statelessNormal({2}, floats({2})); }},
        {"[stateless_truncated_normal] expected a seed", [] { statelessTruncatedNormal({2}, integers({})); }},
        {"[stateless_integers] expected a seed", [] { statelessIntegers({2}, floats({2}), 0, 5); }},
        {"[stateless_shuffle] expected a seed", [] { statelessShuffle(floats({2}), floats({2})); }},
        {"[stateless_dropout] expected a seed", [] { statelessDropout(floats({2}), 0.5, floats({2})); }},
        {"[stateless_uniform] expected float32 or float64, got int64",
         [=] { statelessUniform({2}, seed(), 0, 1, DType::Int64); }},

        {"[mapRows] expected float32 from the function, got bool[]; say its dtype",
         [] { mapRows(floats({2}), [](Tensor row) { return row > 1.0f; }); }},
        {"[mapRows] expected one row or more, got float32[0,3]",
         [] {
             mapRows(floats({0, 3}), [](Tensor row) { return row; });
         }},
        {"[scan] expected one row or more, got float32[0]",
         [] {
             scan(
                 floats({0}), [](Tensor sum, Tensor row) { return sum + row; }, constant(0.0f));
         }},
        {"[mapRows] expected a tensor with a leading axis",
         [] { mapRows(floats({}), [](Tensor x) { return x; }); }},
        {"[TensorArray] expected a size as an int32 or int64 scalar, got float32[]",
         [] { TensorArray(DType::Float32, 2.5f); }},
        {"[TensorArray.write] expected float32",
         [] { static_cast<void>(TensorArray(DType::Float32, 2).write(0, integers({}))); }},
        {"[TensorArray.write] expected an index as an int32 or int64 scalar, got float32[]",
         [] { static_cast<void>(TensorArray(DType::Float32, 2).write(floats({}), floats({}))); }},
        {"[TensorArray.read] expected an index as an int32 or int64 scalar, got int32[2]",
         [] { TensorArray(DType::Float32, 2).read(integers({2})); }},
        {"[TensorArray.unstack] expected a tensor with a leading axis, got float32[]",
         [] { TensorArray::unstack(floats({})); }},

        {"[dense] expected floating [batch, ..., features], got int32[2,3]",
         [] {
             nn::Dense(2)(integers({2, 3}));
         }},
        {"[dense] expected floating [batch, ..., features], got float32[3]",
         [] { nn::Dense(2)(floats({3})); }},
        {"[dense] expected a tensor, got an empty one", [] { nn::Dense(2)(Tensor()); }},
        {"[edges] a window over 3 does not fit 2 elements; use edges Same",
         [] {
             nn::Conv2D(2, 3, {.name = "edges"})(floats({1, 2, 8, 3}));
         }},
        {"[lstm_cell] expected floating [batch, features], got float32[3]",
         [] {
             const nn::LSTMCell cell(2);
             cell(floats({3}), {});
         }},
        {"[gru_cell] expected a state of 1 x float32[batch, 2], got float32[1,3]",
         [] {
             const nn::GRUCell cell(2);
             cell(floats({1, 4}), {floats({1, 3})});
         }},
        {"[dynamic_rnn] expected floating [batch, time, features], got float32[2,3]",
         [] {
             nn::dynamicRnn(nn::SimpleRNNCell(2), floats({2, 3}));
         }},
        {"[dynamic_rnn] expected lengths int32 or int64 [2]",
         [] {
             nn::dynamicRnn(nn::SimpleRNNCell(2), floats({2, 3, 1}), {.lengths = integers({3})});
         }},
        {"[mean_squared_error] expected labels and predictions of one floating dtype and shape",
         [] {
             nn::meanSquaredError(floats({2}), floats({2, 1}));
         }},
        {"[categorical_cross_entropy] axis -1 is not one of the 0 axes",
         [] { nn::categoricalCrossEntropy(floats({}), floats({})); }},
        {"[sparse_categorical_cross_entropy] expected int32 or int64 labels, one for each row",
         [] {
             nn::sparseCategoricalCrossEntropy(floats({2}), floats({2, 3}));
         }},
        {"[binary_cross_entropy] expected labels and logits of one floating dtype and shape",
         [] { nn::binaryCrossEntropy(integers({2}), floats({2})); }},
    };
}

/// A tensor that is none, as a gradient may be, in every place where a number could stand instead.
std::vector<Misuse> misusesOfNone() {
    const Tensor none;
    const Tensor x = floats({2});
    std::vector<Misuse> all;
    const auto add = [&](std::string_view op, std::function<void()> call) {
        all.push_back({"[" + std::string(op) + "] expected ", std::move(call)});
    };
    add("add", [=] { none + x; });
    add("add", [=] { x + none; });
    add("add", [=] { none + 1.0f; });
    add("sub", [=] { 1.0f - none; });
    add("neg", [=] { -none; });
    add("less", [=] { none < 1.0f; });
    add("tanh", [=] { tanh(none); });
    add("is_nan", [=] { isNan(none); });
    add("cast", [=] { cast(none, DType::Int32); });
    add("select", [=] { select(none, x, x); });
    add("select", [=] { select(bools({2}), none, 1.0f); });
    add("select", [=] { select(bools({2}), x, none); });
    add("where", [=] { where(none); });
    add("where", [=] { where(bools({2}), none, none); });
    add("gather", [=] { gather(x, none); });
    add("pad", [=] { pad(x, {{1, 1}}, none); });
    add("pad", [=] { pad(none, {{1, 1}}); });
    add("one_hot", [=] { oneHot(none, 3); });
    add("range", [=] { range(none); });
    add("range", [=] { range(0, 5, none); });
    add("linspace", [=] { linspace(none, 1.0f, 3); });
    add("linspace", [=] { linspace(0.0f, none, 3); });
    add("linspace", [=] { linspace(0.0f, 1.0f, none); });
    add("fill", [=] { fill(none, 1.0f); });
    add("fill", [=] { fill(constant({2}), none); });
    add("segment_sum", [=] { segmentSum(x, none, 2); });
    add("assert", [=] { assertTrue(none); });
    add("check_numerics", [=] { checkNumerics(none); });
    add("switch_case", [=] {
        switchCase(
            none, [&] { return x; }, [&] { return -x; });
    });
    add("If", [=] {
        If(
            none, [&] { return x; }, [&] { return -x; });
    });
    add("For", [=] { For(none, [](Tensor) {}); });
    add("ForEach", [=] { ForEach(none, [](Tensor) {}); });
    add("forRange", [=] {
        forRange(
            none, [](Tensor, Tensor sum) { return sum; }, x);
    });
    add("forEach", [=] {
        forEach(
            none, [](Tensor, Tensor sum) { return sum; }, x);
    });
    add("host_call", [=] {
        hostCall(
            "look", [](const Tensor&) {}, none);
    });
    add("Local", [=] {
        Local<Tensor> local(x);
        local = none;
    });
    add("range", [=] { Dataset::range(none); });
    add("dataset_batch", [=] { Dataset::range(5).batch(none); });
    add("TensorArray", [=] { TensorArray(DType::Float32, none); });
    add("TensorArray.read", [=] { TensorArray(DType::Float32, 2).read(none); });
    add("TensorArray.write", [=] { (void)TensorArray(DType::Float32, 2).write(none, 1.0f); });
    add("TensorArray.write", [=] { (void)TensorArray(DType::Float32, 2).write(0, none); });
    return all;
}

} // namespace

class OpMessagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellTheOpThatWasCalledAndTheLine_data() {
        QTest::addColumn<bool>("isTraced");
        QTest::newRow("eager") << false;
        QTest::newRow("traced") << true;
    }
    void tellTheOpThatWasCalledAndTheLine() {
        QFETCH(bool, isTraced);
        std::string wrong; // all of them at once
        std::vector<Misuse> all = misuses();
        std::ranges::move(misusesOfNone(), std::back_inserter(all));
        for (const Misuse& misuse : all) {
            const Function traced("f", {}, [&] { misuse.call(); });
            const std::string message = errorOf([&] {
                if (isTraced)
                    traced();
                else
                    misuse.call();
            });
            const std::size_t place = message.find(" (op_messages_test.cpp:");
            const bool endsWithPlace = place != std::string::npos &&
                                       message.find('(', place + 2) == std::string::npos &&
                                       message.find(')', place) == message.size() - 1;
            if (!message.starts_with(misuse.start) || !endsWithPlace)
                wrong += "\nexpected " + misuse.start + "\ngot      " + message + '\n';
        }
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void whatOnlyARunSeesTellsTheOpToo() {
        const auto sum = [] { return segmentSum(floats({4}), constant({0, 1, 3, 1}), 2); };
        const auto half = [] { return cast(floats({2}), DType::Float16); };
        VERIFY_CONTAINS(errorOf([] { range(1, 5, -1); }),
                        "[range] steps of -1 do not lead from 1 to 5 (op_messages_test.cpp:");
        VERIFY_CONTAINS(errorOf([] { linspace(0.0f, 1.0f, constant(-2)); }),
                        "[linspace] expected a count from 0 on, got -2 (op_messages_test.cpp:");
        QCOMPARE(range(5, 5, -1).elements(), 0);
        const Function tracedSum("sum", {}, sum);
        const Function tracedHalf("half", {}, half);
        for (const std::string& message : {errorOf(sum), errorOf([&] { tracedSum(); })})
            VERIFY_CONTAINS(message,
                            "[segment_sum] expected ids from 0 to below 2, got 3 (op_messages_test.cpp:");
        for (const std::string& message : {errorOf(half), errorOf([&] { tracedHalf(); })})
            VERIFY_CONTAINS(message, "[cast] float16 has no kernel yet (op_messages_test.cpp:");
    }

    /// Nor are its bytes counted beyond what an integer holds.
    void whatNoMemoryHoldsIsRefusedByItsOpInGraphsToo() {
        constexpr std::int64_t kHalf = std::int64_t{1} << 31; // times itself times 4 bytes are 2^64
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
        const std::vector<std::pair<std::string, std::function<Tensor()>>> calls{
            {"[broadcast_to] float32[2147483648,2147483648]",
             [] {
                 return reduceSum(broadcastTo(constant(1.0f), {kHalf, kHalf}) * 2.0f);
             }},
            {"[tile] float32[34359738368]", [] { return reduceMax(tile(floats({4}), {4 * kHalf})); }},
            {"[add] float32[1048576,1048576]",
             [] {
                 return reduceSum(floats({1 << 20, 1}) + floats({1, 1 << 20}));
             }},
            {"[add] float32[1048576,1048576]",
             [] {
                 return floats({1 << 20, 1}) + floats({1, 1 << 20});
             }},
            {"[fill] float32[2147483648,2147483648]",
             [] {
                 return fill(constant(std::vector<std::int64_t>{kHalf, kHalf}), 1.0f);
             }},
            {"[range] int64[9223372036854775807]",
             [] { return range(constant(-kMost), constant(kMost), constant(std::int64_t{1})); }},
            {"[range] float64[9223372036854775807]",
             [] { return range(constant(0.0), constant(1e300), constant(1.0)); }},
        };
        for (const auto& [start, call] : calls) {
            const Function traced("f", {}, call);
            for (const std::string& message : {errorOf([&] { call(); }), errorOf([&] { traced(); })}) {
                VERIFY_CONTAINS(message, start + " does not fit into memory (op_messages_test.cpp:");
                QVERIFY2(message.starts_with('['), message.c_str());
            }
        }
    }
};

RETRACESCOPE_TEST(OpMessagesTest);

#include "op_messages_test.moc"
