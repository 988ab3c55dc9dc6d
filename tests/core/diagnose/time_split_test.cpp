#include <random>

#include <QTest>

#include <retracescope/diagnose/time_split.h>

#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::TimeSplit;

namespace {

/// Builds nested calls with traces on one thread, moment by moment, and counts what each moment is for.
class RandomThread {
public:
    RandomThread(Session& session, std::uint32_t lane, unsigned seed)
        : m_session(session), m_lane(lane), m_random(seed) {}

    void run() {
        for (int i = 0; i < 12; ++i) {
            pass(&m_outside);
            call(0, nullptr);
        }
    }

    std::int64_t tracing() const { return m_tracing; }
    std::int64_t executing() const { return m_executing; }
    std::int64_t outside() const { return m_outside; }

private:
    void pass(std::int64_t* use) {
        const std::int64_t ns = static_cast<std::int64_t>(m_random() % 50);
        m_now += ns;
        *use += ns;
    }

    /// A call; inside a trace its own time belongs to that trace, whose own time is `outer`.
    void call(int depth, std::int64_t* outer) {
        const std::size_t row = m_session.calls.size();
        CallTable& calls = m_session.calls;
        calls.startNs.push_back(m_now);
        calls.durationNs.push_back(0);
        calls.lane.push_back(LaneId(m_lane));
        calls.function.push_back(FunctionId(0u));
        calls.entry.emplace_back();
        calls.outcome.push_back(Outcome::Hit);
        calls.number.push_back(static_cast<std::uint32_t>(row + 1));
        calls.traceNs.push_back(0);
        calls.stack.emplace_back();
        std::int64_t* use = outer != nullptr ? outer : &m_executing;
        pass(use);
        if (m_random() % 3 == 0)
            trace(row, depth);
        pass(use);
        while (depth < 4 && m_random() % 3 == 0) {
            call(depth + 1, outer);
            pass(use);
        }
        calls.durationNs[row] = m_now - calls.startNs[row];
    }

    void trace(std::size_t callRow, int depth) {
        const std::size_t row = m_session.misses.size();
        Miss miss;
        miss.function = FunctionId(0u);
        miss.call = CallId(callRow);
        miss.timeNs = m_now;
        m_session.misses.push_back(miss);
        m_session.calls.outcome[callRow] = Outcome::Traced;
        std::int64_t own = 0;
        pass(&own);
        while (depth < 4 && m_random() % 2 == 0) {
            call(depth + 1, &own);
            pass(&own);
        }
        m_session.misses[row].traceNs = own;
        m_tracing += own;
    }

    Session& m_session;
    std::uint32_t m_lane;
    std::mt19937 m_random;
    std::int64_t m_now = 1000;
    std::int64_t m_tracing = 0;
    std::int64_t m_executing = 0;
    std::int64_t m_outside = 0;
};

TimeSplit splitOf(Session& session, const std::vector<bool>& avoidable) {
    session.functions.resize(1);
    updateExtent(session);
    return diagnose::splitTime(session, buildIndex(session), avoidable);
}

std::int64_t sumOf(const TimeSplit& split) {
    return split.avoidableNs + split.neededNs + split.executeNs + split.failedNs + split.outsideNs;
}

} // namespace

class TimeSplitTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nestedCallsOfOneThreadCountEachMomentOnce() {
        for (unsigned seed = 1; seed <= 300; ++seed) {
            Session session;
            session.lanes.resize(1);
            RandomThread thread(session, 0, seed);
            thread.run();
            std::vector<bool> avoidable(session.misses.size());
            std::int64_t avoidableNs = 0;
            for (std::size_t row = 0; row < avoidable.size(); row += 2) {
                avoidable[row] = true;
                avoidableNs += session.misses[row].traceNs;
            }
            const TimeSplit split = splitOf(session, avoidable);
            QCOMPARE(split.avoidableNs, avoidableNs);
            QCOMPARE(split.avoidableNs + split.neededNs, thread.tracing());
            QCOMPARE(split.executeNs, thread.executing());
            QCOMPARE(sumOf(split), split.totalNs);
        }
    }

    void threadsAtOnceAddUpToTheRun() {
        for (unsigned seed = 1; seed <= 100; ++seed) {
            Session session;
            session.lanes.resize(3);
            for (std::uint32_t lane = 0; lane < 3; ++lane)
                RandomThread(session, lane, seed * 7 + lane).run();
            const TimeSplit split = splitOf(session, std::vector<bool>(session.misses.size(), seed % 2 == 0));
            QCOMPARE(split.totalNs, session.endNs - session.originNs);
            QCOMPARE(sumOf(split), split.totalNs);
            for (const std::int64_t part :
                 {split.avoidableNs, split.neededNs, split.executeNs, split.outsideNs})
                QVERIFY(part >= 0);
        }
    }

    void aTraceThatNoCallAskedForCounts() {
        Session session;
        session.marks.resize(2);
        session.marks[1].timeNs = 100;
        Miss miss;
        miss.function = FunctionId(0u);
        miss.timeNs = 20;
        miss.traceNs = 30;
        session.misses.push_back(miss);
        const TimeSplit split = splitOf(session, {false});
        QCOMPARE(split.neededNs, 30);
        QCOMPARE(split.outsideNs, 70);
    }

    void callsThatOverlapInPartCountTheirUnion() {
        Session session;
        session.lanes.resize(1);
        for (const auto& [start, length] : {std::pair{0, 60}, std::pair{40, 60}}) {
            session.calls.startNs.push_back(start);
            session.calls.durationNs.push_back(length);
            session.calls.lane.push_back(LaneId(0u));
            session.calls.function.push_back(FunctionId(0u));
            session.calls.entry.emplace_back();
            session.calls.outcome.push_back(Outcome::Hit);
            session.calls.number.push_back(1);
            session.calls.traceNs.push_back(0);
            session.calls.stack.emplace_back();
        }
        QCOMPARE(splitOf(session, {}).executeNs, 100);
    }

    void aCallThatFailedIsAPartOfItsOwn() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (int i = 0; i < 3; ++i)
            builder.call(f, test::literalArgument("n", "int", "1"));
        builder.session().calls.outcome[2] = Outcome::Error;
        const SessionPtr session = builder.finish();
        const TimeSplit split = diagnose::splitTime(*session, buildIndex(*session), {false});
        QCOMPARE(split.neededNs, 2'000'000);
        QCOMPARE(split.executeNs, 200'000);
        QCOMPARE(split.failedNs, 100'000);
        QCOMPARE(diagnose::timeParts(split).size(), std::size_t{5});
    }

    void aTraceThatFailedWasNotNeeded() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        builder.call(f, test::literalArgument("n", "int", "1"));
        builder.call(f, test::literalArgument("n", "int", "2"));
        Session& s = builder.session();
        s.calls.outcome[1] = Outcome::Error;
        s.misses[1].exception = s.strings.intern("no");
        const SessionPtr session = builder.finish();
        const TimeSplit split = diagnose::splitTime(*session, buildIndex(*session), {false, false});
        QCOMPARE(split.neededNs, 2'000'000);
        QCOMPARE(split.executeNs, 100'000);
        QCOMPARE(split.failedNs, 2'100'000);
    }

    void aTraceThatFailedInsideAnotherCountsAsFailed() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        builder.call(f, test::literalArgument("n", "int", "1"));
        Session& s = builder.session();
        Miss inner = s.misses[0]; // 0.5 ms in the middle of the 2 ms of the other
        inner.timeNs += 500'000;
        inner.traceNs = 500'000;
        inner.exception = s.strings.intern("no");
        s.misses[0].traceNs -= inner.traceNs;
        s.misses.push_back(inner);
        const SessionPtr session = builder.finish();
        const TimeSplit split = diagnose::splitTime(*session, buildIndex(*session), {false, false});
        QCOMPARE(split.neededNs, 1'500'000);
        QCOMPARE(split.failedNs, 500'000);
        QCOMPARE(split.executeNs, 100'000);
    }

    void tracingThatIsNotToldIsNoPartOfItsOwn() {
        test::SessionBuilder builder;
        builder.call(builder.function("f", "n"), test::literalArgument("n", "int", "1"));
        Session& s = builder.session();
        s.misses.clear();
        s.calls.traceNs[0] = kNotRecorded;
        const SessionPtr session = builder.finish();
        const TimeSplit split = diagnose::splitTime(*session, buildIndex(*session), {});
        QVERIFY(!split.tracingTold);
        const std::vector<diagnose::TimePart> parts = diagnose::timeParts(split);
        QCOMPARE(parts.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(parts[0].name), "Calls, tracing included");
        QCOMPARE(parts[0].ns, 2'100'000);
    }

    void anEmptySessionIsNoTime() {
        Session session;
        QCOMPARE(splitOf(session, {}).totalNs, 0);
    }
};

RETRACESCOPE_TEST(TimeSplitTest);

#include "time_split_test.moc"
