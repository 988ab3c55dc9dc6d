#include <QTest>

#include <retracescope/diagnose/families.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Families;
using diagnose::Family;
using test::SessionBuilder;

namespace {

void callOften(SessionBuilder& builder, FunctionId function, int calls) {
    for (int i = 0; i < calls; ++i)
        builder.call(function, test::request("n=int:1"));
}

Families familiesOf(SessionBuilder& builder) {
    const SessionPtr session = builder.finish();
    return diagnose::groupFamilies(*session, buildIndex(*session));
}

/// A family of `functions` whose median is `calls`.
Family family(std::size_t functions, std::int64_t calls) {
    Family result;
    result.functions.resize(functions);
    result.medianCalls = calls;
    return result;
}

} // namespace

class FamiliesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneLineAndOneNameMakeAFamily() {
        SessionBuilder builder;
        const FunctionId a = builder.function("layer", "x", "net.cpp", 5);
        const FunctionId other = builder.function("head", "x", "net.cpp", 5);
        const FunctionId b = builder.function("layer", "x", "net.cpp", 5);
        const FunctionId below = builder.function("layer", "x", "net.cpp", 6);
        const FunctionId elsewhere = builder.function("layer", "x", "other.cpp", 5);
        const Families families = familiesOf(builder);
        QCOMPARE(families.families.size(), std::size_t{4});
        QCOMPARE(families.of(a).functions, (std::vector{a, b}));
        QCOMPARE(&families.of(a), &families.of(b));
        for (const FunctionId alone : {other, below, elsewhere})
            QCOMPARE(families.of(alone).functions, std::vector{alone});
    }

    void aFunctionWithoutPlaceIsAlone() {
        SessionBuilder builder;
        for (int i = 0; i < 2; ++i) {
            builder.function("f", "x", "", 5);
            builder.function("g", "x", "g.cpp", 0);
        }
        QCOMPARE(familiesOf(builder).families.size(), std::size_t{4});
    }

    void theMedianIsThatOfTheCallsOfEach() {
        SessionBuilder builder;
        for (const int calls : {1, 9, 4})
            callOften(builder, builder.function("f", "n", "f.cpp", 3), calls);
        QCOMPARE(familiesOf(builder).families.front().medianCalls, 4);
    }

    void instancesSayWhoseTheyAre() {
        SessionBuilder builder;
        const FunctionId a = builder.function("f", "n", "f.cpp", 3);
        const FunctionId b = builder.function("f", "n", "f.cpp", 3);
        QVERIFY(!familiesOf(builder).of(b).perInstance);
        builder.session().functions[b.value].parent = a;
        QVERIFY(familiesOf(builder).of(a).perInstance);
    }

    void manyThatAreCalledSeldomAreRemade_data() {
        QTest::addColumn<int>("functions");
        QTest::addColumn<int>("calls");
        QTest::addColumn<bool>("remade");
        QTest::newRow("two") << 2 << 1 << false;
        QTest::newRow("three") << 3 << 1 << true;
        QTest::newRow("three, called eight times") << 3 << 8 << true;
        QTest::newRow("three that live longer") << 3 << 9 << false;
        QTest::newRow("many that live long") << 50 << 1000 << false;
    }
    void manyThatAreCalledSeldomAreRemade() {
        QFETCH(const int, functions);
        QFETCH(const int, calls);
        QTEST(diagnose::isRemade(family(static_cast<std::size_t>(functions), calls)), "remade");
    }
};

RETRACESCOPE_TEST(FamiliesTest);

#include "families_test.moc"
