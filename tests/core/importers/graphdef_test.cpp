#include <QTest>
#include <fmt/format.h>

#include <retracescope/importers/importer.h>

#include "tests/core/importers/small_files.h"
#include "tests/support/test_main.h"

namespace retracescope::importers {

namespace {

session::Session read(const std::string& name) {
    for (const test::SmallFile& file : test::smallGraphDefs()) {
        if (file.name != name)
            continue;
        auto session = importContent({file.name, file.bytes, file.bytes});
        if (session)
            return std::move(*session);
    }
    return {};
}

/// "name = op(inputs) -> callees" per node; "^" control, "!" outside.
std::string text(const session::Session& s, const session::Graph& graph) {
    const auto edge = [&](const session::GraphEdge& e) {
        const std::string from = e.from == Id<void>::kNone ? fmt::format("!{}", s.text(e.external))
                                                           : std::string(s.text(graph.nodes[e.from].name));
        return fmt::format("{}{}{}", e.control ? "^" : "", from,
                           e.type.isValid() ? fmt::format(" {}", s.text(e.type)) : "");
    };
    std::string out;
    for (const session::GraphNode& node : graph.nodes) {
        std::vector<std::string> inputs;
        for (std::uint32_t i = 0; i < node.inputCount; ++i)
            inputs.push_back(edge(graph.inputs[node.firstInput + i]));
        out += fmt::format("{} = {}({})", s.text(node.name), s.text(node.op), fmt::join(inputs, ", "));
        for (std::uint32_t i = 0; i < node.calleeCount; ++i) {
            const session::GraphCallee& callee = graph.callees[node.firstCallee + i];
            out += fmt::format(" {} -> {}{}", s.text(callee.role), s.text(callee.name),
                               callee.graph.isValid() ? "" : " (missing)");
        }
        out += '\n';
    }
    for (const session::GraphEdge& output : graph.outputs)
        out += fmt::format("return {}\n", edge(output));
    return out;
}

} // namespace

class GraphDefTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void edgesFollowTheInputsAsWritten();
    void inputsThatNameNothingLeadOutside();
    void functionsAreGraphsWithTheirCalleesLinked();
    void tracesOfOneFunctionAreEntriesInTheOrderOfTheirNumbers();
    void attributesAreText();
};

void GraphDefTest::edgesFollowTheInputsAsWritten() {
    const auto s = read("nodes_and_edges.pb");
    QCOMPARE(text(s, s.graphs.at(0)), std::string("a = Const()\nb = Mul(a , a )\nc = NoOp(^b, ^a)\n"));
}

void GraphDefTest::inputsThatNameNothingLeadOutside() {
    const auto s = read("missing_inputs.pb");
    QCOMPARE(text(s, s.graphs.at(0)), std::string("a = AddN(!ghost, !ghost:7, ^!^ghost)\n"));
}

void GraphDefTest::functionsAreGraphsWithTheirCalleesLinked() {
    const auto s = read("library.pb");
    QCOMPARE(s.graphs.size(), 4u);
    QCOMPARE(text(s, s.graphs[0]),
             std::string("x = Placeholder()\ncall = PartitionedCall(x ) call -> __inference_step_7\n"));
    QCOMPARE(text(s, s.graphs[1]), std::string("m = Mul(!x float32[2], !x float32[2])\nreturn m \n"));
    QCOMPARE(text(s, s.graphs[3]),
             std::string(
                 "c = __inference_step_7(!x float32[3], ^!^lost) call -> __inference_step_7\nreturn c \n"));
}

void GraphDefTest::tracesOfOneFunctionAreEntriesInTheOrderOfTheirNumbers() {
    const auto s = read("library.pb");
    QCOMPARE(s.functions.size(), 1u);
    QCOMPARE(s.text(s.functions[0].name), std::string_view("step"));
    QCOMPARE(s.entries.size(), 2u);
    QCOMPARE(s.text(s.entries[0].name), std::string_view("__inference_step_7"));
    QCOMPARE(s.text(s[s.entries[0].signature].text), std::string_view("(x: float32[2])"));
    QCOMPARE(s.text(s[s.entries[1].signature].text), std::string_view("(x: float32[3])"));
    QCOMPARE(s.entries[1].number, 2u);
    QCOMPARE(s[s.entries[1].signature].components.back().path, std::string("x.shape[0]"));
    QVERIFY(s.calls.startNs.empty());
    QVERIFY(!s.fact("not_recorded", "misses").empty());
    QVERIFY(!s.fact("not_recorded", "identity").empty());
}

void GraphDefTest::attributesAreText() {
    const auto attribute = [](const std::string& key, const std::string& value) {
        return test::protoField(5, test::protoField(1, key) + test::protoField(2, value));
    };
    const std::string shape = test::protoField(2, test::protoField(1, 2)) +
                              test::protoField(2, test::protoField(1, static_cast<std::uint64_t>(-1)));
    const std::string tensor =
        test::protoField(1, 3) + test::protoField(2, std::string()) + test::protoField(7, 42);
    const std::string node = test::graphNode(
        "c", "Const", {},
        attribute("b", test::protoField(5, 1)) + attribute("dtype", test::protoField(6, 3)) +
            attribute("i", test::protoField(3, static_cast<std::uint64_t>(-7))) +
            attribute("s", test::protoField(2, "hi")) + attribute("shape", test::protoField(7, shape)) +
            attribute("value", test::protoField(8, tensor)) +
            attribute("l", test::protoField(1, test::protoField(3, 1) + test::protoField(3, 2))));
    const std::string bytes = test::protoField(1, node);
    const auto s = importContent({"g.pb", bytes, bytes});
    QVERIFY2(s.ok(), s ? "" : s.error().message.c_str());
    std::string out;
    for (const session::GraphAttribute& attr : s->graphs[0].attributes)
        out += fmt::format("{}={}; ", s->text(attr.name), s->text(attr.value));
    QCOMPARE(out,
             std::string("b=true; dtype=int32; i=-7; s=hi; shape=[2,?]; value=int32[] = 42; l=[1, 2]; "));
    QCOMPARE(s->text(s->graphs[0].nodes[0].type), std::string_view("int32[]"));
}

RETRACESCOPE_TEST(GraphDefTest);

} // namespace retracescope::importers

#include "graphdef_test.moc"
