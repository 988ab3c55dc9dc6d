#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/open_state.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/functions/functions_view.h"

namespace retracescope::test {

using namespace views;

namespace {

session::SessionPtr twoFunctions() {
    SessionBuilder builder;
    const auto cheap = builder.function("cheap", "x");
    const auto dear = builder.function("dear", "x");
    builder.call(cheap, tensorArgument("x", "float32", {1}), 1'000'000);
    for (int length = 1; length < 5; ++length)
        builder.call(dear, tensorArgument("x", "float32", {length}), 50'000'000);
    return builder.finish();
}

QStringList firstColumn(const DataTable& table) {
    QStringList names;
    for (int row = 0; row < table.proxy()->rowCount(); ++row)
        names += table.proxy()->index(row, 0).data().toString();
    return names;
}

} // namespace

class FunctionsViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDearestFunctionIsFirstAndAHeaderClickSorts() {
        OpenState open(twoFunctions());
        FunctionsView view(open.state);
        view.resize(1400, 600);
        view.show();
        auto* table = view.findChild<DataTable*>();
        QCOMPARE(firstColumn(*table), (QStringList{QStringLiteral("dear"), QStringLiteral("cheap")}));
        auto* header = table->table()->horizontalHeader();
        const int x = header->sectionViewportPosition(FunctionsModel::Calls) + 20;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, QPoint(x, 10));
        QCOMPARE(header->sortIndicatorSection(), int(FunctionsModel::Calls));
        QCOMPARE(firstColumn(*table), (QStringList{QStringLiteral("cheap"), QStringLiteral("dear")}));
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, QPoint(x, 10));
        QCOMPARE(firstColumn(*table), (QStringList{QStringLiteral("dear"), QStringLiteral("cheap")}));
    }

    void aRowLeadsToItsSignaturesAndItsPlaceToItsSource() {
        OpenState open(twoFunctions());
        FunctionsView view(open.state);
        auto* table = view.findChild<DataTable*>();
        QSignalSpy asked(&open.state, &ViewState::viewRequested);
        Q_EMIT table->rowActivated(1);
        QCOMPARE(open.state.selection().function, session::FunctionId(std::uint32_t{1}));
        Q_EMIT table->placeClicked(0);
        QCOMPARE(open.state.selection().function, session::FunctionId(std::uint32_t{0}));
        QCOMPARE(asked.size(), 2);
        QCOMPARE(asked[0][0].toString(), QStringLiteral("signatures"));
        QCOMPARE(asked[1][0].toString(), QStringLiteral("source"));
    }

    void theTotalsFollowTheRowsAndNoColumnIsCutWhereAllFit() {
        OpenState open(twoFunctions());
        FunctionsView view(open.state);
        view.resize(1400, 800);
        view.show();
        auto* table = view.findChild<DataTable*>();
        QCoreApplication::processEvents();
        QVERIFY(table->table()->height() <= 3 * kRowHeight + 16);        // two rows and the titles
        QVERIFY(table->table()->isColumnHidden(FunctionsModel::Engine)); // all are of one engine
        QCOMPARE(table->table()->horizontalScrollBar()->maximum(), 0);
        view.resize(1264, 800); // less than the widths wished for: columns shrink instead of scrolling
        QCoreApplication::processEvents();
        QCOMPARE(table->table()->horizontalScrollBar()->maximum(), 0);
        const QFontMetrics title(textFont(TextSize::Caption, true));
        for (int column = 0; column < table->proxy()->columnCount(); ++column) {
            if (table->table()->isColumnHidden(column))
                continue;
            const QString text =
                table->proxy()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            QVERIFY2(table->table()->columnWidth(column) >= title.horizontalAdvance(text) + 16,
                     qPrintable(text));
        }
        table->proxy()->setFilterFixedString(QStringLiteral("dear"));
        QCoreApplication::processEvents();
        QVERIFY(table->table()->height() <= 2 * kRowHeight + 16);
    }

    void totalsAreShownBelow() {
        OpenState open(twoFunctions());
        FunctionsView view(open.state);
        const auto* table = view.findChild<DataTable*>();
        const auto texts = table->totalTexts();
        QCOMPARE(texts[FunctionsModel::Name], QStringLiteral("All functions"));
        QCOMPARE(texts[FunctionsModel::Calls], QStringLiteral("5"));
        QCOMPARE(texts[FunctionsModel::Traces], QStringLiteral("5"));
        QCOMPARE(texts[FunctionsModel::MedianCall], QString());
    }

    void aClickSelectsAndEnterAsksForTheSignatures() {
        OpenState open(twoFunctions());
        FunctionsView view(open.state);
        view.resize(1400, 600);
        view.show();
        QSignalSpy asked(&open.state, &ViewState::viewRequested);
        auto* table = view.findChild<DataTable*>()->table();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(1, 2)).center());
        QCOMPARE(open.state.selection().function, session::FunctionId(std::uint32_t{0}));
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(asked.value(0).value(0).toString(), QStringLiteral("signatures"));
    }

    void theFilterHidesRowsAndCountsThem() {
        OpenState open(twoFunctions());
        FunctionsView view(open.state);
        view.show();
        QVERIFY(view.focusFind());
        QTest::keyClicks(view.findChild<QLineEdit*>(), QStringLiteral("dea"));
        QCOMPARE(firstColumn(*view.findChild<DataTable*>()), QStringList{QStringLiteral("dear")});
        QStringList texts;
        for (const QLabel* label : view.findChildren<QLabel*>())
            texts += label->text();
        QVERIFY(texts.contains(QStringLiteral("2 traced functions · 1 row hidden by the filter")));
    }

    void aSessionWithoutFunctionsSaysSo() {
        SessionBuilder builder;
        OpenState open(builder.finish());
        FunctionsView view(open.state);
        view.show();
        QCOMPARE(view.findChild<MessagePanel*>()->sentence(),
                 QStringLiteral("No traced function was called."));
        QVERIFY(view.findChild<MessagePanel*>()->isVisible());
    }
};

RETRACESCOPE_TEST(FunctionsViewTest);

} // namespace retracescope::test

#include "functions_view_test.moc"
