#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <QXmlStreamReader>

#include <retracescope/report/graph_dot.h>
#include <retracescope/report/graph_svg.h>
#include <retracescope/report/graph_text.h>

#include "tests/core/layout/graph_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::test;

namespace {

TextGraph smallGraph() {
    TextGraph out = graphFromText("x = Placeholder()\n"
                                  "dense/w = Const()\n"
                                  "dense/mm = MatMul(x, dense/w)\n"
                                  "dense/relu = Relu(dense/mm, ^x)\n",
                                  "dense/relu");
    out.graph.nodes[2].file = out.session.strings.intern("model.py");
    out.graph.nodes[2].line = 57;
    return out;
}

/// Names that would end a string, a tag or a line if they were not quoted.
TextGraph hostileGraph() {
    TextGraph out = smallGraph();
    out.graph.nodes[0].name = out.session.strings.intern("a\"b\\c\n<d>&{e}|\x01");
    out.graph.nodes[1].op = out.session.strings.intern("<b>\"");
    out.graph.name = out.session.strings.intern("\"; }");
    out.graph.nodes[3].type = out.session.strings.intern("caf\xc3\xa9\\");
    return out;
}

} // namespace

class GraphReportsTest : public QObject {
    Q_OBJECT

    static int nodesDrawnByGraphviz(const std::string& dot) {
        QProcess process;
        process.start(QStringLiteral("dot"), {QStringLiteral("-Tplain")});
        process.write(dot.data(), static_cast<qint64>(dot.size()));
        process.closeWriteChannel();
        if (!process.waitForFinished(20'000) || process.exitCode() != 0)
            return -1;
        return static_cast<int>(process.readAllStandardOutput().count("\nnode "));
    }

private Q_SLOTS:
    void dotDrawsInGraphviz() {
        if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty())
            QSKIP("Graphviz's dot is not installed");
        const TextGraph text = smallGraph();
        QCOMPARE(nodesDrawnByGraphviz(report::graphDot(text.session, text.graph)), 5);
        const TextGraph hostile = hostileGraph();
        QCOMPARE(nodesDrawnByGraphviz(report::graphDot(hostile.session, hostile.graph)), 5);
    }

    void dotKeepsScopesTypesAndControlEdges() {
        const TextGraph text = smallGraph();
        const QString dot = QString::fromStdString(report::graphDot(text.session, text.graph));
        QVERIFY(dot.contains(QStringLiteral("subgraph cluster_1 {\n    label=\"dense\";")));
        QVERIFY(dot.contains(QStringLiteral("n2 -> n3 [label=\"float32[2]\"];")));
        QVERIFY(dot.contains(QStringLiteral("n0 -> n3 [style=dashed];")));
        QVERIFY(dot.contains(QStringLiteral("tooltip=\"dense/mm model.py:57\"")));
        QVERIFY(dot.contains(QStringLiteral("n3 -> result0")));
    }

    void textListsNodesWithInputsTypesAndLines() {
        const TextGraph text = smallGraph();
        const QString expected =
            QStringLiteral("g: 4 nodes, 1 result\n"
                           "  x = Placeholder()                               float32[2]\n"
                           "  dense/w = Const()                               float32[2]\n"
                           "  dense/mm = MatMul(x, dense/w)                   float32[2]        model.py:57\n"
                           "  dense/relu = Relu(dense/mm, ^x)                 float32[2]\n"
                           "  return dense/relu\n");
        QCOMPARE(QString::fromStdString(report::graphText(text.session, text.graph)), expected);
    }

    void svgIsWellFormedAndNamesEveryBox() {
        for (const TextGraph& text : {smallGraph(), hostileGraph()}) {
            const auto svg = report::graphSvg(text.session, text.graph, layout::LayoutEngine::Layered);
            QVERIFY(svg.ok());
            QXmlStreamReader reader(QByteArray::fromStdString(*svg));
            QStringList texts;
            while (!reader.atEnd()) {
                if (reader.readNext() == QXmlStreamReader::StartElement &&
                    reader.name() == QLatin1String("text"))
                    texts += reader.readElementText();
            }
            QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
            for (const char* name : {"mm", "relu", "result", "w"})
                QVERIFY2(texts.contains(QLatin1String(name)), name);
        }
    }

    void svgDrawsArgumentsAndResultsAsPills() {
        const TextGraph text = smallGraph();
        const auto svg = report::graphSvg(text.session, text.graph, layout::LayoutEngine::Layered);
        QVERIFY(svg.ok());
        QCOMPARE(QString::fromStdString(*svg).count(QStringLiteral("<rect class=\"end\"")), 2); // x, result
        QCOMPARE(QString::fromStdString(*svg).count(QStringLiteral("<rect class=\"box\"")), 2); // mm, relu
    }
};

RETRACESCOPE_TEST(GraphReportsTest);

#include "graph_reports_test.moc"
