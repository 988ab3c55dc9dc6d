#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QMutex>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <retracescope/base/example_programs.h>
#include <retracescope/session/file.h>

#include "app/gui/drop_overlay.h"
#include "app/gui/entries_panel.h"
#include "app/gui/go_to_box.h"
#include "app/gui/recent_sessions.h"
#include "app/gui/welcome_card.h"
#include "app/gui/welcome_page.h"
#include "tests/app/gui/gui_test.h"
#include "tests/support/test_main.h"
#include "views/findings/findings_view.h"
#include "views/functions/functions_view.h"
#include "views/shared/data_table.h"
#include "views/shared/empty_panel.h"

namespace retracescope::test {

using namespace gui;

namespace {

/// Text without room for it that does not say so by an ellipsis and a tooltip, and controls that stick out of
/// what they are in.
bool isCut(const QWidget& widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    const auto* label = qobject_cast<const QLabel*>(&widget);
    const auto* edit = qobject_cast<const QLineEdit*>(&widget);
    const bool isBox = qobject_cast<const QComboBox*>(&widget) != nullptr;
    if (button == nullptr && label == nullptr && edit == nullptr && !isBox)
        return false;
    if (!widget.parentWidget()->rect().contains(widget.geometry()))
        return true;
    const auto advance = [&](const QString& text) {
        return widget.fontMetrics().size(Qt::TextShowMnemonic, text).width();
    };
    if (edit != nullptr && !isBox)
        return edit->text().isEmpty() && advance(edit->placeholderText()) > edit->width();
    if (button != nullptr) {
        const auto* tool = qobject_cast<const QToolButton*>(button);
        const bool iconOnly = tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly;
        return !iconOnly && advance(button->text()) > button->width();
    }
    return label != nullptr && !label->wordWrap() &&
           qobject_cast<const views::ElidedLabel*>(label) == nullptr &&
           advance(label->text()) > label->contentsRect().width() + 1;
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings = std::make_unique<CleanSettings>(); }

    void opensASessionAndShowsItsSummary() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        QCOMPARE(window.currentViewId(), QStringLiteral("summary"));
        QCOMPARE(window.contextBar().crumbs(),
                 (QStringList{QStringLiteral("process_data.retrace"), QStringLiteral("Whole session")}));
    }

    void saysWhyAFileIsNotReadAndKeepsTheOpenOne() {
        MainWindow window([](const std::filesystem::path& path, const Job&) -> Result<session::SessionPtr> {
            if (path.filename() == "broken.json")
                return Error{"not a session: the first bytes are a PNG picture; open a .retrace file"};
            return processDataSession();
        });
        QVERIFY(openIn(window, QStringLiteral("good.retrace")));
        window.openFile(QStringLiteral("broken.json"));
        QVERIFY(waitUntilSettled(window, 5000));
        QVERIFY(window.banner().isVisible());
        QCOMPARE(window.banner().sentence(),
                 QStringLiteral("Not a session: the first bytes are a PNG picture; open a .retrace file."));
        QCOMPARE(window.document().name(), QStringLiteral("good.retrace"));
        QVERIFY(window.state().session() != nullptr);
        QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(window.currentViewId(), QStringLiteral("timeline"));
    }

    void cancelOfLoadingKeepsWhatWasThere() {
        std::atomic<bool> started = false;
        MainWindow window([&](const auto&, const Job& job) -> Result<session::SessionPtr> {
            started = true;
            job.report(0.5, "calls");
            while (!job.cancel.requested())
                QThread::msleep(1);
            return Error{std::string(kCancelled)};
        });
        window.show();
        window.openFile(QStringLiteral("large.retrace"));
        QTRY_VERIFY(started);
        auto* text = window.findChild<QLabel*>(QStringLiteral("jobText"));
        QTRY_COMPARE(text->text(), QStringLiteral("Opening large.retrace: 40 % · calls"));
        auto* cancel = window.findChild<QToolButton*>(QStringLiteral("cancelJob"));
        QVERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!window.document().isOpening());
        QVERIFY(window.currentViewId().isEmpty());
        QVERIFY(!window.banner().isVisible());
        QCOMPARE(text->text(), QStringLiteral("Ready · no work running"));
    }

    void escapeGivesUpWhatIsBeingOpenedAndIsTheViewsOtherwise() {
        std::atomic<int> started = 0;
        MainWindow window(
            [&](const std::filesystem::path& path, const Job& job) -> Result<session::SessionPtr> {
                if (path.filename() != "large.retrace")
                    return processDataSession();
                ++started;
                while (!job.cancel.requested())
                    QThread::msleep(1);
                return Error{std::string(kCancelled)};
            });
        QVERIFY(openIn(window, QStringLiteral("small.retrace")));
        window.activateWindow();
        window.openFile(QStringLiteral("large.retrace"));
        QTRY_COMPARE(started, 1);
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(!window.document().isOpening());
        QCOMPARE(window.document().name(), QStringLiteral("small.retrace"));
        window.showView(QStringLiteral("timeline"));
        QVERIFY(waitUntilSettled(window, 10'000));
        window.state().selectCall(session::CallId(std::uint32_t{1}));
        QTest::keyClick(window.view(QStringLiteral("timeline"))->focusProxy(), Qt::Key_Escape);
        QVERIFY(!window.state().selection().call.isValid());
    }

    void theDockOfGraphsAndTheCanvasAgree() {
        auto s = std::make_shared<session::Session>();
        for (const char* name : {"main", "library_function"}) {
            session::Graph graph;
            graph.name = s->strings.intern(name);
            graph.isLibraryFunction = !s->graphs.empty();
            session::GraphNode node;
            node.name = node.op = s->strings.intern("Op");
            graph.nodes.push_back(node);
            s->graphs.push_back(graph);
        }
        s->imported.format = "graphdef";
        MainWindow window([&](const std::filesystem::path&, const Job&) -> Result<session::SessionPtr> {
            return session::SessionPtr(s);
        });
        window.resize(1600, 1000);
        QVERIFY(openIn(window));
        window.showView(QStringLiteral("graph"));
        QVERIFY(waitUntilSettled(window, 10'000));
        auto* dock = window.findChild<EntriesPanel*>();
        QVERIFY(dock->isVisible());
        for (const QLabel* label : dock->findChildren<QLabel*>())
            QVERIFY(!label->text().contains(QStringLiteral("No session")));
        auto* table = dock->findChildren<views::DataTable*>()[1];
        QVERIFY(table->isVisible());
        QCOMPARE(table->selectedSourceRow(), 0); // what the canvas shows
        QTest::mouseClick(table->table()->viewport(), Qt::LeftButton, {},
                          table->table()->visualRect(table->table()->model()->index(1, 0)).center());
        QCOMPARE(window.state().shownGraph().graph, session::GraphId(1u));
        QCOMPARE(window.contextBar().crumbs().last(), QStringLiteral("library_function"));
        QVERIFY(waitUntilSettled(window, 10'000));
        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(table->selectedSourceRow(), 0);
        for (const char* id : {"summary", "functions", "signatures", "findings", "source", "timeline"}) {
            const auto* panel = window.view(QLatin1String(id))->findChild<views::EmptyPanel*>();
            window.showView(QLatin1String(id));
            QVERIFY2(panel->isVisible(), id);
            QVERIFY2(!panel->sentence().isEmpty(), id);
        }
    }

    void aClickInOneViewIsFollowedByTheOthersAndTheBreadcrumb() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        window.showView(QStringLiteral("signatures"));
        QVERIFY(waitUntilSettled(window, 5000));
        auto* tree = window.view(QStringLiteral("signatures"))->findChild<QTreeView*>();
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {},
                          tree->visualRect(tree->model()->index(3, 1)).center());
        QCOMPARE(window.contextBar().crumbs(),
                 (QStringList{QStringLiteral("process_data.retrace"), QStringLiteral("process_data"),
                              QStringLiteral("entry 4"), QStringLiteral("call 5")}));
        QCOMPARE(
            window.view(QStringLiteral("functions"))->findChild<views::DataTable*>()->selectedSourceRow(), 0);
        const auto* findings = static_cast<views::FindingsView*>(window.view(QStringLiteral("findings")));
        const auto* list = findings->findChild<QListView*>();
        QCOMPARE(findings->model().finding(list->currentIndex().row()).cause, types::MissKind::Dtype);
        QCOMPARE(window.currentViewId(),
                 QStringLiteral("signatures")); // views never change tab by themselves
    }

    void backAndForwardReturnToViewAndSelection() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        window.state().selectCall(session::CallId(std::uint32_t{1}));
        window.showView(QStringLiteral("findings"));
        window.state().selectCall(session::CallId(std::uint32_t{4}));
        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window.state().selection().call, session::CallId(std::uint32_t{1}));
        QCOMPARE(window.currentViewId(), QStringLiteral("findings"));
        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window.currentViewId(), QStringLiteral("summary"));
        QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
        QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window.state().selection().call, session::CallId(std::uint32_t{4}));
        QVERIFY(!window.action(QStringLiteral("forward"))->isEnabled());
        QTest::mouseClick(&window, Qt::BackButton, {}, QPoint(3, 200));
        QCOMPARE(window.state().selection().call, session::CallId(std::uint32_t{1}));
    }

    void keysWalkPerspectivesTabsAndFindings() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(window.currentViewId(), QStringLiteral("graph"));
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(window.currentViewId(), QStringLiteral("functions"));
        QTest::keyClick(&window, Qt::Key_F8);
        QCOMPARE(window.currentViewId(), QStringLiteral("findings"));
        const auto& findings = window.state().diagnosis()->findings;
        QCOMPARE(window.state().selection().miss, findings[0].misses.front());
        QTest::keyClick(&window, Qt::Key_F8);
        QCOMPARE(window.state().selection().miss, findings[1].misses.front());
        QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
        QVERIFY(window.state().session() == nullptr);
        QVERIFY(window.findChild<WelcomePage*>()->isVisible());
    }

    void noKeyHasTwoMeanings() {
        MainWindow window(opensProcessData());
        QSet<QString> seen;
        for (const QAction* action : window.menuActions()) {
            const QString key = action->shortcut().toString();
            QVERIFY2(key.isEmpty() || !seen.contains(key), qPrintable(key));
            seen.insert(key);
        }
        QVERIFY(seen.size() > 15);
    }

    void goToFindsFunctionsFindingsAndCalls() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        auto* box = window.findChild<GoToBox*>();
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier);
        QVERIFY(box->hasFocus());
        QTest::keyClicks(box, QStringLiteral(":4"));
        QCOMPARE(box->offers(), QStringList{QStringLiteral("call 4 of process_data")});
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(window.state().selection().call, session::CallId(std::uint32_t{3}));
        QTest::keyClicks(box, QStringLiteral("PROCESS"));
        QCOMPARE(box->offers().value(0), QStringLiteral("process_data · function"));
    }

    void goToSaysThatNothingMatchesAndThenDoesNothing() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        auto* box = window.findChild<GoToBox*>();
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier);
        QTest::keyClicks(box, QStringLiteral("sofmax"));
        QCOMPARE(box->offers(), QStringList{QStringLiteral("Nothing matches \u201csofmax\u201d")});
        const auto* popup = qobject_cast<QAbstractItemView*>(QApplication::activePopupWidget());
        QVERIFY(popup != nullptr && popup->isVisible());
        QCOMPARE(popup->model()->flags(popup->model()->index(0, 0)), Qt::ItemFlags(Qt::NoItemFlags));
        const views::Selection before = window.state().selection();
        const QString view = window.currentViewId();
        for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Down, Qt::Key_Return})
            QTest::keyClick(box, key);
        QCOMPARE(window.currentViewId(), view);
        QVERIFY(window.state().selection() == before);
        QCOMPARE(box->text(), QStringLiteral("sofmax"));
        QTest::keyClick(box, Qt::Key_Escape);
        QVERIFY(box->text().isEmpty());
    }

    void aThemeSwitchLeavesNoOldColours() {
        MainWindow window(opensProcessData());
        window.chooseTheme(ThemeChoice::Light);
        QVERIFY(openIn(window));
        window.chooseTheme(ThemeChoice::Dark);
        for (const QString& id : viewIds()) {
            window.showView(id);
            QVERIFY(waitUntilSettled(window, 10'000));
            const QImage picture = window.grab().toImage();
            qint64 bright = 0;
            for (int y = 0; y < picture.height(); y += 2) {
                for (int x = 0; x < picture.width(); x += 2)
                    bright += picture.pixelColor(x, y).lightness() > 225 ? 1 : 0;
            }
            const double share = static_cast<double>(bright) * 4 / (picture.width() * picture.height());
            QVERIFY2(share < 0.03,
                     qPrintable(QStringLiteral("%1: %2 of the pixels are bright").arg(id).arg(share)));
        }
        QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!window.state().theme().isDark());
    }

    void digitsOnTheWelcomePageOpenRecentSessions() {
        QStringList opened;
        QMutex mutex;
        QFile first(m_settings->folder.filePath(QStringLiteral("first.retrace")));
        QVERIFY(first.open(QIODevice::WriteOnly));
        RecentSession gone;
        gone.path = m_settings->folder.filePath(QStringLiteral("gone.retrace"));
        gone.opened = QDateTime::currentDateTime();
        RecentSession there = gone;
        there.path = first.fileName();
        addRecentSession(gone);
        addRecentSession(there);
        MainWindow window([&](const std::filesystem::path& path, const Job&) -> Result<session::SessionPtr> {
            const QMutexLocker lock(&mutex);
            opened += QString::fromStdString(path.string());
            return processDataSession();
        });
        window.show();
        const auto cards = window.findChildren<RecentCard*>();
        QCOMPARE(cards.size(), 2);
        QVERIFY(!cards[0]->isMissing());
        QVERIFY(cards[1]->isMissing());
        QTest::keyClick(window.findChild<WelcomePage*>(), Qt::Key_1);
        QVERIFY(waitUntilSettled(window, 5000));
        QCOMPARE(opened, QStringList{there.path});
        QCOMPARE(recentSessions().front().traces, 4);
    }

    void recentSessionsHaveRoomForTheirNamesInEveryWindow() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window, m_settings->folder.filePath(QStringLiteral("train.retrace"))));
        window.action(QStringLiteral("close"))->trigger();
        for (const QSize size : {QSize(1024, 640), QSize(1280, 800), QSize(1600, 1000)}) {
            window.resize(size);
            QVERIFY(waitUntilSettled(window, 5000));
            const auto* card = window.findChild<RecentCard*>();
            QVERIFY(card->isVisible());
            QVERIFY2(card->width() >= 380, qPrintable(QString::number(card->width())));
        }
    }

    void lessonsAreTheProgramsOfTheList() {
        const auto examples = readExamples(examplesFolder());
        QVERIFY2(examples.ok(), examples.ok() ? "" : examples.error().message.c_str());
        QVERIFY(!examples->empty());
        views::ViewState state;
        WelcomePage page(state);
        page.resize(1024, 640); // the smallest window
        page.show();
        const QSignalSpy requested(&page, &WelcomePage::exampleRequested);
        qsizetype clicks = 0;
        for (const ExampleProgram& example : *examples) {
            const QString name = QString::fromStdString(example.name);
            auto* lesson = page.findChild<QPushButton*>(QStringLiteral("lesson_") + name);
            QVERIFY2(lesson != nullptr, qPrintable(name));
            QCOMPARE(lesson->text(), name);
            QTest::mouseClick(lesson, Qt::LeftButton);
            QCOMPARE(requested.count(), ++clicks);
            QCOMPARE(requested.last().first().toString(), name);
        }
    }

    void aLessonRunsAndOpens() {
        const auto examples = readExamples(examplesFolder());
        QVERIFY(examples.ok() && !examples->empty());
        MainWindow window([](const std::filesystem::path& path, const Job& job) {
            return session::readSession(path, job);
        });
        window.show();
        const QString name = QString::fromStdString(examples->back().name);
        QTest::mouseClick(window.findChild<QPushButton*>(QStringLiteral("lesson_") + name), Qt::LeftButton);
        QVERIFY(waitUntilSettled(window, 30'000));
        QVERIFY(window.state().session() != nullptr);
        QCOMPARE(QFileInfo(recentSessions().front().path).fileName(), name + QStringLiteral(".retrace"));
    }

    void aDropSaysWhatItDoesAndOpensTheFirstFile() {
        MainWindow window(opensProcessData());
        window.show();
        QFile second(m_settings->folder.filePath(QStringLiteral("b.retrace")));
        QVERIFY(second.open(QIODevice::WriteOnly));
        QMimeData data;
        data.setUrls(
            {QUrl::fromLocalFile(QStringLiteral("/tmp/a.retrace")), QUrl::fromLocalFile(second.fileName())});
        QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        auto* overlay = window.findChild<DropOverlay*>();
        QVERIFY(overlay->isVisible());
        QVERIFY(overlay->text().startsWith(QStringLiteral("Open a.retrace")));
        QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window, &drop);
        QVERIFY(!overlay->isVisible());
        QVERIFY(waitUntilSettled(window, 5000));
        QCOMPARE(window.document().name(), QStringLiteral("a.retrace"));
        QVERIFY(std::ranges::any_of(recentSessions(),
                                    [&](const RecentSession& s) { return s.path == second.fileName(); }));
    }

    void everyViewIsPictured() {
        MainWindow window(opensProcessData());
        window.resize(1280, 720);
        QVERIFY(openIn(window));
        const QString folder = m_settings->folder.filePath(QStringLiteral("pictures"));
        const QStringList written = takeScreenshots(window, folder);
        QCOMPARE(written.size(), viewIds().size());
        for (const QString& path : written)
            QCOMPARE(QImage(path).size(), QSize(1280, 720));
    }

    void nothingIsCutInAnyViewAtAnySize_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("docks");
        for (const QSize size :
             {QSize(1024, 640), QSize(1280, 800), QSize(1400, 900), QSize(1600, 1000), QSize(3840, 2160)}) {
            for (const bool docks : {false, true})
                QTest::addRow("%dx%d%s", size.width(), size.height(), docks ? ", all docks open" : "")
                    << size << docks;
        }
    }

    void nothingIsCutInAnyViewAtAnySize() {
        QFETCH(QSize, size);
        QFETCH(bool, docks);
        MainWindow window(opensProcessData());
        window.resize(size);
        QVERIFY(openIn(window));
        window.state().selectCall(session::CallId(3u));
        QStringList cut;
        for (const QString& id : viewIds()) {
            window.showView(id);
            for (QDockWidget* dock : window.findChildren<QDockWidget*>())
                dock->setVisible(docks || dock->isVisible());
            QVERIFY(waitUntilSettled(window, 10'000));
            for (const QWidget* widget : window.findChildren<QWidget*>()) {
                if (widget->isVisible() && isCut(*widget))
                    cut += QStringLiteral("%1: %2 \"%3\" %4 wide")
                               .arg(id, QLatin1String(widget->metaObject()->className()),
                                    widget->property("text").toString())
                               .arg(widget->width());
            }
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    }

    void docksStayAsTheyWereLeftUntilTheProgramStartsAgain() {
        const auto dock = [](MainWindow& window) {
            return window.findChild<QDockWidget*>(QStringLiteral("selectionDock"));
        };
        {
            MainWindow window(opensProcessData());
            window.setRemembers(true);
            window.resize(1500, 800);
            QVERIFY(openIn(window));
            window.showView(QStringLiteral("timeline"));
            QVERIFY(dock(window)->isVisible());
            QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
            QVERIFY(!dock(window)->isVisible());
            window.showView(QStringLiteral("signatures"));
            QVERIFY(dock(window)->isVisible()); // each place has its own
            window.close();
        }
        MainWindow again(opensProcessData());
        again.setRemembers(true);
        QCOMPARE(again.size(), QSize(1500, 800));
        QVERIFY(openIn(again));
        again.showView(QStringLiteral("timeline"));
        QVERIFY(!dock(again)->isVisible());
        again.action(QStringLiteral("resetLayout"))->trigger();
        QVERIFY(dock(again)->isVisible());
    }

    void inANarrowWindowDocksLieOverTheViewAndLeaveItsSize() {
        MainWindow window(opensProcessData());
        window.resize(1280, 800);
        QVERIFY(openIn(window));
        window.showView(QStringLiteral("graph"));
        QVERIFY(waitUntilSettled(window, 10'000));
        const QSize whole = window.view(QStringLiteral("graph"))->size();
        auto* graphs = window.findChild<QDockWidget*>(QStringLiteral("entriesDock"));
        auto* selection = window.findChild<QDockWidget*>(QStringLiteral("selectionDock"));
        QVERIFY(!graphs->isVisible() && !selection->isVisible());
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(waitUntilSettled(window, 10'000));
        QCOMPARE(window.view(QStringLiteral("graph"))->size(), whole);
        const QRect centre = window.centralWidget()->geometry();
        QVERIFY(centre.contains(graphs->geometry()) && centre.contains(selection->geometry()));
        QVERIFY(!graphs->geometry().intersects(selection->geometry()));
        // What lies on top gets the clicks: the second entry is chosen in the drawer.
        auto* table = graphs->findChild<views::DataTable*>();
        const QPoint row = table->table()->visualRect(table->table()->model()->index(1, 0)).center();
        QCOMPARE(window.childAt(table->table()->viewport()->mapTo(&window, row)), table->table()->viewport());
        QTest::mouseClick(table->table()->viewport(), Qt::LeftButton, {}, row);
        QCOMPARE(window.state().selection().entry, session::EntryId(1u));
        QTest::keyClick(table->table(), Qt::Key_Escape);
        QVERIFY(!graphs->isVisible());
        QVERIFY(selection->isVisible());
        // Wide again, it stands beside the view; and back.
        window.resize(1600, 1000);
        QVERIFY(waitUntilSettled(window, 10'000));
        QVERIFY(graphs->isVisible());
        QVERIFY(!graphs->geometry().intersects(window.centralWidget()->geometry()));
        window.resize(1280, 800);
        QVERIFY(waitUntilSettled(window, 10'000));
        QVERIFY(!graphs->isVisible() && !selection->isVisible());
        QCOMPARE(window.view(QStringLiteral("graph"))->size(), whole);
        // Opened in one view, it is neither open nor in the way in the next and back again.
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        for (const char* id : {"timeline", "graph"}) {
            window.showView(QLatin1String(id));
            QVERIFY(waitUntilSettled(window, 10'000));
            QVERIFY2(!graphs->isVisible(), id);
        }
        QCOMPARE(window.view(QStringLiteral("graph"))->size(), whole);
    }

    void anArrangementOfAnotherVersionIsLeftAndSaidOnce() {
        QSettings().setValue(QStringLiteral("layouts/timeline"), QByteArray("not a layout"));
        MainWindow window(opensProcessData());
        window.resize(1500, 800);
        QVERIFY(openIn(window));
        window.showView(QStringLiteral("timeline"));
        QVERIFY(window.findChild<QDockWidget*>(QStringLiteral("selectionDock"))->isVisible());
        QVERIFY(window.banner().isVisible());
        QVERIFY(!QSettings().contains(QStringLiteral("layouts/timeline")));
    }

    void picturesLeaveTheSettingsAlone() {
        MainWindow window(opensProcessData());
        window.setRemembers(false);
        QVERIFY(openIn(window));
        window.showView(QStringLiteral("timeline"));
        window.close();
        QVERIFY(QSettings().allKeys().isEmpty());
    }

    void aDisabledActionSaysWhy() {
        MainWindow window(opensProcessData());
        window.show();
        const QString usable = window.action(QStringLiteral("open"))->toolTip();
        for (const QAction* action : window.menuActions()) {
            if (!action->isEnabled())
                QVERIFY2(action->toolTip().contains(QStringLiteral("Open a session first")) ||
                             action->toolTip().startsWith(QStringLiteral("There is no")),
                         qPrintable(action->text() + QStringLiteral(": ") + action->toolTip()));
        }
        QVERIFY(!window.action(QStringLiteral("goTo"))->isEnabled());
        QVERIFY(openIn(window));
        QCOMPARE(window.action(QStringLiteral("goTo"))->toolTip(), QStringLiteral("Go to (Ctrl+P)"));
        QCOMPARE(window.action(QStringLiteral("open"))->toolTip(), usable);
    }

    void everyButtonHasAName() {
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        for (const QString& id : viewIds()) {
            window.showView(id);
            QVERIFY(waitUntilSettled(window, 10'000));
            for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
                if (button->isVisible() && !qobject_cast<const QLineEdit*>(button->parentWidget()))
                    QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty() ||
                                 !button->toolTip().isEmpty(),
                             qPrintable(id + QStringLiteral(": ") +
                                        QLatin1String(button->metaObject()->className()) +
                                        button->objectName()));
            }
        }
    }

private:
    std::unique_ptr<CleanSettings> m_settings;
};

RETRACESCOPE_TEST(WindowTest);

} // namespace retracescope::test

#include "window_test.moc"
