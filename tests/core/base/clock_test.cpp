#include <cstdlib>

#include <QTest>

#include <retracescope/base/clock.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class ClockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverGoesBackwards() {
        std::uint64_t last = ticks();
        for (int i = 0; i < 100'000; ++i) {
            const std::uint64_t now = ticks();
            QVERIFY(now >= last);
            last = now;
        }
    }

    /// The two clocks may be read far apart when the machine is busy, so what is compared is the tick's time
    /// with the two readings around it.
    void ticksBecomeMonotonicNanoseconds() {
        const TickScale scale = calibrateTicks();
        for (int i = 0; i < 100; ++i) {
            const std::int64_t before = monotonicNs();
            const std::int64_t between = scale.toNs(ticks());
            const std::int64_t after = monotonicNs();
            constexpr std::int64_t kSlackNs = 1'000'000; // the rate is measured over a few ms
            QVERIFY(between >= before - kSlackNs);
            QVERIFY(between <= after + kSlackNs);
        }
    }

    void scalesTimesBeforeTheAnchorToo() {
        const TickScale scale{1000, 5'000, 2.0};
        QCOMPARE(scale.toNs(1000), std::int64_t{5'000});
        QCOMPARE(scale.toNs(1500), std::int64_t{6'000});
        QCOMPARE(scale.toNs(500), std::int64_t{4'000});
    }

    void wallTimeIsThisCentury() {
        constexpr std::int64_t kYear2020 = 1'577'836'800'000'000'000;
        QVERIFY(wallNs() > kYear2020);
    }
};

RETRACESCOPE_TEST(ClockTest);

#include "clock_test.moc"
