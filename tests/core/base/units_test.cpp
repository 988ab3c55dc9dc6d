#include <QTest>

#include <retracescope/base/units.h>

#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

} // namespace

class UnitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void durationsHaveThreeDigitsAndAFittingUnit() {
        QCOMPARE(text(formatDuration(35)), QStringLiteral("35 ns"));
        QCOMPARE(text(formatDuration(828'000)), QStringLiteral("828 µs"));
        QCOMPARE(text(formatDuration(36'204'000)), QStringLiteral("36.2 ms"));
        QCOMPARE(text(formatDuration(11'401'000'000)), QStringLiteral("11.4 s"));
        QCOMPARE(text(formatDuration(134'000'000'000)), QStringLiteral("2 min 14 s"));
    }

    void durationsNeverReadAThousandOfAUnit() {
        QCOMPARE(text(formatDuration(999'960)), QStringLiteral("1.00 ms"));
    }

    void timesOfAColumnHaveTheUnitOfTheLargest() {
        const TimeUnit unit = timeUnitFor(36'204'000);
        QCOMPARE(text(unit.text(36'204'000)), QStringLiteral("36.20 ms"));
        QCOMPARE(text(unit.number(828'000)), QStringLiteral("0.83"));
        QCOMPARE(text(unit.number(35)), QStringLiteral("< 0.01"));
        QCOMPARE(text(unit.number(0)), QStringLiteral("0"));
        QCOMPARE(text(unit.number(-828'000)), QStringLiteral("−0.83"));
        QCOMPARE(text(timeUnitFor(999).text(35)), QStringLiteral("35 ns"));
    }

    void sharesReachAHundredOnlyIfAll() {
        QCOMPARE(text(formatShare(999'999, 1'000'000)), QStringLiteral("99 %"));
        QCOMPARE(text(formatShare(5, 5)), QStringLiteral("100 %"));
        QCOMPARE(text(formatShare(17, 1000)), QStringLiteral("1.7 %"));
        QCOMPARE(text(formatShare(1, 100'000)), QStringLiteral("< 0.1 %"));
        QCOMPARE(text(formatShare(1, 0)), QStringLiteral("–"));
    }

    void countsAreInFullBelowAMillion() {
        QCOMPARE(text(formatCount(12'406)), QStringLiteral("12\u2009406"));
        QCOMPARE(text(formatCount(1'920'000)), QStringLiteral("1.92 M"));
    }
};

RETRACESCOPE_TEST(UnitsTest);

#include "units_test.moc"
