// Numbers of ops and small models.
#include <limits>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void arithmetic(Play& s) {
    const auto two = [&](const char* label, auto op) {
        s.function(label, {"x", "y"}, [=](Tensor x, Tensor y) { return op(x, y); });
    };
    const auto one = [&](const char* label, auto op) {
        s.function(label, {"x"}, [=](Tensor x) { return op(x); });
    };
    two("add", [](Tensor x, Tensor y) { return x + y; });
    two("add_row", [](Tensor x, Tensor y) { return x + y; });
    two("sub", [](Tensor x, Tensor y) { return x - y; });
    two("mul", [](Tensor x, Tensor y) { return x * y; });
    two("div", [](Tensor x, Tensor y) { return x / y; });
    two("floordiv", [](Tensor x, Tensor y) { return floorDiv(x, y); });
    two("mod", [](Tensor x, Tensor y) { return mod(x, y); });
    two("pow", [](Tensor x, Tensor y) { return pow(x, y); });
    one("neg", [](Tensor x) { return -x; });
    one("abs", [](Tensor x) { return abs(x); });
    one("square", [](Tensor x) { return square(x); });
    one("sqrt", [](Tensor x) { return sqrt(x); });
    one("rsqrt", [](Tensor x) { return rsqrt(x); });
    two("maximum", [](Tensor x, Tensor y) { return maximum(x, y); });
    two("minimum", [](Tensor x, Tensor y) { return minimum(x, y); });
    one("outer", [](Tensor x) { return reshape(x, {-1, 1}) * reshape(x, {1, -1}); });
    one("scalar", [](Tensor x) { return 2.0f * x + 1.0f; });
    s.playOn();
}

void comparisons(Play& s) {
    const auto two = [&](const char* label, auto op) {
        s.function(label, {"x", "y"}, [=](Tensor x, Tensor y) { return op(x, y); });
    };
    const auto one = [&](const char* label, auto op) {
        s.function(label, {"x"}, [=](Tensor x) { return op(x); });
    };
    two("eq", [](Tensor x, Tensor y) { return equal(x, y); });
    two("ne", [](Tensor x, Tensor y) { return notEqual(x, y); });
    two("lt", [](Tensor x, Tensor y) { return x < y; });
    two("ge", [](Tensor x, Tensor y) { return x >= y; });
    two("and", [](Tensor x, Tensor y) { return logicalAnd(x > 0.0f, y > 3.0f); });
    one("not", [](Tensor x) { return logicalNot(x > 2.0f); });
    two("xor", [](Tensor x, Tensor y) { return logicalXor(x > 2.0f, y > 2.0f); });
    one("isnan", [](Tensor x) { return isNan(x); });
    one("isinf",
        [](Tensor x) { return equal(abs(1.0f / (x - 1.0f)), std::numeric_limits<float>::infinity()); });
    one("clip", [](Tensor x) { return maximum(minimum(x, 2.5f), 1.5f); });
    one("clipnorm", [](Tensor x) { return x / maximum(sqrt(reduceSum(square(x))), 1.0f); });
    one("str", [](Tensor x) { return equal(x, "b"); });
    one("join", [](Tensor x) { return x + constant("-") + x; });
    s.playOn();
}

void smallNetwork(Play& s) {
    struct Dense {
        Variable w;
        Variable b;
        Tensor call(const Tensor& x) { return relu(matmul(x, w) + b); }
    };
    const Method call(s.uniqueName("__call__"), {"x"}, &Dense::call, s.options("__call__"));
    const auto d1 =
        std::make_shared<Dense>(Dense{Variable(constant({{1.0f, -1.0f, 0.5f}, {2.0f, 0.0f, -0.5f}})),
                                      Variable(constant({0.1f, 0.2f, 0.3f}))});
    const auto d2 = std::make_shared<Dense>(
        Dense{Variable(constant({{1.0f}, {-2.0f}, {3.0f}})), Variable(constant({0.0f}))});
    s.add("__call__", call.of(d1));
    s.add("__call__#2", call.of(d2));
    s.function("model", [&](Tensor x) { return call(d2, call(d1, x)); });
    s.playOn();
}

void training(Play& s) {
    const Variable w1(constant({{0.5f, -0.3f, 0.8f}, {-0.6f, 0.9f, 0.1f}}));
    const Variable b1(zeros({3}));
    const Variable w2(constant({{0.7f}, {-0.4f}, {0.2f}}));
    const Variable b2(zeros({1}));
    s.function("step", [&](Tensor x, Tensor y) {
        const Tensor h = tanh(matmul(x, w1) + b1);
        const Tensor logits = matmul(h, w2) + b2;
        const Tensor loss = reduceMean(sigmoidCrossEntropyWithLogits(y, logits));
        const std::vector<Tensor> slopes = gradients(loss, {w1, b1, w2, b2});
        const Variable* const variables[]{&w1, &b1, &w2, &b2};
        for (std::size_t i = 0; i < slopes.size(); ++i)
            variables[i]->assignSub(slopes[i] * 0.5f);
        return loss;
    });
    s.playOn();
    s.check(Json{seen(w1.read()), seen(b1.read()), seen(w2.read()), seen(b2.read())});
}

void attention(Play& s) {
    s.function("attention", [](Tensor q, Tensor k, Tensor v, Tensor mask) {
        const auto depth = static_cast<float>(q.shape()[-1 + q.shape().rank()]);
        Tensor scores = matmul(q, k, false, true) / sqrt(constant(depth));
        scores = scores + (1.0f - mask) * -1e9f;
        return matmul(softmax(scores), v);
    });
    s.playOn();
}

void gatedCell(Play& s) {
    const Tensor wz = constant({{0.5f}, {0.25f}});
    const Tensor wh = constant({{1.0f}, {-1.0f}});
    s.function("run", [=](Tensor x) {
        const auto steps = static_cast<std::int32_t>(x.shape()[0]);
        const TensorArray rows = TensorArray::unstack(x);
        const auto [i, last, out] =
            whileLoop([&](Tensor at, Tensor, TensorArray) { return at < steps; },
                      [&](Tensor at, Tensor h, TensorArray all) {
                          const Tensor input = concat({reshape(rows.read(at), {1, 1}), h}, 1);
                          const Tensor z = sigmoid(matmul(input, wz));
                          const Tensor next = (1.0f - z) * h + z * tanh(matmul(input, wh));
                          return std::tuple(at + 1, next, all.write(at, reshape(next, {})));
                      },
                      std::tuple(0, zeros({1, 1}), TensorArray(DType::Float32, steps)));
        return out.stack();
    });
    s.playOn();
}

} // namespace

BodyMap numericsBodies() {
    return {{"N200", arithmetic}, {"N206", comparisons}, {"N208", smallNetwork},
            {"N209", training},   {"N211", gatedCell},   {"N215", attention}};
}

} // namespace retracescope::oracle
