// A training loop over a list: traced, a host loop unrolls, so every length is a trace and a longer graph.
#include <iomanip>
#include <iostream>
#include <vector>

#include <retracescope/retracescope.h>

namespace rs = retracescope;
namespace nn = retracescope::nn;

namespace {

constexpr std::int64_t kExamples = 4; // in a batch
constexpr std::int64_t kFeatures = 2;

struct Batch {
    rs::Tensor x; // [kExamples, kFeatures]
    rs::Tensor y; // [kExamples, 1]: the sum of the features
    static auto traceFields() { return std::tuple(rs::field("x", &Batch::x), rs::field("y", &Batch::y)); }
};

std::vector<Batch> someBatches(std::size_t count) {
    const rs::Generator generator(1);
    std::vector<Batch> batches;
    while (batches.size() < count) {
        const rs::Tensor x = generator.uniform({kExamples, kFeatures});
        batches.push_back({x, rs::reduceSum(x, {1}, true)});
    }
    return batches;
}

/// The same batches as one tensor for each field, with a leading axis more.
Batch stacked(const std::vector<Batch>& batches) {
    std::vector<rs::Tensor> xs;
    std::vector<rs::Tensor> ys;
    for (const Batch& batch : batches) {
        xs.push_back(batch.x);
        ys.push_back(batch.y);
    }
    return {rs::stack(xs), rs::stack(ys)};
}

struct Trainer {
    nn::Dense model{1, {.kernel = nn::Initialiser::zeros()}};
    nn::SGD sgd{0.1};
    rs::Tensor step(const rs::Tensor& x, const rs::Tensor& y) const {
        return sgd.minimize([&] { return nn::meanSquaredError(y, model(x)); });
    }
};

} // namespace

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "training_on_lists.retrace");

    const Trainer onList;
    const Trainer onTensors;
    rs::Function trainOnList("train_on_list", {"batches"}, [&](std::vector<Batch> batches) {
        rs::Tensor loss;
        for (const Batch& batch : batches) // the graph has a copy of the step for each
            loss = onList.step(batch.x, batch.y);
        return loss;
    });
    rs::FunctionOptions relaxing;
    relaxing.reduceRetracing = true;
    rs::Function trainOnTensors(
        "train_on_tensors", {"batches"},
        [&](Batch batches) {
            const rs::Tensor count = rs::stridedSlice(rs::shapeOf(batches.x), {0});
            return rs::forRange( // the graph has the step once, and a loop around it
                count,
                [&](rs::Tensor i, rs::Tensor) {
                    const rs::Tensor x = rs::gather(batches.x, i);
                    const rs::Tensor y = rs::gather(batches.y, i);
                    return onTensors.step(x, y);
                },
                rs::constant(0.0f));
        },
        relaxing);

    const auto show = [](const char* how, const rs::Tensor& loss, std::size_t nodes) {
        std::cout << "  " << how << ": loss " << std::fixed << std::setprecision(4) << loss.scalar<float>()
                  << ", " << nodes << " nodes\n";
    };
    for (const std::size_t count : {3, 10, 3, 7}) {
        std::cout << count << " batches\n";
        const std::vector<Batch> list = someBatches(count);
        show("as a list", trainOnList(list), trainOnList.concrete(list).graph().nodeCount());
        const Batch tensors = stacked(list);
        show("as tensors", trainOnTensors(tensors), trainOnTensors.concrete(tensors).graph().nodeCount());
    }
    std::cout << "train_on_list: " << trainOnList.traceCount()
              << " traces, train_on_tensors: " << trainOnTensors.traceCount() << " traces\n";
}
