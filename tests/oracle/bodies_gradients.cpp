// Gradients. The engine has no tape outside of functions: what one gives there is taken in a helper function
// that calls the one under test.
#include <functional>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void ofAnArgumentAndAVariable(Play& s) {
    const Variable w(constant({{2.0f}, {3.0f}}));
    const auto g = s.function("g", [&](Tensor x) { return reduceSum(pow(matmul(x, w), 2.0f)); });
    const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
    s.call("g");
    s.call("g");
    const auto tape = s.helper({"x"}, [&](Tensor at) { return gradients(g(at), {at, w}); });
    s.check(seen(Value(tape(x))));
    s.call("g");
}

void insideTheOuterFunction(Play& s) {
    const Variable w(constant(3.0f));
    const auto inner = s.function("inner", [&](Tensor x) { return w * x * x; });
    s.function("outer", [&](Tensor x) { return gradients(inner(x), {x, w}); });
    s.playOn();
    s.graph("outer", *s.core("outer").concreteFunctions()[0]);
}

void acrossAnAssignment(Play& s) {
    const Variable v(constant(2.0f));
    s.function("g", [&](Tensor x) {
        const Tensor y = v * x;
        v.assignAdd(1.0f);
        return y + v * x;
    });
    s.call("g");
    // The same program with its gradients inside: a call of g would assign a second time.
    v.assign(2.0f);
    const auto tape = s.helper({"x"}, [&](Tensor x) {
        const Tensor y = v * x;
        v.assignAdd(1.0f);
        return gradients(y + v * x, {x, v});
    });
    s.check(seen(Value(tape(constant(3.0f)))));
    s.check(seen(v.read()));
}

void stepsOnALine(Play& s) {
    const Variable w(constant(5.0f));
    const Variable b(constant(0.0f));
    s.function("step", [&](Tensor x, Tensor y, Value lr) {
        const Tensor loss = reduceMean(square(w * x + b - y));
        const std::vector<Tensor> slopes = gradients(loss, {w, b});
        const Tensor rate = tensorOf(lr);
        w.assignSub(rate * slopes[0]);
        b.assignSub(rate * slopes[1]);
        return loss;
    });
    s.playOn();
    s.check(Json{seen(w.read()), seen(b.read())});
    s.playOn();
    s.graph("step", *s.core("step").concreteFunctions()[0]);
}

void throughSeveralCalls(Play& s) {
    const auto sq = s.function("sq", [](Tensor x) { return x * x; });
    const auto g = s.function("g", [=](Tensor x) {
        const Tensor first = sq(x);
        return first + sq(sq(x)) * 0.5f;
    });
    s.call("g");
    const auto tape = s.helper({"x"}, [&](Tensor x) { return gradients(g(x), {x})[0]; });
    s.check(seen(tape(constant(2.0f))));
}

void ofCommonOps(Play& s) {
    const Tensor x = constant({{0.5f, -1.0f}, {2.0f, 0.25f}});
    const auto softmax = [](const Tensor& v) {
        const Tensor e = exp(v - reduceMax(v, {1}, true));
        return e / reduceSum(e, {1}, true);
    };
    const auto column = [](const Tensor& v, float first, float second) {
        return reshape(matmul(v, constant({{first}, {second}})), {-1});
    };
    const std::vector<std::function<Tensor(const Tensor&)>> all{
        [](const Tensor& v) { return relu(v); },
        [](const Tensor& v) { return sigmoid(v); },
        [](const Tensor& v) { return tanh(v); },
        [&](const Tensor& v) { return column(softmax(v), 1, 0); },
        [](const Tensor& v) { return exp(v); },
        [](const Tensor& v) { return log(abs(v)); },
        [](const Tensor& v) { return sqrt(v * v); },
        [](const Tensor& v) { return abs(v); },
        [](const Tensor& v) { return reduceMax(v, {1}); },
        [](const Tensor& v) { return reduceMean(v); },
        [](const Tensor& v) { return matmul(v, v, false, true); },
        [](const Tensor& v) { return reshape(transpose(v), {-1}); },
        [](const Tensor& v) {
            return concat({v, 2.0f * v}, 0);
        },
        [](const Tensor& v) {
            return concat({reshape(v, {2, 2, 1}), reshape(v, {2, 2, 1})}, 2);
        },                                                // stack
        [&](const Tensor& v) { return column(v, 0, 1); }, // v[:, 1]
        [](const Tensor& v) {
            return concat({zeros({1, 3}), concat({v, zeros({2, 1})}, 1)}, 0);
        }, // pad
        [](const Tensor& v) { return maximum(v, 0.25f); },
        [](const Tensor& v) { return 1.0f / v; },
        [](const Tensor& v) { return log(exp(v) + 1.0f); }, // softplus
        [](const Tensor& v) {
            return matmul(v, constant({{1.0f, 1.0f}, {0.0f, 1.0f}}));
        }, // cumsum
        [](const Tensor& v) { return select(v > 0.0f, v * 2.0f, v * 3.0f); },
        [](const Tensor& v) {
            return concat({v, v}, 1);
        }, // tile
        [](const Tensor& v) {
            return v + matmul(constant({{1.0f, 0.0f}}), v);
        }}; // v + v[0]
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto g = s.function(i == 0 ? "g" : "g#" + std::to_string(i + 1), {"v"}, all[i]);
        const auto tape = s.helper({"v"}, [&](Tensor v) { return gradients(g(v), {v})[0]; });
        s.check(seen(tape(x)));
    }
}

} // namespace

BodyMap gradientsBodies() {
    return {{"N100", ofAnArgumentAndAVariable}, {"N104", insideTheOuterFunction},
            {"N115", acrossAnAssignment},       {"N116", stepsOnALine},
            {"N121", throughSeveralCalls},      {"N110", ofCommonOps}};
}

} // namespace retracescope::oracle
