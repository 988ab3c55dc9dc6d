#include <QTest>

#include <retracescope/engine/autodiff/op_gradients.h>
#include <retracescope/engine/ir/print.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using autodiff::inputGradients;
using autodiff::NodeGradient;
using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using types::DType;
using types::Shape;

namespace {

types::TensorTypeId floats(const Shape& shape) {
    return types::tensorType(DType::Float32, shape);
}

/// A graph with one node of `op` over inputs of these types, and an input for its gradient.
struct OneNode {
    OneNode(Op op, const std::vector<types::TensorTypeId>& types, const Attributes& attributes = {})
        : graph("f") {
        for (std::size_t i = 0; i < types.size(); ++i)
            inputs.push_back(graph.addInput(types[i], "x" + std::to_string(i)));
        node = graph.append(op, inputs, attributes);
        gradient = graph.addInput(graph.typeOf(node), "g");
    }
    std::vector<NodeId> gradients() { return inputGradients({graph, node, gradient, inputs}); }

    Graph graph;
    std::vector<NodeId> inputs;
    NodeId node = kNoNode;
    NodeId gradient = kNoNode;
};

} // namespace

/// What the rules make; their numbers are the business of the gradients' test.
class OpGradientsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConditionHasNone() {
        OneNode select(Op::Select, {types::tensorType(DType::Bool, Shape{2}), floats({2}), floats({2})});
        const auto found = select.gradients();
        QCOMPARE(found.size(), std::size_t{3});
        QCOMPARE(found[0], kNoNode);
        QVERIFY(found[1] != kNoNode && found[2] != kNoNode);
    }

    void whatOnlyLendsItsShapeHasNone() {
        OneNode like(Op::ReshapeLike, {floats({6}), floats({2, 3})});
        const auto found = like.gradients();
        QCOMPARE(like.graph.typeOf(found[0]), floats({6}));
        QCOMPARE(found[1], kNoNode);
    }

    void aSumGoesOnAsItIs() {
        OneNode add(Op::Add, {floats({2, 3}), floats({3})});
        const ir::NodeId before = add.graph.nodeCount();
        const auto found = add.gradients();
        QCOMPARE(found[0], add.gradient); // nothing was broadcast, so nothing is computed
        QCOMPARE(add.graph.typeOf(found[1]), floats({3}));
        QCOMPARE(add.graph.nodeCount(), before + 1);
    }

    void eachHasTheTypeOfItsInput() {
        OneNode product(Op::MatMul, {floats({3, 2}), floats({4, 3})},
                        Attributes().set(Attribute::TransposeA, true).set(Attribute::TransposeB, true));
        const auto found = product.gradients();
        QCOMPARE(product.graph.typeOf(found[0]), floats({3, 2}));
        QCOMPARE(product.graph.typeOf(found[1]), floats({4, 3}));
    }

    void anOpWithoutARuleIsNamed() {
        const std::string message = test::errorOf([] {
            OneNode(Op::Less, {floats({2}), floats({2})}).gradients();
        });
        QCOMPARE(message, std::string("[gradients] less has no gradient"));
    }
};

RETRACESCOPE_TEST(OpGradientsTest);

#include "op_gradients_test.moc"
