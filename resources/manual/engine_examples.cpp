// The programs of resources/manual/engine.md. Usage: engine_examples NAME. What stands between "// [NAME]"
// and "// [end]" is quoted there word for word; tests/manual compares both the text and what it prints.
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

namespace {

void wrap() {
    // [wrap]
    int bodyRuns = 0;
    rs::Function half("half", {"x"}, [&](rs::Tensor x) {
        ++bodyRuns; // host code: runs while tracing only
        return x / 2.0f;
    });
    for (const rs::Tensor& x : {rs::constant({1.0f, 2.0f}), rs::constant({3.0f, 4.0f}), rs::constant({5.0f})})
        std::cout << rs::valueText(half(x)) << "  body runs " << bodyRuns << '\n';
    // [end]
}

void signatures() {
    // [signatures]
    rs::Function scale("scale", {"x", "factor"}, [](rs::Tensor x, int factor) { return x * factor; });
    scale(rs::constant({1, 2}), 3);
    scale(rs::constant({4, 5}), 3);    // a hit: tensors are typed by dtype and shape
    scale(rs::constant({4, 5}), 7);    // a trace: host numbers are part of the signature by value
    scale(rs::constant({1, 2, 3}), 7); // a trace: another shape
    std::cout << scale.tracingCount() << " concrete functions\n" << scale.signatures(false);
    // [end]
}

void arguments() {
    // [arguments]
    rs::Function power("power", {"x", {"exponent", 2}}, [](rs::Tensor x, int exponent) {
        rs::Tensor y = x;
        for (int i = 1; i < exponent; ++i) // a host loop: unrolled into the graph
            y = y * x;
        return y;
    });
    const rs::Tensor x = rs::constant({2.0f, 3.0f});
    std::cout << rs::valueText(power(x)) << ' ' << rs::valueText(power(x, 2)) << ' '
              << rs::valueText(power(rs::arg("exponent", 3), rs::arg("x", x))) << '\n';
    std::cout << power.tracingCount() << " concrete functions\n"; // the first two calls are one signature
    // [end]
}

void relaxing() {
    // [relaxing]
    rs::FunctionOptions options;
    options.reduceRetracing = true;
    rs::Function total(
        "total", {"x"}, [](rs::Tensor x) { return rs::reduceSum(x); }, options);
    for (const rs::Tensor& x : {rs::ones({2}), rs::ones({3}), rs::ones({4}), rs::ones({2})})
        std::cout << rs::valueText(total(x)) << " traces " << total.traceCount() << '\n';
    // [end]
}

void inputSignature() {
    // [input_signature]
    rs::FunctionOptions options;
    options.inputSignature = {rs::TensorSpec{rs::DType::Float32, {rs::Shape::kUnknown}, {}}};
    rs::Function total(
        "total", {"x"}, [](rs::Tensor x) { return rs::reduceSum(x); }, options);
    std::cout << rs::valueText(total(rs::ones({2}))) << ' ' << rs::valueText(total(rs::ones({5})))
              << " traces " << total.traceCount() << '\n';
    try {
        total(rs::constant({1, 2}));
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void variables() {
    // [variables]
    const rs::Variable count(rs::constant(0), {"count"});
    rs::Function add("add", {"n"}, [&](rs::Tensor n) {
        count.assignAdd(n); // in the graph: happens on every call
        return count.read();
    });
    add(rs::constant(2));
    count.assign(10); // seen by the next call, without a trace
    std::cout << rs::valueText(add(rs::constant(3))) << " traces " << add.traceCount() << '\n';
    // [end]
}

void controlFlow() {
    // [control_flow]
    rs::Function collatz("collatz", {"n"}, [](rs::Tensor n) {
        const auto [last, steps] = rs::whileLoop([](rs::Tensor value, rs::Tensor) { return value > 1; },
                                                 [](rs::Tensor value, rs::Tensor so) {
                                                     const rs::Tensor half = value / 2;
                                                     const rs::Tensor next = rs::cond(
                                                         rs::equal(half * 2, value), [&] { return half; },
                                                         [&] { return value * 3 + 1; });
                                                     return std::tuple(next, so + 1);
                                                 },
                                                 std::tuple(n, 0));
        return steps;
    });
    for (const int n : {6, 27, 97})
        std::cout << n << ": " << rs::valueText(collatz(rs::constant(n))) << " steps\n";
    std::cout << collatz.traceCount() << " trace\n";
    // [end]
}

void gradients() {
    // [gradients]
    const rs::Variable weight(rs::constant(0.0f), {"weight"});
    rs::Function step("step", {"x", "y"}, [&](rs::Tensor x, rs::Tensor y) {
        const rs::Tensor loss = rs::reduceMean(rs::square(x * weight.read() - y));
        weight.assignSub(rs::gradients(loss, {weight})[0] * 0.1f);
        return loss;
    });
    const rs::Tensor x = rs::constant({1.0f, 2.0f, 3.0f});
    const rs::Tensor y = rs::constant({2.0f, 4.0f, 6.0f});
    for (int i = 0; i < 20; ++i)
        step(x, y);
    std::cout << "weight " << rs::valueText(weight.read()) << " traces " << step.traceCount() << '\n';
    // [end]
}

void mistakes() {
    // [mistakes]
    rs::Function choose("choose", {"x"}, [](rs::Tensor x) { return rs::matmul(x, x); });
    try {
        choose(rs::ones({2, 3}));
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    std::cout << choose.tracingCount() << " concrete functions, " << choose.failedTraceCount()
              << " failed trace\n";
    // [end]
}

void objects() {
    // [objects]
    struct Config {
        float rate;
    };
    rs::Function f("f", {"x", "config"},
                   [](rs::Tensor x, std::shared_ptr<Config> config) { return x * config->rate; });
    const auto slow = std::make_shared<Config>(Config{0.5f});
    const auto fast = std::make_shared<Config>(Config{2.0f});
    for (const auto& config : {slow, fast, slow})
        std::cout << rs::valueText(f(rs::constant(3.0f), config)) << " traces " << f.traceCount() << '\n';
    // [end]
}

void structs() {
    // [structs]
    struct Norm {
        rs::Tensor x;
        bool centered = false;
        static auto traceFields() {
            return std::tuple(rs::field("x", &Norm::x), rs::field("centered", &Norm::centered));
        }
    };
    const auto centre = [](Norm n) { return n.centered ? n.x - rs::reduceMean(n.x) : n.x; };
    rs::Function f("f", {"n"}, centre);
    for (const Norm& n : {Norm{rs::constant({1.0f, 3.0f}), true}, Norm{rs::constant({2.0f, 6.0f}), true},
                          Norm{rs::constant({2.0f, 6.0f}), false}})
        std::cout << rs::valueText(f(n)) << " traces " << f.traceCount() << '\n';
    // [end]
}

void methods() {
    // [methods]
    struct Layer {
        float weight;
        rs::Tensor apply(const rs::Tensor& x) { return x * weight; }
    };
    const rs::Method apply("apply", {"x"}, &Layer::apply);
    const auto first = std::make_shared<Layer>(Layer{2.0f});
    const auto second = std::make_shared<Layer>(Layer{3.0f});
    for (const auto& layer : {first, second, first})
        std::cout << rs::valueText(apply(layer, rs::constant(1.0f))) << " traces "
                  << apply.of(layer).traceCount() << '\n';
    // [end]
}

void concreteCalls() {
    // [concrete_calls]
    rs::Function power("power", {"x", {"exponent", 2}},
                       [](rs::Tensor x, int exponent) { return exponent == 2 ? x * x : x; });
    const rs::ConcreteFunction& square = power.concrete(rs::ones({2}));
    const rs::Tensor x = rs::constant({2.0f, 3.0f});
    const rs::Value result = square(x, 2); // as power is called
    square(x);                             // flat: only the tensors, in order
    square(rs::arg("x", x));               // flat, by square.flatNames()
    std::cout << rs::valueText(*result.as<rs::Tensor>()) << '\n';
    try {
        square(x, 3);
    } catch (const rs::CastError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void deferred() {
    // [deferred]
    float rate = 1;
    rs::Function f("f", {"x"}, [&](rs::Tensor x) {
        return x *
               rs::deferred({rs::DType::Float32, rs::Shape{}, "rate"}, [&] { return rs::constant(rate); });
    });
    for (const float next : {1.0f, 10.0f}) {
        rate = next;
        std::cout << rs::valueText(f(rs::constant(3.0f))) << " traces " << f.traceCount() << '\n';
    }
    // [end]
}

void tape() {
    // [tape]
    const rs::Variable weight(rs::constant(3.0f), {"weight"});
    rs::Function model("model", {"x"}, [&](rs::Tensor x) { return weight * x * x; });
    const rs::Tensor x = rs::constant({1.0f, 2.0f});
    rs::GradientTape tape({.persistent = true}); // without it, one gradient() only
    tape.watch(x);                               // trainable variables are watched by themselves
    const rs::Tensor loss = rs::reduceSum(rs::square(model(x)));
    std::cout << rs::valueText(tape.gradient(loss, weight)) << '\n';
    const std::map<std::string, rs::Tensor> named =
        tape.gradient(loss, std::map<std::string, rs::Tensor>{{"x", x}});
    std::cout << rs::valueText(named.at("x")) << " traces " << model.traceCount() << '\n';
    // [end]
}

void higherOrders() {
    // [higher_orders]
    const rs::Tensor x = rs::constant(2.0f);
    rs::GradientTape outer;
    outer.watch(x);
    rs::GradientTape inner;
    inner.watch(x);
    const rs::Tensor slope = inner.gradient(x * x * x, x); // the outer tape sees this, too
    const rs::Tensor curvature = outer.gradient(slope, x);
    std::cout << rs::valueText(slope) << ' ' << rs::valueText(curvature) << '\n';
    try {
        inner.gradient(slope, x);
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void ifWhile() {
    // [if_while]
    rs::Function collatz("collatz", {"n"}, [](rs::Tensor n) {
        rs::Local value = n;
        rs::Local steps = 0;
        rs::While([&] { return value > 1; },
                  [&] {
                      rs::If(
                          rs::equal(rs::mod(value, 2), 0), [&] { value = rs::floorDiv(value, 2); },
                          [&] { value = value * 3 + 1; });
                      steps += 1;
                  });
        return steps;
    });
    for (const int n : {6, 27, 97})
        std::cout << n << ": " << rs::valueText(collatz(rs::constant(n))) << " steps\n";
    std::cout << collatz.traceCount() << " trace\n";
    // [end]
}

void endEarly() {
    // [end_early]
    rs::Function firstAbove("first_above", {"x", "limit"}, [](rs::Tensor x, rs::Tensor limit) {
        rs::Local found; // gets its first value in the loop, which then has to run
        rs::For(rs::stridedSlice(rs::shapeOf(x), {0}), [&](rs::Tensor i, rs::Loop& loop) {
            found = rs::gather(x, i);
            rs::If(found > limit, [&] { loop.endAfterThisTrip(); });
        });
        return found;
    });
    const rs::Tensor three = rs::constant({1.0f, 5.0f, 9.0f});
    std::cout << rs::valueText(firstAbove(three, rs::constant(2.0f))) << '\n';
    rs::Function sign("sign", {"x"}, [](rs::Tensor x) {
        return rs::If(
            x > 0.0f, [&] { return x * 2.0f; }, x < -10.0f, [&] { return x - 1.0f; }, [&] { return -x; });
    });
    std::cout << rs::valueText(sign(rs::constant(-3.0f))) << '\n';
    rs::Function wrong("wrong", {"x"}, [](rs::Tensor x) {
        rs::Tensor y = x; // no Local: what a branch assigns stays inside
        rs::If(x > 0.0f, [&] { y = x * 2.0f; });
        return y;
    });
    try {
        wrong(three);
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void hostCall() {
    // [host_call]
    std::vector<std::string> log;
    rs::Function f("f", {"x"}, [&](rs::Tensor x) {
        rs::assertTrue(rs::reduceMin(x) >= 0.0f, "expected no negative numbers, got", {x});
        const rs::Tensor root = rs::hostCall(
            "root", rs::TensorSpec{rs::DType::Float32, {}, {}},
            [&](const rs::Tensor& sum) { // ordinary C++, on every run
                log.push_back(rs::valueText(sum));
                return rs::constant(std::sqrt(sum.scalar<float>()));
            },
            rs::reduceSum(x));
        return rs::checkNumerics(1.0f / root, "1 / root");
    });
    std::cout << rs::valueText(f(rs::constant({1.0f, 3.0f}))) << ' ' << log.back() << '\n';
    for (const rs::Tensor& x : {rs::constant({1.0f, -3.0f}), rs::constant({0.0f, 0.0f})}) {
        try {
            f(x);
        } catch (const rs::UsageError& error) {
            std::cout << error.what() << '\n';
        }
    }
    std::cout << log.size() << " calls, " << f.traceCount() << " traces\n";
    // [end]
}

void rows() {
    // [rows]
    rs::FunctionOptions options;
    options.inputSignature = {rs::TensorSpec{rs::DType::Float32, {rs::Shape::kUnknown, 2}, {}}};
    rs::Function longest(
        "longest", {"points"},
        [](rs::Tensor points) {
            return rs::forEach(
                points,
                [](rs::Tensor point, rs::Tensor most) {
                    return rs::maximum(most, rs::sqrt(rs::reduceSum(point * point)));
                },
                rs::constant(0.0f));
        },
        options);
    std::cout << rs::valueText(longest(rs::constant({{3.0f, 4.0f}, {1.0f, 1.0f}}))) << ' '
              << rs::valueText(longest(rs::zeros({0, 2}))) << " traces " << longest.traceCount() << '\n';
    // [end]
}

void datasets() {
    // [datasets]
    const rs::Dataset numbers = rs::Dataset::range(10);
    const rs::Dataset batches = numbers.map([](rs::Tensor x) { return x * x; }).shuffle(10, 7).batch(4);
    for (const rs::Tensor& batch : batches)
        std::cout << rs::valueText(batch) << ' ';
    std::cout << rs::valueText(batches.cardinality()) << " batches\n";
    const rs::Dataset pairs =
        rs::Dataset::fromTensorSlices(std::tuple(rs::constant({1.0f, 2.0f}), rs::constant({10, 20})));
    for (const auto& [x, y] : pairs.elements<std::tuple<rs::Tensor, rs::Tensor>>())
        std::cout << rs::valueText(x) << "->" << rs::valueText(y) << ' ';
    std::cout << '\n';
    // [end]
}

void datasetLoop() {
    // [dataset_loop]
    const rs::Variable weight(rs::constant(0.0f), {"weight"});
    rs::Function epoch("epoch", {"data"}, [&](rs::Dataset data) {
        return rs::forEach(
            data,
            [&](rs::Tensor x, rs::Tensor y, rs::Tensor loss) {
                rs::GradientTape tape;
                const rs::Tensor error = rs::reduceMean(rs::square(x * weight - y));
                weight.assignSub(0.02f * tape.gradient(error, weight));
                return loss + error;
            },
            rs::constant(0.0f));
    });
    const rs::Tensor x = rs::constant({1.0f, 2.0f, 3.0f, 4.0f, 5.0f});
    const rs::Dataset data = rs::Dataset::fromTensorSlices(std::tuple(x, x * 2.0f));
    for (int i = 0; i < 3; ++i)
        epoch(data.batch(2)); // the last batch is smaller: the size of a batch is not known
    epoch(data.repeat(2).batch(3));
    std::cout << rs::valueText(rs::round(weight.read())) << "\n" << epoch.signatures(false);
    // [end]
}

void iterators() {
    // [iterators]
    rs::Function takeTwo("take_two", {"it"}, [](rs::DatasetIterator it) {
        const rs::Tensor first = it.next();
        return first * std::int64_t{10} + it.next();
    });
    const rs::DatasetIterator it = rs::Dataset::range(5);
    std::cout << rs::valueText(takeTwo(it)) << ' ' << rs::valueText(takeTwo(it)) << " traces "
              << takeTwo.traceCount() << '\n';
    try {
        takeTwo(it);
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void tensorArray() {
    // [tensor_array]
    rs::Function table("table", {"n", "x"}, [](rs::Tensor n, rs::Tensor x) {
        const auto [i, power, all] =
            rs::whileLoop([&](rs::Tensor at, rs::Tensor, rs::TensorArray) { return at < n; },
                          [&](rs::Tensor at, rs::Tensor last, rs::TensorArray so) {
                              const rs::Tensor next = last * x;
                              return std::tuple(at + 1, next, so.write(at, next));
                          },
                          std::tuple(0, rs::onesLike(x), rs::TensorArray(rs::DType::Float32, n)));
        return all.stack();
    });
    std::cout << rs::valueText(table(rs::constant(3), rs::constant({2.0f, 10.0f}))) << '\n';
    try {
        rs::TensorArray(rs::DType::Float32, 2).write(0, 1.0f).write(0, 2.0f).stack();
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void loopGradients() {
    // [loop_gradients]
    rs::Function slopes("slopes", {"x", "n"}, [](rs::Tensor x, rs::Tensor n) {
        const rs::Tensor power = rs::forRange(
            n, [&](rs::Tensor, rs::Tensor value) { return value * x; }, rs::onesLike(x));
        const rs::Tensor first = rs::gradients(power, {x})[0];
        return std::tuple(first, rs::gradients(first, {x})[0]);
    });
    for (const int n : {2, 5}) {
        const auto [first, second] = slopes(rs::constant(2.0f), rs::constant(n));
        std::cout << "x^" << n << " at 2: " << rs::valueText(first) << ", " << rs::valueText(second) << '\n';
    }
    std::cout << slopes.traceCount() << " trace\n";
    // [end]
}

void customGradient() {
    // [custom_gradient]
    const rs::CustomGradient softplus("softplus", [](rs::Tensor x) { // log(1 + e^x)
        const rs::Tensor e = rs::exp(x);
        return rs::withGradient(rs::log(1.0f + e), [e](rs::Tensor gradient) {
            return gradient * (1.0f - 1.0f / (1.0f + e)); // by the ops it is inf / inf for large x
        });
    });
    const rs::CustomGradient rounded("rounded", [](rs::Tensor x) { // as if it were x
        return rs::withGradient(rs::round(x), [](rs::Tensor gradient) { return gradient; });
    });
    rs::Function slopes("slopes", {"x"}, [&](rs::Tensor x) {
        return std::tuple(rs::gradients(softplus(x), {x})[0], rs::gradients(rs::square(rounded(x)), {x})[0],
                          rs::gradients(x * rs::stopGradient(x), {x})[0]);
    });
    const auto [stable, through, stopped] = slopes(rs::constant({0.0f, 100.5f}));
    std::cout << rs::valueText(stable) << ' ' << rs::valueText(through) << ' ' << rs::valueText(stopped)
              << '\n';
    // [end]
}

void network() {
    // [network]
    namespace nn = rs::nn;
    struct Model {
        nn::Dense hidden{
            8, {.activation = rs::tanh, .kernel = nn::Initialiser::glorotUniform(1), .name = "hidden"}};
        nn::Dense output{1, {.kernel = nn::Initialiser::glorotUniform(2), .name = "output"}};
        rs::Tensor operator()(const rs::Tensor& x) const { return output(hidden(x)); }
        auto trainableVariables() const { return nn::trainableVariables(hidden, output); }
    };
    const Model model;
    const nn::SGD sgd(0.1, {.momentum = 0.9});
    rs::Function step("step", {"x", "y"}, [&](rs::Tensor x, rs::Tensor y) {
        return sgd.minimize([&] { return nn::meanSquaredError(y, model(x)); });
    });
    const rs::Tensor x = rs::reshape(rs::linspace(-1.0f, 1.0f, 20), {20, 1});
    for (int i = 1; i <= 200; ++i) {
        const rs::Tensor loss = step(x, x * x);
        if (i == 1 || i == 200)
            std::cout << "step " << i << ": loss " << (loss.scalar<float>() < 0.01f ? "below" : "above")
                      << " 0.01, traces " << step.traceCount() << '\n';
    }
    for (const rs::Variable& variable : model.trainableVariables())
        std::cout << variable.name() << ' ' << rs::toText(variable.read().shape()) << '\n';
    try {
        model(rs::ones({4, 3}));
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

void sequences() {
    // [sequences]
    const rs::nn::LSTMCell cell(4);
    rs::FunctionOptions options;
    options.inputSignature = {rs::TensorSpec{rs::DType::Float32, {2, rs::Shape::kUnknown, 3}, {}},
                              rs::TensorSpec{rs::DType::Int32, {2}, {}}};
    rs::Function encode(
        "encode", {"x", "lengths"},
        [&](rs::Tensor x, rs::Tensor lengths) {
            return rs::nn::dynamicRnn(cell, x, {.lengths = lengths}).outputs;
        },
        options);
    for (const std::int64_t time : {3, 7}) {
        const rs::Tensor outputs = encode(rs::ones({2, time, 3}), rs::constant({1, 3}));
        std::cout << rs::toText(outputs.shape()) << " traces " << encode.traceCount() << '\n';
    }
    // [end]
}

void furtherArguments() {
    // [further_arguments]
    rs::Function sum("sum", {"parts", {"scale", 1.0f}}, [](rs::Rest<rs::Tensor> parts, float scale) {
        rs::Tensor total = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i)
            total = total + parts[i];
        return total * scale;
    });
    const rs::Tensor x = rs::constant(2.0f);
    std::cout << rs::valueText(sum(x, x, x)) << ' ' << rs::valueText(sum(x, rs::arg("scale", 10.0f))) << '\n';
    try {
        sum(x, rs::arg("factor", 2.0f));
    } catch (const rs::BindingError& error) {
        std::cout << error.what() << '\n';
    }
    const std::vector<float> samples{1, 2, 6};
    rs::Function mean("mean", {"all"}, [](rs::Tensor all) { return rs::reduceMean(all); });
    std::cout << rs::valueText(mean(std::span(samples))) << '\n'; // memory of the host as a float32[3]
    // [end]
}

void warnings() {
    // [warnings]
    rs::setRetracingHandler([](const rs::RetracingWarning& warning) {
        std::cout << warning.function << ": " << warning.traces << " of " << warning.calls
                  << " calls traced, the last for " << warning.reason << '\n';
    });
    rs::Function scale("scale", {"x", "factor"}, [](rs::Tensor x, int factor) { return x * factor; });
    for (int factor = 1; factor <= 9; ++factor)
        scale(rs::constant(2), factor);
    rs::setRetracingHandler(nullptr); // a line on the error stream again
    // [end]
}

void atOnce() {
    // [at_once]
    std::optional<rs::Tensor> table;
    rs::Function f("f", {"x"}, [&](rs::Tensor x) {
        if (!table) {
            const rs::EagerScope outside; // what is computed here has values, and is no part of the graph
            table = rs::square(rs::range(3.0f));
            std::cout << "while tracing: " << rs::valueText(*table) << '\n';
        }
        return rs::reduceSum(*table) * x;
    });
    std::cout << rs::valueText(f(rs::constant(2.0f))) << ' ' << rs::valueText(f(rs::constant(3.0f))) << '\n';
    // [end]
}

void tensors() {
    // [tensors]
    const std::vector<float> degrees{11.5f, 12.5f, 14.0f, 18.0f};
    const rs::Tensor days = rs::constant(degrees, {2, 2});         // without a shape it is [4]
    const rs::Tensor means = rs::reduceMean(days, {1}, true);      // axes in braces; true keeps them
    const rs::Tensor second = rs::stridedSlice(days - means, {1}); // row 1
    for (const float value : second.values<float>())
        std::cout << value << ' ';
    std::cout << rs::reduceMax(days * 2).scalar<float>() << ' ' << rs::toText(rs::shapeOf(days)) << '\n';
    try {
        std::cout << rs::valueText(days * rs::constant(2)) << '\n';
    } catch (const rs::UsageError& error) {
        std::cout << error.what() << '\n';
    }
    // [end]
}

} // namespace

int main(int argc, char** argv) {
    const std::map<std::string, std::function<void()>> programs{
        {"wrap", wrap},
        {"tensors", tensors},
        {"signatures", signatures},
        {"arguments", arguments},
        {"relaxing", relaxing},
        {"input_signature", inputSignature},
        {"variables", variables},
        {"control_flow", controlFlow},
        {"gradients", gradients},
        {"tape", tape},
        {"higher_orders", higherOrders},
        {"if_while", ifWhile},
        {"end_early", endEarly},
        {"host_call", hostCall},
        {"rows", rows},
        {"tensor_array", tensorArray},
        {"datasets", datasets},
        {"dataset_loop", datasetLoop},
        {"iterators", iterators},
        {"loop_gradients", loopGradients},
        {"custom_gradient", customGradient},
        {"mistakes", mistakes},
        {"objects", objects},
        {"structs", structs},
        {"methods", methods},
        {"concrete_calls", concreteCalls},
        {"deferred", deferred},
        {"network", network},
        {"further_arguments", furtherArguments},
        {"warnings", warnings},
        {"at_once", atOnce},
        {"sequences", sequences},
    };
    const auto chosen = programs.find(argc == 2 ? argv[1] : "");
    if (chosen == programs.end()) {
        std::cerr << "engine_examples: expected one of the names in resources/manual/engine.md\n";
        return 2;
    }
    chosen->second();
    return 0;
}
