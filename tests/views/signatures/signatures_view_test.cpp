#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QTest>
#include <QTreeView>

#include "tests/support/open_state.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/signatures/signatures_view.h"

namespace retracescope::test {

using namespace views;

class SignaturesViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClickOnARowSelectsItsCall() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
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
        auto* tree = view.findChild<QTreeView*>();
        tree->setFocus();
        tree->setCurrentIndex(tree->model()->index(0, 0));
        QTest::keyClick(tree, Qt::Key_Right);
        QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
        QTest::keyClick(tree, Qt::Key_Down);
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(open.state.selection().call, session::CallId(std::uint32_t{2}));
    }

    void constantColumnsFoldUntilAskedFor() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1400, 600);
        view.show();
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
        auto* tree = view.findChild<QTreeView*>();
        const auto barColor = [&](int row, int column) {
            const QRect cell = tree->visualRect(tree->model()->index(row, column));
            return tree->viewport()->grab().toImage().pixelColor(cell.left() + 3, cell.center().y());
        };
        const int flag = SignaturesModel::FixedColumnCount + 5;
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
        auto* header = view.findChild<SignaturesHeader*>();
        const int column = SignaturesModel::FixedColumnCount + 3;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 10, header->height() / 2));
        QCOMPARE(header->chosenColumn(), column);
        QStringList texts;
        for (const QLabel* label : view.findChildren<QLabel*>())
            texts += label->text();
        QVERIFY(texts.contains(QStringLiteral("x axis 0: 2 values from 2 to 3, differs in 1 of 3 retraces. "
                                              "Most often 2 (4 calls), 3 (1 call).")));
    }

    void everyShownComponentHasAReadableTitle() {
        OpenState open(processDataSession());
        SignaturesView view(open.state);
        view.resize(1200, 600);
        view.show();
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
        auto* header = view.findChild<SignaturesHeader*>();
        auto* tree = view.findChild<QTreeView*>();
        const int axis = SignaturesModel::FixedColumnCount + 3;
        const auto click = [&](int column) {
            QTest::mouseClick(
                header->viewport(), Qt::LeftButton, {},
                QPoint(header->sectionViewportPosition(column) + header->sectionSize(column) - 8,
                       header->height() / 2));
        };
        click(axis);
        click(axis);
        QCOMPARE(header->sortColumn(), axis);
        QCOMPARE(header->chosenColumn(), -1);
        QCOMPARE(tree->model()->index(0, axis).data().toString(), QStringLiteral("3"));
        tree->setCurrentIndex(tree->model()->index(0, 0));
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines =
            QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0].count(QLatin1Char('\t')), tree->model()->columnCount() - 1);
        QVERIFY(lines[0].contains(QStringLiteral("Trace, ns")));
        QVERIFY(lines[1].startsWith(QStringLiteral("3\t4\t")));
        click(axis);
        QCOMPARE(header->sortColumn(), -1);
        QCOMPARE(tree->model()->index(0, 0).data().toInt(), 1);
    }
};

RETRACESCOPE_TEST(SignaturesViewTest);

} // namespace retracescope::test

#include "signatures_view_test.moc"
