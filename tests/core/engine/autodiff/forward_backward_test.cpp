#include <algorithm>
#include <cmath>

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
            seeds.push_back(saved.from == Saved::From::Input ? inputs[saved.place] : results[saved.place]);
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
        QCOMPARE(graphs.forward.outputs().size(), std::size_t{1}); // its result is all that is kept
        for (NodeId node = 0; node < graphs.backward.nodeCount(); ++node)
            QVERIFY(graphs.backward.node(node).op != Op::Exp);
        const Ran ran(graphs, {constant(2.0f), constant(0.5f)}, {constant(1.0f)});
        const float e = ran.results[0].scalar<float>();
        QCOMPARE(ran.gradients[*graphs.gradientOf[0]].scalar<float>(), 0.5f * e);
        QCOMPARE(ran.gradients[*graphs.gradientOf[1]].scalar<float>(), 2.0f * e);
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
        const Ran ran(graphs, {constant(3.0f)}, {constant(1.0f)});
        QCOMPARE(variable->read().scalar<float>(), 3.0f); // assigned to once
        QCOMPARE(ran.gradients[*graphs.gradientOf[0]].scalar<float>(), 5.0f);
        QCOMPARE(ran.gradients[*graphs.gradientOf[1]].scalar<float>(), 6.0f);
    }

    void callsReturnWhatTheirGradientNeeds() {
        Graph inner("exp of exp");
        inner.setOutputs(
            std::array{inner.append(Op::Exp, {inner.append(Op::Exp, {inner.addInput(number(), "x")})})});
        Graph graph("f");
        const NodeId x = graph.addInput(number(), "x");
        const auto callee = compiled(inner);
        graph.setOutputs(std::array{graph.addCall(callee, std::array{x})});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        QCOMPARE(graphs.saved.size(), std::size_t{2}); // the result, and the first exponential
        for (NodeId node = 0; node < graphs.backward.nodeCount(); ++node)
            for (const Graph* each : graphs.backward.innerGraphsOf(node))
                QVERIFY(std::ranges::none_of(each->nodes(), [](auto& one) { return one.op == Op::Exp; }));
        const Ran ran(graphs, {constant(0.5f)}, {constant(1.0f)});
        const float e = std::exp(0.5f);
        QCOMPARE(ran.results[0].scalar<float>(), std::exp(e));
        QCOMPARE(ran.gradients[0].scalar<float>(), std::exp(e) * e);
    }

    void integersAndWhatLeadsNowhereHaveNoGradient() {
        Graph graph("f");
        const NodeId x = graph.addInput(number(), "x");
        const NodeId unused = graph.addInput(number(), "unused");
        const NodeId n = graph.addInput(types::tensorType(types::DType::Int32, types::Shape{}), "n");
        graph.setOutputs(std::array{graph.append(Op::Neg, {x}), graph.append(Op::Add, {n, n}), unused});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        QCOMPARE(graphs.seeded, (std::vector<std::size_t>{0, 2}));
        QVERIFY(graphs.gradientOf[0].has_value());
        QVERIFY(!graphs.gradientOf[2].has_value());
        QVERIFY(graphs.saved.empty());
    }

    void aBranchKeepsWhatItsGradientNeeds() {
        const auto branch = [](const char* name, Op op) {
            Graph graph(name);
            const NodeId a = graph.addInput(number(), "a");
            graph.setOutputs(std::array{graph.append(Op::Mul, {a, graph.append(op, {a})})});
            return std::make_shared<const Graph>(std::move(graph));
        };
        Graph graph("f"); // x exp(x), or x * -x
        const NodeId p = graph.addInput(types::tensorType(types::DType::Bool, types::Shape{}), "p");
        const NodeId x = graph.addInput(number(), "x");
        graph.setOutputs(
            std::array{graph.addCond(p, branch("yes", Op::Exp), branch("no", Op::Neg), std::array{x})});
        const auto graphs = autodiff::forwardBackward(graph, &compiled);
        for (const bool yes : {true, false}) {
            const Ran ran(graphs, {constant(yes), constant(0.5f)}, {constant(2.0f)});
            const float e = std::exp(0.5f);
            QCOMPARE(ran.results[0].scalar<float>(), yes ? 0.5f * e : -0.25f);
            QCOMPARE(ran.gradients[*graphs.gradientOf[1]].scalar<float>(), yes ? 2 * (e + 0.5f * e) : -2.0f);
        }
    }

    void oneGradientIsMadeOfAGivenOne() {
        Graph graph("f"); // 2 x^2, whose gradient is told to be x^2
        const NodeId x = graph.addInput(number(), "x");
        const NodeId square = graph.append(Op::Square, {x});
        const NodeId doubled = graph.append(Op::Add, {square, square});
        const NodeId count = graph.nodeCount();
        const NodeId seed = graph.addInput(number(), "gradient");
        const NodeId found = graph.append(Op::Mul, {seed, square});
        const auto graphs =
            autodiff::split(graph, count, std::array{doubled}, std::array{seed}, std::array{found});
        const ir::OwnGradient own = autodiff::ownGradientFrom(graphs, 1, {0});
        Graph outer("outer");
        const NodeId y = outer.addInput(number(), "y");
        const NodeId call = outer.addCall(compiled(graphs.forward), std::array{y}, own);
        outer.setOutputs(autodiff::appendGradients(outer, std::array{call}, std::array{ir::kNoNode},
                                                   std::array{y}, &compiled));
        QCOMPARE(Executable::compile(outer)->run(std::array{constant(3.0f)})[0].scalar<float>(), 9.0f);
    }

    void nothingFlowsIntoIntegers() {
        Graph graph("f");
        const NodeId x = graph.addInput(number(), "x");
        const NodeId y =
            graph.append(Op::Cast, {x},
                         Attributes().set(Attribute::DType, static_cast<std::int64_t>(types::DType::Int32)));
        graph.setOutputs(std::array{y});
        const auto graphs = autodiff::forwardBackward(graph, &compiled); // no gradient flows into integers
        QVERIFY(!graphs.gradientOf[0].has_value());
    }
};

RETRACESCOPE_TEST(ForwardBackwardTest);

#include "forward_backward_test.moc"
