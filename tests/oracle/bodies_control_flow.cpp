// Conditions and loops.
#include <algorithm>
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

void withoutAutograph(Play& s) {
    s.function("g", [](Tensor x) { return x > 0 ? x : -x; });
    s.function("loop", [](Tensor x) {
        for (const Tensor& row : hostRows(x))
            x = x + row;
        return x;
    });
    s.function("fine", [](Tensor x) {
        return cond(
            x > 0, [&] { return x; }, [&] { return -x; });
    });
    s.playOn();
}

void maskedRecurrence(Play& s) {
    const Tensor w = constant({{0.5f, -0.25f}, {0.125f, 0.75f}});
    const Tensor u = constant({{1.0f, 0.0f}, {0.0f, 1.0f}});
    s.function("rnn", [=](Tensor x, Tensor lengths) {
        const auto steps = static_cast<std::int32_t>(x.shape()[0]);
        const TensorArray rows = TensorArray::unstack(x);
        const auto [t, h, ta] =
            whileLoop([&](Tensor at, Tensor, TensorArray) { return at < steps; },
                      [&](Tensor at, Tensor last, TensorArray all) {
                          const Tensor fresh = tanh(matmul(rows.read(at), u) + matmul(last, w));
                          const Tensor next = select(reshape(at < lengths, {-1, 1}), fresh, last);
                          return std::tuple(at + 1, next, all.write(at, next));
                      },
                      std::tuple(0, zeros({x.shape()[1], 2}), TensorArray(DType::Float32, steps)));
        return std::tuple(ta.stack(), h);
    });
    s.playOn();
}

void anUnknownLength(Play& s) {
    s.function("g", [](Tensor x) {
        return forEach(
            x,
            [](const Tensor& v, const Tensor& total) {
                return total + cond(
                                   v > 1, [&] { return v; }, [&] { return -v; });
            },
            constant(0));
    });
    s.function("unpack", [](Tensor x) {
        const std::vector<Tensor> rows = hostRows(x);
        return rows.at(0) - rows.at(1);
    });
    s.function("member", [](Value x, Value t) {
        if (x.as<Tensor>())
            return Value(hostRows(*x.as<Tensor>()).empty());
        const auto& items = x.as<Value::Sequence>()->items;
        return Value(std::ranges::any_of(
            items, [&](const Value& item) { return trace::typeOfValue(item) == trace::typeOfValue(t); }));
    });
    s.function("chain", [](Tensor x) { return logicalAnd(x > 0, x < 10); });
    s.playOn();
}

void aDatasetInALoop(Play& s) {
    const auto g = s.function("g", [&](Dataset ds) {
        return forEach(
            ds,
            [&](Tensor x, Tensor total) {
                s.say("element " + staticShape(x.shape()));
                return total + reduceSum(x);
            },
            constant(std::int64_t{0}));
    });
    s.call("g", Dataset::range(5));
    s.call("g", Dataset::range(10));
    s.call("g", Dataset::range(10).batch(3));
    s.call("g", Dataset::range(9).batch(3, true));
}

void iteratorsRelax(Play& s) {
    s.function("g", [](DatasetIterator it) { return it.next(); });
    for (const Shape& shape : {Shape{1, 2}, Shape{1, 2}, Shape{2, 2}, Shape{3, 2}, Shape{4, 2}, Shape{2, 1}})
        s.call("g", DatasetIterator(Dataset::fromTensors(ones(shape))));
}

void returnFromALoop(Play& s) {
    s.function("g", [](Tensor x, Tensor t) {
        For(stridedSlice(shapeOf(x), {0}),
            [&](const Tensor& i) { return If(equal(gather(x, i), t), [&] { return Value(i); }); });
        return constant(-1);
    });
    s.playOn();
}

void returnFromStagedCode(Play& s) {
    s.function("loop", [](Tensor x) {
        Local i = 0;
        While([&] { return i < x; },
              [&] {
                  const Value returned = If(i * i > x, [&] { return Value(i.read()); });
                  i += 1;
                  return returned;
              });
        return constant(-1);
    });
    s.function("elif_then_rest", [](Tensor x) {
        const Value returned = If(
            x > 0, [&] { return Value(x * 2); }, x < -10, [&] { return Value(x - 1); });
        return returned.as<Tensor>() ? returned : Value(-x);
    });
    s.function("full", [](Tensor x) {
        return If(
            x > 0, [&] { return x * 2; }, x < -10, [&] { return x - 1; }, [&] { return -x; });
    });
    s.function("early", [](Tensor x) {
        return If(
            x > 0, [&] { return x * 2; },
            [&] { // what follows the first if
                return If(
                    x < -10, [&] { return x - 1; }, [&] { return -x; });
            });
    });
    s.playOn();
}

void loopRules(Play& s) {
    const auto startsInTheLoop = [](Tensor n) {
        Local y;
        For(n, [&](const Tensor& i) { y = cast(i, DType::Int32); });
        return y;
    };
    s.function("undefined", startsInTheLoop);
    s.function("dtype", [](Tensor n) {
        Local y = 0;
        For(n, [&](const Tensor&) { y = constant(0.5f); });
        return y;
    });
    s.function("shape", [](Tensor n) {
        Local y = zeros({1});
        For(n, [&](const Tensor&) { y = concat({y, ones({1})}); });
        return y;
    });
    s.function("structure", [](Tensor n) {
        Local y = std::vector<Tensor>{n};
        For(n, [&](const Tensor&) { y = std::vector<Tensor>{n, n}; });
        return y;
    });
    s.function("none", startsInTheLoop);
    s.function("number", [](Tensor n) {
        Local y = 0;
        For(n, [&](const Tensor&) { y = y + 2; });
        return y;
    });
    s.function("fnumber", [](Tensor n) {
        Local y = 0;
        For(n, [&](const Tensor&) { y = y + 0.5; });
        return y;
    });
    s.function("undefined_while", [](Tensor n) {
        Local y;
        Local i = n;
        While([&] { return i > 0; },
              [&] {
                  y = i * 10;
                  i -= 1;
              });
        return y;
    });
    s.function("local", [](Tensor n) {
        Local total = 0;
        For(n, [&](const Tensor& i) {
            const Tensor square = cast(i * i, DType::Int32);
            total += square;
        });
        return total;
    });
    s.playOn();
}

} // namespace

BodyMap controlFlowBodies() {
    return {{"N136", returnFromALoop},      {"N139", loopRules},        {"N140", shapeInvariants},
            {"N170", returnFromStagedCode}, {"N143", withoutAutograph}, {"N145", maskedRecurrence},
            {"N148", aDatasetInALoop},      {"O65", iteratorsRelax},    {"N169", anUnknownLength}};
}

} // namespace retracescope::oracle
