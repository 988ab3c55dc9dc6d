#include <memory>

#include <QTest>

#include <retracescope/base/ids.h>
#include <retracescope/base/result.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class ResultTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsAValueOrTheReasonWhyNot() {
        const Result<int> good = 7;
        QVERIFY(good.ok());
        QCOMPARE(*good, 7);
        const Result<int> bad = Error{"no such number"};
        QVERIFY(!bad);
        QCOMPARE(bad.error().message, std::string("no such number"));
    }

    void handsOverWhatCannotBeCopied() {
        Result<std::unique_ptr<int>> made = std::make_unique<int>(3);
        const std::unique_ptr<int> taken = std::move(made).value();
        QCOMPARE(*taken, 3);
    }

    void anIdIsNoneUntilItIsGivenARow() {
        using RowId = Id<struct RowTag>;
        QVERIFY(!RowId().isValid());
        QVERIFY(RowId(std::uint32_t{0}).isValid());
        QVERIFY(RowId(std::uint32_t{1}) < RowId(std::uint32_t{2}));
    }
};

RETRACESCOPE_TEST(ResultTest);

#include "result_test.moc"
