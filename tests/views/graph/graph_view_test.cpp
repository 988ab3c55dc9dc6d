#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTest>
#include <QWheelEvent>

#include "tests/support/test_main.h"
#include "tests/views/graph/model_graph.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_minimap.h"
#include "views/graph/graph_search.h"
#include "views/graph/graph_view.h"
#include "views/graph/node_panel.h"
#include "views/shared/empty_panel.h"
#include "views/shared/numbers.h"

using namespace retracescope;
using namespace retracescope::views;
using namespace retracescope::test;

class GraphViewTest : public QObject {
    Q_OBJECT

    struct Opened {
        ViewState state;
        std::unique_ptr<GraphView> view;

        explicit Opened(diagnose::DiagnosisPtr diagnosis, QSize size = {1100, 800}) {
            qputenv("RETRACESCOPE_LAYOUT", RETRACESCOPE_BIN_DIR "/retracescope-layout");
            view = std::make_unique<GraphView>(state);
            view->setFoldEqual(false); // these tests look at single blocks
            view->resize(size);
            view->show();
            if (diagnosis)
                state.setDiagnosis(std::move(diagnosis));
            settle();
        }
        ~Opened() { view.reset(); }

        void settle() { QTRY_VERIFY_WITH_TIMEOUT(view->isSettled(), 20'000); }
        GraphCanvas& canvas() { return view->canvas(); }
        const GraphScene& scene() { return *canvas().scene(); }

        std::uint32_t box(const std::string& title) {
            for (std::uint32_t b = 0; b < scene().folded.boxes.size(); ++b) {
                if (scene().folded.boxes[b].title == title)
                    return b;
            }
            return layout::kNoBox;
        }

        std::uint32_t node(const std::string& name) {
            const auto& nodes = scene().graph().nodes;
            for (std::uint32_t row = 0; row < nodes.size(); ++row) {
                if (scene().text(nodes[row].name) == name)
                    return row;
            }
            return layout::kNoBox;
        }

        void click(const std::string& title) {
            QTest::mouseClick(&canvas(), Qt::LeftButton, {},
                              canvas().boxOnWidget(box(title)).center().toPoint());
        }
    };

private Q_SLOTS:
    void aLargeGraphOpensFoldedAndSaysSo() {
        Opened opened(modelDiagnosis(24));
        QVERIFY(opened.scene().folded.boxes.size() <= layout::kMostBoxes);
        bool said = false;
        for (const QLabel* label : opened.view->findChildren<QLabel*>())
            said |= label->text().contains(QStringLiteral(" nodes, folded to "));
        QVERIFY(said);
    }

    void theMinimapStaysOffASmallCanvasAndAWholeGraph() {
        Opened opened(modelDiagnosis(24));
        auto* map = opened.view->findChild<GraphMinimap*>();
        opened.canvas().zoomTo(1.0);
        QVERIFY(map->isVisible());
        opened.view->resize(1024, 490); // what a window of 1024x640 leaves
        QVERIFY(!map->isVisible());
        opened.view->resize(1100, 800);
        QVERIFY(map->isVisible());
        opened.canvas().fitAll();
        QCOMPARE(map->isVisible(),
                 !opened.canvas().visibleArea().contains(toRect(opened.scene().drawn.bounds)));
    }

    void theFunctionShownAndItsEntryAreThoseOfTheSelection() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.call(f, tensorArgument("x", "float32", {3}));
        const auto g = builder.function("never_traced", "x");
        Opened opened(diagnose::diagnose(builder.finish()));
        QCOMPARE(opened.view->findChild<QComboBox*>()->itemText(1), QStringLiteral("f · entry 2: x [3]"));
        opened.state.selectEntry(session::EntryId(1u));
        opened.settle();
        QCOMPARE(opened.scene().id, (*opened.state.session())[session::EntryId(1u)].graph);
        opened.state.selectFunction(g); // not the graph of f any longer
        QVERIFY(!opened.canvas().scene());
        opened.state.clearSelection();
        opened.settle();
        QCOMPARE(opened.scene().id, opened.state.shownGraph().graph);
    }

    void graphsWithoutAnEntryCanBeChosenAndTheirNodesSelected() {
        auto s = std::make_shared<session::Session>();
        for (const char* name : {"library", "main"}) {
            session::Graph graph;
            graph.name = s->strings.intern(name);
            graph.isLibraryFunction = s->graphs.empty();
            session::GraphNode node;
            node.name = s->strings.intern(std::string(name) + "_node");
            node.op = s->strings.intern("Op");
            graph.nodes.push_back(node);
            s->graphs.push_back(graph);
        }
        s->imported.format = "graphdef";
        Opened opened(diagnose::diagnose(s));
        QCOMPARE(opened.scene().id, session::GraphId(1u)); // the main one first
        opened.click("main_node");
        QCOMPARE(opened.state.selection().graph, session::GraphId(1u));
        QCOMPARE(opened.state.selection().node, std::optional(0u));
        opened.state.selectGraph(session::GraphId(0u));
        opened.settle();
        QCOMPARE(opened.scene().id, session::GraphId(0u));
        QVERIFY(!opened.state.selection().node);
    }

    void aFileWithoutGraphsSaysWhatItHolds() {
        auto s = std::make_shared<session::Session>();
        s->lanes.push_back({});
        s->instants.timeNs.push_back(5);
        s->instants.lane.push_back(session::LaneId(0u));
        s->instants.name.push_back({});
        s->instants.args.push_back({});
        s->imported.format = "chrome trace";
        Opened opened(diagnose::diagnose(s));
        QVERIFY(!opened.canvas().isVisible());
        const auto* panel = opened.view->findChild<EmptyPanel*>();
        QVERIFY(panel->isVisible());
        QCOMPARE(panel->sentence(), QStringLiteral("This file holds no graph."));
        QSignalSpy wanted(&opened.state, &ViewState::viewRequested);
        QTest::mouseClick(panel->findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(wanted.takeFirst().front().toString(), QStringLiteral("timeline"));
    }

    void equalBlocksAreOneStackThatOpens() {
        Opened opened(modelDiagnosis(24));
        opened.view->setFoldEqual(true);
        opened.settle();
        const std::uint32_t stack = opened.box("block_0 … block_23 (24 equal)");
        QVERIFY(stack != layout::kNoBox);
        QVERIFY(opened.scene().folded.boxes[stack].isRun);
        const std::uint32_t scope = opened.scene().folded.boxes[stack].id;
        opened.view->setFind(QStringLiteral("block_7/attention/Softmax"));
        QVERIFY(opened.canvas().emphasis().matches.contains(stack)); // counted on the stack
        opened.view->setFind({});
        opened.view->toggleScope(scope);
        opened.settle();
        QVERIFY(opened.scene().clusterOfScope(scope));
        QVERIFY(opened.box("block_7") != layout::kNoBox);
        opened.view->toggleScope(scope);
        opened.settle();
        QVERIFY(opened.box("block_0 … block_23 (24 equal)") != layout::kNoBox);
        // A node chosen elsewhere opens its way.
        opened.state.selectNode(opened.state.shownGraph(), opened.node("encoder/block_3/attention/Softmax"));
        opened.settle();
        QVERIFY(opened.box("Softmax") != layout::kNoBox);
    }

    void aPathFromOneBoxToAnotherIsLitAndCounted() {
        Opened opened(diagnose::diagnose(processDataSession()));
        const auto status = [&] {
            for (const QLabel* label : opened.view->findChildren<QLabel*>()) {
                if (label->text().contains(QStringLiteral("laid out")) ||
                    label->text().contains(QStringLiteral("own layout")))
                    return label->text();
            }
            return QString();
        };
        const auto& folded = opened.scene().folded;
        std::optional<layout::FoldedEdge> first;
        for (const layout::FoldedEdge& edge : folded.edges) {
            if (!first)
                first = edge;
        }
        QVERIFY(first);
        // Chosen against the direction of the edge: the path is found all the same.
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {},
                          opened.canvas().boxOnWidget(first->to).center().toPoint());
        QTest::keyClick(&opened.canvas(), Qt::Key_P);
        QVERIFY(status().contains(QStringLiteral("click the box where it ends")));
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {},
                          opened.canvas().boxOnWidget(first->from).center().toPoint());
        QCOMPARE(opened.canvas().emphasis().path, (std::vector<std::uint32_t>{first->from, first->to}));
        QVERIFY2(status().contains(QStringLiteral("2 boxes on the shortest path")), qPrintable(status()));
        QVERIFY(!opened.canvas().emphasis().kept.empty());
        QTest::keyClick(&opened.canvas(), Qt::Key_Escape);
        QVERIFY(opened.canvas().emphasis().path.empty());
        QVERIFY(!status().contains(QStringLiteral("path")));
    }

    void aSmallGraphIsShownWholeThroughGraphviz() {
        Opened opened(diagnose::diagnose(processDataSession()));
        QCOMPARE(opened.scene().folded.boxes.size(), std::size_t{5});
        QVERIFY2(opened.scene().engine == layout::LayoutEngine::Graphviz, opened.scene().note.c_str());
    }

    void expandingKeepsTheScopeUnderThePointer() {
        Opened opened(modelDiagnosis(24));
        const std::uint32_t box = opened.box("block_3");
        QVERIFY(box != layout::kNoBox);
        opened.canvas().zoomTo(1.0);
        opened.canvas().centreOn(box);
        const std::uint32_t scope = opened.scene().folded.boxes[box].id;
        const QPointF corner = opened.canvas().boxOnWidget(box).topLeft();
        const QPoint plus = (corner + QPointF(10, 12)).toPoint();
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, plus);
        opened.settle();
        const auto cluster = opened.scene().clusterOfScope(scope);
        QVERIFY(cluster);
        const layout::Rect& frame = opened.scene().drawn.clusters[*cluster];
        QVERIFY((opened.canvas().toWidget({frame.x, frame.y}) - corner).manhattanLength() < 1);
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, plus); // the minus is where the plus was
        opened.settle();
        const auto again = opened.scene().boxOfScope(scope);
        QVERIFY(again);
        QVERIFY((opened.canvas().boxOnWidget(*again).topLeft() - corner).manhattanLength() < 1);
    }

    void wheelZoomKeepsThePlaceUnderThePointer() {
        Opened opened(modelDiagnosis(24));
        const QPointF at(317, 222);
        const QPointF before = opened.canvas().toScene(at);
        const double scale = opened.canvas().scale();
        for (const int delta : {120, 120, -120, 240}) {
            QWheelEvent wheel(at, opened.canvas().mapToGlobal(at), {}, {0, delta}, Qt::NoButton,
                              Qt::ControlModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(&opened.canvas(), &wheel);
        }
        QVERIFY(opened.canvas().scale() > scale);
        QVERIFY((opened.canvas().toScene(at) - before).manhattanLength() < 0.01);
    }

    void draggingMovesThePicture() {
        Opened opened(modelDiagnosis(2));
        const QPointF before = opened.canvas().toScene({0, 0});
        QTest::mousePress(&opened.canvas(), Qt::LeftButton, {}, {20, 20});
        QTest::mouseMove(&opened.canvas(), {60, 20});
        QTest::mouseMove(&opened.canvas(), {120, 50});
        QTest::mouseRelease(&opened.canvas(), Qt::LeftButton, {}, {120, 50});
        const QPointF moved = before - opened.canvas().toScene({0, 0});
        QVERIFY(std::abs(moved.x() * opened.canvas().scale() - 100) < 0.01);
        QVERIFY(std::abs(moved.y() * opened.canvas().scale() - 30) < 0.01);
    }

    void aClickSelectsTheNodeForAllViews() {
        Opened opened(diagnose::diagnose(processDataSession()));
        opened.click("node_2");
        QVERIFY(opened.state.selection().node.has_value());
        QCOMPARE(*opened.state.selection().node, opened.node("block_0/node_2"));
        QCOMPARE(opened.state.selection().entry, session::EntryId(std::uint32_t{0}));
        const QString panel = opened.view->findChild<NodePanel*>()->toPlainText();
        QVERIFY2(panel.contains(QStringLiteral("block_0/node_2")) && panel.contains(QStringLiteral("Mul")),
                 qPrintable(panel));
    }

    void aSelectionFromElsewhereOpensItsScopesAndShowsTheNode() {
        Opened opened(modelDiagnosis(24));
        const std::uint32_t row = opened.node("encoder/block_20/attention/Softmax");
        opened.state.selectNode(opened.state.shownGraph(), row);
        opened.settle();
        const auto box = opened.scene().boxOf(row);
        QVERIFY(box && opened.canvas().selectedBox() == box);
        QVERIFY(QRectF(opened.canvas().rect()).contains(opened.canvas().boxOnWidget(*box).center()));
    }

    void anotherEntryShowsItsOwnGraph() {
        Opened opened(diagnose::diagnose(processDataSession()));
        opened.state.selectEntry(session::EntryId(std::uint32_t{2}));
        opened.settle();
        QCOMPARE(opened.scene().id, (*opened.state.session())[session::EntryId(std::uint32_t{2})].graph);
        QVERIFY(opened.view->findChild<QComboBox*>()->currentText().contains(QStringLiteral("entry 3")));
    }

    void findCountsMatchesInsideFoldedScopesAndEnterGoesThere() {
        Opened opened(modelDiagnosis(24));
        auto* find = opened.view->findChild<QLineEdit*>();
        QTest::keyClicks(find, QStringLiteral("softmax"));
        int counted = 0;
        for (const auto& [box, count] : opened.canvas().emphasis().matches)
            counted += count;
        QCOMPARE(counted, 25); // one per block, one in the loss
        QTest::keyClick(find, Qt::Key_Return);
        opened.settle();
        const std::uint32_t first = opened.node("encoder/block_0/attention/Softmax");
        QCOMPARE(opened.state.selection().node, std::optional(first));
        QTest::keyClick(find, Qt::Key_Return);
        opened.settle();
        QCOMPARE(opened.state.selection().node,
                 std::optional(opened.node("encoder/block_1/attention/Softmax")));
        QTest::keyClick(find, Qt::Key_Return, Qt::ShiftModifier);
        opened.settle();
        QCOMPARE(opened.state.selection().node, std::optional(first));
    }

    void arrowKeysWalkAlongEdgesAndEnterExpands() {
        Opened opened(modelDiagnosis(24));
        opened.click("block_4");
        opened.canvas().setFocus();
        QTest::keyClick(&opened.canvas(), Qt::Key_Down);
        QCOMPARE(*opened.canvas().selectedBox(), opened.box("block_5"));
        QTest::keyClick(&opened.canvas(), Qt::Key_Up);
        QCOMPARE(*opened.canvas().selectedBox(), opened.box("block_4"));
        const std::uint32_t scope = opened.scene().folded.boxes[opened.box("block_4")].id;
        QTest::keyClick(&opened.canvas(), Qt::Key_Return);
        opened.settle();
        QVERIFY(opened.scene().clusterOfScope(scope));
    }

    void upstreamDimsWhatDoesNotReachTheSelection() {
        Opened opened(modelDiagnosis(24));
        opened.click("block_4");
        opened.canvas().setFocus();
        QTest::keyClick(&opened.canvas(), Qt::Key_I);
        const auto& kept = opened.canvas().emphasis().kept;
        QVERIFY(kept[opened.box("block_0")] && kept[opened.box("mask")] && !kept[opened.box("block_5")]);
    }

    void colourByTimeIsTheMeasuredTime() {
        Opened opened(modelDiagnosis(2));
        const auto& scene = opened.scene();
        QVERIFY(!scene.timeOfBox.empty());
        double sum = 0;
        for (const double ns : scene.timeOfNode)
            sum += ns;
        double kernels = 0;
        for (const std::int64_t ns : opened.state.session()->kernels.durationNs)
            kernels += static_cast<double>(ns);
        QVERIFY(std::abs(sum * 2 - kernels) < 1); // two calls
        const GraphPainter painter(scene, opened.state.theme(), GraphColour::Time);
        const auto hottest = std::ranges::max_element(scene.timeOfBox) - scene.timeOfBox.begin();
        QCOMPARE(painter.fillOf(static_cast<std::uint32_t>(hottest)), opened.state.theme().execute.fill);
    }

    void boxesAreReallyPaintedInBothThemes() {
        Opened opened(diagnose::diagnose(processDataSession()));
        for (const ThemeName name : {ThemeName::Light, ThemeName::Dark}) {
            opened.state.setTheme(name);
            const QImage picture = opened.canvas().grab().toImage();
            const QRectF box = opened.canvas().boxOnWidget(opened.box("node_2"));
            QCOMPARE(picture.pixelColor((box.topLeft() + QPointF(6, 6)).toPoint()),
                     opened.state.theme().execute.tint);
            QCOMPARE(picture.pixelColor(3, picture.height() - 3), opened.state.theme().view);
        }
    }

    void cancellingALayoutKeepsThePicture() {
        Opened opened(modelDiagnosis(24));
        const GraphScenePtr before = opened.canvas().scene();
        opened.view->openAllBelow(0, true);
        QVERIFY(!opened.view->isSettled());
        const auto running = opened.state.jobs().running();
        QVERIFY(!running.empty());
        opened.state.jobs().cancel(running.back().id); // as the status bar does
        QVERIFY(opened.view->isSettled());
        QTest::qWait(50);
        QCOMPARE(opened.canvas().scene(), before);
    }

    void anEntryWithoutAGraphSaysSo() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.session().entries[0].graph = {};
        builder.session().graphs.clear();
        builder.session().facts.push_back({"not_recorded", "graphs", "text was over the 64 MB limit"});
        Opened opened(diagnose::diagnose(builder.finish()));
        QVERIFY(!opened.canvas().scene());
        const QImage picture = opened.canvas().grab().toImage();
        QVERIFY(picture.pixelColor(2, 2) == opened.state.theme().view);
        opened.state.selectEntry(session::EntryId(std::uint32_t{0}));
        QVERIFY(!opened.canvas().scene());
    }

    void copiesAsDotSvgAndText() {
        Opened opened(diagnose::diagnose(processDataSession()));
        QVERIFY(opened.view->copyText(QStringLiteral("dot")).startsWith(QStringLiteral("digraph")));
        QVERIFY(opened.view->copyText(QStringLiteral("svg")).startsWith(QStringLiteral("<svg")));
        QVERIFY(opened.view->copyText(QStringLiteral("text"))
                    .startsWith(QStringLiteral("process_data_1: 4 nodes")));
        QVERIFY(opened.canvas().image(1).width() > 100);
    }

    void theSvgLooksAsTheViewPaints() {
        Opened opened(modelDiagnosis(2));
        const QImage painted = opened.canvas().image(1);
        QSvgRenderer renderer(opened.view->copyText(QStringLiteral("svg")).toUtf8());
        QVERIFY(renderer.isValid());
        QImage drawn(painted.size(), QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&drawn);
        renderer.render(&painter);
        int round = 0;
        for (std::size_t b = 0; b < opened.scene().folded.boxes.size(); ++b) {
            const layout::FoldedBox& box = opened.scene().folded.boxes[b];
            const layout::Rect& r = opened.scene().drawn.boxes[b];
            const QPoint corner(static_cast<int>(r.x) + 16 + 3, static_cast<int>(r.y) + 16 + 3);
            const QPoint side(corner.x() + 1, static_cast<int>(r.centre().y) + 16);
            for (const QPoint place : {corner, side}) {
                const QColor here = painted.pixelColor(place);
                const QColor there = drawn.pixelColor(place);
                QVERIFY2(std::abs(here.red() - there.red()) < 4 && std::abs(here.blue() - there.blue()) < 4,
                         qPrintable(QStringLiteral("%1: painted %2, in the SVG %3")
                                        .arg(toQString(box.title), here.name(), there.name())));
            }
            round += box.isInput || box.kind == layout::BoxKind::Output ? 1 : 0;
        }
        QVERIFY(round >= 2);
        QVERIFY(round < static_cast<int>(opened.scene().folded.boxes.size()));
    }

    void findUnderstandsOpShapeAndFile() {
        const auto diagnosis = modelDiagnosis(2);
        const auto& session = *diagnosis->session;
        QCOMPARE(findNodes(session, session.graphs[0], "op:softmax").size(), std::size_t{3});
        QCOMPARE(findNodes(session, session.graphs[0], "op:Softmax encoder").size(), std::size_t{2});
        QCOMPARE(findNodes(session, session.graphs[0], "shape:[8000,256]").size(), std::size_t{1});
        QVERIFY(!findNodes(session, session.graphs[0], "file:model.py:57").empty());
        QVERIFY(findNodes(session, session.graphs[0], "").empty());
    }

    void twentyThousandNodesOpenCollapsed() {
        QElapsedTimer timer;
        Opened opened(modelDiagnosis(550));
        QVERIFY(opened.scene().graph().nodes.size() > 20'000);
        QVERIFY(opened.scene().folded.boxes.size() <= layout::kMostBoxes);
    }

    /// With RETRACESCOPE_SCREENS=folder: pictures to look at.
    void picturesToLookAt() {
        const QString folder = qEnvironmentVariable("RETRACESCOPE_SCREENS");
        if (folder.isEmpty())
            QSKIP("RETRACESCOPE_SCREENS is not set");
        QApplication::setStyle(QStringLiteral("Fusion"));
        Opened opened(modelDiagnosis(4), {1040, 800});
        opened.state.selectNode(opened.state.shownGraph(), opened.node("encoder/block_1/attention/scores"));
        opened.settle();
        for (const auto& [name, text] :
             {std::pair(ThemeName::Light, "light"), std::pair(ThemeName::Dark, "dark")}) {
            opened.state.setTheme(name);
            QApplication::setPalette(opened.state.theme().palette());
            qApp->setStyleSheet(opened.state.theme().styleSheet());
            QTest::qWait(50);
            const auto save = [&](const QString& what) {
                opened.view->grab().save(
                    QStringLiteral("%1/graph_%2_%3.png").arg(folder, what, QLatin1String(text)));
            };
            opened.canvas().fitAll();
            save(QStringLiteral("whole"));
            opened.canvas().zoomTo(1);
            opened.canvas().centreOn(opened.box("scores"));
            save(QStringLiteral("close"));
            opened.canvas().setColour(GraphColour::Time);
            save(QStringLiteral("time"));
            opened.view->setFind(QStringLiteral("softmax"));
            opened.canvas().setColour(GraphColour::Family);
            save(QStringLiteral("find"));
            opened.view->setFind({});
            opened.canvas().setColour(GraphColour::Nothing);
        }
        QApplication::setPalette(makeTheme(ThemeName::Light).palette());
        qApp->setStyleSheet(makeTheme(ThemeName::Light).styleSheet());
        Opened folded(modelDiagnosis(30), {1040, 800});
        folded.view->grab().save(folder + QStringLiteral("/graph_folded_light.png"));
        Opened large(modelDiagnosis(4), {2800, 1900});
        large.view->grab().save(folder + QStringLiteral("/graph_4k_light.png"));
        Opened small(diagnose::diagnose(processDataSession()), {1040, 800});
        small.click("node_2");
        small.view->grab().save(folder + QStringLiteral("/graph_small_light.png"));
    }
};

RETRACESCOPE_TEST(GraphViewTest);

#include "graph_view_test.moc"
