#include <QTest>

#include <retracescope/record/engine_graph.h>
#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class EngineGraphTest : public QObject {
    Q_OBJECT

private:
    /// "role: name" of every graph that the graph of `function` for `argument` runs; all of them have nodes.
    static std::vector<std::string> calleesOf(const Function<Tensor(Tensor)>& function,
                                              const Tensor& argument) {
        const record::EngineGraphs all = record::convertGraph(function.concrete(argument).graph());
        std::vector<std::string> callees;
        for (const session::GraphCallee& callee : all.graphs.front().callees) {
            if (callee.graph.value >= all.graphs.size() || all.graphs[callee.graph.value].nodes.empty())
                return {};
            callees.push_back(std::string(all.strings[callee.role]) + ": " +
                              std::string(all.strings[callee.name]));
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

    void smallCapturesAreShownAsConstantsWithTheirValues() {
        const Tensor small = constant({1.5f, 2.5f});
        const Tensor large = ones({200});
        const Function<Tensor(Tensor)> f("f", {"x"}, [&](Tensor x) {
            const Tensor sum = x + reduceSum(small);
            return sum + reduceSum(large);
        });
        const record::EngineGraphs all = record::convertGraph(f.concrete(constant(1.0f)).graph());
        const session::Graph& graph = all.graphs.front();
        std::vector<std::string> shown; // of what no op computes
        for (const session::GraphNode& node : graph.nodes) {
            if (node.inputCount != 0)
                continue;
            std::string text(all.strings[node.op]);
            for (std::uint32_t i = 0; i < node.attributeCount; ++i)
                text += " " + std::string(all.strings[graph.attributes[node.firstAttribute + i].value]);
            shown.push_back(text);
        }
        QCOMPARE(shown, (std::vector<std::string>{"placeholder", "constant [1.5, 2.5]", "placeholder"}));
    }
};

RETRACESCOPE_TEST(EngineGraphTest);

#include "engine_graph_test.moc"
