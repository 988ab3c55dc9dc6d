#include <QTest>

#include <retracescope/engine/autodiff/forward_backward.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using autodiff::ForwardBackward;
using autodiff::Saved;
using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using tensor::constant;
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

/// The results of the forward graph, and the gradients for these gradients of its outputs.
struct Ran {
    Ran(const ForwardBackward& graphs, const std::vector<Tensor>& inputs, std::vector<Tensor> seeds) {
        results = Executable::compile(graphs.forward)->run(inputs);
        for (const Saved& saved : graphs.saved)
            seeds.push_back(saved.from == Saved::From::Input ? inputs[saved.place]
                            : saved.from == Saved::From::Capture
                                ? graphs.forward.captures()[saved.place].value
                                : results[saved.place]);
        gradients = Executable::compile(graphs.backward)->run(seeds);
    }
    std::vector<Tensor> results;
    std::vector<Tensor> gradients;
};

} // namespace

class ForwardBackwardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBackwardGraphComputesNothingAgain() {
        Graph graph("f"); // exp(x * y)
        const NodeId x = graph.addInput(number(), "x");
        const NodeId y = graph.addInput(number(), "y");
        graph.setOutputs(std::array{graph.append(Op::Exp, {graph.append(Op::Mul, {x, y})})});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        QVERIFY(graphs.has_value());
        QCOMPARE(graphs->forward.outputs().size(), std::size_t{1}); // its result is all that is kept
        for (NodeId node = 0; node < graphs->backward.nodeCount(); ++node)
            QVERIFY(graphs->backward.node(node).op != Op::Exp);
        const Ran ran(*graphs, {constant(2.0f), constant(0.5f)}, {constant(1.0f)});
        const float e = ran.results[0].scalar<float>();
        QCOMPARE(ran.gradients[*graphs->gradientOf[0]].scalar<float>(), 0.5f * e);
        QCOMPARE(ran.gradients[*graphs->gradientOf[1]].scalar<float>(), 2.0f * e);
    }

    void whatIsReadBeforeAndAfterAnAssignmentCounts() {
        const auto variable = runtime::Variable::make("v", number(), constant(2.0f));
        Graph graph("f"); // v * x + (v += 1) * x
        const NodeId x = graph.addInput(number(), "x");
        const NodeId v = graph.addCapture(Tensor::resource(variable), "v");
        const NodeId before = graph.append(Op::ReadVariable, {v}, ofType(number()));
        graph.append(Op::AssignAddVariable, {v, graph.addConstant(constant(1.0f))}, ofType(number()));
        const NodeId after = graph.append(Op::ReadVariable, {v}, ofType(number()));
        graph.setOutputs(std::array{
            graph.append(Op::Add, {graph.append(Op::Mul, {before, x}), graph.append(Op::Mul, {after, x})})});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        QVERIFY(graphs.has_value());
        const Ran ran(*graphs, {constant(3.0f)}, {constant(1.0f)});
        QCOMPARE(variable->read().scalar<float>(), 3.0f); // assigned to once
        QCOMPARE(ran.gradients[*graphs->gradientOf[0]].scalar<float>(), 5.0f);
        QCOMPARE(ran.gradients[*graphs->gradientOf[1]].scalar<float>(), 6.0f);
    }

    void callsArePutInPlace() {
        Graph inner("square");
        inner.setOutputs(std::array{inner.append(Op::Square, {inner.addInput(number(), "x")})});
        Graph graph("f");
        const NodeId x = graph.addInput(number(), "x");
        const auto callee = compiled(inner);
        const NodeId once = graph.addCall(callee, std::array{x});
        graph.setOutputs(std::array{graph.addCall(callee, std::array{once})});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        QVERIFY(graphs.has_value());
        QVERIFY(graphs->forward.callees().empty() && graphs->backward.callees().empty());
        const Ran ran(*graphs, {constant(3.0f)}, {constant(1.0f)});
        QCOMPARE(ran.results[0].scalar<float>(), 81.0f);
        QCOMPARE(ran.gradients[0].scalar<float>(), 108.0f);
    }

    void integersAndWhatLeadsNowhereHaveNoGradient() {
        Graph graph("f");
        const NodeId x = graph.addInput(number(), "x");
        const NodeId unused = graph.addInput(number(), "unused");
        const NodeId n = graph.addInput(types::tensorType(types::DType::Int32, types::Shape{}), "n");
        graph.setOutputs(std::array{graph.append(Op::Neg, {x}), graph.append(Op::Add, {n, n}), unused});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        QVERIFY(graphs.has_value());
        QCOMPARE(graphs->seeded, (std::vector<std::size_t>{0, 2}));
        QVERIFY(graphs->gradientOf[0].has_value());
        QVERIFY(!graphs->gradientOf[2].has_value());
        QVERIFY(graphs->saved.empty());
    }

    void aBranchIsNotSplit() {
        Graph branch("branch");
        branch.setOutputs(std::array{branch.append(Op::Neg, {branch.addInput(number(), "x")})});
        const auto shared = std::make_shared<const Graph>(std::move(branch));
        Graph graph("f");
        const NodeId p = graph.addInput(types::tensorType(types::DType::Bool, types::Shape{}), "p");
        const NodeId x = graph.addInput(number(), "x");
        graph.setOutputs(std::array{graph.addCond(p, shared, shared, std::array{x})});
        QVERIFY(!autodiff::forwardBackward(graph, &compiled).has_value());
    }

    void nothingFlowsIntoIntegers() {
        Graph graph("f");
        const NodeId x = graph.addInput(number(), "x");
        const NodeId y =
            graph.append(Op::Cast, {x},
                         Attributes().set(Attribute::DType, static_cast<std::int64_t>(types::DType::Int32)));
        graph.setOutputs(std::array{y});
        const auto graphs = autodiff::forwardBackward(graph, &compiled); // no gradient flows into integers
        QVERIFY(graphs.has_value() && !graphs->gradientOf[0].has_value());
    }
};

RETRACESCOPE_TEST(ForwardBackwardTest);

#include "forward_backward_test.moc"
