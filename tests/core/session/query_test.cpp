#include <QTest>

#include <retracescope/session/query.h>

#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

class QueryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void summarizesTheLessonsFiveCalls() {
        const SessionPtr session = test::processDataSession();
        const Index index = buildIndex(*session);
        const auto functions = summarizeFunctions(*session, index);
        QCOMPARE(functions.size(), std::size_t{1});
        QCOMPARE(functions[0].calls, 5);
        QCOMPARE(functions[0].hits, 1);
        QCOMPARE(functions[0].traces, 4);
        QCOMPARE(functions[0].entries, 4);
        QCOMPARE(functions[0].neverHit, 3);
        QCOMPARE(functions[0].tracingNs, 4 * 2'000'000);
        QCOMPARE(functions[0].executeNs, 5 * 100'000);
        QCOMPARE(functions[0].medianCallNs, 2'100'000);
    }

    void tiesMissesAndEntriesToTheirCalls() {
        const SessionPtr session = test::processDataSession();
        const Index index = buildIndex(*session);
        QVERIFY(!index.missOfCall[2].isValid());
        QCOMPARE(index.missOfCall[3].value, 2u);
        QCOMPARE(index.callsOfEntry[0].size(), std::size_t{2});
    }

    void anEmptySessionHasNoNumbers() {
        const Session session;
        const Index index = buildIndex(session);
        QVERIFY(summarizeFunctions(session, index).empty());
    }
};

RETRACESCOPE_TEST(QueryTest);

#include "query_test.moc"
