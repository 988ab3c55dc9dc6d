#include <thread>
#include <vector>

#include <QTest>

#include <retracescope/base/clock.h>
#include <retracescope/record/tick_clock.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::record;

class TickClockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTimeBeforeTheNewestPointStaysWhereItIs() {
        TickClock clock;
        std::vector<std::uint64_t> times{ticks() - 1'000'000};
        std::vector<std::int64_t> told;
        for (int point = 0; point < 40; ++point) {
            for (int i = 0; i < 5; ++i) {
                times.push_back(ticks());
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
            clock.addPoint();
            for (std::size_t i = told.empty() ? 1 : told.size(); i < times.size(); ++i) {
                told.resize(i + 1);
                told[i] = clock.toNs(times[i]);
            }
            for (std::size_t i = 1; i < told.size(); ++i)
                QCOMPARE(clock.toNs(times[i]), told[i]);
        }
        for (std::size_t i = 2; i < told.size(); ++i)
            QVERIFY(told[i - 1] <= told[i]);
        QVERIFY(clock.toNs(times[0]) < told[1]); // before the first point
    }

    void betweenTwoPointsTheLineThroughBothCounts() {
        const ClockPoint early{ticks(), monotonicNs() - 1'000'000'000, 1}; // a clock that was a second behind
        TickClock clock(early);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        clock.addPoint();
        const ClockPoint late = clock.newest();
        QCOMPARE(clock.toNs(early.ticks), early.ns);
        QCOMPARE(clock.toNs(late.ticks), late.ns);
        const std::int64_t middle = clock.toNs(early.ticks + (late.ticks - early.ticks) / 2);
        QVERIFY(std::abs(middle - (early.ns + (late.ns - early.ns) / 2)) < 1000);

        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        clock.addPoint();
        const ClockPoint last = clock.newest(); // from here back to `late` both clocks go alike
        const std::uint64_t half = (last.ticks - late.ticks) / 2;
        QVERIFY(std::abs(clock.toNs(late.ticks + half) - (late.ns + (last.ns - late.ns) / 2)) < 1000);
        QCOMPARE(clock.toNs(early.ticks + (late.ticks - early.ticks) / 2), middle);
    }

    void timesAreThoseOfTheSystem() {
        TickClock clock;
        std::vector<std::pair<std::uint64_t, std::int64_t>> both;
        for (int i = 0; i < 20; ++i) {
            const std::int64_t before = monotonicNs();
            const std::uint64_t at = ticks();
            both.emplace_back(at, (before + monotonicNs()) / 2);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (i % 3 == 0)
                clock.addPoint();
        }
        clock.addPoint();
        int near = 0; // a thread may be stopped between its two looks
        for (const auto& [at, ns] : both)
            near += std::abs(clock.toNs(at) - ns) < 50'000;
        QVERIFY2(near >= 15, qPrintable(QString::number(near)));
        const std::uint64_t later = ticks() + 1'000'000;
        QVERIFY(clock.toNs(later) > clock.toNs(later - 1000)); // behind the newest point, at the rate known
    }
};

RETRACESCOPE_TEST(TickClockTest);

#include "tick_clock_test.moc"
