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
        QTRY_VERIFY(view.isSettled());
        auto* chart = view.findChild<CallChart*>();
        QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(48 * 3 + 10, chart->height() / 2));
        QCOMPARE(open.state.selection().call, session::CallId(std::uint32_t{3}));
    }

    void theCallsOfAFunctionAreReadInAJob() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        const auto g = builder.function("g", "x");
        for (int length = 2; length < 6; ++length)
            builder.call(f, tensorArgument("x", "float32", {length}));
        const auto only = builder.call(g, tensorArgument("x", "float32", {2}));
        OpenState open(builder.finish());
        SummaryView view(open.state);
        view.resize(1500, 900);
        view.show();
        auto* chart = view.findChild<CallChart*>();
        QVERIFY(!chart->isSettled());
        QVERIFY(!chart->callAt(10).isValid());
        open.state.selectFunction(g); // the calls of f are no answer any more
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(chart->callAt(10), only);
        QVERIFY(!chart->callAt(60).isValid());
        open.state.selectFunction(f);
        QVERIFY(!chart->callAt(10).isValid());
        QTRY_COMPARE(chart->callAt(10), session::CallId(std::uint32_t{0}));
        QCOMPARE(chart->callAt(60), session::CallId(std::uint32_t{1}));
        open.state.setDiagnosis(diagnose::diagnose(processDataSession()));
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(chart->callAt(48 * 4 + 10), session::CallId(std::uint32_t{4}));
    }

    void theBarsOfCallsTellNeededFailedAndAvoidableTracingApart() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (int length = 2; length < 6; ++length)
            builder.call(f, tensorArgument("x", "float32", {length}));
        session::Session& s = builder.session();
        s.misses[3].exception = s.strings.intern("ValueError: no");
        s.calls.outcome[3] = session::Outcome::Error;
        OpenState open(builder.finish());
        SummaryView view(open.state);
        view.resize(1500, 900);
        view.show();
        QTRY_VERIFY(view.isSettled());
        auto* chart = view.findChild<CallChart*>();
        const Theme& theme = open.state.theme();
        const auto& diagnosis = *open.state.diagnosis();
        const TraceUses uses(diagnosis);
        QCOMPARE(uses.of(session::MissId(std::uint32_t{0})), TimeUse::Needed);
        QCOMPARE(uses.of(session::MissId(std::uint32_t{1})), TimeUse::Avoidable);
        QCOMPARE(uses.of(session::MissId(std::uint32_t{3})), TimeUse::Failed);
        const auto plot = [&](int call, const QColor& colour) { // above the legend
            const QImage picture = chart->grab().toImage();
            return picture.pixelColor(1 + 48 * call + 20, chart->height() / 2).rgb() == colour.rgb();
        };
        QVERIFY(plot(0, theme.expected.fill));
        QVERIFY(plot(1, theme.miss.fill));
        QVERIFY(plot(2, theme.miss.fill));
        QVERIFY(plot(3, theme.error.fill));
        QCOMPARE(chart->legendTexts(),
                 (QStringList{QStringLiteral("avoidable tracing"), QStringLiteral("needed tracing"),
                              QStringLiteral("failed"), QStringLiteral("call without tracing")}));
    }

    void theTracesOfAFindingOverTimeSayWhichItsEditRemoves() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (int length = 2; length < 6; ++length) {
            builder.call(f, tensorArgument("x", "float32", {length}));
            builder.wait(20'000'000);
        }
        OpenState open(builder.finish());
        diagnose::Finding finding = open.state.diagnosis()->findings.front();
        finding.misses.insert(finding.misses.begin(), session::MissId(std::uint32_t{0}));
        Sparkline bars(open.state, finding);
        bars.resize(300, 52);
        QCOMPARE(bars.accessibleName(), QStringLiteral("Traces over time: 3 avoidable, 1 needed"));
        const Theme& theme = open.state.theme();
        const auto bar = [&](const QColor& colour, int from, int to) {
            const QImage picture = bars.grab().toImage();
            int pixels = 0;
            for (int x = from; x < to; ++x)
                pixels += picture.pixelColor(x, 34).rgb() == colour.rgb() ? 1 : 0;
            return pixels;
        };
        QVERIFY(bar(theme.expected.fill, 0, 30) > 0); // the first trace is needed ...
        QCOMPARE(bar(theme.miss.fill, 0, 30), 0);
        QVERIFY(bar(theme.miss.fill, 30, 300) > 0); // ... and the later ones are not
        QCOMPARE(bar(theme.expected.fill, 30, 300), 0);
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
