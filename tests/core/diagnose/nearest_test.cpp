#include <QTest>

#include <retracescope/diagnose/nearest.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using test::callsOf;
using test::SessionBuilder;

class NearestTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Which entry the last call came closest to, by its number.
    void countsAllThatDiffers_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<int>("nearest");
        QTest::newRow("another dtype is nearer than other keys")
            << "d={a:float32[2];b:float32[2]}|d={a:float32[2];c:float32[2]}|d={a:int32[2];b:int32[2]}" << 1;
        QTest::newRow("one key more is nearer than other keys")
            << "d={a:float32[2]}|d={b:float32[2];c:float32[2];e:float32[2]}|d={a:float32[2];b:float32[2]}"
            << 1;
        QTest::newRow("the same rank is nearer than a scalar")
            << "x=tensor:float32[]|x=tensor:float32[3,4]|x=tensor:float32[5,6]" << 2;
        QTest::newRow("one axis more is nearer than two")
            << "x=tensor:float32[]|x=tensor:float32[3]|x=tensor:float32[3,4]" << 2;
        QTest::newRow("a list one longer is nearer than one of another dtype and length")
            << "xs=[float32[2];float32[2]]|xs=[int32[2];int32[2];int32[2];int32[2]]|"
               "xs=[float32[2];float32[2];float32[2]]"
            << 1;
        QTest::newRow("another type with all that belongs to it is far")
            << "x=tensor:float32[2,3] n=int:1|x=int:5 n=int:2|x=tensor:float32[2,4] n=int:2" << 1;
        QTest::newRow("an open axis is as near as can be")
            << "x=tensor:float32[2] n=int:1|x=tensor:float32[None] n=int:2|x=tensor:float32[5] n=int:3" << 2;
    }
    void countsAllThatDiffers() {
        QFETCH(const QString, calls);
        SessionBuilder builder;
        const SessionPtr session = callsOf(calls, builder);
        const Index index = buildIndex(*session);
        const Miss& last = session->misses.back();
        const diagnose::History history(*session, index, last.function);
        diagnose::NearestEntry nearest(*session, index);
        const auto ranking = nearest.rank(last, history);
        QTEST(static_cast<int>((*session)[ranking.nearest.front()].number), "nearest");
        QCOMPARE(ranking.total, session->entries.size() - 1);
    }

    void ofEqualOnesTheOneThatServedLastComesFirst() {
        SessionBuilder builder; // the first call holds the second: it ends later
        callsOf("n=int:3|n=int:2|n=int:5", builder);
        Session& session = builder.session();
        session.calls.durationNs[0] =
            session.calls.startNs[1] + session.calls.durationNs[1] - session.calls.startNs[0] + 1'000;
        const Index index = buildIndex(session);
        const Miss& last = session.misses.back();
        const diagnose::History history(session, index, last.function);
        diagnose::NearestEntry nearest(session, index);
        QCOMPARE(nearest.rank(last, history).nearest.front(), EntryId(0U));
    }
};

RETRACESCOPE_TEST(NearestTest);

#include "nearest_test.moc"
