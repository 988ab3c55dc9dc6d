#include <QTest>

#include <retracescope/record/engine_graph.h>
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
