#include <QTest>

#include <retracescope/importers/decimal.h>

#include "tests/support/test_main.h"

namespace retracescope::importers {

class DecimalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsMicrosecondsFromTheirDigits_data();
    void readsMicrosecondsFromTheirDigits();
    void refusesWhatIsNoTime_data();
    void refusesWhatIsNoTime();
    void roundsToNanosecondsHalfUp();
    void clipsAnEndThatDoesNotFit();
    void readsCounterValues();
};

void DecimalTest::readsMicrosecondsFromTheirDigits_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<int>("ps");
    QTest::newRow("whole") << "12" << qint64(12'000) << 0;
    QTest::newRow("fraction") << "0.001" << qint64(1) << 0;
    QTest::newRow("picoseconds") << "1.000001" << qint64(1'000) << 1;
    QTest::newRow("half a picosecond rounds up") << "0.0000005" << qint64(0) << 1;
    QTest::newRow("less rounds down") << "0.00000049999" << qint64(0) << 0;
    QTest::newRow("noise digits") << "41.046999999999997" << qint64(41'047) << 0;
    QTest::newRow("epoch with fraction") << "1700000000000000.123" << qint64(1'700'000'000'000'000'123) << 0;
    QTest::newRow("negative") << "-1.5" << qint64(-1'500) << 0;
    QTest::newRow("negative picoseconds") << "-0.0000015" << qint64(-1) << 998;
    QTest::newRow("exponent") << "1.5e3" << qint64(1'500'000) << 0;
    QTest::newRow("negative exponent") << "15E-4" << qint64(1) << 500;
    QTest::newRow("far too small") << "1e-999999999999" << qint64(0) << 0;
    QTest::newRow("zero with a huge exponent") << "0e999999999" << qint64(0) << 0;
    QTest::newRow("blanks and plus") << " +2 " << qint64(2'000) << 0;
    QTest::newRow("point first") << ".5" << qint64(500) << 0;
    QTest::newRow("the latest") << "9000000000000000" << qint64(9'000'000'000'000'000'000) << 0;
}

void DecimalTest::readsMicrosecondsFromTheirDigits() {
    QFETCH(QString, text);
    QFETCH(qint64, ns);
    QFETCH(int, ps);
    const Microseconds read = parseMicroseconds(text.toStdString());
    QVERIFY(!read.problem);
    QCOMPARE(qint64(read.time.ns), ns);
    QCOMPARE(int(read.time.ps), ps);
}

void DecimalTest::refusesWhatIsNoTime_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("tooLarge");
    for (const char* text : {"", ".", "-", "abc", "1x", "1e", "1e+", "nan", "inf", "0x10", "1 2", "--1"})
        QTest::newRow(qPrintable(QString("\"%1\"").arg(text))) << QString(text) << false;
    for (const char* text :
         {"1e300", "-1e300", "1000000000000000000000000000000", "9000000000000000.000001", "1e999999999999"})
        QTest::newRow(text) << QString(text) << true;
}

void DecimalTest::refusesWhatIsNoTime() {
    QFETCH(QString, text);
    QFETCH(bool, tooLarge);
    const Microseconds read = parseMicroseconds(text.toStdString());
    QVERIFY(read.problem.has_value());
    QCOMPARE(*read.problem == DecimalProblem::TooLarge, tooLarge);
}

void DecimalTest::roundsToNanosecondsHalfUp() {
    QCOMPARE((Picotime{5, 499}.rounded()), 5);
    QCOMPARE((Picotime{5, 500}.rounded()), 6);
    QCOMPARE((Picotime{-2, 500}.rounded()), -1);
}

void DecimalTest::clipsAnEndThatDoesNotFit() {
    bool clipped = false;
    QCOMPARE(addClipped({10, 600}, {1, 500}, clipped).ns, 12);
    QVERIFY(!clipped);
    QCOMPARE(addClipped({kLatestNs - 1, 0}, {2, 0}, clipped).ns, kLatestNs);
    QVERIFY(clipped);
}

void DecimalTest::readsCounterValues() {
    QCOMPARE(parseNumber(" 6.5 "), std::optional(6.5));
    QCOMPARE(parseNumber("+1e3"), std::optional(1000.0));
    for (const char* text : {"", "nan", "inf", "1e999", "0x1p3", "five"})
        QCOMPARE(parseNumber(text), std::nullopt);
}

RETRACESCOPE_TEST(DecimalTest);

} // namespace retracescope::importers

#include "decimal_test.moc"
