#include <QTest>

#include <retracescope/diagnose/graph_likeness.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::GraphLikeness;
using diagnose::Likeness;
using test::callsOf;
using test::SessionBuilder;

namespace {

Likeness across(const Session& session, const char* path) {
    const Index index = buildIndex(session);
    return GraphLikeness(session, index).acrossComponent(FunctionId(0U), path);
}

/// Two entries whose n differs; their graphs are equal copies.
SessionBuilder twoEntries() {
    SessionBuilder builder;
    callsOf("n=int:1|n=int:2", builder);
    return builder;
}

} // namespace

class GraphLikenessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalGraphsAreTheSame() {
        SessionBuilder builder = twoEntries();
        QCOMPARE(across(builder.session(), "n.value"), Likeness::Same);
    }

    void namesPlacesAndDevicesDoNotCount() {
        SessionBuilder builder = twoEntries();
        Session& session = builder.session();
        for (GraphNode& node : session.graphs[1].nodes) {
            node.name = session.strings.intern("other");
            node.device = session.strings.intern("gpu");
            node.file = session.strings.intern("other.cpp");
            ++node.line;
        }
        QCOMPARE(across(session, "n.value"), Likeness::Same);
    }

    /// What makes a graph another one; all of it changes graph 1 of two equal ones.
    void whatDiffersIsTold_data() {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<int>("likeness");
        const auto row = [](const char* change, Likeness likeness) {
            QTest::newRow(change) << QByteArray(change) << static_cast<int>(likeness);
        };
        row("attribute", Likeness::Constants);
        row("attribute's name", Likeness::Constants);
        row("op", Likeness::Differ);
        row("type", Likeness::Differ);
        row("edge", Likeness::Differ);
        row("result of an edge", Likeness::Differ);
        row("control edge", Likeness::Differ);
        row("node", Likeness::Differ);
        row("output", Likeness::Differ);
        row("callee", Likeness::Differ);
    }
    void whatDiffersIsTold() {
        QFETCH(const QByteArray, change);
        SessionBuilder builder = twoEntries();
        Session& session = builder.session();
        for (Graph& graph : session.graphs) {
            graph.attributes.push_back({session.strings.intern("value"), session.strings.intern("1")});
            graph.nodes[1].attributeCount = 1;
            graph.callees.push_back({session.strings.intern("call"), session.strings.intern("inner"), {}});
            graph.nodes[2].calleeCount = 1;
        }
        QCOMPARE(across(session, "n.value"), Likeness::Same);
        Graph& graph = session.graphs[1];
        if (change == "attribute")
            graph.attributes[0].value = session.strings.intern("2");
        else if (change == "attribute's name")
            graph.attributes[0].name = session.strings.intern("axis");
        else if (change == "op")
            graph.nodes[3].op = session.strings.intern("Sub");
        else if (change == "type")
            graph.nodes[3].type = session.strings.intern("int32[2]");
        else if (change == "edge")
            graph.inputs[2].from = 0;
        else if (change == "result of an edge")
            graph.inputs[2].output = 1;
        else if (change == "control edge")
            graph.inputs[2].control = true;
        else if (change == "node")
            graph.nodes.pop_back();
        else if (change == "output")
            graph.outputs[0].from = 1;
        else
            graph.callees[0].name = session.strings.intern("another");
        QTEST(static_cast<int>(across(session, "n.value")), "likeness");
    }

    void whatACalleeDoesCounts() {
        SessionBuilder builder = twoEntries();
        Session& session = builder.session();
        for (int i = 0; i < 2; ++i)
            session.graphs.push_back(session.graphs[0]); // 2 and 3: callees of 0 and 1
        for (std::uint32_t row = 0; row < 2; ++row) {
            session.graphs[row].callees.push_back({{}, {}, GraphId(row + 2)});
            session.graphs[row].nodes[2].calleeCount = 1;
        }
        QCOMPARE(across(session, "n.value"), Likeness::Same);
        session.graphs[3].nodes[1].op = session.strings.intern("Sub");
        QCOMPARE(across(session, "n.value"), Likeness::Differ);
    }

    void onlyEntriesThatDifferInThatComponentAreCompared() {
        SessionBuilder builder;
        builder.graphSize(4);
        const FunctionId f = builder.function("f", "n, m");
        builder.call(f, test::request("n=int:1 m=int:1"));
        builder.graphSize(9); // another graph for another n and another m
        builder.call(f, test::request("n=int:2 m=int:2"));
        const SessionPtr session = builder.finish();
        QCOMPARE(across(*session, "n.value"), Likeness::Unknown);
        QCOMPARE(across(*session, "m.value"), Likeness::Unknown);
    }

    void oneDifferentPairIsEnough() {
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2|n=int:3", builder);
        Session& session = builder.session();
        session.graphs[2].nodes[3].op = session.strings.intern("Sub");
        QCOMPARE(across(session, "n.value"), Likeness::Differ);
    }

    void entriesWithoutGraphTellNothing() {
        SessionBuilder builder = twoEntries();
        builder.session().entries[1].graph = {};
        QCOMPARE(across(builder.session(), "n.value"), Likeness::Unknown);
    }

    void aGraphThatCallsItselfEnds() {
        SessionBuilder builder = twoEntries();
        for (std::uint32_t row = 0; row < 2; ++row) {
            builder.session().graphs[row].callees.push_back({{}, {}, GraphId(row)});
            builder.session().graphs[row].nodes[2].calleeCount = 1;
        }
        QCOMPARE(across(builder.session(), "n.value"), Likeness::Same);
    }
};

RETRACESCOPE_TEST(GraphLikenessTest);

#include "graph_likeness_test.moc"
