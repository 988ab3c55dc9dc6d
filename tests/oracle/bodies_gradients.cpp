// Gradients.
#include <functional>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void ofAnArgumentAndAVariable(Play& s) {
    const Variable w(constant({{2.0f}, {3.0f}}));
    s.function("g", [&](Tensor x) { return reduceSum(pow(matmul(x, w), 2.0f)); });
    const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
    s.call("g");
    {
        GradientTape tape;
        tape.watch(x);
        const Value y = s.call("g", x);
        s.check(seen(Value(tape.gradient(y, {x, w}))));
    }
    s.call("g");
}

void nestedTapes(Play& s) {
    s.function("g", [](Variable x) { return pow(x, 4.0f); });
    const Variable x(constant(2.0f));
    GradientTape third;
    GradientTape second;
    GradientTape first;
    const Tensor y = tensorOf(s.call("g", x));
    const Tensor d1 = first.gradient(y, x);
    const Tensor d2 = second.gradient(d1, x);
    const Tensor d3 = third.gradient(d2, x);
    s.check(seen(Value(std::vector<Tensor>{y, d1, d2, d3})));
    s.check(s.core("g").tracingCount());
}

void theTapeInside(Play& s) {
    s.function("g", [](Tensor x) {
        GradientTape tape;
        tape.watch(x);
        const Tensor y = reduceSum(x * x * x);
        return tape.gradient(y, x);
    });
    s.playOn();
    s.graph("g", *s.core("g").concreteFunctions()[0]);
}

void insideTheOuterFunction(Play& s) {
    const Variable w(constant(3.0f));
    const auto inner = s.function("inner", [&](Tensor x) { return w * x * x; });
    s.function("outer", [&](Tensor x) {
        GradientTape tape;
        tape.watch(x);
        const Tensor y = inner(x);
        return tape.gradient(y, {x, w});
    });
    s.playOn();
    s.graph("outer", *s.core("outer").concreteFunctions()[0]);
}

/// A check of the gradient behind each call, with respect to the first argument.
void slopesOfCalls(Play& s, const std::vector<std::vector<Value>>& calls) {
    for (const std::vector<Value>& arguments : calls) {
        GradientTape tape;
        tape.watch(arguments[0]);
        const Value y =
            arguments.size() == 1 ? s.call("g", arguments[0]) : s.call("power", arguments[0], arguments[1]);
        s.check(seen(tape.gradient(y, *arguments[0].as<Tensor>())));
    }
}

void ofAStagedLoop(Play& s) {
    s.function("power", [](Tensor x, Tensor n) {
        return forRange(
            n, [&](Tensor, Tensor y) { return y * x; }, constant(1.0f));
    });
    std::vector<std::vector<Value>> calls;
    for (const int n : {3, 5, 0})
        calls.push_back({constant(2.0f), constant(n)});
    slopesOfCalls(s, calls);
}

void ofAStagedCondition(Play& s) {
    s.function("g", [](Tensor x) {
        return cond(
            x > 0.0f, [&] { return x * x; }, [&] { return -3.0f * x; });
    });
    slopesOfCalls(s, {{constant(2.0f)}, {constant(-2.0f)}, {constant(0.0f)}});
}

void ofTrainableVariables(Play& s) {
    const Variable v(constant(2.0f));
    const Variable u(constant(3.0f), {.trainable = false});
    s.function("g", [&](Tensor x) { return v * u * x; });
    const Tensor x = constant(5.0f);
    {
        GradientTape tape;
        const Value y = s.call("g", x);
        s.check(tape.watchedVariables().size());
        s.check(seen(Value(tape.gradient(y, {v, u, x}))));
    }
    GradientTape tape({.watchVariables = false});
    tape.watch(u);
    const Value y = s.call("g", x);
    s.check(seen(Value(tape.gradient(y, {v, u}))));
}

void throughALoopOfCalls(Play& s) {
    const Variable w(constant(0.5f));
    const auto cell = s.function("cell", [&](Tensor h) { return tanh(w * h); });
    s.function("unroll", [&](Tensor h, Tensor n) {
        return forRange(
            n, [&](Tensor, Tensor state) { return cell(state); }, h);
    });
    for (const int n : {1, 3}) {
        GradientTape tape;
        const Value y = s.call("unroll", constant(1.0f), constant(n));
        s.check(seen(tape.gradient(y, w)));
    }
}

void afterTheTracedVariableDied(Play& s) {
    s.function("g", [](Variable v) { return v * v; });
    s.function("h", [](Variable v) { return v * v; });
    const Variable b(constant(5.0f));
    s.call("g", Variable(constant(2.0f)));
    s.call("g", b);
    {
        const GradientTape tape;
        s.call("g", b);
    }
    const Variable a(constant(2.0f));
    {
        const GradientTape tape;
        s.call("h", a);
    }
    GradientTape tape;
    const Value y = s.call("h", b);
    const std::vector<Variable> watched = tape.watchedVariables();
    s.check(seen(tape.gradient(y, b)));
    Json isB = Json::array();
    for (const Variable& variable : watched)
        isB.push_back(variable.id() == b.id());
    s.check(isB);
}

void afterAVariableOfABranchDied(Play& s) {
    s.function("g", [](Variable v, Tensor x) {
        return cond(
            x > 0.0f, [&] { return v * x; }, [&] { return v - x; });
    });
    const Variable b(constant(5.0f));
    s.call("g", Variable(constant(2.0f)), constant(1.0f));
    s.call("g", b, constant(1.0f));
    const GradientTape tape;
    s.call("g", b, constant(3.0f));
}

void acrossAnAssignment(Play& s) {
    const Variable v(constant(2.0f));
    s.function("g", [&](Tensor x) {
        const Tensor y = v * x;
        v.assignAdd(1.0f);
        return y + v * x;
    });
    const Tensor x = constant(3.0f);
    GradientTape tape;
    tape.watch(x);
    const Value y = s.call("g", x);
    s.check(seen(Value(tape.gradient(y, {x, v}))));
    s.check(seen(v.read()));
}

void stepsOnALine(Play& s) {
    const Variable w(constant(5.0f));
    const Variable b(constant(0.0f));
    s.function("step", [&](Tensor x, Tensor y, Value lr) {
        GradientTape tape;
        const Tensor loss = reduceMean(square(w * x + b - y));
        const std::vector<Tensor> slopes = tape.gradient(loss, {w, b});
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
    s.function("g", [=](Tensor x) {
        const Tensor first = sq(x);
        return first + sq(sq(x)) * 0.5f;
    });
    slopesOfCalls(s, {{constant(2.0f)}});
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
        GradientTape tape;
        tape.watch(x);
        s.check(seen(tape.gradient(g(x), x)));
    }
}

/// What a forward accumulator gives is the gradient of a gradient with respect to what it is weighed with.
void forwardMode(Play& s) {
    s.function("g", [](Tensor x) { return reduceSum(x * x * x); });
    const Tensor x = constant({1.0f, 2.0f});
    const Tensor weight = constant(1.0f);
    {
        GradientTape outer;
        outer.watch(weight);
        GradientTape inner;
        inner.watch(x);
        const Value y = s.call("g", x);
        const Tensor slope = inner.gradient(y, x, {.outputGradients = weight});
        s.check(seen(outer.gradient(slope, weight, {.outputGradients = constant({1.0f, 0.0f})})));
    }
    s.call("g");
    s.check(s.core("g").tracingCount());
}

void underTapesOfBothKinds(Play& s) {
    s.function("g", [](Tensor x) { return x * x; });
    const Tensor x = constant(3.0f);
    s.call("g", x);
    for (const bool persistent : {false, true}) {
        GradientTape tape({.persistent = persistent});
        tape.watch(x);
        const Value y = s.call("g", x);
        s.check(seen(tape.gradient(y, x)));
    }
}

} // namespace

BodyMap gradientsBodies() {
    return {{"N100", ofAnArgumentAndAVariable},
            {"N101", nestedTapes},
            {"N103", theTapeInside},
            {"N104", insideTheOuterFunction},
            {"N106", ofAStagedLoop},
            {"N107", ofAStagedCondition},
            {"N110", ofCommonOps},
            {"N112", forwardMode},
            {"N113", ofTrainableVariables},
            {"N115", acrossAnAssignment},
            {"N116", stepsOnALine},
            {"N118", throughALoopOfCalls},
            {"N121", throughSeveralCalls},
            {"N122", afterTheTracedVariableDied},
            {"N124", afterAVariableOfABranchDied},
            {"O128", underTapesOfBothKinds}};
}

} // namespace retracescope::oracle
