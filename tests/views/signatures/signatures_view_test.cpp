#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTreeView>

#include "tests/support/open_state.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/signatures/argument_panel.h"
#include "views/signatures/frozen_columns.h"
#include "views/signatures/signatures_view.h"
#include "views/signatures/value_chart.h"

namespace retracescope::test {

using namespace views;

namespace {

/// Keeps every thread of the jobs busy, so that no other job gets on.
class BusyJobs {
public:
    explicit BusyJobs(Jobs& jobs) : m_count(std::max(2, QThread::idealThreadCount())) {
        for (int i = 0; i < m_count; ++i)
            jobs.run(
                QStringLiteral("waits"), nullptr,
                [gate = m_gate](const Job&) {
                    gate->acquire();
                    return 0;
                },
                [](int) {});
    }
    ~BusyJobs() { release(); }

    void release() { m_gate->release(std::exchange(m_count, 0)); }

private:
    std::shared_ptr<QSemaphore> m_gate = std::make_shared<QSemaphore>();
    int m_count;
};

QString sentences(const QWidget& view) {
    QStringList result;
    for (const QLabel* label : view.findChildren<QLabel*>()) {
        if (label->isVisible())
            result += label->text();
    }
    return result.join(QLatin1Char('\n'));
}

/// f is called with x, g with y; three and two times.
session::SessionPtr twoFunctions() {
    SessionBuilder builder;
    const auto f = builder.function("f", "x");
    const auto g = builder.function("g", "y");
    for (const int length : {2, 3, 4})
        builder.call(f, tensorArgument("x", "float32", {length}));
    for (const int length : {2, 3})
        builder.call(g, tensorArgument("y", "float32", {length}));
    return builder.finish();
}

} // namespace

class SignaturesViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClickOnARowSelectsItsCall() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        const QRect row = tree->visualRect(tree->model()->index(2, 1));
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(open.state.selection().call, session::CallId(std::uint32_t{3}));
        QCOMPARE(open.state.selection().entry, session::EntryId(std::uint32_t{2}));
        QVERIFY(open.state.selection().miss.isValid());
    }

    void aSelectionMadeElsewhereIsShown() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        open.state.selectEntry(session::EntryId(std::uint32_t{1}));
        QCOMPARE(tree->currentIndex().row(), 1);
        open.state.clearSelection();
        QVERIFY(!tree->currentIndex().isValid());
    }

    void spaceAndRightOpenTheCallsOfAnEntry() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        tree->setFocus();
        tree->setCurrentIndex(tree->model()->index(0, 0));
        QTest::keyClick(tree, Qt::Key_Right);
        QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
        QTest::keyClick(tree, Qt::Key_Down);
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(open.state.selection().call, session::CallId(std::uint32_t{2}));
    }

    void theSentenceTellsTheOptions() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.session().functions[f.value].options =
            builder.session().strings.intern("jit_compile=True, experimental_attributes={'a': 'b'}");
        OpenState open(builder.finish());
        open.state.selectFunction(f);
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(sentences(view).contains(
                     QStringLiteral("Made with jit_compile=True, experimental_attributes={'a': 'b'}.")),
                 qPrintable(sentences(view)));
    }

    void theSentenceSaysHowManyMoreComponentsDiffer() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2, 2, 2, 2}));
        builder.call(f, tensorArgument("x", "int32", {3, 3, 3, 3}));
        const auto g = builder.function("g", "x");
        builder.call(g, tensorArgument("x", "float32", {2, 2, 2}));
        builder.call(g, tensorArgument("x", "float32", {3, 3, 3}));
        OpenState open(builder.finish());
        open.state.selectFunction(f);
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        const auto sentence = [&]() -> const QLabel* {
            for (const QLabel* label : view.findChildren<QLabel*>()) {
                if (label->text().contains(QStringLiteral("differs in")))
                    return label;
            }
            return nullptr;
        };
        QVERIFY(sentence() != nullptr);
        QVERIFY2(sentence()->text().endsWith(QStringLiteral(" in 1, and 2 more.")),
                 qPrintable(sentence()->text()));
        const QStringList all = sentence()->toolTip().split(QLatin1Char('\n'));
        QCOMPARE(all.size(), 5);
        QCOMPARE(all.filter(QStringLiteral("axis")).size(), 4);
        QCOMPARE(all.filter(QStringLiteral("dtype")).size(), 1);
        open.state.selectFunction(g); // all of three are said
        QTRY_VERIFY(view.isSettled());
        QVERIFY2(!sentence()->text().contains(QStringLiteral("more")), qPrintable(sentence()->text()));
        QVERIFY(sentence()->toolTip().isEmpty());
    }

    void constantColumnsFoldUntilAskedFor() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1400, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        const auto hidden = [&] {
            int count = 0;
            for (int column = 0; column < tree->model()->columnCount(); ++column)
                count += tree->isColumnHidden(column) ? 1 : 0;
            return count;
        };
        QCOMPARE(hidden(), 3);
        for (QPushButton* button : view.findChildren<QPushButton*>()) {
            if (button->text().contains(QStringLiteral("3 constant columns")))
                QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(hidden(), 0);
    }

    void differingCellsAreTinted() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        const auto barColor = [&](int row, int column) {
            const QRect cell = tree->visualRect(tree->model()->index(row, column));
            return tree->viewport()->grab().toImage().pixelColor(cell.left() + 3, cell.center().y());
        };
        const int flag = SignatureRows::FixedColumnCount + 5;
        QCOMPARE(barColor(1, flag), open.state.theme().miss.fill);
        QVERIFY(barColor(0, flag) != open.state.theme().miss.fill);
        open.state.setTheme(ThemeName::Dark);
        QCOMPARE(barColor(1, flag), makeTheme(ThemeName::Dark).miss.fill);
    }

    void aHeaderClickTellsTheValuesOfItsComponent() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* header = view.findChild<SignaturesHeader*>();
        const int column = SignatureRows::FixedColumnCount + 3;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 10, header->height() / 2));
        QCOMPARE(header->chosenColumn(), column);
        QCOMPARE(open.state.argument(), std::string("x.shape[0]"));
        ArgumentPanel panel(open.state);
        QTRY_VERIFY(panel.isSettled());
        const auto texts = [&] {
            QStringList result;
            for (const QLabel* label : panel.findChildren<QLabel*>()) {
                if (!label->isHidden())
                    result += label->text();
            }
            return result;
        };
        QVERIFY(texts().contains(QStringLiteral("x axis 0")));
        QVERIFY(texts().contains(QStringLiteral("2 values, 2 to 3")));
        QVERIFY(texts().contains(QStringLiteral("1 of 3 retraces")));
        QVERIFY(texts().contains(QStringLiteral("call 4 of 5"))); // the last new value
        const auto* chart = panel.findChild<ValueChart*>();
        QCOMPARE(chart->accessibleDescription(), QStringLiteral("2: 4, 3: 1"));
        // Its edit is that of the finding, and the button leads there.
        QSignalSpy wanted(&open.state, &ViewState::viewRequested);
        for (auto* button : panel.findChildren<QPushButton*>()) {
            if (button->accessibleName() == QLatin1String("Open the finding"))
                QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(wanted.takeFirst().front().toString(), QStringLiteral("findings"));
        QVERIFY(open.state.selection().miss.isValid());
        open.state.clearSelection();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 10, header->height() / 2));
        QVERIFY(open.state.argument().empty());
        QVERIFY(!texts().contains(QStringLiteral("x axis 0")));
    }

    void altDownGoesToTheNextRowThatDiffers() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (const auto& [dtype, length] :
             {std::pair("float32", 2), std::pair("float32", 3), std::pair("int32", 3), std::pair("int32", 4),
              std::pair("int32", 2)})
            builder.call(f, tensorArgument("x", dtype, {length}));
        OpenState open(builder.finish());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        std::vector<int> rows;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(tree, Qt::Key_Down, Qt::AltModifier);
            rows.push_back(tree->currentIndex().row());
        }
        QCOMPARE(rows, (std::vector<int>{1, 2, 3, 4, 4, 4})); // the first row differs from nothing
        open.state.chooseArgument("x.dtype");
        tree->setCurrentIndex(tree->model()->index(0, 0));
        QTest::keyClick(tree, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(tree->currentIndex().row(), 2);
        QTest::keyClick(tree, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(tree->currentIndex().row(), 2); // none before
        QCOMPARE(open.state.selection().entry, session::EntryId(2u));
    }

    void theFirstColumnsStayWhileTheComponentsScroll() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (int i = 0; i < 6; ++i) {
            std::vector<types::Component> request;
            for (int argument = 0; argument < 12; ++argument)
                request = request + literalArgument("a_rather_long_argument_" + std::to_string(argument),
                                                    "int", std::to_string(i * argument));
            builder.call(f, request);
        }
        OpenState open(builder.finish());
        SignaturesView view(open.state);
        view.resize(800, 500);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        auto* frozen = view.findChild<FrozenColumns*>();
        QVERIFY(!frozen->isVisible());
        QVERIFY(tree->horizontalScrollBar()->maximum() > 0);
        tree->horizontalScrollBar()->setValue(300);
        QVERIFY(frozen->isVisible());
        const int row = 3;
        const QRect place = frozen->visualRect(frozen->model()->index(row, 0));
        QCOMPARE(place.height(), tree->visualRect(tree->model()->index(row, 0)).height());
        QCOMPARE(frozen->viewport()->mapTo(tree, place.topLeft()).y(),
                 tree->viewport()->mapTo(tree, tree->visualRect(tree->model()->index(row, 0)).topLeft()).y());
        QTest::mouseClick(frozen->viewport(), Qt::LeftButton, {}, place.center());
        QCOMPARE(tree->currentIndex().row(), row); // one selection
        QCOMPARE(open.state.selection().entry, session::EntryId(3u));
        tree->expand(tree->model()->index(1, 0));
        QVERIFY(frozen->isExpanded(frozen->model()->index(1, 0)));
        for (int column = 0; column < SignatureRows::FixedColumnCount; ++column)
            QCOMPARE(frozen->columnWidth(column), tree->columnWidth(column));
        QVERIFY(frozen->isColumnHidden(SignatureRows::FixedColumnCount));
        tree->horizontalScrollBar()->setValue(0);
        QVERIFY(!frozen->isVisible());
    }

    void aMissThatLeftNothingSaysSoInFull() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.session().misses[0].entry = {};
        builder.session().misses[0].withdrawn = true;
        builder.session().entries.clear();
        builder.session().calls.entry[0] = {};
        OpenState open(builder.finish());
        SignaturesView view(open.state);
        view.resize(1024, 500);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        const auto* delegate = static_cast<SignaturesDelegate*>(tree->itemDelegate());
        const QModelIndex first = tree->model()->index(0, 0);
        QCOMPARE(delegate->firstText(first), QStringLiteral("withdrawn"));
        QVERIFY(tree->columnWidth(0) >= delegate->cellWidth(first));
    }

    void everyShownComponentHasAReadableTitle() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* header = view.findChild<SignaturesHeader*>();
        const QImage picture = header->viewport()->grab().toImage();
        for (int column = 0; column < header->count(); ++column) {
            if (header->isSectionHidden(column) || header->sectionViewportPosition(column) > 1000)
                continue;
            int ink = 0;
            const int left = header->sectionViewportPosition(column);
            for (int x = left + 8; x < left + 40; ++x) {
                for (int y = 6; y < 30; ++y)
                    ink += picture.pixelColor(x, y).lightness() < 140 ? 1 : 0;
            }
            QVERIFY2(ink > 20, qPrintable(QString::number(column)));
        }
    }

    void aClickOnAnArrowSortsAndCtrlCCopiesTheRow() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* header = view.findChild<SignaturesHeader*>();
        auto* tree = view.findChild<QTreeView*>();
        const int axis = SignatureRows::FixedColumnCount + 3;
        const auto click = [&](int column) {
            QTest::mouseClick(
                header->viewport(), Qt::LeftButton, {},
                QPoint(header->sectionViewportPosition(column) + header->sectionSize(column) - 8,
                       header->height() / 2));
        };
        click(axis);
        click(axis); // before the rows of the first have come
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(header->sortColumn(), axis);
        QCOMPARE(header->chosenColumn(), -1);
        QCOMPARE(tree->model()->index(0, axis).data().toString(), QStringLiteral("3"));
        tree->setCurrentIndex(tree->model()->index(0, 0));
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        QTRY_VERIFY(view.isSettled());
        const QStringList lines =
            QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0].count(QLatin1Char('\t')), tree->model()->columnCount() - 1);
        QVERIFY(lines[0].contains(QStringLiteral("Trace, ns")));
        QVERIFY(lines[1].startsWith(QStringLiteral("3\t4\t")));
        click(axis);
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(header->sortColumn(), -1);
        QCOMPARE(tree->model()->index(0, 0).data().toInt(), 1);
    }

    void callsThatRanEagerlyReachedNothing() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (const int length : {2, 3, 4})
            builder.call(f, tensorArgument("x", "float32", {length}));
        builder.session().calls.outcome[0] = session::Outcome::Eager;
        OpenState open(builder.finish());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        open.state.selectFunction(session::FunctionId(0u));
        QTRY_VERIFY(view.isSettled());
        QTRY_VERIFY(
            sentences(view).contains(QStringLiteral("2 calls reached 3 concrete functions, 1 ran eagerly.")));
    }

    void aFunctionsRowsNeverStandUnderAnotherOnesName() {
        OpenState open(twoFunctions());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* tree = view.findChild<QTreeView*>();
        auto* choice = view.findChild<QComboBox*>();
        open.state.selectFunction(session::FunctionId(0u));
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(tree->model()->rowCount(), 3);
        BusyJobs busy(open.state.jobs());
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Down); // g
        QCOMPARE(open.state.selection().function, session::FunctionId(1u));
        QCOMPARE(tree->model()->rowCount(), 0);
        QVERIFY(!view.isSettled());
        QTest::keyClick(choice, Qt::Key_Up); // and f again: what was asked for g is not shown
        busy.release();
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(tree->model()->rowCount(), 3);
        QVERIFY(sentences(view).contains(QStringLiteral("3 calls reached 3 concrete functions.")));
    }

    void longReadingSaysSoAndCanBeCancelled() {
        OpenState open(twoFunctions());
        BusyJobs busy(open.state.jobs());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
        auto* tree = view.findChild<QTreeView*>();
        auto* strip = view.findChild<BusyStrip*>();
        QVERIFY(!strip->isVisible()); // not for what takes no time
        QTRY_VERIFY(strip->isVisible());
        QVERIFY(sentences(view).contains(QStringLiteral("Reading the calls of f")));
        QTest::mouseClick(strip->findChild<QPushButton*>(), Qt::LeftButton);
        QVERIFY(!strip->isVisible());
        QVERIFY(sentences(view).contains(QStringLiteral("Reading the calls was cancelled.")));
        busy.release();
        QTRY_VERIFY(open.state.jobs().isIdle());
        QCOMPARE(tree->model()->rowCount(), 0); // it brings nothing any more
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("readAgain")), Qt::LeftButton);
        QTRY_COMPARE(tree->model()->rowCount(), 3);
    }
};

RETRACESCOPE_TEST(SignaturesViewTest);

} // namespace retracescope::test

#include "signatures_view_test.moc"
