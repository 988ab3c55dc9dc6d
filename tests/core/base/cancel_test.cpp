#include <string>
#include <thread>

#include <QTest>

#include <retracescope/base/cancel.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class CancelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aCopyAsksTheSameWorkToStop() {
        const Cancel cancel;
        const Cancel copy = cancel;
        QVERIFY(!cancel.requested());
        std::thread([copy] { copy.request(); }).join();
        QVERIFY(cancel.requested());
    }

    void aJobWithoutAListenerReportsToNobody() {
        const Job job;
        job.report(0.5, "half");
        QVERIFY(!job.cancel.requested());
    }

    void aListenerHearsTheShareAndTheWork() {
        Job job;
        std::string heard;
        job.progress = [&](double share, std::string_view what) {
            heard += std::to_string(static_cast<int>(share * 100)) + " " + std::string(what) + ";";
        };
        job.report(0.25, "reading");
        job.report(1, "done");
        QCOMPARE(heard, std::string("25 reading;100 done;"));
    }
};

RETRACESCOPE_TEST(CancelTest);

#include "cancel_test.moc"
