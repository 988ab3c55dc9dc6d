#include <QTest>

#include <retracescope/session/strings.h>

#include "tests/support/test_main.h"

using namespace retracescope::session;

class StringsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTextHasOneIdHoweverManyThereAre() {
        StringPool pool;
        const std::string_view first = pool[pool.intern("text 0")];
        std::vector<StringId> ids;
        for (int i = 0; i < 5000; ++i)
            ids.push_back(pool.intern("text " + std::to_string(i)));
        QCOMPARE(pool.size(), std::size_t{5001}); // the empty text comes first
        for (int i = 0; i < 5000; ++i) {
            const std::string text = "text " + std::to_string(i);
            QCOMPARE(pool.intern(text), ids[static_cast<std::size_t>(i)]);
            QCOMPARE(pool.find(text), ids[static_cast<std::size_t>(i)]);
            QCOMPARE(pool[ids[static_cast<std::size_t>(i)]], std::string_view(text));
        }
        QCOMPARE(first, std::string_view("text 0")); // where it was
        QVERIFY(!pool.find("text 5000").isValid());
        QCOMPARE(pool.size(), std::size_t{5001});
    }

    void theEmptyTextIsTheFirst() {
        const StringPool pool;
        QCOMPARE(pool.find(""), StringId(0u));
        QCOMPARE(pool[StringId(0u)], std::string_view());
        QCOMPARE(pool[StringId()], std::string_view());
    }

    void aLongTextAndBytesOfAnyValueAreKept() {
        StringPool pool;
        const std::string longText(200'000, 'x');
        const std::string bytes("a\0b\xff", 4);
        const StringId one = pool.intern(longText);
        const StringId other = pool.intern(bytes);
        QCOMPARE(pool[one], std::string_view(longText));
        QCOMPARE(pool[other], std::string_view(bytes));
        QVERIFY(!pool.find("a").isValid());
    }
};

RETRACESCOPE_TEST(StringsTest);

#include "strings_test.moc"
