#include <QTest>

#include <cstdlib>
#include <new>
#include <thread>

#include <sys/resource.h>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/test_main.h"

namespace {
thread_local std::uint64_t allocations = 0;
} // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false; // the sanitizer's own operator new must stay
#else
constexpr bool kCounts = true;

namespace {
void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory =
        alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, rounded);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}
} // namespace

void* operator new(std::size_t bytes) {
    return counted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
#endif

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using runtime::Variable;
using tensor::constant;
using tensor::Tensor;

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
        if (!kCounts)
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
        const std::uint64_t before = allocations;
        for (int i = 0; i < 1000; ++i)
            run();
        QCOMPARE(allocations - before, std::uint64_t{0});
    }

    void theCounterCounts() {
        if (!kCounts)
            QSKIP("a sanitizer allocates by itself");
        const std::uint64_t before = allocations;
        delete new int(1);
        QCOMPARE(allocations - before, std::uint64_t{1});
    }

    void aWarmRunTouchesNoFreshPage() {
        if (!kCounts)
            QSKIP("a sanitizer touches pages by itself");
        const Step step(20000);
        const std::array inputs{tensor::filled(0.001f, {20000, 4})};
        std::vector<Tensor> outputs(3);
        const auto faults = [] {
            rusage usage{};
            getrusage(RUSAGE_THREAD, &usage);
            return usage.ru_minflt;
        };
        for (int i = 0; i < 5; ++i)
            step.executable->run(inputs, outputs);
        const long before = faults();
        for (int i = 0; i < 50; ++i)
            step.executable->run(inputs, outputs);
        QVERIFY2(faults() - before < 50, std::to_string(faults() - before).c_str());
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
