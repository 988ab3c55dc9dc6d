// Conditions and loops.
#include <optional>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

std::string staticShape(const Shape& shape) {
    std::string text = "(";
    for (const std::int64_t size : shape.sizes())
        text += size == Shape::kUnknown ? "None," : std::to_string(size) + ",";
    return text + ")";
}

TensorSpec float32(const Shape& shape) {
    return {DType::Float32, shape, ""};
}

/// A loop over tf.range(n) with one value.
template <class Step>
Tensor overRange(const Tensor& n, const Tensor& start, std::optional<Shape> invariant, Step step) {
    LoopOptions options;
    if (invariant)
        options.shapeInvariants =
            Value(std::tuple(TensorSpec{DType::Int32, Shape{}, ""}, float32(*invariant)));
    const auto [i, y] =
        whileLoop([&](const Tensor& at, const Tensor&) { return at < n; },
                  [&](const Tensor& at, const Tensor& value) { return std::tuple(at + 1, step(at, value)); },
                  std::tuple(constant(0), start), options);
    return y;
}

void shapeInvariants(Play& s) {
    s.function("ok", [&](Tensor n) {
        const Tensor y =
            overRange(n, zeros({1}), Shape{Shape::kUnknown}, [](const Tensor& i, const Tensor& value) {
                return concat({value, reshape(cast(i, DType::Float32), {1})});
            });
        s.say("static " + staticShape(y.shape()));
        return y;
    });
    s.function("bad", [](Tensor n) {
        return overRange(n, zeros({1, 2}), Shape{1, Shape::kUnknown}, [](const Tensor&, const Tensor& value) {
            return concat({value, constant({{1.0f, 1.0f}})});
        });
    });
    s.function("start", [](Tensor n) {
        return overRange(n, zeros({3}), Shape{2},
                         [](const Tensor&, const Tensor& value) { return value + 1.0f; });
    });
    const auto doubling = [](const Tensor& n, const LoopOptions& options) {
        const auto [i, y] = whileLoop([&](const Tensor& at, const Tensor&) { return at < n; },
                                      [](const Tensor& at, const Tensor& value) {
                                          return std::tuple(at + 1, concat({value, value}));
                                      },
                                      std::tuple(constant(0), ones({1})), options);
        return std::vector<Tensor>{i, y};
    };
    s.function("low", [=](Tensor n) { return doubling(n, {}); });
    s.function("low_ok", [=](Tensor n) {
        return doubling(
            n, {Value(std::tuple(TensorSpec{DType::Int32, Shape{}, ""}, float32({Shape::kUnknown}))), {}});
    });
    s.playOn();
}

} // namespace

BodyMap controlFlowBodies() {
    return {{"N140", shapeInvariants}};
}

} // namespace retracescope::oracle
