// What graphs take, give and capture.
#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

TensorSpec float32(const Shape& shape) {
    return {DType::Float32, shape, ""};
}

void elementaryFunctions(Play& s) {
    const TensorSpec a = float32({2, 2});
    const TensorSpec u = float32({Shape::kUnknown, Shape::kUnknown});
    const auto one = [&](const char* label, const TensorSpec& spec, auto op) {
        const auto f = s.function(label, {"x"}, [=](Tensor x) { return op(x); });
        s.graph(label, f.concrete(spec));
    };
    const auto two = [&](const char* label, auto op) {
        const auto f = s.function(label, {"x", "y"}, [=](Tensor x, Tensor y) { return op(x, y); });
        s.graph(label, f.concrete(a, a));
    };
    one("identity", a, [](Tensor x) { return x; });
    two("add", [](Tensor x, Tensor y) { return x + y; });
    two("matmul_relu", [](Tensor x, Tensor y) { return relu(matmul(x, y)); });
    const auto fixed = s.function("constant", {}, [] { return constant(3.0f); });
    s.graph("constant", fixed.concrete());
    one("two_outputs", a, [](Tensor x) { return std::tuple(x + 1.0f, x * 2.0f); });
    one("mean_static", a, [](Tensor x) { return reduceMean(x); });
    one("mean_unknown", u, [](Tensor x) { return reduceMean(x); });
    one("sum_axis", u, [](Tensor x) { return reduceSum(x, {1}); });
    one("softmax", a, [](Tensor x) {
        const Tensor e = exp(x - reduceMax(x, {1}, true));
        return e / reduceSum(e, {1}, true);
    });
    one("slice", a, [](Tensor x) { return reshape(matmul(constant({{1.0f, 0.0f}}), x), {2}); });
    one("shape_static", a, [](Tensor x) { return cast(shapeOf(x), DType::Int32); });
    one("shape_unknown", u, [](Tensor x) { return cast(shapeOf(x), DType::Int32); });
    one("unused", a, [](Tensor x) { return std::get<1>(std::tuple(x * 3.0f, x)); });
    one("same_twice", a, [](Tensor x) { return (x + 1.0f) * (x + 1.0f); });
    one("fold", a, [](Tensor x) { return x + (constant(1.0f) + constant(2.0f)); });
}

void graphsWithVariables(Play& s) {
    const Variable w(ones({2, 3}));
    const Variable b(zeros({3}));
    const auto dense = s.function("dense", [&](Tensor x) { return relu(matmul(x, w) + b); });
    s.graph("dense", dense.concrete(float32({Shape::kUnknown, 2})));
    const auto twice = s.function("twice", [&](Tensor x) { return matmul(x, w) + reduceSum(w); });
    s.graph("twice", twice.concrete(float32({Shape::kUnknown, 2})));
    const auto update = s.function("update", [&](Tensor x) {
        w.assignAdd(x);
        return reduceSum(w);
    });
    s.graph("update", update.concrete(float32({2, 3})));
    const auto arg = s.function("arg", [](Variable v) { return v + 1.0f; });
    s.graph("arg", arg.concrete(b));
}

void graphsOfCalls(Play& s) {
    const Variable v(constant(1.0f));
    const auto pure = s.function("pure", [](Tensor x) { return x + 1.0f; });
    const auto stateful = s.function("stateful", [&](Tensor x) {
        v.assignAdd(x);
        return v + 0.0f;
    });
    const auto reader = s.function("reader", [&](Tensor x) { return v + x; });
    const auto outerPure = s.function("outer_pure", [&](Tensor x) { return pure(pure(x)); });
    const auto outerState = s.function("outer_state", [&](Tensor x) {
        const Tensor first = stateful(x);
        return first + reader(x);
    });
    const auto mixed = s.function("mixed", [&](Tensor x) {
        const Tensor first = pure(x);
        return first + pure(concat({reshape(x, {1}), reshape(x, {1})}));
    });
    s.graph("outer_pure", outerPure.concrete(float32({})));
    s.graph("outer_state", outerState.concrete(float32({})));
    s.graph("mixed", mixed.concrete(float32({})));
}

void graphsOfGradients(Play& s) {
    const Variable w(constant(2.0f));
    const auto g = s.function("g", [&](Tensor x) { return gradients(reduceSum(square(w * x)), {x, w}); });
    s.graph("g", g.concrete(float32({3})));
    s.graph("g", g.concrete(float32({Shape::kUnknown})));
    const auto mm = s.function("mm", [](Tensor x, Tensor y) { return gradients(matmul(x, y), {x, y}); });
    s.graph("mm", mm.concrete(float32({2, 3}), float32({3, 2})));
}

void capturedConstantsBySize(Play& s) {
    int number = 0;
    for (const int n : {1, 128, 129}) {
        const Tensor k = ones({n});
        const std::string label = ++number == 1 ? "g" : "g#" + std::to_string(number);
        const auto g = s.function(label, [=](Tensor x) { return x + k; });
        s.graph(label, g.concrete(float32({n})));
    }
}

} // namespace

BodyMap graphsBodies() {
    return {{"N220", elementaryFunctions},
            {"N221", graphsWithVariables},
            {"N223", graphsOfCalls},
            {"N224", graphsOfGradients},
            {"N226", capturedConstantsBySize}};
}

} // namespace retracescope::oracle
