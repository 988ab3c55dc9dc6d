// A forecast with weights, a tape and staged loops of its own: batches of any size are one trace.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

namespace {

constexpr int kHours = 24 * 12;
constexpr int kWindow = 8; // hours that a forecast is made from
constexpr int kUnits = 6;
constexpr int kBatch = 120;

/** Twelve days, warm in the afternoon, with noise; scaled to about -1 to 1. */
rs::Tensor temperatures() {
    const rs::Tensor hour = rs::range(static_cast<float>(kHours));
    const rs::Tensor daily = rs::sin(hour * (2 * 3.14159265f / 24));
    const rs::Tensor noise = rs::statelessNormal({kHours}, rs::constant({7, 1}));
    return daily * 0.8f + noise * 0.08f;
}

/** A recurrent cell and a line that reads its state. */
struct Model {
    rs::Variable input{rs::statelessNormal({1, kUnits}, rs::constant({1, 1})) * 0.5f, {"input"}};
    rs::Variable recurrent{rs::statelessNormal({kUnits, kUnits}, rs::constant({1, 2})) * 0.3f, {"recurrent"}};
    rs::Variable bias{rs::zeros({kUnits}), {"bias"}};
    rs::Variable output{rs::statelessNormal({kUnits, 1}, rs::constant({1, 3})) * 0.5f, {"output"}};

    std::vector<rs::Variable> variables() const { return {input, recurrent, bias, output}; }

    /** The temperature after each of some windows, [batch, kWindow] to [batch]. */
    rs::Tensor operator()(const rs::Tensor& windows) const {
        const rs::Tensor batch = rs::gather(rs::shapeOf(windows), 0);
        const rs::Tensor start = rs::fill(rs::stack({batch, rs::constant(std::int64_t{kUnits})}), 0.0f);
        const rs::Tensor state = rs::forEach(
            rs::transpose(windows), // one trip for each hour
            [&](rs::Tensor now, rs::Tensor last) {
                return rs::tanh(rs::matmul(rs::expandDims(now, 1), input) + rs::matmul(last, recurrent) +
                                bias);
            },
            start);
        return rs::squeeze(rs::matmul(state, output), {1});
    }
};

rs::Tensor twoDigits(const rs::Tensor& x) {
    return rs::round(x * 100.0f) / 100.0f;
}

void report(const auto& function) {
    std::cout << function.name() << " concrete functions: " << function.tracingCount() << '\n'
              << function.signatures(false);
}

void refused(const std::string& what, const auto& call) {
    try {
        call();
    } catch (const rs::UsageError& error) {
        std::cout << what << ":\n  " << error.what() << '\n';
    }
}

} // namespace

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "temperature_forecast.retrace");
    const rs::Tensor series = temperatures();
    constexpr int kExamples = kHours - kWindow;
    const rs::Tensor starts = rs::range(kExamples);
    const rs::Tensor windows = rs::gather(series, rs::expandDims(starts, 1) + rs::range(kWindow));
    const rs::Tensor targets = rs::gather(series, starts + kWindow);
    const Model model;
    const rs::Variable rate(rs::constant(0.3f), {"rate"});

    // Batches differ in size: the signature leaves that axis open, so that there is one trace.
    rs::FunctionOptions anyBatch;
    anyBatch.inputSignature = {rs::TensorSpec{rs::DType::Float32, {rs::Shape::kUnknown, kWindow}, {}},
                               rs::TensorSpec{rs::DType::Float32, {rs::Shape::kUnknown}, {}}};
    rs::Function step(
        "step", {"windows", "targets"},
        [&](rs::Tensor x, rs::Tensor y) {
            rs::GradientTape tape;
            const rs::Tensor loss = rs::nn::meanSquaredError(y, model(x));
            const auto variables = model.variables();
            const auto slopes = tape.gradient(loss, variables);
            rs::Tensor squares = rs::constant(0.0f);
            for (const rs::Tensor& slope : slopes) // a host loop: unrolled
                squares = squares + rs::reduceSum(rs::square(slope));
            const rs::Tensor length = rs::sqrt(squares);
            const rs::Tensor shorten = rs::cond(
                length > 1.0f, [&] { return 1.0f / length; }, [&] { return rs::onesLike(length); });
            for (std::size_t i = 0; i < variables.size(); ++i)
                variables[i].assignSub(slopes[i] * (shorten * rate));
            return loss;
        },
        anyBatch);

    // Here the engine finds out that sizes differ: the second size opens the axis.
    rs::Function loss("loss", {"windows", "targets"},
                      [&](rs::Tensor x, rs::Tensor y) { return rs::nn::meanSquaredError(y, model(x)); },
                      {.reduceRetracing = true});

    // Feeds its own forecasts back; the number of hours is a tensor, so that any number is one trace.
    rs::Function forecast("forecast", {"window", "hours"}, [&](rs::Tensor window, rs::Tensor hours) {
        const auto [hour, last, all] =
            rs::whileLoop([&](rs::Tensor at, rs::Tensor, rs::TensorArray) { return at < hours; },
                          [&](rs::Tensor at, rs::Tensor so, rs::TensorArray collected) {
                              const rs::Tensor next = model(so);
                              const rs::Tensor kept = rs::slice(so, {0, 1}, {1, kWindow - 1});
                              return std::tuple(at + 1, rs::concat({kept, rs::expandDims(next, 1)}, 1),
                                                collected.write(at, next));
                          },
                          std::tuple(0, window, rs::TensorArray(rs::DType::Float32, hours)));
        return all.concat();
    });

    std::cout << "loss before " << rs::valueText(twoDigits(loss(windows, targets))) << '\n';
    for (int epoch = 0; epoch < 20; ++epoch) {
        if (epoch == 15)
            rate.assign(0.05f); // seen by the next step, without a trace
        for (int at = 0; at < kExamples; at += kBatch) {
            const int size = std::min(kBatch, kExamples - at); // the last batch is smaller
            step(rs::slice(windows, {at, 0}, {size, kWindow}), rs::slice(targets, {at}, {size}));
        }
    }
    std::cout << "loss after  " << rs::valueText(twoDigits(loss(windows, targets))) << '\n';
    for (const int size : {10, 20, 30})
        loss(rs::slice(windows, {0, 0}, {size, kWindow}), rs::slice(targets, {0}, {size}));
    const rs::Tensor lastWindow = rs::slice(windows, {kExamples - 1, 0}, {1, kWindow});
    for (const int hours : {3, 6})
        std::cout << "next hours  " << rs::valueText(twoDigits(forecast(lastWindow, rs::constant(hours))))
                  << '\n';
    report(step);
    report(loss);
    report(forecast);

    refused("a C++ if on a traced value", [&] {
        rs::Function warm("warm", {"x"}, [](rs::Tensor x) { return rs::reduceMean(x) > 0.0f ? x : -x; });
        warm(targets);
    });
    refused("a tensor that left its trace", [&] {
        rs::Tensor kept;
        rs::Function leak("leak", {"x"}, [&](rs::Tensor x) { return kept = x * 2.0f; });
        leak(targets);
        kept = kept + 1.0f;
    });
    refused("targets of another rank", [&] { step(windows, rs::expandDims(targets, 1)); });
}
