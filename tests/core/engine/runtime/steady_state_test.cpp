#include <QTest>

#include <algorithm>
#include <limits>
#include <thread>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/allocations.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using runtime::Variable;
using tensor::constant;
using tensor::Tensor;
using tests::allocations;
using tests::pageFaults;

namespace {

types::TensorTypeId floats(const types::Shape& shape) {
    return types::tensorType(types::DType::Float32, shape);
}

/// One of everything that a training step does: products, broadcasts, reductions, a variable's update, a
/// call, a cond.
struct Step {
    std::shared_ptr<Variable> weight = Variable::make("w", floats({4, 2}), tensor::filled(0.5f, {4, 2}));
    std::shared_ptr<Executable> executable;

    explicit Step(std::int64_t batch) {
        Graph inner("square_error");
        const NodeId a = inner.addInput(floats({types::Shape::kUnknown, 2}), "a");
        inner.setOutputs(std::array{inner.append(Op::ReduceMean, {inner.append(Op::Square, {a})})});
        Graph graph("step");
        const NodeId x = graph.addInput(floats({batch, 4}), "x");
        const NodeId w = graph.addCapture(Tensor::resource(weight), "w");
        const auto type =
            ir::Attributes().set(ir::Attribute::Type, static_cast<std::int64_t>(weight->type()));
        const NodeId read = graph.append(Op::ReadVariable, {w}, type);
        const NodeId y = graph.append(
            Op::Add, {graph.append(Op::MatMul, {x, read}), graph.addConstant(constant({1.0f, 2.0f}))});
        const NodeId loss = graph.addCall(Executable::compile(inner), std::array{y});
        const NodeId delta =
            graph.append(Op::MatMul, {x, y}, ir::Attributes().set(ir::Attribute::TransposeA, 1));
        graph.append(Op::AssignSubVariable,
                     {w, graph.append(Op::Mul, {delta, graph.addConstant(constant(0.001f))})}, type);
        const NodeId small = graph.append(Op::Less, {loss, graph.addConstant(constant(1e30f))});
        Graph yes("yes");
        yes.setOutputs(std::array{yes.append(Op::Neg, {yes.addInput(floats({}), "loss")})});
        Graph no("no");
        no.setOutputs(std::array{no.append(Op::Exp, {no.addInput(floats({}), "loss")})});
        const NodeId chosen = graph.addCond(small, std::make_shared<const Graph>(yes),
                                            std::make_shared<const Graph>(no), std::array{loss});
        graph.setOutputs(std::array{loss, chosen, y});
        executable = Executable::compile(runtime::optimise(graph));
    }
};

Graph openChain() {
    Graph graph("open");
    const NodeId x = graph.addInput(floats({types::Shape::kUnknown}), "x");
    NodeId at = x;
    for (int i = 0; i < 10; ++i)
        at = graph.append(i % 2 == 0 ? Op::Add : Op::Sub,
                          {at, i % 3 == 0 ? x : graph.append(Op::Square, {at})});
    graph.setOutputs(std::array{at});
    return graph;
}

} // namespace

class SteadyStateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWarmRunAllocatesNothing() {
        if (!tests::kCountsAllocations)
            QSKIP("a sanitizer allocates by itself");
        const Step step(3);
        const auto open = Executable::compile(openChain());
        const std::array inputs{tensor::filled(1.0f, {3, 4})};
        const std::array openInputs{tensor::filled(1.0f, {5})};
        std::vector<Tensor> outputs(3);
        std::vector<Tensor> openOutputs(1);
        const auto run = [&] {
            step.executable->run(inputs, outputs);
            open->run(openInputs, openOutputs);
        };
        run();
        run();
        const std::uint64_t before = allocations();
        for (int i = 0; i < 1000; ++i)
            run();
        QCOMPARE(allocations() - before, std::uint64_t{0});
    }

    void theCounterCounts() {
        if (!tests::kCountsAllocations)
            QSKIP("a sanitizer allocates by itself");
        const std::uint64_t before = allocations();
        ::operator delete(::operator new(1));
        QCOMPARE(allocations() - before, std::uint64_t{1});
    }

    void aWarmRunTouchesNoFreshPage() {
        if (!tests::kCountsAllocations)
            QSKIP("a sanitizer touches pages by itself");
        const Step step(20000);
        const std::array inputs{tensor::filled(0.001f, {20000, 4})};
        std::vector<Tensor> outputs(3);
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max(); // the system may take pages away
        for (int round = 0; round < 5; ++round) {
            const std::uint64_t before = pageFaults();
            for (int i = 0; i < 10; ++i)
                step.executable->run(inputs, outputs);
            least = std::min(least, pageFaults() - before);
        }
        QCOMPARE(least, std::uint64_t{0});
    }

    void threadsRunOneExecutableAtOnce() {
        const auto open = Executable::compile(openChain());
        std::atomic<int> wrong{0};
        const auto work = [&](int thread) {
            for (int i = 0; i < 300; ++i) {
                const float value = 0.01f * static_cast<float>(1 + (thread * 7 + i) % 13);
                const types::Shape shape{1 + (thread + i) % 5};
                const std::vector<Tensor> results = open->run(std::array{tensor::filled(value, shape)});
                const std::vector<Tensor> again = open->run(std::array{tensor::filled(value, shape)});
                const bool isUniform = std::ranges::all_of(results[0].data<float>(), [&](float each) {
                    return each == results[0].data<float>()[0];
                });
                wrong += !isUniform || !tensor::sameContent(results[0], again[0]);
            }
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back(work, i);
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(wrong.load(), 0);
        QCOMPARE(open->planCount(), std::size_t{5});
    }

    void noUpdateOfAVariableIsLost() {
        const auto counter =
            Variable::make("n", types::tensorType(types::DType::Int32, types::Shape{}), constant(0));
        Graph graph("count");
        const NodeId v = graph.addCapture(Tensor::resource(counter), "n");
        graph.append(Op::AssignAddVariable, {v, graph.addConstant(constant(1))},
                     ir::Attributes().set(ir::Attribute::Type, static_cast<std::int64_t>(counter->type())));
        const auto executable = Executable::compile(graph);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k < 1000; ++k)
                    executable->run({}, {});
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(counter->read().scalar<std::int32_t>(), 4000);
    }

    void keepsABoundedNumberOfPlans() {
        const auto open = Executable::compile(openChain());
        for (std::int64_t length = 1; length <= 200; ++length)
            open->run(std::array{tensor::filled(1.0f, {length})});
        QCOMPARE(open->planCount(), std::size_t{64});
        QCOMPARE(open->run(std::array{tensor::filled(0.0f, {3})})[0].values<float>(),
                 (std::vector<float>{0, 0, 0}));
    }
};

RETRACESCOPE_TEST(SteadyStateTest);
#include "steady_state_test.moc"
