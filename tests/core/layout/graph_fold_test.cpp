#include <QTest>

#include <retracescope/layout/graph_fold.h>
#include <retracescope/layout/node_roles.h>

#include "tests/core/layout/graph_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::layout;
using namespace retracescope::test;

namespace {

/// "x[1] dense[3] result[0] | x>dense dense>result", pills in braces behind their box.
QString written(const session::Session& session, const FoldedGraph& folded) {
    (void)session;
    QStringList boxes, edges;
    for (const FoldedBox& box : folded.boxes) {
        QString text = QStringLiteral("%1[%2]").arg(QString::fromStdString(box.title)).arg(box.nodeCount);
        for (const auto* pills : {&box.left, &box.right}) {
            for (const Pill& pill : *pills)
                text += QStringLiteral("{%1}").arg(QString::fromStdString(pill.text));
        }
        boxes += text;
    }
    for (const FoldedEdge& edge : folded.edges) {
        edges += QStringLiteral("%1%2%3%4")
                     .arg(QString::fromStdString(folded.boxes[edge.from].title),
                          edge.control ? QStringLiteral("~") : QStringLiteral(">"),
                          QString::fromStdString(folded.boxes[edge.to].title),
                          edge.count > 1 ? QStringLiteral("*%1").arg(edge.count) : QString());
    }
    return boxes.join(QLatin1Char(' ')) + QStringLiteral(" | ") + edges.join(QLatin1Char(' '));
}

QString folded(const TextGraph& text, const QStringList& openPaths, bool sides = true) {
    const ScopeTree tree = buildScopeTree(text.session, text.graph);
    OpenScopes open(tree.scopes.size(), false);
    open[0] = true;
    for (std::size_t s = 1; s < tree.scopes.size(); ++s)
        open[s] = openPaths.contains(QString::fromStdString(tree.scopes[s].path));
    return written(text.session, foldGraph(text.session, text.graph, tree, open, sides));
}

const char* const kDense = "x = Placeholder()\n"
                           "dense/w = Const()\n"
                           "dense/b = VarHandleOp()\n"
                           "dense/read = ReadVariableOp(dense/b)\n"
                           "dense/mm = MatMul(x, dense/w)\n"
                           "dense/act/add = Add(dense/mm, dense/read)\n"
                           "dense/act/relu = Relu(dense/act/add, ^x)\n"
                           "y = Mul(dense/act/relu, dense/act/relu)\n";

} // namespace

class GraphFoldTest : public QObject {
    Q_OBJECT

    static std::size_t counted(const FoldedGraph& graph) {
        std::size_t sum = graph.sideNodes.size();
        for (const FoldedBox& box : graph.boxes)
            sum += box.nodeCount;
        return sum;
    }

private Q_SLOTS:
    void closedScopesAreOneBoxAndTheirEdgesMerge() {
        QCOMPARE(folded(graphFromText(kDense, "y"), {}),
                 QStringLiteral("x[1] dense[6] y[1] result[0] | x>dense x~dense dense>y*2 y>result"));
    }

    void openScopesShowWhatIsInThemAndSidesAsPills() {
        QCOMPARE(
            folded(graphFromText(kDense, "y"), {QStringLiteral("dense")}),
            QStringLiteral("x[1] mm[1]{w} act[2]{b} y[1] result[0] | x>mm x~act mm>act act>y*2 y>result"));
    }

    void sidesCanBeBoxesToo() {
        QCOMPARE(folded(graphFromText(kDense, "y"), {QStringLiteral("dense")}, false),
                 QStringLiteral("x[1] w[1] b[1] read[1] mm[1] act[2] y[1] result[0] | "
                                "x>mm x~act w>mm b>read read>act mm>act act>y*2 y>result"));
    }

    void readsOfConstantsArePillsUnderTheWeightsName() {
        const TextGraph text = graphFromText("x = Placeholder()\n"
                                             "kernel = Const()\n"
                                             "kernel/read = Identity(kernel)\n"
                                             "mm = MatMul(x, kernel/read)\n"
                                             "y = Identity(mm)\n");
        QCOMPARE(folded(text, {QStringLiteral("kernel")}),
                 QStringLiteral("x[1] mm[1]{kernel} y[1] | x>mm mm>y"));
    }

    void aValueWithManyReadersBecomesPills() {
        std::string text = "x = Placeholder()\n";
        for (int i = 0; i < 7; ++i)
            text += "r" + std::to_string(i) + " = Neg(x)\n";
        const QString all = folded(graphFromText(text), {});
        QVERIFY2(all.startsWith(QStringLiteral("x[1]{7 readers} r0[1]{x} r1[1]{x}")), qPrintable(all));
        QVERIFY(all.endsWith(QStringLiteral("| ")));
    }

    void namesFromOutsideAreKept() {
        QCOMPARE(folded(graphFromText("y = Neg(elsewhere)"), {}), QStringLiteral("y[1]{elsewhere} | "));
    }

    void oddNamesMakeNoEmptyScopes() {
        const TextGraph text = graphFromText("/a = Neg()\nb//c = Neg(/a)\nd/ = Neg(b//c)");
        const ScopeTree tree = buildScopeTree(text.session, text.graph);
        for (std::size_t s = 1; s < tree.scopes.size(); ++s)
            QVERIFY(!tree.scopes[s].name.empty() && tree.scopes[s].nodeCount > 0);
        QCOMPARE(tree.scopes[0].nodeCount, 3u);
    }

    void countsAddUpHoweverItIsFolded() {
        SessionBuilder builder;
        builder.graphSize(1284);
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        const auto session = builder.finish();
        const session::Graph& graph = session->graphs[0];
        const ScopeTree tree = buildScopeTree(*session, graph);
        QCOMPARE(tree.scopes[0].nodeCount, 1284u);
        OpenScopes open = initiallyOpen(*session, graph, tree);
        for (std::size_t s = 0; s < tree.scopes.size(); ++s) {
            open[s] = true;
            QCOMPARE(counted(foldGraph(*session, graph, tree, open)), std::size_t{1284});
        }
    }

    void aLargeGraphOpensWithFewBoxesAndASmallOneWhole() {
        for (const int nodes : {40, 250, 1284, 20'000}) {
            SessionBuilder builder;
            builder.graphSize(nodes);
            const auto f = builder.function("f", "x");
            builder.call(f, tensorArgument("x", "float32", {2}));
            const auto session = builder.finish();
            const session::Graph& graph = session->graphs[0];
            const ScopeTree tree = buildScopeTree(*session, graph);
            const FoldedGraph drawn = foldGraph(*session, graph, tree, initiallyOpen(*session, graph, tree));
            if (nodes <= 250)
                QCOMPARE(drawn.boxes.size(), static_cast<std::size_t>(nodes) + 1);
            else
                QVERIFY(drawn.boxes.size() <= kMostBoxes && drawn.boxes.size() > 1);
            QCOMPARE(counted(drawn), static_cast<std::size_t>(nodes));
        }
    }

    void longScopesAreCutIntoPartsOfNeighbours() {
        std::string text = "n0 = Placeholder()\n";
        for (int i = 1; i < 20'000; ++i)
            text += "n" + std::to_string(i) + " = Neg(n" + std::to_string(i - 1) + ")\n";
        const TextGraph flat = graphFromText(text);
        const ScopeTree tree = buildScopeTree(flat.session, flat.graph);
        for (const Scope& scope : tree.scopes)
            QVERIFY(scope.nodes.size() + scope.scopes.size() <= kLargestScope);
        const FoldedGraph drawn =
            foldGraph(flat.session, flat.graph, tree, initiallyOpen(flat.session, flat.graph, tree));
        QCOMPARE(drawn.edges.size() + 1, drawn.boxes.size()); // still one chain
        QCOMPARE(counted(drawn), std::size_t{20'000});
    }

    void aVariableHandedInIsAVariable() {
        QVERIFY(isVariableHandle("placeholder", "resource[]"));
        QVERIFY(isVariableHandle("Arg", "resource"));
        QVERIFY(!isVariableHandle("placeholder", "float32[2]"));
        QVERIFY(!isVariableHandle("read_variable", "resource[]"));
    }

    void rolesFollowFromOpNamesOfAnyEngine() {
        QVERIFY(roleOfOp("Const") == NodeRole::Constant && roleOfOp("constant") == NodeRole::Constant);
        QVERIFY(roleOfOp("ReadVariableOp") == NodeRole::Weight &&
                roleOfOp("read_variable") == NodeRole::Weight);
        QVERIFY(roleOfOp("Placeholder") == NodeRole::Input && roleOfOp("NoOp") == NodeRole::Operation);
        QVERIFY(familyOfOp("BatchMatMulV2") == OpFamily::MatMul &&
                familyOfOp("AddV2") == OpFamily::Elementwise);
        QVERIFY(familyOfOp("StatelessIf") == OpFamily::Control && familyOfOp("NoOp") == OpFamily::Control);
        QVERIFY(familyOfOp("reduce_sum") == OpFamily::Reduction && familyOfOp("MyOwn") == OpFamily::Other);
    }

    void neighboursOfEqualStructureMakeARun() {
        // Two equal blocks, one that differs in an edge, and a lone equal one behind it.
        const TextGraph text = graphFromText("x = Placeholder()\n"
                                             "a/one = Mul(x)\n"
                                             "a/two = Add(a/one, x)\n"
                                             "b/first = Mul(a/two)\n"
                                             "b/second = Add(b/first, a/two)\n"
                                             "c/one = Mul(b/second)\n"
                                             "c/two = Add(c/one, c/one)\n"
                                             "d/one = Mul(c/two)\n"
                                             "d/two = Add(d/one, c/two)\n");
        const ScopeTree tree = buildScopeTreeWithRuns(text.session, text.graph);
        std::string names;
        for (const std::uint32_t scope : tree.scopes[0].scopes)
            names += tree.scopes[scope].name + "; ";
        QCOMPARE(names, "a, b (2 equal); c; d; ");
        const Scope& run = tree.scopes[tree.scopes[0].scopes[0]];
        QVERIFY(run.isRun && run.isPart);
        QCOMPARE(run.nodeCount, 4u);
        QCOMPARE(tree.scopes[run.scopes[1]].name, "b");
        QCOMPARE(tree.scopes[tree.scopeOfNode[3]].name, "b");
    }

    void runsStayFoldedWhenAGraphOpensAndCountAllNodes() {
        std::string lines = "x = Placeholder()\n";
        std::string before = "x";
        for (int block = 0; block < 40; ++block) {
            const std::string scope = "net/block_" + std::to_string(block);
            for (int node = 0; node < 10; ++node) {
                lines += scope + "/op_" + std::to_string(node) + " = Op" + std::to_string(node) + "(" +
                         before + ")\n";
                before = scope + "/op_" + std::to_string(node);
            }
        }
        const TextGraph text = graphFromText(lines);
        QVERIFY(opensFolded(text.session, text.graph));
        const ScopeTree tree = buildScopeTreeWithRuns(text.session, text.graph);
        const FoldedGraph folded =
            foldGraph(text.session, text.graph, tree, initiallyOpen(text.session, text.graph, tree));
        const auto run = std::ranges::find(folded.boxes, true, &FoldedBox::isRun);
        QVERIFY(run != folded.boxes.end());
        QCOMPARE(run->title, "block_0 … block_39 (40 equal)");
        QCOMPARE(run->nodeCount, 400u);
        std::uint32_t nodes = static_cast<std::uint32_t>(folded.sideNodes.size());
        for (const FoldedBox& box : folded.boxes)
            nodes += box.nodeCount;
        QCOMPARE(nodes, static_cast<std::uint32_t>(text.graph.nodes.size()));
    }
};

RETRACESCOPE_TEST(GraphFoldTest);

#include "graph_fold_test.moc"
