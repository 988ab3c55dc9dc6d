#include <QTest>

#include <retracescope/base/files.h>
#include <retracescope/engine/ir/effects.h>
#include <retracescope/engine/ir/parse.h>
#include <retracescope/engine/ir/print.h>
#include <retracescope/engine/ir/verify.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::ir;
using tensor::constant;

namespace {

class Held : public tensor::Resource {};

class FixedCallee : public Callee {
public:
    explicit FixedCallee(Graph graph) : m_graph(std::move(graph)) {}
    const Graph& graph() const override { return m_graph; }

private:
    Graph m_graph;
};

/// A text with every form that a graph's text can take; in a file because moc trips over its quotes.
const std::string& everything() {
    static const std::string text =
        readTextFile(RETRACESCOPE_SOURCE_DIR "/tests/core/engine/ir/everything.graph").value();
    return text;
}

Graph inner() {
    Graph graph("inner");
    const NodeId x = graph.addInput(types::tensorType(types::DType::Float32, types::Shape{}), "x");
    graph.setOutputs(std::array{graph.append(Op::Square, {x})});
    return graph;
}

/// Functions that the text names; none of them ever runs.
std::shared_ptr<const HostFunction> hostNamed(std::string_view name) {
    std::vector<types::TensorTypeId> results;
    if (name != "tell")
        results = {*parseType("float32[None]"), *parseType("string[]")};
    return std::make_shared<const HostFunction>(HostFunction{std::string(name), results, {}});
}

ParseContext context() {
    static const auto callee = std::make_shared<const FixedCallee>(inner());
    static const tensor::Tensor handle = tensor::Tensor::resource(std::make_shared<Held>());
    return {[](std::string_view) { return callee; }, [](std::string_view) { return handle; }, &hostNamed};
}

Graph parsed(std::string_view text) {
    Result<Graph> graph = parseGraph(text, context());
    if (!graph)
        qFatal("%s", graph.error().message.c_str());
    return std::move(*graph);
}

Node& nodeOf(Graph& graph, NodeId id) {
    return const_cast<Node&>(graph.node(id));
}

} // namespace

class GraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void printsWhatItParsed() { QCOMPARE(toText(parsed(everything())), everything()); }

    void everyCutOfATextIsRefusedWithALine() {
        const std::string& text = everything();
        for (std::size_t length = 0; length + 2 < text.size(); ++length) {
            const Result<Graph> graph = parseGraph(std::string_view(text).substr(0, length), context());
            QVERIFY(!graph.ok());
            QVERIFY(graph.error().message.starts_with("line "));
        }
    }

    void saysWhatIsWrongWithAText_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("message");
        QTest::newRow("op") << "%1 = frob(%0) : float32[2]"
                            << "line 3: 'frob' is no op";
        QTest::newRow("type") << "%1 = neg(%0) : float32[3]"
                              << "line 3: neg is written as float32[3], but is float32[2]";
        QTest::newRow("rule") << "%1 = logical_not(%0) : bool[2]"
                              << "line 3: [logical_not] expected bool, got float32";
        QTest::newRow("use") << "%1 = neg(%7) : float32[2]"
                             << "line 3: a node is used before it is defined";
        QTest::newRow("attribute") << "%1 = neg(%0) {size=2} : float32[2]"
                                   << "line 3: 'size' is no attribute";
        QTest::newRow("value") << "%1 = constant 1 : float32[2000000]"
                               << "line 3: a constant has fewer elements than its type says";
    }

    void saysWhatIsWrongWithAText() {
        QFETCH(QString, body);
        QFETCH(QString, message);
        const std::string text =
            "graph \"g\" {\n%0 = input \"x\" : float32[2]\n" + body.toStdString() + "\nreturn %1\n}";
        const Result<Graph> graph = parseGraph(text);
        QVERIFY(!graph.ok());
        QVERIFY2(QString::fromStdString(graph.error().message).startsWith(message),
                 graph.error().message.c_str());
    }

    void equalNodesAreOne() {
        Graph graph;
        const NodeId x = graph.addInput(*parseType("float32[2]"), "x");
        const NodeId y = graph.addInput(*parseType("float32[2]"), "y");
        QCOMPARE(graph.append(Op::Mul, {x, y}), graph.append(Op::Mul, {y, x}));
        QVERIFY(graph.append(Op::Sub, {x, y}) != graph.append(Op::Sub, {y, x}));
        QCOMPARE(graph.addConstant(constant({1.0f, 2.0f})), graph.addConstant(constant({1.0f, 2.0f})));
        QVERIFY(graph.addConstant(constant(0.0f)) != graph.addConstant(constant(-0.0f)));
        const auto axis = [](std::int64_t k) { return Attributes().set(Attribute::Axes, {k}); };
        QCOMPARE(graph.append(Op::ReduceSum, {x}, axis(0)), graph.append(Op::ReduceSum, {x}, axis(0)));
        QVERIFY(graph.append(Op::ReduceSum, {x}, axis(0)) != graph.append(Op::ReduceSum, {x}, axis(-1)));
    }

    void stringsAddInTheirOrder() {
        Graph graph;
        const NodeId x = graph.addInput(*parseType("string[]"), "x");
        const NodeId y = graph.addInput(*parseType("string[]"), "y");
        QVERIFY(graph.append(Op::Add, {x, y}) != graph.append(Op::Add, {y, x}));
    }

    void effectsAreNeverShared() {
        Graph graph;
        const NodeId v = graph.addCapture(context().capture("v"), "v");
        const auto type =
            Attributes().set(Attribute::Type, static_cast<std::int64_t>(*parseType("float32[]")));
        QVERIFY(graph.append(Op::ReadVariable, {v}, type) != graph.append(Op::ReadVariable, {v}, type));
        QCOMPARE(graph.addCapture(context().capture("v")), v);
    }

    void sharesAThousandNodesAsOne() {
        Graph graph;
        NodeId x = graph.addInput(*parseType("float32[]"), "x");
        for (int round = 0; round < 2; ++round) {
            NodeId at = x;
            for (int i = 0; i < 1000; ++i)
                at = graph.append(i % 2 == 0 ? Op::Neg : Op::Exp, {at});
        }
        QCOMPARE(graph.nodeCount(), NodeId{1001});
    }

    void namesTheUsersLine() {
        Graph graph;
        graph.setSource("train.cpp", "step", 12);
        const NodeId x = graph.addInput(*parseType("float32[2,3]"), "x");
        const NodeId y = graph.addInput(*parseType("float32[4,5]"), "y");
        try {
            graph.append(Op::MatMul, {x, y});
            QFAIL("accepted");
        } catch (const UsageError& error) {
            QCOMPARE(error.what(), "[matmul] inner sizes differ: [2,3] x [4,5] (train.cpp:12)");
        }
    }

    void branchesMustAgree() {
        const auto branch = [](const char* text) { return std::make_shared<const Graph>(parsed(text)); };
        const auto same = branch("graph \"a\" {\n%0 = constant 1 : float32[]\nreturn %0\n}");
        const auto ints = branch("graph \"b\" {\n%0 = constant 1 : int32[]\nreturn %0\n}");
        const auto wide = branch("graph \"c\" {\n%0 = constant [1] : float32[1]\nreturn %0\n}");
        Graph graph;
        const NodeId p = graph.addInput(*parseType("bool[]"), "p");
        QCOMPARE(types::toText(graph.typeOf(graph.addCond(p, same, wide, {}))),
                 std::string("float32<unknown>"));
        try {
            graph.addCond(p, same, ints, {});
            QFAIL("accepted");
        } catch (const UsageError& error) {
            QCOMPARE(error.what(),
                     "[cond] result 0 is float32[] in the then branch, but int32[] in the else branch");
        }
    }

    void ordersEffectsPerVariable() {
        const Graph graph = parsed(R"(graph "order" {
  %0 = input "v" : resource[]
  %1 = input "w" : resource[]
  %2 = read_variable(%0) {type=float32[]} : float32[]
  %3 = read_variable(%0) {type=float32[]} : float32[]
  %4 = read_variable(%1) {type=float32[]} : float32[]
  assign_variable(%0, %4) {type=float32[]}
  %6 = read_variable(%0) {type=float32[]} : float32[]
  %7 = read_variable(%1) {type=float32[]} : float32[]
  print(%6)
  print(%7)
  return %6
})");
        QCOMPARE(controlEdges(graph), (std::vector<ControlEdge>{{2, 5}, {3, 5}, {5, 6}, {8, 9}}));
    }

    void seesVariablesThroughCallsAndBranches() {
        const auto callee = std::make_shared<const FixedCallee>(parsed(R"(graph "bump" {
  %0 = input "v" : resource[]
  %1 = constant 1 : float32[]
  assign_add_variable(%0, %1) {type=float32[]}
  return
})"));
        Graph graph;
        const NodeId v = graph.addCapture(context().capture("v"), "v");
        const auto type =
            Attributes().set(Attribute::Type, static_cast<std::int64_t>(*parseType("float32[]")));
        const NodeId read = graph.append(Op::ReadVariable, {v}, type);
        const NodeId call = graph.addCall(callee, std::array{v});
        QCOMPARE(graph.effectOf(call), Effect::Writes);
        QCOMPARE(controlEdges(graph), (std::vector<ControlEdge>{{read, call}}));
        QCOMPARE(resourcesOf(graph).size(), std::size_t{1});
        QVERIFY(resourcesOf(graph)[0].writes);
    }

    void aCallInTheNodesPlaceAddsResultsBehindAllOthers() {
        Graph longer = inner();
        const NodeId square = longer.outputs()[0];
        longer.setOutputs(std::array{square, longer.append(Op::Neg, {square})});
        Graph graph("f");
        const NodeId x = graph.addInput(longer.typeOf(square), "x");
        const NodeId call = graph.addCall(std::make_shared<const FixedCallee>(inner()), std::array{x});
        const NodeId sum = graph.append(Op::Add, {call, x});
        QVERIFY(!graph.hasLateResults());
        const std::vector<NodeId> further =
            graph.replaceByCall(call, std::make_shared<const FixedCallee>(longer));
        QCOMPARE(further, std::vector<NodeId>{sum + 1});
        QCOMPARE(graph.resultsOf(call), (std::vector<NodeId>{call, sum + 1}));
        QVERIFY(graph.hasLateResults());
        QCOMPARE(graph.calleeOf(call).graph().outputs().size(), std::size_t{2});
        QCOMPARE(findFault(graph), std::nullopt);
    }

    void aGradientOfItsOwnBelongsToItsCall() {
        const auto callee = std::make_shared<const FixedCallee>(inner());
        const auto number = types::tensorType(types::DType::Float32, types::Shape{});
        const auto backward = [&](int inputs) {
            Graph graph("own");
            for (int i = 0; i < inputs; ++i)
                graph.addInput(number, "x");
            graph.setOutputs(std::array{graph.inputs()[0]});
            return std::make_shared<const Graph>(graph);
        };
        Graph graph("f");
        const NodeId x = graph.addInput(number, "x");
        const NodeId call = graph.addCall(callee, std::array{x}, {backward(3), 1, {0}});
        QCOMPARE(graph.ownGradientOf(call)->gradientsOf, std::vector<std::size_t>{0});
        QVERIFY(!graph.ownGradientOf(graph.addCall(callee, std::array{x})));
        const auto error = [&](const OwnGradient& gradient) {
            return test::errorOf([&] { graph.addCall(callee, std::array{x}, gradient); });
        };
        QVERIFY(error({backward(2), 1, {0}}).starts_with("[inner] its gradient does not take its arguments"));
        QVERIFY(
            error({backward(3), 2, {0}}).starts_with("[inner] a gradient for 2 results, the callee has 1"));
        QVERIFY(error({backward(3), 1, {1}}).starts_with("[inner] its gradient returns 1 values for 1"));
    }

    void theVerifierAcceptsWhatTheBuilderMade() { QCOMPARE(findFault(parsed(everything())), std::nullopt); }

    void theVerifierFindsPlantedFaults_data() {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("message");
        QTest::newRow("later input") << 0 << "node 6 (matmul) reads node 9, which does not stand before it";
        QTest::newRow("no value") << 1 << "node 9 (reduce_sum) reads node 8, which has no value";
        QTest::newRow("type") << 2 << "node 9 (reduce_sum) has the type float32[], expected float32[1,1]";
        QTest::newRow("count") << 3 << "node 6 (matmul) has 1 inputs";
        QTest::newRow("attribute") << 4 << "node 10 (neg) has the attribute dtype, which is not its own";
        QTest::newRow("effect") << 5 << "node 8 (assign_variable) hides an effect";
        QTest::newRow("result") << 6 << "node 13 (result) does not follow the node whose result it is";
        QTest::newRow("rule") << 7 << "node 10 (logical_not) has the attribute dtype, which is not its own";
        QTest::newRow("output") << 8 << "the output 99 has no value";
        QTest::newRow("constant") << 9 << "node 5 (constant) has another type than its value";
    }

    void theVerifierFindsPlantedFaults() {
        QFETCH(int, fault);
        QFETCH(QString, message);
        Graph graph = parsed(everything());
        auto& edges = const_cast<NodeId&>(graph.inputsOf(fault == 1 ? 9 : 6)[0]);
        switch (fault) {
        case 0:
            edges = 9;
            break;
        case 1:
            edges = 8;
            break;
        case 2:
            nodeOf(graph, 9).type = *parseType("float32[]");
            break;
        case 3:
            nodeOf(graph, 6).inputCount = 1;
            break;
        case 4:
            nodeOf(graph, 10).op = Op::Neg;
            break;
        case 5:
            nodeOf(graph, 8).effect = 0;
            break;
        case 6:
            nodeOf(graph, 13).resultCount = 2;
            break;
        case 7:
            nodeOf(graph, 10).op = Op::LogicalNot;
            break;
        case 8:
            graph.setOutputs(std::array{NodeId{99}});
            break;
        case 9:
            nodeOf(graph, 5).type = *parseType("int32[]");
            break;
        }
        QCOMPARE(QString::fromStdString(findFault(graph).value_or("none")), message);
    }
};

RETRACESCOPE_TEST(GraphTest);
#include "graph_test.moc"
