// A training loop that retraces on every step: the step number is a host int, and the last batch is smaller.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <vector>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

namespace {

constexpr std::int64_t kFeatures = 4;
constexpr std::int64_t kExamples = 30;
constexpr std::int64_t kBatch = 8; // 30 = 3 * 8 + 6
constexpr float kRate = 0.02f;

struct Batch {
    rs::Tensor x; // [examples, kFeatures]
    rs::Tensor y; // [examples, 1]
};

/// Examples of y = sum of the features.
Batch batchFrom(std::int64_t first) {
    const std::int64_t count = std::min(kBatch, kExamples - first);
    std::vector<float> x;
    std::vector<float> y;
    for (std::int64_t example = first; example < first + count; ++example) {
        y.push_back(0.0f);
        for (std::int64_t feature = 0; feature < kFeatures; ++feature) {
            x.push_back(static_cast<float>((example * 7 + feature * 3) % 11) / 10.0f);
            y.back() += x.back();
        }
    }
    return {rs::constant(x, {count, kFeatures}), rs::constant(y, {count, 1})};
}

} // namespace

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "training_loop.retrace");

    const rs::Variable weights(rs::filled(0.1f, {kFeatures, 1}), {"weights"});
    const rs::Variable bias(rs::zeros({1}), {"bias"});

    rs::Function trainStep("train_step", {"x", "y", "step"}, [&](rs::Tensor x, rs::Tensor y, int step) {
        const rs::Tensor prediction = rs::relu(rs::matmul(x, weights.read()) + bias.read());
        const rs::Tensor error = prediction - y;
        const rs::Tensor loss = rs::reduceMean(rs::square(error));
        // d loss / d prediction, through the mean, the square and the relu
        const auto examples = static_cast<float>(x.shape()[0]);
        const rs::Tensor slope =
            rs::select(prediction > 0.0f, error * (2.0f / examples), rs::zerosLike(error));
        const float rate = kRate / (1.0f + 0.01f * static_cast<float>(step)); // what the host int is for
        weights.assignSub(rs::matmul(x, slope, true) * rate);
        bias.assignSub(rs::reduceSum(slope, {0}) * rate);
        return loss;
    });

    int step = 0;
    for (int epoch = 1; epoch <= 3; ++epoch) {
        rs::Tensor loss;
        for (std::int64_t first = 0; first < kExamples; first += kBatch) {
            const Batch batch = batchFrom(first);
            loss = trainStep(batch.x, batch.y, ++step);
        }
        std::cout << "epoch " << epoch << ": loss " << std::fixed << std::setprecision(4)
                  << loss.scalar<float>() << '\n';
    }
    std::cout << step << " steps, " << trainStep.traceCount() << " traces\n";
}
