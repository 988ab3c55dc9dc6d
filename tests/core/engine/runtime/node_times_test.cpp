#include <QTest>

#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using tensor::constant;
using test::errorOf;

namespace {

class Listener : public runtime::Observer {
public:
    explicit Listener(bool nodes) : m_nodes(nodes) {}
    ~Listener() override = default;

    void onFunction(const runtime::FunctionFacts&) override {}
    void onMiss(const runtime::MissFacts&) override {}
    void onTraceBegin(runtime::FunctionKey, std::uint64_t) override {}
    void onEntry(const runtime::EntryFacts&) override {}
    void onTraceEnd(const runtime::TraceFacts&) override {}
    void onPhase(const runtime::PhaseFacts& facts) override {
        phases.push_back(std::string(facts.kind) + ' ' + std::string(facts.name));
    }
    void onDrop(runtime::EntryKey, runtime::DropReason, std::uint64_t) override {}
    void onWarning(runtime::FunctionKey, std::string_view, std::uint64_t) override {}
    void onCall(const runtime::CallFacts&) noexcept override {}
    bool wantsNodes() const override { return m_nodes; }
    void onNodes(runtime::EntryKey entry, std::span<const std::uint64_t> stamps) noexcept override {
        entries.push_back(entry);
        boundaries.assign(stamps.begin(), stamps.end());
    }

    std::vector<runtime::EntryKey> entries;
    std::vector<std::uint64_t> boundaries;
    std::vector<std::string> phases;

private:
    bool m_nodes;
};

class Listening {
public:
    explicit Listening(Listener& listener) : m_before(runtime::setObserver(&listener)) {}
    ~Listening() { runtime::setObserver(m_before); }

private:
    runtime::Observer* m_before;
};

Graph chain() {
    Graph graph("chain");
    const NodeId x = graph.addInput(types::tensorType(types::DType::Float32, types::Shape{2}), "x");
    const NodeId y = graph.append(Op::Exp, {x});
    const NodeId c = graph.addConstant(constant({1.0f, 2.0f}));
    graph.setOutputs(std::array{graph.append(Op::Add, {y, c})});
    return graph;
}

} // namespace

class NodeTimesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNodeHasABeginAndAnEnd() {
        Listener listener(true);
        const Listening listening(listener);
        const auto executable = Executable::compile(chain(), {1, 42});
        executable->run(std::array{constant({1.0f, 2.0f})});
        QCOMPARE(listener.entries, (std::vector<runtime::EntryKey>{42}));
        QCOMPARE(listener.boundaries.size(), std::size_t{executable->graph().nodeCount()} + 1);
        QVERIFY(std::ranges::is_sorted(listener.boundaries));
        QCOMPARE(listener.boundaries[0], listener.boundaries[1]); // the argument costs nothing
        QVERIFY(listener.boundaries[1] < listener.boundaries[2]); // exp
        QCOMPARE(listener.boundaries[2], listener.boundaries[3]); // nor does the constant
        QVERIFY(listener.boundaries[3] < listener.boundaries[4]); // add
    }

    void nobodyIsToldWhoDidNotAsk() {
        Listener listener(false);
        const Listening listening(listener);
        Executable::compile(chain(), {1, 42})->run(std::array{constant({1.0f, 2.0f})});
        QVERIFY(listener.entries.empty());
    }

    void phasesAreReported() {
        Listener listener(false);
        const Listening listening(listener);
        Executable::compile(runtime::optimise(chain(), {1, 42}), {1, 42});
        QCOMPARE(listener.phases, (std::vector<std::string>{"optimise fold_constants",
                                                            "optimise remove_dead_nodes", "plan plan"}));
    }

    void mistakesOfTheRunNameTheUsersLine() {
        Graph graph("f");
        const auto open = types::tensorType(types::DType::Float32, types::Shape{types::Shape::kUnknown});
        const NodeId x = graph.addInput(open, "x");
        const NodeId y = graph.addInput(open, "y");
        graph.setSource("train.cpp", "step", 9);
        graph.setOutputs(std::array{graph.append(Op::Add, {x, y})});
        const auto executable = Executable::compile(graph);
        QCOMPARE(errorOf([&] {
                     executable->run(std::array{constant({1.0f, 2.0f}), constant({1.0f, 2.0f, 3.0f})});
                 }),
                 std::string("[add] shapes do not broadcast: [2] with [3] (train.cpp:9)"));
        QCOMPARE(executable->run(std::array{constant({1.0f}), constant({1.0f})})[0].scalar<float>(), 2.0f);
    }

    void aFailedRunDoesNotSpoilTheNext() {
        Graph graph("f");
        const NodeId x = graph.addInput(types::tensorType(types::DType::Int32, types::Shape{2}), "x");
        graph.setOutputs(std::array{graph.append(Op::Div, {graph.addConstant(constant({6, 8})), x})});
        const auto executable = Executable::compile(graph);
        QCOMPARE(errorOf([&] {
                     executable->run(std::array{constant({1, 0})});
                 }),
                 std::string("[div] an integer was divided by zero"));
        QCOMPARE(executable->run(std::array{constant({2, 4})})[0].values<std::int32_t>(),
                 (std::vector<std::int32_t>{3, 2}));
    }

    void eagerOpsSayWhatTheyExpect() {
        const tensor::Tensor symbolic =
            tensor::Tensor::symbolic(1, 0, types::tensorType(types::DType::Float32, types::Shape{}));
        QCOMPARE(errorOf([&] { runtime::runOp(Op::Neg, {symbolic}); }),
                 std::string("[neg] expected values, got a symbolic tensor outside of its trace"));
        QCOMPARE(errorOf([&] {
                     runtime::runOp(Op::Add, {constant(1), constant(1.0f)});
                 }),
                 std::string("[add] dtypes differ: int32 and float32; cast one of them"));
    }

    void aVariableHoldsWhatItWasMadeFor() {
        const auto open = types::tensorType(types::DType::Float32, types::Shape{types::Shape::kUnknown});
        const auto variable = runtime::Variable::make("w", open, {});
        QVERIFY(!variable->isInitialized());
        QCOMPARE(errorOf([&] { variable->read(); }),
                 std::string("[variable] 'w' was read before a value was assigned"));
        variable->assign(constant({1.0f, 2.0f}));
        const tensor::Tensor before = variable->read();
        variable->assignAdd(constant({1.0f, 1.0f}));
        QCOMPARE(before.values<float>(), (std::vector<float>{1, 2})); // a value that was read never changes
        QCOMPARE(variable->read().values<float>(), (std::vector<float>{2, 3}));
        QCOMPARE(errorOf([&] {
                     variable->assign(constant({1, 2}));
                 }),
                 std::string("[variable] 'w' holds float32[None], got int32[2]"));
        QCOMPARE(errorOf([&] { variable->assignAdd(constant({1.0f})); }),
                 std::string("[variable] 'w' is float32[2], what was to be added is float32[1]"));
    }
};

RETRACESCOPE_TEST(NodeTimesTest);
#include "node_times_test.moc"
