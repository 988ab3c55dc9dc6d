// A training loop over a dataset: one trace and one small graph, however many batches there are.
#include <iomanip>
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;
namespace nn = retracescope::nn;

namespace {

constexpr std::int64_t kFeatures = 2;

/// Batches of examples in random order; the last one is smaller where they do not divide.
rs::Dataset someBatches(std::int64_t examples, std::int64_t batch) {
    const rs::Tensor x = rs::statelessUniform({examples, kFeatures}, rs::constant({1, 1}));
    const rs::Tensor y = rs::reduceSum(x, {1}, true); // what is to be learnt
    return rs::Dataset::fromTensorSlices(std::tuple(x, y)).shuffle(examples, 1).batch(batch);
}

} // namespace

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "training_on_datasets.retrace");

    const nn::Dense model(1, {.kernel = nn::Initialiser::zeros()});
    const nn::SGD sgd(0.1);
    const auto step = [&](const rs::Tensor& x, const rs::Tensor& y) {
        return sgd.minimize([&] { return nn::meanSquaredError(y, model(x)); });
    };

    // Called from a loop of the host: the smaller last batch is a second trace.
    rs::Function trainStep("train_step", {"x", "y"}, step);
    // The loop is in the graph. A dataset counts by what its elements are, not by which or how many.
    rs::Function train("train", {"batches"}, [&](rs::Dataset batches) {
        return rs::forEach(
            batches, [&](rs::Tensor x, rs::Tensor y, rs::Tensor) { return step(x, y); }, rs::constant(0.0f));
    });

    const auto show = [](std::int64_t examples, const char* how, const rs::Tensor& loss) {
        std::cout << examples << " examples, " << how << ": last loss " << std::fixed << std::setprecision(4)
                  << loss.scalar<float>() << '\n';
    };
    rs::Tensor loss;
    for (const auto& [x, y] : someBatches(20, 8).elements<std::tuple<rs::Tensor, rs::Tensor>>())
        loss = trainStep(x, y);
    show(20, "a call for each batch", loss);
    for (const std::int64_t examples : {20, 100, 64})
        show(examples, "a call for all of them", train(someBatches(examples, 8)));
    show(20, "ten times over in a call", train(someBatches(20, 8).repeat(10)));
    std::cout << "train_step: " << trainStep.traceCount() << " traces, train: " << train.traceCount()
              << " trace of " << train.concreteFunctions()[0]->graph().nodeCount() << " nodes\n";
}
