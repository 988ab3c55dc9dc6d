#include <array>

#include <QTest>

#include <retracescope/record/engine_graph.h>
#include <retracescope/record/recorded_session.h>
#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class EngineGraphTest : public QObject {
    Q_OBJECT

private:
    session::StringPool m_strings;
    record::SourceFiles m_files;

    std::vector<session::Graph> converted(const ir::Graph& graph) {
        return record::GraphConverter(m_strings, m_files).convert(graph, session::GraphId(std::size_t{0}));
    }

    /// "role: name" of every graph that the graph of `function` for `argument` runs; all of them have nodes.
    std::vector<std::string> calleesOf(const Function<Tensor(Tensor)>& function, const Tensor& argument) {
        const std::vector<session::Graph> all = converted(function.concrete(argument).graph());
        std::vector<std::string> callees;
        for (const session::GraphCallee& callee : all.front().callees) {
            if (callee.graph.value >= all.size() || all[callee.graph.value].nodes.empty())
                return {};
            callees.push_back(std::string(m_strings[callee.role]) + ": " +
                              std::string(m_strings[callee.name]));
        }
        return callees;
    }

private Q_SLOTS:
    void aNodeNamesTheGraphsThatItRuns() {
        const Function<Tensor(Tensor)> inner("inner", {"x"}, [](Tensor x) { return x + 1.0f; });
        const Function<Tensor(Tensor)> f("f", {"x"}, [&](Tensor x) {
            const Tensor chosen = cond(
                x > 0.0f, [&] { return inner(x); }, [&] { return -x; });
            return inner(
                whileLoop([](Tensor v) { return v < 9.0f; }, [](Tensor v) { return v * 2.0f; }, chosen));
        });
        const std::vector<std::string> expected{"then: f/then", "else: f/else", "cond: f/while",
                                                "body: f/body", "call: inner"};
        QCOMPARE(calleesOf(f, constant(1.0f)), expected);
    }

    /// Whatever the graphs before it had in common with it.
    void everyGraphHasItsOwnNamesPlacesAndRows() {
        const auto inner = std::make_shared<const ir::Graph>([] {
            ir::Graph graph("inner");
            const ir::NodeId x = graph.addInput(types::tensorType(DType::Float32, Shape{2}), "x");
            graph.setOutputs(std::array{x});
            return graph;
        }());
        const auto made = [&](const char* first, const char* second) {
            ir::Graph graph("outer");
            const ir::NodeId x = graph.addInput(types::tensorType(DType::Float32, Shape{2}), "x");
            const ir::NodeId flag = graph.addInput(types::tensorType(DType::Bool, Shape{}), "flag");
            graph.setSource(first, "f", 3);
            const ir::NodeId sum = graph.append(ir::Op::Add, {x, x});
            graph.setSource(second, "f", 4);
            const ir::NodeId more = graph.append(ir::Op::Add, {sum, x});
            graph.setOutputs(std::array{graph.addCond(flag, inner, inner, std::array{more})});
            return graph;
        };
        record::GraphConverter converter(m_strings, m_files);
        std::size_t first = 5;
        for (const auto& [one, other] : {std::pair("a.cpp", "b.cpp"), std::pair("b.cpp", "c.cpp")}) {
            const ir::Graph graph = made(one, other);
            const std::vector<session::Graph> all = converter.convert(graph, session::GraphId(first));
            QCOMPARE(all.size(), std::size_t{2});
            for (ir::NodeId node = 0; node < graph.nodeCount(); ++node) {
                const session::GraphNode& row = all[0].nodes[node];
                QCOMPARE(std::string(m_strings[row.name]), graph.nameOf(node));
                const ir::SourceLine* place = graph.sourceOf(node);
                QCOMPARE(m_strings[row.file], std::string_view(place != nullptr ? place->file : ""));
                QCOMPARE(row.line, place != nullptr ? place->line : 0u);
            }
            for (const session::GraphCallee& callee : all[0].callees)
                QCOMPARE(std::size_t{callee.graph.value}, first + 1);
            QVERIFY(all[1].isLibraryFunction);
            first += all.size();
        }
    }

    void aRecordingKeepsOfWrittenGraphsWhatNamesTheirNodes() {
        for (const bool nodeTimes : {false, true}) {
            record::RecorderOptions options;
            options.nodeTimes = nodeTimes;
            record::RecordedSession recorded(options);
            const record::ThreadIdentity thread{0, 1, "main"};
            record::FunctionEvent function;
            function.facts.function = 1;
            function.name = "f";
            recorded.apply({thread, function});
            const auto graph = std::make_shared<ir::Graph>("g");
            const ir::NodeId x = graph->addInput(types::tensorType(DType::Float32, Shape{2}), "x");
            graph->setOutputs(std::array{graph->append(ir::Op::Neg, {x})});
            for (std::uint32_t key = 1; key <= 2; ++key) {
                record::EntryEvent entry;
                entry.facts.function = 1;
                entry.facts.entry = key;
                entry.facts.graph = graph;
                recorded.apply({thread, entry});
                const session::Graph& row = recorded.session().graphs.back();
                QCOMPARE(row.nodes.size(), std::size_t{2});
                QCOMPARE(row.inputs.size(), std::size_t{1});
                recorded.forgetWritten();
                for (const session::Graph& written : recorded.session().graphs) {
                    QCOMPARE(written.nodes.size(), std::size_t{nodeTimes ? 2u : 0u});
                    QVERIFY(written.inputs.empty() && written.outputs.empty());
                }
            }
        }
    }

    void smallCapturesAreShownAsConstantsWithTheirValues() {
        const Tensor small = constant({1.5f, 2.5f});
        const Tensor large = ones({200});
        const Function<Tensor(Tensor)> f("f", {"x"}, [&](Tensor x) {
            const Tensor sum = x + reduceSum(small);
            return sum + reduceSum(large);
        });
        const std::vector<session::Graph> all = converted(f.concrete(constant(1.0f)).graph());
        const session::Graph& graph = all.front();
        std::vector<std::string> shown; // of what no op computes
        for (const session::GraphNode& node : graph.nodes) {
            if (node.inputCount != 0)
                continue;
            std::string text(m_strings[node.op]);
            for (std::uint32_t i = 0; i < node.attributeCount; ++i)
                text += " " + std::string(m_strings[graph.attributes[node.firstAttribute + i].value]);
            shown.push_back(text);
        }
        QCOMPARE(shown, (std::vector<std::string>{"placeholder", "constant [1.5, 2.5]", "placeholder"}));
    }
};

RETRACESCOPE_TEST(EngineGraphTest);

#include "engine_graph_test.moc"
