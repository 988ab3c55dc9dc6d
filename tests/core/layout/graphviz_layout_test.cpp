#include <chrono>
#include <fstream>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include <retracescope/layout/graphviz_layout.h>
#include <retracescope/layout/layout_wire.h>

#include "tests/core/layout/layout_checks.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::layout;
using namespace retracescope::test;
using namespace std::chrono_literals;

namespace {

GraphvizOptions realProgram() {
    return {RETRACESCOPE_BIN_DIR "/retracescope-layout", 10s};
}

} // namespace

class GraphvizLayoutTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// A program that does what `script` says instead of Graphviz.
    GraphvizOptions impostor(const std::string& script) {
        const std::string path = m_folder.filePath(QStringLiteral("impostor.sh")).toStdString();
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return {path, 300ms};
    }

private Q_SLOTS:
    void graphvizKeepsEveryRuleOfADrawing() {
        const BoxGraph graph = boxes("0>1 1>2 2>3 0>3 1>3");
        const auto drawn = layoutGraphviz(graph, realProgram());
        QVERIFY2(drawn.ok(), drawn.ok() ? "" : drawn.error().message.c_str());
        QCOMPARE(faults(graph, *drawn), QString());
    }

    void graphvizDrawsFrames() {
        BoxGraph graph = boxes("0>1 1>2 2>3 3>4");
        graph.clusters = {{kNoCluster, 22, 90}, {0, 22, 90}};
        graph.boxes[1].cluster = 0;
        graph.boxes[2].cluster = graph.boxes[3].cluster = 1;
        graph.boxes[2].left = 60;
        const auto drawn = layoutGraphviz(graph, realProgram());
        QVERIFY2(drawn.ok(), drawn.ok() ? "" : drawn.error().message.c_str());
        QCOMPARE(faults(graph, *drawn), QString());
        QVERIFY(drawn->clusters[0].y + 22 <= drawn->boxes[1].y);
    }

    void randomGraphsKeepTheirRules() {
        for (const unsigned seed : {2u, 5u}) {
            const BoxGraph graph = randomGraph(seed, 60);
            const auto drawn = layoutGraphviz(graph, realProgram());
            QVERIFY2(drawn.ok(), drawn.ok() ? "" : drawn.error().message.c_str());
            QCOMPARE(faults(graph, *drawn, Direction::Any), QString());
        }
    }

    void aLateProgramIsKilledInTime() {
        const auto start = std::chrono::steady_clock::now();
        const auto drawn = layoutGraphviz(boxes("0>1"), impostor("exec sleep 30"));
        QVERIFY(std::chrono::steady_clock::now() - start < 5s);
        QVERIFY(!drawn.ok());
        QCOMPARE(drawn.error().message, std::string("Graphviz did not finish in 0.3 s"));
    }

    void cancelIsNoticedBeforeTheLimit() {
        Job job;
        GraphvizOptions slow = impostor("exec sleep 30");
        slow.limit = 20s;
        std::thread other([&] {
            std::this_thread::sleep_for(50ms);
            job.cancel.request();
        });
        const auto start = std::chrono::steady_clock::now();
        const auto drawn = layoutGraphviz(boxes("0>1"), slow, job);
        other.join();
        QVERIFY(std::chrono::steady_clock::now() - start < 5s);
        QCOMPARE(drawn.error().message, std::string(kCancelled));
    }

    void aCrashIsAnErrorWithItsSignal() {
        const auto drawn = layoutGraphviz(boxes("0>1"), impostor("cat > /dev/null; kill -SEGV $$"));
        QVERIFY(!drawn.ok());
        QVERIFY2(drawn.error().message.find("signal 11") != std::string::npos, drawn.error().message.c_str());
    }

    void aProgramThatDoesNotReadItsQuestionIsAnError() {
        const auto drawn = layoutGraphviz(randomGraph(2, 20'000), impostor("exit 3"));
        QVERIFY(!drawn.ok());
        QCOMPARE(drawn.error().message, std::string("Graphviz failed with exit code 3"));
    }

    void garbageIsAnError() {
        const auto drawn = layoutGraphviz(boxes("0>1"), impostor("cat"));
        QVERIFY(!drawn.ok());
        QVERIFY2(drawn.error().message.starts_with("layout text, line 1"), drawn.error().message.c_str());
    }

    void aMissingProgramIsAnError() {
        QVERIFY(!layoutGraphviz(boxes("0>1"), {"/nowhere/retracescope-layout", 1s}).ok());
    }

    void theOwnLayoutTakesOverAndSaysWhy() {
        const auto drawn = layoutBoxes(boxes("0>1"), LayoutEngine::Automatic, impostor("exec sleep 30"));
        QVERIFY(drawn.ok());
        QVERIFY(drawn->engine == LayoutEngine::Layered);
        QCOMPARE(drawn->note, std::string("Graphviz did not finish in 0.3 s. The own layout is shown."));
    }

    void everyCutOffAnswerIsRefused() {
        BoxGraph graph = boxes("0>1 0>2");
        graph.clusters = {{kNoCluster, 10, 10}};
        graph.boxes[1].cluster = 0;
        GraphLayout drawn;
        drawn.boxes = {{0, 0, 80, 38}, {1, 60, 94, 38}, {2, 60, 108, 38}};
        drawn.clusters = {{0, 50, 100, 60}};
        drawn.edges = {{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {{0, 1}, {2, 3}, {4, 5}, {6.5, 7.25}}};
        drawn.bounds = {0, 0, 200, 120};
        const std::string text = writeGraphLayout(drawn);
        QCOMPARE(*readGraphLayout(text, graph), drawn);
        for (std::size_t length = 0; length + 1 < text.size(); ++length)
            QVERIFY2(!readGraphLayout(text.substr(0, length), graph).ok(), std::to_string(length).c_str());
    }

    void aQuestionIsReadBackAsItWas() {
        const BoxGraph graph = randomGraph(5, 30);
        const std::string text = writeBoxGraph(graph);
        QCOMPARE(writeBoxGraph(*readBoxGraph(text)), text);
    }

    void questionsThatReferToNothingAreRefused() {
        for (const char* lines : {"edge 0 1", "box 0 1 1 0 0", "cluster 0 1 1", "box -1 nan 1 0 0",
                                  "box -1 1 1 0", "box -1 1 1 0 0\nedge 0 0", "sphere"}) {
            const std::string text = std::string("retracescope-boxes 1\n") + lines + "\nend\n";
            QVERIFY2(!readBoxGraph(text).ok(), lines);
        }
    }
};

RETRACESCOPE_TEST(GraphvizLayoutTest);

#include "graphviz_layout_test.moc"
