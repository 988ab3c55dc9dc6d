// Counting by one owner, by many threads, and while the second thread comes. Each case is a process of its
// own (counting_program.cpp), since counts have an owner only until a second thread has counted.
#include <QProcess>
#include <QTest>

#include "tests/support/test_main.h"

class CountingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesAsItMust_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("adds and takes away") << "adds";
        QTest::newRow("one thread owns counts until another counts") << "owns";
        QTest::newRow("the second thread waits until the owner is outside") << "waits";
        QTest::newRow("a child counts whatever its parent was at") << "children";
    }
    void goesAsItMust() {
        QFETCH(const QString, name);
        QCOMPARE(QProcess::execute(COUNTING_PROGRAM, {name}), 0);
    }

    void nothingIsLostWhileTheSecondThreadComes() {
        for (int round = 0; round < 200; ++round)
            QCOMPARE(QProcess::execute(COUNTING_PROGRAM, {"comes", QString::number(1 + 37 * round)}), 0);
    }
};

RETRACESCOPE_TEST(CountingTest);

#include "counting_test.moc"
