#include <cmath>

#include <QTest>

#include <retracescope/diagnose/history.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Column;
using diagnose::History;
using test::callsOf;
using test::SessionBuilder;

namespace {

History historyOf(const Session& session) {
    return {session, buildIndex(session), FunctionId(0U)};
}

/// "1:2 2:1": each value with its calls, in order of first appearance.
QString valuesAt(const History& history, const char* path) {
    QStringList texts;
    if (const Column* column = history.column(path)) {
        for (const diagnose::ColumnValue& value : column->values)
            texts += QString("%1:%2").arg(QString::fromStdString(value.text)).arg(value.calls);
    }
    return texts.join(' ');
}

double weightOf(int changes, int pairs) {
    return -std::log((changes + 0.5) / (pairs + 1));
}

} // namespace

class HistoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsStandInTheOrderOfTheArguments() {
        SessionBuilder builder;
        const History history =
            historyOf(*callsOf("x=tensor:float32[2] n=int:1|x=tensor:float32[2] n=int:2 m=int:5", builder));
        QStringList paths;
        for (const Column& column : history.columns())
            paths += QString::fromStdString(column.path);
        QCOMPARE(paths.join(' '), "x.type x.dtype x.rank x.shape[0] n.type n.value m.type m.value");
        QCOMPARE(history.column("m.value")->requests, 1);
        QCOMPARE(history.column("n.value")->requests, 2);
        QCOMPARE(history.column("n.value")->kind, types::ComponentKind::Value);
        QVERIFY(history.column("nobody") == nullptr);
    }

    void callsAreThoseThatMissedAndThoseThatHit() {
        SessionBuilder builder;
        const History history = historyOf(*callsOf("n=int:1|n=int:2|n=int:1|n=int:1", builder));
        QCOMPARE(valuesAt(history, "n.value"), "1:3 2:1");
        QCOMPARE(history.calls(), 4);
        QCOMPARE(history.distinctRequests(), 2);
    }

    void anOpenAxisTellsNothingOfItsHits() {
        SessionBuilder builder;
        const History history = historyOf(*callsOf(
            "x=tensor:float32[2]|x=tensor:float32[None]|x=tensor:float32[7]|x=tensor:float32[8]", builder));
        QCOMPARE(valuesAt(history, "x.shape[0]"), "2:1 None:1");
        QCOMPARE(history.column("x.shape[0]")->openHits, 2);
        QCOMPARE(valuesAt(history, "x.dtype"), "float32:4");
    }

    void requestsWithoutACallAndSecondPhasesAreNoCalls() {
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2|n=int:2", builder);
        Session& session = builder.session();
        session.misses[0].callNumber = 0;
        session.misses.push_back(session.misses[1]); // the second trace of call 2
        QCOMPARE(valuesAt(historyOf(*builder.finish()), "n.value"), "1:0 2:2");
    }

    void whatMovesOftenWeighsLittle() {
        SessionBuilder builder;
        const History history =
            historyOf(*callsOf("n=int:1 m=int:1 k=int:1|n=int:2 m=int:1 k=int:1|n=int:3 m=int:2 k=int:1|"
                               "n=int:4 m=int:2 k=int:1",
                               builder));
        QCOMPARE(history.weight("n.value"), weightOf(3, 3));
        QCOMPARE(history.weight("m.value"), weightOf(1, 3));
        QCOMPARE(history.weight("k.value"), weightOf(0, 3));
        QVERIFY(history.weight("nobody") > history.weight("m.value")); // as one that never moved
    }

    void comingAndGoingAreMoves() {
        SessionBuilder builder; // m: absent, there, there, absent
        const History history =
            historyOf(*callsOf("n=int:1|n=int:2 m=int:1|n=int:3 m=int:1|n=int:4", builder));
        QCOMPARE(history.weight("m.value"), weightOf(2, 3));
    }

    void aRepeatedRequestIsNoMove() {
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2|n=int:3", builder);
        Session& session = builder.session();
        session.misses.push_back(session.misses[0]); // asked again after its entry was gone
        session.misses.back().callNumber = 4;
        const History history = historyOf(*builder.finish());
        QCOMPARE(history.distinctRequests(), 3);
        QCOMPARE(history.weight("n.value"), weightOf(2, 2));
    }

    void functionsOfOneLineAreOneHistoryInTimeOrder() {
        SessionBuilder builder;
        const FunctionId a = builder.function("f", "n", "f.cpp", 3);
        const FunctionId b = builder.function("f", "n", "f.cpp", 3);
        builder.call(a, test::request("n=int:1"));
        builder.call(b, test::request("n=int:2"));
        builder.call(a, test::request("n=int:3"));
        const SessionPtr session = builder.finish();
        const std::vector<FunctionId> both{a, b};
        const History history(*session, buildIndex(*session), both);
        QCOMPARE(valuesAt(history, "n.value"), "1:1 2:1 3:1");
        QCOMPARE(history.calls(), 3);
    }
};

RETRACESCOPE_TEST(HistoryTest);

#include "history_test.moc"
