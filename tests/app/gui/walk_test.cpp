#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QTreeView>

#include "tests/app/gui/gui_test.h"
#include "tests/support/test_main.h"
#include "views/findings/findings_view.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_view.h"
#include "views/shared/data_table.h"
#include "views/signatures/frozen_columns.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

namespace retracescope::test {

using namespace gui;

/// A stranger's way through the program, with mouse and keys alone: every step looks at what the window
/// shows.
class WalkTest : public QObject {
    Q_OBJECT

    std::unique_ptr<CleanSettings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    views::View& view(const char* id) { return *m_window->view(QLatin1String(id)); }
    QString present() { return m_window->currentViewId(); }
    QString crumb() { return m_window->contextBar().crumbs().last(); }
    void settle() { QVERIFY(waitUntilSettled(*m_window, 10'000)); }

    void key(int code, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(m_window.get(), static_cast<Qt::Key>(code), modifiers);
        settle();
    }

    static QStringList textsOf(const QWidget& widget) {
        QStringList texts;
        for (const QLabel* label : widget.findChildren<QLabel*>()) {
            if (label->isVisible())
                texts += label->text();
        }
        return texts;
    }

    static bool tells(const QWidget& widget, const QString& words) {
        const QStringList texts = textsOf(widget);
        return std::ranges::any_of(texts, [&](const QString& text) { return text.contains(words); });
    }

    QPushButton* button(const QWidget& widget, const QString& name) {
        for (auto* button : widget.findChildren<QPushButton*>()) {
            if (button->isVisible() && button->accessibleName() == name)
                return button;
        }
        return nullptr;
    }

private Q_SLOTS:
    void init() {
        m_settings = std::make_unique<CleanSettings>();
        m_window = std::make_unique<MainWindow>(opensProcessData());
        m_window->resize(1600, 1000);
        QVERIFY(openIn(*m_window));
        m_window->activateWindow();
    }

    void cleanup() { m_window.reset(); }

    void theSummaryLeadsToTheEvidence() {
        QCOMPARE(present(), QStringLiteral("summary"));
        QVERIFY(tells(view("summary"), QStringLiteral("Retracing costs")));
        QPushButton* evidence = button(view("summary"), QStringLiteral("Evidence"));
        QVERIFY(evidence != nullptr);
        QTest::mouseClick(evidence, Qt::LeftButton);
        QCOMPARE(present(), QStringLiteral("findings"));
        const auto& finding = m_window->state().diagnosis()->findings.front();
        QVERIFY(tells(view("findings"), views::toQString(finding.title)));
        QVERIFY(std::ranges::find(finding.misses, m_window->state().selection().miss) !=
                finding.misses.end());
        key(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(present(), QStringLiteral("summary"));
    }

    void functionsFilterAndLeadToSignatures() {
        key(Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(present(), QStringLiteral("functions"));
        key(Qt::Key_F, Qt::ControlModifier);
        auto* filter = view("functions").findChild<QLineEdit*>();
        QTest::keyClicks(filter, QStringLiteral("nothing like it"));
        QVERIFY(tells(view("functions"), QStringLiteral("1 row hidden by the filter")));
        filter->clear();
        auto* table = view("functions").findChild<views::DataTable*>();
        const QRect row = table->table()->visualRect(table->proxy()->index(0, 0));
        QTest::mouseClick(table->table()->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(crumb(), QStringLiteral("process_data"));
        QTest::keyClick(table->table(), Qt::Key_Return);
        QCOMPARE(present(), QStringLiteral("signatures"));
    }

    void signaturesTellTheArgumentAndTheCall() {
        m_window->showView(QStringLiteral("signatures"));
        settle();
        QVERIFY(tells(view("signatures"), QStringLiteral("5 calls reached 4 concrete functions.")));
        auto* tree = view("signatures").findChild<QTreeView*>();
        auto* header = view("signatures").findChild<views::SignaturesHeader*>();
        auto* dock = m_window->findChild<QDockWidget*>(QStringLiteral("argumentDock"));
        QVERIFY(!dock->isVisible());
        const int dtype = views::SignatureRows::FixedColumnCount + 1;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          {header->sectionViewportPosition(dtype) + 12, header->height() / 2});
        QVERIFY(dock->isVisible());
        settle();
        QVERIFY(tells(*dock, QStringLiteral("x dtype")));
        QTest::keyClick(tree, Qt::Key_Down, Qt::AltModifier); // the row that differs in it
        QCOMPARE(tree->currentIndex().row(), 3);
        QCOMPARE(crumb(), QStringLiteral("call 5"));
        settle();
        QVERIFY(tells(*m_window->findChild<QDockWidget*>(QStringLiteral("selectionDock")),
                      QStringLiteral("call 5 of 5")));
        key(Qt::Key_1, Qt::ControlModifier);
        key(Qt::Key_2, Qt::ControlModifier);
        QVERIFY(!dock->isVisible()); // it belongs to the table
    }

    void theTimelineStepsMeasuresAndComesBack() {
        key(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(present(), QStringLiteral("timeline"));
        auto& timeline = static_cast<views::TimelineView&>(view("timeline"));
        views::TimelineCanvas& canvas = timeline.canvas();
        canvas.setFocus();
        QStringList visited;
        for (int i = 0; i < 4; ++i) {
            QTest::keyClick(&canvas, Qt::Key_N);
            visited += crumb();
        }
        QCOMPARE(visited, (QStringList{QStringLiteral("call 1"), QStringLiteral("call 2"),
                                       QStringLiteral("call 4"), QStringLiteral("call 5")}));
        const int y = views::kMinimapHeight + 12;
        QTest::mousePress(&canvas, Qt::LeftButton, {}, {views::kHeaderWidth + 100, y});
        QTest::mouseMove(&canvas, {views::kHeaderWidth + 300, y});
        QTest::mouseMove(&canvas, {views::kHeaderWidth + 500, y});
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, {views::kHeaderWidth + 500, y});
        settle();
        const auto range = m_window->state().selection().range;
        QVERIFY(range);
        QVERIFY(tells(m_window->contextBar(), QStringLiteral("selected")));
        auto* dock = m_window->findChild<QDockWidget*>(QStringLiteral("rangeDock"));
        QVERIFY(dock->isVisible());
        QCOMPARE(timeline.rangePanel()->sums().sums().range, *range);
        QVERIFY(tells(*dock, QStringLiteral("The rows add up to it.")));
        const double shown = canvas.scale().endNs - canvas.scale().beginNs;
        QTest::mouseClick(button(*dock, QStringLiteral("Zoom to the range")), Qt::LeftButton);
        QVERIFY(canvas.scale().endNs - canvas.scale().beginNs < shown / 2);
        QTest::keyClick(&canvas, Qt::Key_Escape); // the range, then the selection
        QVERIFY(!m_window->state().selection().range);
        QVERIFY(m_window->state().selection().call.isValid());
        QTest::keyClick(&canvas, Qt::Key_Home);
        QCOMPARE(canvas.scale().endNs - canvas.scale().beginNs, shown);
    }

    void theGraphFollowsTheEntryAndItsNodes() {
        m_window->state().selectEntry(session::EntryId(2u));
        key(Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(present(), QStringLiteral("graph"));
        auto& graph = static_cast<views::GraphView&>(view("graph"));
        QCOMPARE(graph.canvas().scene()->entry, session::EntryId(2u));
        QCOMPARE(view("graph").findChild<QComboBox*>()->currentIndex(), 2);
        const auto& folded = graph.canvas().scene()->folded;
        std::uint32_t box = 0;
        while (folded.boxes[box].kind != layout::BoxKind::Node)
            ++box;
        QTest::mouseClick(&graph.canvas(), Qt::LeftButton, {},
                          graph.canvas().boxOnWidget(box).center().toPoint());
        QVERIFY(crumb().endsWith(views::toQString(folded.boxes[box].title)));
        // Find lights what matches and dims the rest.
        key(Qt::Key_F, Qt::ControlModifier);
        auto* find = view("graph").findChild<QLineEdit*>();
        QTest::keyClicks(find, views::toQString(folded.boxes[box].title));
        QVERIFY(graph.canvas().emphasis().matches.contains(box));
        QTest::keyClick(find, Qt::Key_Escape);
        QTest::keyClick(&graph.canvas(), Qt::Key_Escape);
        QVERIFY(graph.canvas().emphasis().matches.empty());
    }

    void sourceShowsTheStackOfTheSelection() {
        m_window->state().selectCall(session::CallId(std::uint32_t{1}));
        key(Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(present(), QStringLiteral("source"));
        QVERIFY(view("source").findChild<QListWidget*>()->count() > 0);
        QVERIFY(!textsOf(view("source")).join(QLatin1Char(' ')).isEmpty());
    }

    void thePaletteRunsWhatItFindsAndRemembersIt() {
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        Finder& finder = m_window->palette().finder();
        QVERIFY(finder.isVisible());
        QTest::keyClicks(&finder.edit(), QStringLiteral("thdark"));
        QCOMPARE(finder.rows().front().title, QStringLiteral("Theme: Dark"));
        QTest::keyClick(&finder.edit(), Qt::Key_Return);
        QVERIFY(!finder.isVisible());
        QVERIFY(m_window->state().theme().isDark());
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(finder.rows().front().title, QStringLiteral("Theme: Dark")); // the last one used comes first
        QTest::keyClicks(&finder.edit(), QStringLiteral("forward"));
        const auto forward = std::ranges::find(finder.rows(), QStringLiteral("Forward"), &FinderRow::title);
        QVERIFY(forward != finder.rows().end());
        QVERIFY(!forward->reason.isEmpty()); // and says why it cannot
        QCOMPARE(forward->detail, QStringLiteral("Alt+Right"));
        QTest::keyClick(&finder.edit(), Qt::Key_Escape);
        QVERIFY(!finder.isVisible());
        m_window->chooseTheme(ThemeChoice::Light, false);
    }

    void findInTheSessionGoesWhereItFound() {
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        Finder& finder = m_window->sessionFinder().finder();
        QVERIFY(finder.isVisible());
        QTest::keyClicks(&finder.edit(), QStringLiteral("X DTYPE"));
        QTRY_VERIFY(finder.status().contains(QStringLiteral("match")));
        const auto argument = std::ranges::find(finder.rows(), QStringLiteral("x dtype"), &FinderRow::title);
        QVERIFY(argument != finder.rows().end());
        QVERIFY(argument->group.startsWith(QStringLiteral("Arguments")));
        // A bad expression is marked and named; what was found stays.
        const std::size_t before = finder.rows().size();
        finder.edit().selectAll();
        for (auto* toggle : finder.findChildren<QToolButton*>()) {
            if (toggle->text() == QLatin1String(".*"))
                toggle->setChecked(true);
        }
        QTest::keyClicks(&finder.edit(), QStringLiteral("x ("));
        QTRY_VERIFY2(finder.status().contains(QStringLiteral("Not a regular expression")),
                     qPrintable(finder.status()));
        QVERIFY(finder.edit().property("invalid").toBool());
        QCOMPARE(finder.rows().size(), before);
        finder.edit().selectAll();
        QTest::keyClicks(&finder.edit(), QStringLiteral("^x.dtype$"));
        QTRY_COMPARE(finder.rows().size(), std::size_t{1});
        QTest::keyClick(&finder.edit(), Qt::Key_Return);
        QCOMPARE(present(), QStringLiteral("signatures"));
        QCOMPARE(m_window->state().argument(), std::string("x.dtype"));
        QVERIFY(m_window->findChild<QDockWidget*>(QStringLiteral("argumentDock"))->isVisible());
    }

    void filtersAreChipsAndWhatTheyHideComesBack() {
        const gui::FilterChips& chips = m_window->contextBar().chips();
        QVERIFY(!chips.isVisible());
        // The last one goes first.
        m_window->action(QStringLiteral("filterFunction"))->trigger();
        m_window->action(QStringLiteral("filterTraced"))->trigger();
        QCOMPARE(chips.texts(),
                 (QStringList{QStringLiteral("Function: process_data"), QStringLiteral("Outcome: traced")}));
        key(Qt::Key_Backspace, Qt::ControlModifier);
        QCOMPARE(chips.texts(), QStringList{QStringLiteral("Function: process_data")});
        QTest::mouseClick(chips.findChild<QToolButton*>(), Qt::LeftButton);
        QVERIFY(m_window->state().filter().isEmpty());
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        Finder& finder = m_window->palette().finder();
        QTest::keyClicks(&finder.edit(), QStringLiteral("filter what failed"));
        QTest::keyClick(&finder.edit(), Qt::Key_Return);
        QCOMPARE(chips.texts(), QStringList{QStringLiteral("Outcome: failed")});
        QVERIFY(chips.isVisible());
        m_window->showView(QStringLiteral("functions"));
        settle();
        auto* table = view("functions").findChild<views::DataTable*>();
        QCOMPARE(table->proxy()->rowCount(), 0);
        QVERIFY(tells(view("functions"), QStringLiteral("1 row hidden by the filter")));
        m_window->showView(QStringLiteral("signatures"));
        settle();
        QAbstractItemModel* rows = view("signatures").findChild<QTreeView*>()->model();
        QCOMPARE(rows->rowCount(), 0);
        m_window->showView(QStringLiteral("timeline"));
        settle();
        const auto& canvas = static_cast<views::TimelineView&>(view("timeline")).canvas();
        QCOMPARE(canvas.display().hidden(), std::size_t{1});
        // The chip goes with a key, and everything is back.
        auto* chip = chips.findChild<QToolButton*>();
        chip->setFocus();
        QTest::keyClick(chip, Qt::Key_Delete);
        settle();
        QVERIFY(chips.texts().isEmpty() && !chips.isVisible());
        QCOMPARE(table->proxy()->rowCount(), 1);
        QCOMPARE(rows->rowCount(), 4);
        QCOMPARE(canvas.display().hidden(), std::size_t{0});
        m_window->action(QStringLiteral("filterFailed"))->trigger();
        QVERIFY(openIn(*m_window, QStringLiteral("another.retrace"))); // begins without a filter
        QVERIFY(chips.texts().isEmpty());
        QCOMPARE(table->proxy()->rowCount(), 1);
    }

    void everyViewIsUsableInASmallWindow() {
        m_window->resize(1024, 640);
        for (const QString& id : viewIds()) {
            m_window->showView(id);
            settle();
            QCOMPARE(m_window->size(), QSize(1024, 640));
            for (const QPushButton* button : m_window->view(id)->findChildren<QPushButton*>()) {
                if (!button->isVisible() || button->visibleRegion().isEmpty() ||
                    button->property("link").toBool())
                    continue;
                QVERIFY2(button->width() >= button->minimumSizeHint().width(),
                         qPrintable(id + QLatin1Char(' ') + button->text()));
            }
        }
    }
};

RETRACESCOPE_TEST(WalkTest);

} // namespace retracescope::test

#include "walk_test.moc"
