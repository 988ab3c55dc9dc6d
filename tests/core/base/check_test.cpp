#include <QTest>

#include <retracescope/base/check.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class CheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPlaceIsTheFileWithoutItsFolderAndTheLine() {
        QCOMPARE(placeText("../../app/dense.cpp", 12), std::string(" (dense.cpp:12)"));
        QCOMPARE(placeText("dense.cpp", 12), std::string(" (dense.cpp:12)"));
        QCOMPARE(placeText("dense.cpp", 0), std::string());
    }
};

RETRACESCOPE_TEST(CheckTest);

#include "check_test.moc"
