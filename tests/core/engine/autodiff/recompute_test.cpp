#include <QTest>

#include <retracescope/engine/autodiff/recompute.h>
#include <retracescope/engine/ir/effects.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using autodiff::requireUnchangedSince;
using autodiff::withoutEffects;
using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using tensor::Tensor;

namespace {

std::shared_ptr<const ir::Callee> compiled(Graph graph) {
    return Executable::compile(std::move(graph));
}

types::TensorTypeId number() {
    return types::tensorType(types::DType::Float32, types::Shape{});
}

Attributes ofType(types::TensorTypeId type) {
    return Attributes().set(Attribute::Type, static_cast<std::int64_t>(type));
}

/// Adds its argument to a variable, and returns its square.
Graph addingSquare(const Tensor& handle) {
    Graph graph("adds");
    const NodeId x = graph.addInput(number(), "x");
    graph.append(Op::AssignAddVariable, {graph.addCapture(handle, "v"), x}, ofType(number()));
    graph.setOutputs(std::array{graph.append(Op::Square, {x})});
    return graph;
}

bool hasEffects(const Graph& graph) {
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.effectOf(node) >= ir::Effect::Writes)
            return true;
    }
    return false;
}

} // namespace

class RecomputeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSameValuesComeWithoutTheEffects() {
        const auto variable = runtime::Variable::make("v", number(), tensor::constant(1.0f));
        const Graph graph = addingSquare(Tensor::resource(variable));
        QVERIFY(hasEffects(graph));
        const Graph quiet = withoutEffects(graph, compiled).finish();
        QVERIFY(!hasEffects(quiet));
        QCOMPARE(Executable::compile(quiet)->run(std::array{tensor::constant(3.0f)})[0].scalar<float>(),
                 9.0f);
        QCOMPARE(variable->read().scalar<float>(), 1.0f);
    }

    void innerGraphsLoseTheirs() {
        const auto variable = runtime::Variable::make("v", number(), tensor::constant(1.0f));
        Graph graph("outer");
        const NodeId x = graph.addInput(number(), "x");
        const NodeId call = graph.addCall(compiled(addingSquare(Tensor::resource(variable))), std::array{x});
        graph.setOutputs(std::array{graph.append(Op::Neg, {call})});
        auto rewrite = withoutEffects(graph, compiled);
        QCOMPARE(rewrite.to().node(rewrite.mapped(call)).op, Op::Call);
        const Graph quiet = rewrite.finish();
        QVERIFY(!hasEffects(quiet));
        QCOMPARE(Executable::compile(quiet)->run(std::array{tensor::constant(3.0f)})[0].scalar<float>(),
                 -9.0f);
        QCOMPARE(variable->read().scalar<float>(), 1.0f);
    }

    void aVariableMayChangeBeforeItIsReadButNotBehind_data() {
        QTest::addColumn<bool>("changesBefore");
        QTest::addColumn<bool>("changesBehind");
        QTest::addColumn<bool>("isAnother");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("never") << false << false << false << false;
        QTest::newRow("before") << true << false << false << false;
        QTest::newRow("behind") << false << true << false << true;
        QTest::newRow("another one behind") << false << true << true << false;
    }
    void aVariableMayChangeBeforeItIsReadButNotBehind() {
        QFETCH(const bool, changesBefore);
        QFETCH(const bool, changesBehind);
        QFETCH(const bool, isAnother);
        QFETCH(const bool, isRefused);
        const Tensor read = Tensor::resource(runtime::Variable::make("v", number(), tensor::constant(1.0f)));
        const Tensor other = Tensor::resource(runtime::Variable::make("w", number(), tensor::constant(1.0f)));
        Graph inner("reads");
        inner.setOutputs(
            std::array{inner.append(Op::ReadVariable, {inner.addCapture(read, "v")}, ofType(number()))});
        Graph graph("outer");
        const NodeId x = graph.addInput(number(), "x");
        const NodeId handle = graph.addCapture(isAnother ? other : read, "h");
        if (changesBefore)
            graph.append(Op::AssignVariable, {handle, x}, ofType(number()));
        const NodeId call = graph.addCall(compiled(inner), std::vector<NodeId>{});
        if (changesBehind)
            graph.append(Op::AssignVariable, {handle, x}, ofType(number()));
        const std::string message = test::errorOf([&] { requireUnchangedSince(graph, call); });
        QCOMPARE(message != "no error", isRefused);
        if (isRefused)
            QVERIFY2(message.starts_with("[gradients] 'reads' reads a variable that is changed before"),
                     message.c_str());
    }

    void aGraphThatChangesWhatItReadsIsNamed() {
        const Tensor handle =
            Tensor::resource(runtime::Variable::make("v", number(), tensor::constant(1.0f)));
        Graph inner("counts");
        const NodeId captured = inner.addCapture(handle, "v");
        const NodeId old = inner.append(Op::ReadVariable, {captured}, ofType(number()));
        inner.append(Op::AssignAddVariable, {captured, old}, ofType(number()));
        inner.setOutputs(std::array{old});
        Graph graph("outer");
        const NodeId call = graph.addCall(compiled(inner), std::vector<NodeId>{});
        const std::string message = test::errorOf([&] { requireUnchangedSince(graph, call); });
        QVERIFY2(message.starts_with("[gradients] 'counts' changes a variable that it reads"),
                 message.c_str());
    }
};

RETRACESCOPE_TEST(RecomputeTest);

#include "recompute_test.moc"
