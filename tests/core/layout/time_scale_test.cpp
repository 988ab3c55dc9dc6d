#include <QTest>

#include <retracescope/layout/time_scale.h>

#include "tests/support/test_main.h"

using namespace retracescope::layout;

namespace {

QString labels(const TimeScale& scale, double originNs = 0) {
    QStringList out;
    for (const Tick& tick : ticks(scale, originNs, 80)) {
        if (tick.isMajor)
            out += QString::fromStdString(tick.label);
    }
    return out.join(QStringLiteral(" | "));
}

} // namespace

class TimeScaleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void zoomKeepsTheTimeUnderThePointer() {
        TimeScale scale{2e9, 5e9, 900};
        const double before = scale.toNs(333);
        for (int i = 0; i < 40; ++i)
            scale = zoomed(scale, 0.8, 333, 0, 1e10);
        QVERIFY(std::abs(scale.toNs(333) - before) < 1);
    }

    void zoomEndsAtAHundredNanosecondsAndAtTheWholeSession() {
        const TimeScale in = zoomed({0, 1e9, 1000}, 1e-12, 500, 0, 1e9);
        QCOMPARE(in.endNs - in.beginNs, kShortestRangeNs);
        const TimeScale out = zoomed(in, 1e15, 500, 0, 1e9);
        QCOMPARE(out.beginNs, 0.0);
        QCOMPARE(out.endNs, 1e9);
    }

    void panStopsAtTheEnds() {
        const TimeScale scale = panned({1e8, 3e8, 1000}, -1e6, 0, 1e9);
        QCOMPARE(scale.beginNs, 0.0);
        QCOMPARE(scale.endNs, 2e8);
    }

    void ticksAreRoundTimesWithAFittingUnit() {
        QCOMPARE(labels({17.2e9, 19.1e9, 400}), QStringLiteral("17.5 s | 18.0 s | 18.5 s | 19.0 s"));
        QCOMPARE(labels({0, 1000, 400}), QStringLiteral("0 | 200 ns | 400 ns | 600 ns | 800 ns | 1.0 µs"));
        QCOMPARE(labels({0, 600e9, 600}), QStringLiteral("0 | 2 min | 4 min | 6 min | 8 min | 10 min"));
        QCOMPARE(labels({1'234'567'000, 1'234'569'000, 200}),
                 QStringLiteral("1.234567 s | 1.234568 s | 1.234569 s"));
    }

    void ticksCountFromTheOrigin() {
        QCOMPARE(labels({5e9 + 7, 6e9 + 7, 300}, 5e9 + 7), QStringLiteral("0 | 500 ms | 1.0 s"));
    }

    void labelsNeverComeCloserThanAsked() {
        for (double length = 100; length < 1e14; length *= 1.7) {
            double last = -1e9;
            for (const Tick& tick : ticks({0.3 * length, 1.3 * length, 1234}, 0, 80)) {
                if (!tick.isMajor)
                    continue;
                QVERIFY(tick.x - last >= 79.9);
                last = tick.x;
            }
            QVERIFY(last > 0);
        }
    }
};

RETRACESCOPE_TEST(TimeScaleTest);

#include "time_scale_test.moc"
