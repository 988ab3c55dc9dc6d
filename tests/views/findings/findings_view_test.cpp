#include <QApplication>
#include <QClipboard>
#include <QListView>
#include <QTest>

#include "tests/support/open_state.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/findings/findings_view.h"

namespace retracescope::test {

using namespace views;

class FindingsViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClickOnAFindingSelectsItsFirstMissAndShowsItsEvidence() {
        OpenState open(processDataSession());
        FindingsView view(open.state);
        view.resize(1300, 800);
        view.show();
        auto* list = view.findChild<QListView*>();
        int row = -1;
        for (int i = 0; i < view.model().rowCount(); ++i) {
            if (view.model().finding(i).cause == types::MissKind::Dtype)
                row = i;
        }
        QVERIFY(row >= 0);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(row, 0)).center());
        if (!open.state.selection().miss.isValid()) // it was the one in front already
            open.state.selectMiss(view.model().finding(row).misses.front());
        QCOMPARE(open.state.selection().call, session::CallId(std::uint32_t{4}));
        const FactTable* evidence = view.findChild<FindingPage*>()->evidence();
        QCOMPARE(evidence->rows().front().front().text, QStringLiteral("This call"));
        QCOMPARE(evidence->rows()[1].front().text, QStringLiteral("Entry 1"));
        QStringList differing;
        for (const FactCell& cell : evidence->rows()[1]) {
            if (cell.differs)
                differing += cell.text;
        }
        QCOMPARE(differing, QStringList{QStringLiteral("float32")});
    }

    void theEditIsCopiedAsText() {
        OpenState open(processDataSession());
        FindingsView view(open.state);
        view.resize(1300, 800);
        view.show();
        auto* copy = view.findChild<QPushButton*>(QStringLiteral("copyEdit"));
        QVERIFY(copy != nullptr);
        QTest::mouseClick(copy, Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), editText(view.model().finding(0).edit));
        QVERIFY(!QApplication::clipboard()->text().isEmpty());
    }

    void editsThatNeedEachOtherStandTogether() {
        SessionBuilder builder;
        const session::FunctionId f = builder.function("f", "x, k");
        for (int k = 1; k <= 4; ++k)
            builder.call(f, tensorArgument("x", "float32", {k + 1}) +
                                literalArgument("k", "int", std::to_string(k)));
        OpenState open(builder.finish());
        FindingsView view(open.state);
        view.resize(1300, 800);
        view.show();
        const diagnose::Finding& finding = view.model().finding(0);
        QCOMPARE(finding.also.size(), std::size_t{1});
        bool shown = false;
        for (const QLabel* label : view.findChild<FindingPage*>()->findChildren<QLabel*>())
            shown |=
                label->text() == QStringLiteral("And: ") + QString::fromStdString(finding.also[0].sentence);
        QVERIFY(shown);
        QCOMPARE(view.findChild<FindingPage*>()->findChildren<DiffView*>().size(), 2);
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("copyEdit")), Qt::LeftButton);
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("reduceRetracing")));
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("rs::constant(k)")));
    }

    void aFilterWithoutMatchSaysSo() {
        OpenState open(processDataSession());
        FindingsView view(open.state);
        view.resize(1300, 800);
        view.show();
        view.focusFind();
        QTest::keyClicks(view.findChild<QLineEdit*>(), QStringLiteral("nothing like this"));
        bool said = false;
        for (const MessagePanel* panel : view.findChildren<MessagePanel*>())
            said = said || (panel->isVisible() &&
                            panel->sentence() == QStringLiteral("No finding matches the filter."));
        QVERIFY(said);
    }
};

RETRACESCOPE_TEST(FindingsViewTest);

} // namespace retracescope::test

#include "findings_view_test.moc"
