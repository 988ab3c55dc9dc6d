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
        QCOMPARE(placeText(std::source_location()), std::string());
    }

    void aLineIsNamedOnce() {
        UsageError error("[f] expected 2 (a.cpp:12)");
        error.at(" (b.cpp:3)");
        QCOMPARE(std::string(error.what()), "[f] expected 2 (a.cpp:12)");
        UsageError bare("[f] expected (1, 2), got float32[1:2] or f(x)");
        const UsageError copy = bare;
        bare.at("");
        bare.at(" (b.cpp:3)");
        bare.at(" (c.cpp:4)");
        QCOMPARE(std::string(bare.what()), "[f] expected (1, 2), got float32[1:2] or f(x) (b.cpp:3)");
        QCOMPARE(std::string(copy.what()), "[f] expected (1, 2), got float32[1:2] or f(x)");
        UsageError blank("[f] expected 2 (my layer.cpp:12)");
        blank.at(" (b.cpp:3)");
        QCOMPARE(std::string(blank.what()), "[f] expected 2 (my layer.cpp:12)");
        UsageError ratio("[f] expected a number (not the ratio of 2 to 3:4)");
        ratio.at(" (b.cpp:3)");
        QCOMPARE(std::string(ratio.what()), "[f] expected a number (not the ratio of 2 to 3:4) (b.cpp:3)");
    }

    void linesOfTheStandardLibraryAreNobodys() {
        QVERIFY(isOfStandardLibrary("/usr/include/c++/12/optional"));
        QVERIFY(isOfStandardLibrary("/usr/lib/llvm-16/include/c++/v1/optional"));
        QVERIFY(!isOfStandardLibrary("/home/me/include/optional.h"));
    }
};

RETRACESCOPE_TEST(CheckTest);

#include "check_test.moc"
