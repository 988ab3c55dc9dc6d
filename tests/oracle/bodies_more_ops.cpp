// Ops of whole families: activations, reductions, convolutions, random numbers, gathering.
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

} // namespace

BodyMap moreOpsBodies() {
    return {{"N202", activations},
            {"N203", reductions},
            {"N214", convolutions},
            {"N164", randomNumbers},
            {"N158", aFailedRunDoesNotStick},
            {"N109", gatheredRows}};
}

} // namespace retracescope::oracle
