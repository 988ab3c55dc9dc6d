// A recurrent network as a staged loop over time: one trace for sequences of all lengths.
#include <iostream>
#include <tuple>

#include <retracescope/retracescope.h>

namespace rs = retracescope;
namespace nn = retracescope::nn;

namespace {

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kFeatures = 3;
constexpr std::int64_t kUnits = 4;

} // namespace

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "dynamic_rnn.retrace");

    const nn::GRUCell cell(kUnits, {.kernel = nn::Initialiser::glorotUniform(1),
                                    .recurrent = nn::Initialiser::glorotUniform(2)});
    // [batch, time, features] to all states, [batch, time, units]. nn::dynamicRnn() does the same.
    const auto allStates = [&](rs::Tensor x) {
        std::cout << "  tracing with " << rs::toText(x.type()) << '\n';
        const rs::Tensor steps = rs::transpose(x, {1, 0, 2}); // time leads: a row for each step
        const auto [end, last, states] = rs::forEach(
            steps,
            [&](rs::Tensor step, rs::Tensor at, rs::Tensor state, rs::TensorArray so) {
                const rs::Tensor next = cell(step, {state})[0];
                return std::tuple(at + 1, next, so.write(at, next));
            },
            std::tuple(0, rs::zeros({kBatch, kUnits}),
                       rs::TensorArray(rs::DType::Float32, rs::stridedSlice(rs::shapeOf(steps), {0}))));
        return rs::transpose(states.stack(), {1, 0, 2});
    };
    rs::Function exact("rnn", {"x"}, allStates);
    rs::FunctionOptions options;
    options.inputSignature = {
        rs::TensorSpec{rs::DType::Float32, {kBatch, rs::Shape::kUnknown, kFeatures}, {}}};
    rs::Function open("rnn_any_length", {"x"}, allStates, options);

    const rs::Generator generator(1);
    for (const std::int64_t time : {3, 5, 4, 3}) {
        const rs::Tensor x = generator.uniform({kBatch, time, kFeatures});
        const rs::Tensor states = open(x);
        const rs::Tensor difference = rs::reduceMax(rs::abs(states - exact(x)));
        std::cout << time << " steps: " << rs::toText(states.type()) << ", both ways "
                  << (difference.scalar<float>() < 1e-6f ? "agree\n" : "differ\n");
    }
    std::cout << "rnn: " << exact.traceCount() << " traces, rnn_any_length: " << open.traceCount()
              << " trace\n";
}
