// Speed of running graphs and ops. Compare medians of
// --benchmark_repetitions on a quiet machine, since this kind drifts by 2x.
#include <benchmark/benchmark.h>

#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/kernels/vector_kernels.h>
#include <retracescope/engine/tensor/constant.h>

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using tensor::Tensor;

namespace {

types::TensorTypeId floats(const types::Shape& shape) {
    return types::tensorType(types::DType::Float32, shape);
}

/// `nodes` additions and multiplications in turn of two arguments of `elements` floats.
Graph chain(int nodes, types::Shape shape) {
    Graph graph("chain");
    const NodeId x = graph.addInput(floats(shape), "x");
    const NodeId y = graph.addInput(floats(shape), "y");
    NodeId at = x;
    for (int i = 0; i < nodes; ++i)
        at = graph.append(i % 2 == 0 ? Op::Add : Op::Mul, {at, y});
    graph.setOutputs(std::array{at});
    return graph;
}

void runChain(benchmark::State& state, Graph graph, std::int64_t elements) {
    const auto executable = Executable::compile(std::move(graph));
    const std::array inputs{tensor::filled(1.0f, {elements}), tensor::filled(1.0f, {elements})};
    std::array<Tensor, 1> outputs;
    for (auto _ : state)
        executable->run(inputs, outputs);
    benchmark::DoNotOptimize(outputs);
}

/// Arguments: nodes, floats. The cost per node is the difference of two lengths.
void chainOfKnownShape(benchmark::State& state) {
    runChain(state, chain(static_cast<int>(state.range(0)), types::Shape{state.range(1)}), state.range(1));
}
BENCHMARK(chainOfKnownShape)->ArgsProduct({{1, 10, 1000}, {4}})->ArgsProduct({{10}, {65536}});

void chainOfOpenShape(benchmark::State& state) {
    runChain(state, chain(static_cast<int>(state.range(0)), types::Shape{types::Shape::kUnknown}), 4);
}
BENCHMARK(chainOfOpenShape)->Arg(10);

void eagerAdd(benchmark::State& state) {
    const Tensor x = tensor::filled(1.0f, {state.range(0)});
    for (auto _ : state)
        benchmark::DoNotOptimize(runtime::runOp(Op::Add, {x, x}));
}
BENCHMARK(eagerAdd)->Arg(4)->Arg(65536);

/// Argument: ops. Appending them, the passes, and the plan, without a first run.
void buildOptimiseAndPlan(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(
            Executable::compile(runtime::optimise(chain(static_cast<int>(state.range(0)), types::Shape{4}))));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(buildOptimiseAndPlan)->Arg(10)->Arg(1000);

void buildOnly(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(chain(static_cast<int>(state.range(0)), types::Shape{4}));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(buildOnly)->Arg(1000);

/// Argument: size. Counter: floating operations per second.
void matMul(benchmark::State& state) {
    const std::int64_t n = state.range(0);
    Graph graph("matmul");
    const NodeId x = graph.addInput(floats({n, n}), "x");
    graph.setOutputs(std::array{graph.append(Op::MatMul, {x, x})});
    const auto executable = Executable::compile(graph);
    const std::array inputs{tensor::filled(0.01f, {n, n})};
    std::array<Tensor, 1> outputs;
    for (auto _ : state)
        executable->run(inputs, outputs);
    state.counters["flops"] = benchmark::Counter(2.0 * static_cast<double>(n * n * n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(matMul)->Arg(64)->Arg(512);

/// Argument: op. 4,096 floats in cache; counter: elements per second.
void unaryRow(benchmark::State& state) {
    const auto op = static_cast<Op>(state.range(0));
    const runtime::UnaryRow row = runtime::kernelsOf(types::DType::Float32)->unaryOf(op).row;
    Tensor out = tensor::filled(0.5f, {4096});
    const Tensor in = tensor::filled(0.5f, {4096});
    for (auto _ : state)
        row(out.mutableBytes(), in.bytes(), 4096);
    state.SetItemsProcessed(state.iterations() * 4096);
    state.SetLabel(std::string(ir::opName(op)));
}
BENCHMARK(unaryRow)
    ->Arg(static_cast<int>(Op::Neg))
    ->Arg(static_cast<int>(Op::Exp))
    ->Arg(static_cast<int>(Op::Tanh));

} // namespace
