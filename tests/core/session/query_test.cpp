#include <QTest>

#include <retracescope/session/compared.h>

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

    void theMedianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
        QCOMPARE(medianOf({}), kNotRecorded);
        QCOMPARE(medianOf({7}), 7);
        QCOMPARE(medianOf({9, 1, 5}), 5);
        QCOMPARE(medianOf({56, 17, 24, 18}), 21);
    }

    void whatASourceWithoutMissesDoesNotTellIsNotRecorded_data() {
        QTest::addColumn<int>("tracedCalls");
        QTest::addColumn<int>("counted");
        QTest::addColumn<int>("traces");
        QTest::newRow("counted") << 1 << 2 << 2;
        QTest::newRow("counted before") << 0 << 4 << 4;
        QTest::newRow("not counted") << 3 << -1 << 3;
        QTest::newRow("nothing") << 0 << -1 << -1;
    }
    void whatASourceWithoutMissesDoesNotTellIsNotRecorded() {
        QFETCH(const int, tracedCalls);
        QFETCH(const int, counted);
        QFETCH(const int, traces);
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (int i = 0; i < 4; ++i)
            builder.call(f, test::literalArgument("n", "int", std::to_string(i)));
        Session& s = builder.session();
        s.misses.clear();
        s.entries.clear();
        s.facts = {{"not_recorded", "misses", "why"}};
        s.functions[0].bodyRuns = counted;
        for (int i = 0; i < 4; ++i) {
            s.calls.entry[i] = {};
            s.calls.outcome[i] = i < tracedCalls ? Outcome::Traced : Outcome::Hit;
            s.calls.traceNs[i] = i < tracedCalls ? kNotRecorded : 0;
        }
        const SessionPtr session = builder.finish();
        const auto functions = summarizeFunctions(*session, buildIndex(*session));
        QCOMPARE(functions[0].traces, traces);
        QCOMPARE(functions[0].hits, 4 - tracedCalls);
        QCOMPARE(functions[0].entries, kNotRecorded);
        QCOMPARE(functions[0].errors, kNotRecorded);
        QCOMPARE(functions[0].tracingNs, kNotRecorded);
        QCOMPARE(functions[0].executeNs<0, tracedCalls> 0);
        QCOMPARE(countCalls(functions).traces, traces);
    }

    void entriesWithoutMissesStillCountAndSoDoTheCallsThatTraced() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (const char* n : {"1", "2", "2", "3"})
            builder.call(f, test::literalArgument("n", "int", n));
        builder.session().misses.clear();
        const SessionPtr session = builder.finish();
        const auto functions = summarizeFunctions(*session, buildIndex(*session));
        QCOMPARE(functions[0].traces, 3);
        QCOMPARE(functions[0].entries, 3);
        QCOMPARE(functions[0].errors, 0);
        QCOMPARE(functions[0].failedTraces, kNotRecorded);
        QCOMPARE(functions[0].tracingNs, kNotRecorded);
    }

    void timeOfACallThatFailedIsNoExecution() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (int i = 0; i < 3; ++i)
            builder.call(f, test::literalArgument("n", "int", "1"));
        builder.session().calls.outcome[2] = Outcome::Error;
        const SessionPtr session = builder.finish();
        const auto functions = summarizeFunctions(*session, buildIndex(*session));
        QCOMPARE(functions[0].executeNs, 2 * 100'000);
        QCOMPARE(functions[0].errors, 1);
    }

    void tiesMissesAndEntriesToTheirCalls() {
        const SessionPtr session = test::processDataSession();
        const Index index = buildIndex(*session);
        QVERIFY(!index.missOfCall[2].isValid());
        QCOMPARE(index.missOfCall[3].value, 2u);
        QCOMPARE(index.callsOfEntry[0].size(), std::size_t{2});
    }

    void aMissIsComparedWithTheEntriesThatExistedThen() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        builder.call(builder.function("g", "n"), test::literalArgument("n", "int", "7"));
        for (const char* n : {"1", "2", "3", "4"})
            builder.call(f, test::literalArgument("n", "int", n));
        Session& s = builder.session();
        s.entries[2].state = EntryState::Cleared; // entry 2 of f, between its third call and its fourth
        s.entries[2].droppedNs = s.misses[4].timeNs;
        const SessionPtr session = builder.finish();
        const Index index = buildIndex(*session);
        QString text;
        for (const Miss& miss : session->misses) {
            for (const EntryId compared : comparedWith(*session, index, miss))
                text += QString(" %1:%2")
                            .arg((*session)[compared].number)
                            .arg(differencesTo(*session, miss, compared).at(0).after.c_str());
            text += ';';
        }
        QCOMPARE(text, ";; 1:2; 1:3 2:3; 1:4 3:4;");
    }

    void whatAMissListsIsAllThatItWasComparedWith() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (const char* n : {"1", "2", "3"})
            builder.call(f, test::literalArgument("n", "int", n));
        builder.session().misses[2].competing = {
            {EntryId(1u), {{types::MissKind::Dead, "", "", ""}}, StringId()}};
        const SessionPtr session = builder.finish();
        const auto compared = comparedWith(*session, buildIndex(*session), session->misses[2]);
        QCOMPARE(compared.size(), std::size_t{1});
        QCOMPARE(compared[0], EntryId(1u));
        const auto differences = differencesTo(*session, session->misses[2], compared[0]);
        QCOMPARE(differences, (std::vector<types::Difference>{{types::MissKind::Dead, "", "", ""}}));
    }

    void anEmptySessionHasNoNumbers() {
        const Session session;
        const Index index = buildIndex(session);
        QVERIFY(summarizeFunctions(session, index).empty());
    }
};

RETRACESCOPE_TEST(QueryTest);

#include "query_test.moc"
