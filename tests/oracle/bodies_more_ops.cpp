// Ops of whole families: activations, reductions, convolutions, random numbers, moving and picking elements.
#include <cmath>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void activations(Play& s) {
    const auto one = [&](const char* label, auto op) {
        s.function(label, {"v"}, [=](Tensor v) { return op(v); });
    };
    one("relu", [](Tensor v) { return relu(v); });
    one("sigmoid", [](Tensor v) { return sigmoid(v); });
    one("tanh", [](Tensor v) { return tanh(v); });
    one("softmax", [](Tensor v) { return softmax(v); });
    one("log_softmax", [](Tensor v) { return logSoftmax(v); });
    one("softplus", [](Tensor v) { return softplus(v); });
    one("elu", [](Tensor v) { return select(v > 0.0f, v, expm1(v)); });
    one("leaky", [](Tensor v) { return maximum(v, v * 0.2f); });
    one("relu6", [](Tensor v) { return minimum(relu(v * 4.0f), 6.0f); });
    one("gelu", [](Tensor v) { return v * 0.5f * (erf(v * std::sqrt(0.5f)) + 1.0f); });
    one("swish", [](Tensor v) { return v * sigmoid(v); });
    one("exp", [](Tensor v) { return exp(v); });
    one("log", [](Tensor v) { return log(v + 3.0f); });
    one("sin", [](Tensor v) { return sin(v); });
    one("cos", [](Tensor v) { return cos(v); });
    one("erf", [](Tensor v) { return erf(v); });
    one("sign", [](Tensor v) { return sign(v); });
    one("round", [](Tensor v) { return round(v); });
    one("floor", [](Tensor v) { return floor(v); });
    one("ceil", [](Tensor v) { return ceil(v); });
    s.playOn();
}

Tensor variance(const Tensor& x, std::initializer_list<std::int64_t> axes) {
    return reduceMean(square(x - reduceMean(x, axes, true)), axes);
}

void reductions(Play& s) {
    const auto one = [&](const char* label, auto op) {
        s.function(label, {"x"}, [=](Tensor x) { return op(x); });
    };
    one("sum", [](Tensor x) { return reduceSum(x); });
    one("sum0", [](Tensor x) { return reduceSum(x, {0}); });
    one("sum1k", [](Tensor x) { return reduceSum(x, {1}, true); });
    one("mean", [](Tensor x) { return reduceMean(x); });
    one("mean_i", [](Tensor x) { return reduceMean(x); });
    one("max", [](Tensor x) { return reduceMax(x, {1}); });
    one("min", [](Tensor x) { return reduceMin(x, {0}); });
    one("prod", [](Tensor x) { return reduceProd(x); });
    one("std", [](Tensor x) { return sqrt(variance(x, {})); });
    one("var", [](Tensor x) { return variance(x, {0}); });
    one("lse", [](Tensor x) { return logSumExp(x); });
    one("argmax", [](Tensor x) { return argMax(x, 1); });
    one("argmin", [](Tensor x) { return argMin(x, 0); });
    one("any", [](Tensor x) { return reduceAny(x > 3.0f); });
    one("all", [](Tensor x) { return reduceAll(x > 0.0f, {0}); });
    one("norm", [](Tensor x) { return sqrt(reduceSum(square(x))); });
    one("empty_sum", [](Tensor x) { return reduceSum(x); });
    one("empty_max", [](Tensor x) { return reduceMax(x); });
    one("empty_mean", [](Tensor x) { return reduceMean(x); });
    one("cumsum", [](Tensor x) { return cumSum(x, 0); });
    one("cumprod", [](Tensor x) { return cumProd(x, 1, {.exclusive = true}); });
    one("nan_max", [](Tensor x) { return reduceMax(x); });
    s.playOn();
}

void convolutions(Play& s) {
    const auto conv = [&](const char* label, Window window) {
        s.function(label, {"x", "w"}, [=](Tensor x, Tensor w) { return conv2d(x, w, window); });
    };
    const auto one = [&](const char* label, auto op) {
        s.function(label, {"x"}, [=](Tensor x) { return op(x); });
    };
    const Window halves{.strideHeight = 2, .strideWidth = 2};
    conv("valid", {});
    conv("same", {.edges = WindowEdges::Same});
    conv("stride", {.strideHeight = 2, .strideWidth = 2, .edges = WindowEdges::Same});
    one("maxpool", [=](Tensor x) { return maxPool(x, 2, 2, halves); });
    one("avgpool", [=](Tensor x) { return averagePool(x, 2, 2, halves); });
    one("bias", [](Tensor x) { return x + constant({5.0f}); });
    one("moments", [](Tensor x) { return std::tuple(reduceMean(x, {0, 1, 2}), variance(x, {0, 1, 2})); });
    one("l2norm", [](Tensor x) { return x / sqrt(maximum(reduceSum(square(x)), 1e-12f)); });
    s.playOn();
}

void randomNumbers(Play& s) {
    const Generator generator(1);
    int hostNumber = 0;
    const auto g = s.function("g", std::vector<ParameterName>{}, [&] {
        return std::tuple(generator.integers({}, 0, 1000, DType::Int32), constant(++hostNumber));
    });
    const auto stateless =
        s.function("st", {"seed"}, [](Tensor seed) { return statelessUniform({2}, seed); });
    std::vector<int> drawn;
    std::vector<int> host;
    for (int i = 0; i < 5; ++i) {
        const auto [number, frozen] = g();
        drawn.push_back(number.template scalar<int>());
        host.push_back(frozen.template scalar<int>());
    }
    s.check(drawn != std::vector<int>(5, drawn[0]));
    s.check(host == std::vector<int>(5, host[0]));
    const Tensor seed = constant({1, 2});
    s.check(seen(Value(stateless(seed))) == seen(Value(stateless(seed))));
}

void aFailedRunDoesNotStick(Play& s) {
    const Variable v(constant(0));
    s.function("g", [&](Tensor x, Tensor i) {
        v.assignAdd(1);
        const Tensor y = gather(x, i);
        v.assignAdd(10);
        return y;
    });
    s.playOn();
}

void gatheredRows(Play& s) {
    const Variable table(constant({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}));
    const auto g = s.function("g", [&](Tensor idx) { return reduceSum(pow(gather(table, idx), 2.0f)); });
    s.call("g");
    s.skip(); // the gradient here is dense
    const auto tape = s.helper({"idx"}, [&](Tensor idx) { return gradients(g(idx), {table}); });
    s.check(seen(Value(tape(constant({0, 2, 2}))))[0]);
}

struct TopKV2 {
    Tensor values;
    Tensor indices;
    static auto traceFields() {
        return std::tuple(field("values", &TopKV2::values), field("indices", &TopKV2::indices));
    }
};

struct Unique {
    Tensor y;
    Tensor idx;
    static auto traceFields() { return std::tuple(field("y", &Unique::y), field("idx", &Unique::idx)); }
};

/// tf.unique() of a vector, from where each element first stands.
Unique uniqueOf(const Tensor& x) {
    const Tensor isEqual = equal(expandDims(x, 1), expandDims(x, 0));
    const Tensor first = argMax(cast(isEqual, DType::Int32), 1);
    const Tensor isFirst = equal(first, cast(range(x.shape()[0]), DType::Int64));
    const Tensor number = cumSum(cast(isFirst, DType::Int32)) - 1;
    return {booleanMask(x, isFirst), gather(number, first)};
}

void arrays(Play& s) {
    const auto one = [&](const char* label, const char* name, auto op) {
        s.function(label, {name}, [=](Tensor x) { return op(x); });
    };
    const auto two = [&](const char* label, const char* first, const char* second, auto op) {
        s.function(label, {first, second}, [=](Tensor x, Tensor y) { return op(x, y); });
    };
    two("gather", "x", "i", [](Tensor x, Tensor i) { return gather(x, i); });
    two("gather1", "x", "i", [](Tensor x, Tensor i) { return gather(x, i, 1); });
    two("gather_nd", "x", "i", [](Tensor x, Tensor i) {
        const std::vector<Tensor> place = unstack(i, 1);
        return gather(reshape(x, {-1}), place[0] * x.shape()[1] + place[1]);
    });
    two("concat", "x", "y", [](Tensor x, Tensor y) { return concat({x, y}, 1); });
    two("stack", "x", "y", [](Tensor x, Tensor y) { return stack({x, y}, 1); });
    one("unstack", "x", [](Tensor x) { return unstack(x); });
    one("split", "x", [](Tensor x) { return split(x, 2, 1); });
    one("slice", "x", [](Tensor x) { return slice(x, {0, 1}, {2, 1}); });
    one("neg", "x", [](Tensor x) { return stridedSlice(x, {-1}); });
    one("stride", "x", [](Tensor x) { return stridedSlice(x, {{{}, {}, -1}, {{}, {}, 2}}); });
    one("ellipsis", "x", [](Tensor x) { return stridedSlice(x, {{}, 0}); });
    one("reshape", "x", [](Tensor x) { return reshape(x, {-1}); });
    one("reshape2", "x", [](Tensor x) { return reshape(x, {1, -1, 1}); });
    one("expand", "x", [](Tensor x) { return expandDims(x, 0); });
    one("squeeze", "x", [](Tensor x) { return squeeze(x); });
    one("tile", "x", [](Tensor x) { return tile(x, {1, 2}); });
    one("repeat", "x", [](Tensor x) { return reshape(tile(expandDims(x, 1), {1, 2, 1}), {-1, 2}); });
    one("pad", "x", [](Tensor x) { return pad(x, {{0, 1}, {1, 0}}); });
    one("reverse", "x", [](Tensor x) { return reverse(x, {0}); });
    one("roll", "x", [](Tensor x) {
        return concat({stridedSlice(x, {{-1, {}}}), stridedSlice(x, {{{}, -1}})});
    });
    one("where", "x", [](Tensor x) { return where(x > 2.0f, x, 0.0f); });
    one("where1", "x", [](Tensor x) { return where(x); });
    two("mask", "x", "m", [](Tensor x, Tensor m) { return booleanMask(x, m); });
    two("scatter", "i", "u", [](Tensor i, Tensor u) { return segmentSum(u, squeeze(i, {1}), 4); });
    s.function("update", {"x", "i", "u"}, [](Tensor x, Tensor i, Tensor u) {
        const Tensor places = squeeze(i, {1});
        return x + segmentSum(u - gather(x, places), places, x.shape()[0]);
    });
    one("one_hot", "i", [](Tensor i) { return oneHot(i, 3); });
    one("range", "n", [](Tensor n) { return range(n); });
    one("rangef", "n", [](Tensor n) { return range(0.0f, n, 0.5f); });
    one("linspace", "n", [](Tensor n) { return linspace(0.0f, 1.0f, n); });
    one("fill", "n", [](Tensor n) { return reshape(fill(stack({constant(2), n}), 7), {2, -1}); });
    one("zeros_like", "x", [](Tensor x) { return zerosLike(x); });
    one("shape", "x", [](Tensor x) { return cast(shapeOf(x), DType::Int32); });
    one("size", "x", [](Tensor x) { return reduceProd(cast(shapeOf(x), DType::Int32)); });
    one("rank", "x", [](Tensor x) { return constant(x.shape().rank()); });
    one("bcast", "x", [](Tensor x) { return broadcastTo(x, {2, 2}); });
    one("sort", "x", [](Tensor x) { return sort(x, true); });
    one("argsort", "x", [](Tensor x) { return argSort(x); });
    one("topk", "x", [](Tensor x) {
        const auto [values, indices] = topK(x, 2);
        return TopKV2{values, indices};
    });
    one("unique", "x", [](Tensor x) { return uniqueOf(x); });
    two("segment", "x", "i", [](Tensor x, Tensor i) {
        const Tensor isIn = equal(expandDims(range(reduceMax(i) + 1), 1), expandDims(i, 0));
        return reduceSum(select(isIn, x, 0.0f), {1});
    });
    two("usegment", "x", "i", [](Tensor x, Tensor i) { return segmentSum(x, i, 3); });
    s.playOn();
}

} // namespace

BodyMap moreOpsBodies() {
    return {{"N205", arrays},       {"N202", activations},   {"N203", reductions},
            {"N214", convolutions}, {"N164", randomNumbers}, {"N158", aFailedRunDoesNotStick},
            {"N109", gatheredRows}};
}

} // namespace retracescope::oracle
