#include <chrono>
#include <random>

#include <QTest>

#include <retracescope/layout/layered_layout.h>

#include "tests/core/layout/layout_checks.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::layout;
using namespace retracescope::test;

class LayeredLayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEmptyGraphHasAnEmptyPicture() {
        const auto drawn = layoutLayered({});
        QVERIFY(drawn.ok());
        QCOMPARE(drawn->bounds, Rect());
    }

    void aChainIsOneStraightColumn() {
        const BoxGraph graph = boxes("0>1 1>2 2>3");
        const GraphLayout drawn = *layoutLayered(graph);
        for (const Rect& box : drawn.boxes)
            QCOMPARE(box.centre().x, drawn.boxes[0].centre().x);
        for (const Curve& curve : drawn.edges) {
            for (const Point& p : curve)
                QCOMPARE(p.x, drawn.boxes[0].centre().x);
        }
        QCOMPARE(faults(graph, drawn), QString());
    }

    void aLongEdgePassesBesideTheBoxesItSkips() {
        const BoxGraph graph = boxes("0>1 1>2 2>3 0>3");
        const GraphLayout drawn = *layoutLayered(graph);
        QCOMPARE(faults(graph, drawn), QString());
        QVERIFY(!crossesABox(graph, drawn, 3));
    }

    void framesHoldTheirBoxesAndNothingElse() {
        BoxGraph graph = boxes("0>1 1>2 2>3 3>4 1>4 0>3");
        graph.clusters = {{kNoCluster, 20, 60}, {0, 20, 300}};
        graph.boxes[1].cluster = 0;
        graph.boxes[2].cluster = 1;
        graph.boxes[3].cluster = 1;
        const GraphLayout drawn = *layoutLayered(graph);
        QCOMPARE(faults(graph, drawn), QString());
        QVERIFY(drawn.clusters[1].width >= 300);
    }

    void aCycleIsLedBackUpAndEverythingElseGoesDown() {
        const BoxGraph graph = boxes("0>1 1>2 2>0 2>3");
        const GraphLayout drawn = *layoutLayered(graph);
        QVERIFY(drawn.boxes[0].y < drawn.boxes[1].y && drawn.boxes[1].y < drawn.boxes[2].y);
        QVERIFY(drawn.boxes[2].y < drawn.boxes[3].y);
        const Curve& back = drawn.edges[2];
        QCOMPARE(back.front().y, drawn.boxes[2].bottom());
        QCOMPARE(back.back().y, drawn.boxes[0].y);
        QVERIFY(!crossesABox(graph, drawn, 2));
    }

    void aCycleBetweenFramesIsDrawnToo() {
        BoxGraph graph = boxes("0>1 1>2 2>0 3>2 1>3");
        graph.clusters = {{kNoCluster, 20, 60}, {kNoCluster, 20, 60}};
        graph.boxes[0].cluster = graph.boxes[2].cluster = 0;
        graph.boxes[1].cluster = graph.boxes[3].cluster = 1;
        const GraphLayout drawn = *layoutLayered(graph);
        QCOMPARE(faults(graph, drawn, Direction::Any), QString());
    }

    void roomForPillsIsKept() {
        BoxGraph graph = boxes("0>2 1>2");
        graph.boxes[1].left = 120;
        const GraphLayout drawn = *layoutLayered(graph);
        QCOMPARE(faults(graph, drawn), QString());
        QVERIFY(drawn.boxes[1].x - 120 >= drawn.boxes[0].right() ||
                drawn.boxes[0].x >= drawn.boxes[1].right());
    }

    void randomGraphsWithFramesKeepEveryRule() {
        for (unsigned seed = 1; seed <= 60; ++seed) {
            const BoxGraph graph = randomGraph(seed, 40 + seed);
            const auto drawn = layoutLayered(graph);
            QVERIFY(drawn.ok());
            // Frames make cycles between scopes out of graphs that have none, so edges may go up.
            QCOMPARE(faults(graph, *drawn, graph.clusters.empty() ? Direction::Down : Direction::Any),
                     QString());
        }
    }

    void theSameGraphIsDrawnTheSameWay() {
        const BoxGraph graph = randomGraph(7, 200);
        QCOMPARE(*layoutLayered(graph), *layoutLayered(graph));
    }

    void cancelEndsIt() {
        Job job;
        job.cancel.request();
        const auto drawn = layoutLayered(randomGraph(3, 500), job);
        QVERIFY(!drawn.ok());
        QCOMPARE(drawn.error().message, std::string(kCancelled));
    }
};

RETRACESCOPE_TEST(LayeredLayoutTest);

#include "layered_layout_test.moc"
