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
};

RETRACESCOPE_TEST(EngineGraphTest);

#include "engine_graph_test.moc"
