#include <QTest>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using tensor::constant;
using tensor::Tensor;

namespace {

using V = std::vector<float>;

types::TensorTypeId floats(const types::Shape& shape) {
    return types::tensorType(types::DType::Float32, shape);
}
types::TensorTypeId integer() {
    return types::tensorType(types::DType::Int32, types::Shape{});
}

/// Inputs of condition and body of all loops below: a counter, two vectors, where the counter ends, a factor.
std::vector<NodeId> addInputs(Graph& graph, const types::Shape& shape) {
    return {graph.addInput(integer(), "i"), graph.addInput(floats(shape), "a"),
            graph.addInput(floats(shape), "b"), graph.addInput(integer(), "end"),
            graph.addInput(floats({}), "factor")};
}

/// What a body returns for a and b, given its inputs.
using Step = std::array<NodeId, 2> (*)(Graph& graph, const std::vector<NodeId>& inputs);

/// while (i < end) { (a, b) = step(a, b); ++i; }, as a function of its five inputs.
std::shared_ptr<Executable> loopOf(Step step, const types::Shape& shape = {2}) {
    Graph condition("condition");
    const std::vector<NodeId> c = addInputs(condition, shape);
    condition.setOutputs(std::array{condition.append(Op::Less, {c[0], c[3]})});
    Graph body("body");
    const std::vector<NodeId> b = addInputs(body, shape);
    const std::array<NodeId, 2> next = step(body, b);
    body.setOutputs(
        std::array{body.append(Op::Add, {b[0], body.addConstant(constant(1))}), next[0], next[1]});
    Graph graph("loop");
    const std::vector<NodeId> inputs = addInputs(graph, shape);
    const NodeId loop = graph.addWhile(std::make_shared<const Graph>(condition),
                                       std::make_shared<const Graph>(body), inputs, 3);
    graph.setOutputs(graph.resultsOf(loop));
    return Executable::compile(graph);
}

std::vector<Tensor> run(const Executable& loop, int trips, const Tensor& a, const Tensor& b) {
    return loop.run(std::array{constant(0), a, b, constant(trips), constant(0.5f)});
}

/// Both values are computed anew: such trips change nothing but pointers.
std::array<NodeId, 2> computed(Graph& graph, const std::vector<NodeId>& in) {
    return {graph.append(Op::Add, {graph.append(Op::Mul, {in[1], in[4]}), in[2]}),
            graph.append(Op::Sub, {in[1], in[2]})};
}

} // namespace

class LoopRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithAHostLoop() {
        const auto loop = loopOf(&computed);
        const auto open = loopOf(&computed, {types::Shape::kUnknown});
        for (const int trips : {0, 1, 2, 3, 4, 17}) {
            V a{1, 2};
            V b{3, -4};
            for (int trip = 0; trip < trips; ++trip) {
                for (std::size_t i = 0; i < a.size(); ++i) {
                    const float before = a[i];
                    a[i] = before * 0.5f + b[i];
                    b[i] = before - b[i];
                }
            }
            for (const auto& executable : {loop, open}) {
                const auto results = run(*executable, trips, constant({1.0f, 2.0f}), constant({3.0f, -4.0f}));
                QCOMPARE(results[0].scalar<std::int32_t>(), trips);
                QCOMPARE(results[1].values<float>(), a);
                QCOMPARE(results[2].values<float>(), b);
            }
        }
    }

    void valuesMayChangePlaces() {
        const auto loop = loopOf([](Graph&, const std::vector<NodeId>& in) -> std::array<NodeId, 2> {
            return {in[2], in[1]};
        });
        for (const int trips : {0, 1, 2, 5}) {
            const auto results = run(*loop, trips, constant({1.0f, 2.0f}), constant({3.0f, 4.0f}));
            const V first{1, 2};
            const V second{3, 4};
            QCOMPARE(results[1].values<float>(), trips % 2 == 0 ? first : second);
            QCOMPARE(results[2].values<float>(), trips % 2 == 0 ? second : first);
        }
    }

    void oneOfThemMayStay() {
        const auto loop = loopOf([](Graph& graph, const std::vector<NodeId>& in) -> std::array<NodeId, 2> {
            return {graph.append(Op::Add, {in[1], in[2]}), in[2]};
        });
        const auto results = run(*loop, 5, constant({1.0f, 2.0f}), constant({3.0f, 4.0f}));
        QCOMPARE(results[1].values<float>(), (V{16, 22}));
        QCOMPARE(results[2].values<float>(), (V{3, 4}));
    }

    void oneResultMayStandForBoth() {
        const auto loop = loopOf([](Graph& graph, const std::vector<NodeId>& in) -> std::array<NodeId, 2> {
            const NodeId sum = graph.append(Op::Add, {in[1], in[2]});
            return {sum, sum};
        });
        const auto results = run(*loop, 3, constant({1.0f, 2.0f}), constant({3.0f, 4.0f}));
        QCOMPARE(results[1].values<float>(), (V{16, 24}));
        QCOMPARE(results[2].values<float>(), (V{16, 24}));
    }

    void leavesInputsAndEarlierResultsAlone() {
        const auto loop = loopOf(&computed);
        const Tensor same = constant({1.0f, 2.0f}); // both values start with one storage
        const auto first = run(*loop, 4, same, same);
        const V values = first[1].values<float>();
        const auto second = run(*loop, 7, same, first[2]);
        QCOMPARE(same.values<float>(), (V{1, 2}));
        QCOMPARE(first[1].values<float>(), values);
        QVERIFY(second[1].values<float>() != values);
    }

    void aTripThatFailsLeavesTheLoopUsable() {
        Graph condition("condition");
        condition.append(Op::Neg, {condition.addInput(integer(), "i")});
        condition.setOutputs(std::array{
            condition.append(Op::Greater, {condition.inputs()[0], condition.addConstant(constant(-5))})});
        Graph body("body");
        const NodeId i = body.addInput(integer(), "i");
        const NodeId quotient = body.append(Op::Div, {body.addConstant(constant(6)), i});
        const NodeId zero = body.append(Op::Sub, {quotient, quotient});
        body.setOutputs(std::array{
            body.append(Op::Add, {zero, body.append(Op::Sub, {i, body.addConstant(constant(1))})})});
        Graph graph("loop");
        const NodeId loop =
            graph.addWhile(std::make_shared<const Graph>(condition), std::make_shared<const Graph>(body),
                           std::array{graph.addInput(integer(), "i")}, 1);
        graph.setOutputs(std::array{loop});
        const auto executable = Executable::compile(graph);
        QVERIFY_THROWS_EXCEPTION(UsageError, executable->run(std::array{constant(3)})); // at 6 / 0
        QCOMPARE(executable->run(std::array{constant(-1)})[0].scalar<std::int32_t>(), -5);
    }

    void resultsGoIntoStorageThatNobodyElseHolds() {
        Graph graph("twice");
        const NodeId x = graph.addInput(floats({2}), "x");
        graph.setOutputs(std::array{graph.append(Op::Add, {x, x})});
        const auto executable = Executable::compile(graph);
        const Tensor first = constant({1.0f, 2.0f});
        const Tensor second = constant({3.0f, 4.0f});
        std::array<Tensor, 1> outputs;
        executable->run(std::array{first}, outputs);
        const std::byte* place = outputs[0].bytes();
        executable->run(std::array{second}, outputs);
        QVERIFY(outputs[0].bytes() == place);
        QCOMPARE(outputs[0].values<float>(), (V{6, 8}));
        const Tensor kept = outputs[0];
        executable->run(std::array{first}, outputs);
        QCOMPARE(kept.values<float>(), (V{6, 8}));
        QCOMPARE(outputs[0].values<float>(), (V{2, 4}));
        executable->run(outputs, outputs); // what is read is held, and so is not written to
        QCOMPARE(outputs[0].values<float>(), (V{4, 8}));
    }
};

RETRACESCOPE_TEST(LoopRunsTest);
#include "loop_runs_test.moc"
