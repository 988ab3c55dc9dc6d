#include <QSignalSpy>
#include <QTest>

#include "tests/support/open_state.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/overview/summary_view.h"
#include "views/overview/trust.h"
#include "views/shared/widgets.h"

namespace retracescope::test {

using namespace views;

class SummaryViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBarsPrintedPartsAddUpToThePrintedTotal() {
        OpenState open(processDataSession());
        SummaryView view(open.state);
        const auto* bar = view.findChild<TimeBar*>();
        double sum = 0;
        for (const QString& text : bar->texts())
            sum += text.section(QLatin1Char(' '), 0, 0).toDouble();
        QCOMPARE(QStringLiteral("%1 ms").arg(sum, 0, 'f', 3), bar->totalText());
    }

    void oneCardPerFindingAndEvidenceOpensIt() {
        OpenState open(processDataSession());
        SummaryView view(open.state);
        view.resize(1500, 900);
        view.show();
        const auto cards = view.findChildren<FindingCard*>();
        QCOMPARE(cards.size(), 3);
        QSignalSpy asked(&open.state, &ViewState::viewRequested);
        cards.front()->setFocus();
        QTest::keyClick(cards.front(), Qt::Key_Return);
        QCOMPARE(asked.value(0).value(0).toString(), QStringLiteral("findings"));
        QCOMPARE(open.state.selection().miss, open.state.diagnosis()->findings.front().misses.front());
    }

    void aLongNameIsWholeWhereThereIsRoom() {
        SessionBuilder builder;
        const QString name = QStringLiteral("forward_and_backward_of_the_decoder");
        const auto f = builder.function(name.toStdString(), "x", "a.cpp", 1);
        for (int length = 2; length < 6; ++length)
            builder.call(f, tensorArgument("x", "float32", {length}));
        OpenState open(builder.finish());
        SummaryView view(open.state);
        view.resize(1500, 900);
        view.show();
        const auto labels = view.findChild<FindingCard*>()->findChildren<ElidedLabel*>();
        QCOMPARE(labels.size(), 1);
        QCOMPARE(labels.front()->text(), name);
        QVERIFY(labels.front()->contentsRect().width() >=
                labels.front()->fontMetrics().horizontalAdvance(name));
    }

    void aCleanSessionHasNoCardAndAGreenHeadline() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (int i = 0; i < 20; ++i)
            builder.call(f, tensorArgument("x", "float32", {2}));
        OpenState open(builder.finish());
        SummaryView view(open.state);
        view.resize(1500, 900);
        view.show();
        QVERIFY(view.findChildren<FindingCard*>().isEmpty());
        auto* headline = view.findChild<QLabel*>(QStringLiteral("headline"));
        QVERIFY(!headline->text().isEmpty());
        QCOMPARE(headline->palette().color(QPalette::WindowText), open.state.theme().hit.text);
    }

    void aClickOnATallBarSelectsItsCall() {
        OpenState open(processDataSession());
        SummaryView view(open.state);
        view.resize(1500, 900);
        view.show();
        auto* chart = view.findChild<CallChart*>();
        QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(48 * 3 + 10, chart->height() / 2));
        QCOMPARE(open.state.selection().call, session::CallId(std::uint32_t{3}));
    }

    void theTrustBoxNamesDropsAndWhatIsMissing() {
        SessionBuilder builder;
        builder.session().facts = {{"recording", "dropped", "12"},
                                   {"not_recorded", "memory", "switched off"}};
        const auto session = builder.finish();
        QStringList doubts, limits;
        for (const TrustLine& line : trustLines(*session)) {
            (line.trust == Trust::Doubt ? doubts : limits) += line.text;
        }
        QCOMPARE(doubts, QStringList("0 calls and 0 events seen, 12 dropped: counts are lower bounds"));
        QVERIFY(limits.contains(QStringLiteral("memory: switched off")));
        QVERIFY(limits.contains(QStringLiteral("Source text not kept")));
    }

    void aHealthyImportedFileGivesNoDoubt() {
        SessionBuilder builder;
        builder.session().imported.format = "chrome trace";
        builder.session().facts = {{"not_recorded", "misses", "no causes"}};
        for (const TrustLine& line : trustLines(*builder.finish()))
            QVERIFY2(line.trust != Trust::Doubt, qPrintable(line.text));
    }

    void aLargeRecordingCostIsADoubtAndSaysWhatItMeans_data() {
        QTest::addColumn<int>("percent");
        QTest::addColumn<bool>("fine");
        QTest::newRow("5") << 5 << true;
        QTest::newRow("6") << 6 << false;
        QTest::newRow("100") << 100 << false;
    }

    void aLargeRecordingCostIsADoubtAndSaysWhatItMeans() {
        QFETCH(int, percent);
        QFETCH(bool, fine);
        SessionBuilder builder;
        builder.call(builder.function("f", "x"), tensorArgument("x", "float32", {2}));
        const auto length = builder.finish()->endNs - builder.session().originNs;
        builder.session().facts = {{"recording", "overhead_ns", std::to_string(length * percent / 100)}};
        for (const TrustLine& line : trustLines(*builder.finish())) {
            if (!line.text.startsWith(QStringLiteral("Recording cost")))
                continue;
            QCOMPARE(line.trust == Trust::Good, fine);
            QCOMPARE(line.text.contains(QStringLiteral("upper bounds")), !fine);
            QVERIFY(line.text.contains(QStringLiteral("%1").arg(percent)));
            return;
        }
        QFAIL("the trust box says nothing about the cost");
    }

    void theTrustBoxTellsOfAKilledRunAndOfWhatCouldNotBeRead() {
        SessionBuilder builder;
        builder.session().closedProperly = false;
        builder.session().writer = session::WriterState::Gone;
        builder.session().warnings = {"chunk 3 is damaged"};
        const auto session = builder.finish();
        QStringList doubts;
        for (const TrustLine& line : trustLines(*session)) {
            if (line.trust == Trust::Doubt)
                doubts += line.text;
        }
        QVERIFY(doubts.first().startsWith(
            QStringLiteral("The recording was not closed (the program ended early)")));
        QVERIFY(
            doubts.contains(QStringLiteral("0 calls and 0 events seen; how many were dropped is not known")));
        QVERIFY(doubts.contains(QStringLiteral("chunk 3 is damaged")));
    }

    void aSessionWithoutCallsSaysSo() {
        SessionBuilder builder;
        OpenState open(builder.finish());
        SummaryView view(open.state);
        view.show();
        QVERIFY(view.findChild<MessagePanel*>()->isVisible());
        QCOMPARE(view.findChild<MessagePanel*>()->sentence(),
                 QStringLiteral("No traced function was called."));
    }
};

RETRACESCOPE_TEST(SummaryViewTest);

} // namespace retracescope::test

#include "summary_view_test.moc"
