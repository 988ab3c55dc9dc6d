#include <QTest>

#include <retracescope/record/rows_by_key.h>
#include <retracescope/session/session.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::record;

class RowsByKeyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKeyHasItsRow() {
        RowsByKey<session::FunctionId> rows;
        for (std::uint32_t key :
             {1u, 2u, 257u, 513u, 0xffffffffu}) // some share a place among the recent ones
            rows.add(key, session::FunctionId(key / 2));
        for (int round = 0; round < 2; ++round)
            for (std::uint32_t key : {1u, 257u, 1u, 513u, 2u, 0xffffffffu}) {
                QVERIFY(rows.contains(key));
                QCOMPARE(rows.find(key).value, session::FunctionId(key / 2).value);
            }
        QVERIFY(!rows.find(0).isValid());
        QVERIFY(!rows.find(769).isValid());
        rows.add(1, session::FunctionId(9u)); // the first stays
        QCOMPARE(rows.find(1).value, 0u);
    }
};

RETRACESCOPE_TEST(RowsByKeyTest);

#include "rows_by_key_test.moc"
