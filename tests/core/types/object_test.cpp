#include <QTest>

#include <stdexcept>

#include <retracescope/types/dispatch_table.h>
#include <retracescope/types/object.h>

#include "tests/support/test_main.h"

using namespace retracescope::types;

namespace {

struct Point {
    int x = 0;
};
template <class A, class B>
struct Pair {};

bool equalPoints(const void* a, const void* b) {
    if (static_cast<const Point*>(a)->x < 0)
        throw std::runtime_error("no comparison");
    return static_cast<const Point*>(a)->x == static_cast<const Point*>(b)->x;
}

const ObjectClass kById{"Point"};
const ObjectClass kByValue{"Point", equalPoints};

TypeId typeOfObject(const std::shared_ptr<Point>& point, const ObjectClass& itsClass) {
    return objectType(itsClass.name, identityOf(point, itsClass));
}

FunctionType callWith(TypeId type) {
    return {{{"o", ParameterKind::PositionalOrKeyword, false, type}}, {}, TypeId::None};
}

} // namespace

class ObjectTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anObjectKeepsItsNumberAndNoOtherGetsIt() {
        auto a = std::make_shared<Point>();
        const std::uint64_t number = identityOf(a, kById);
        QCOMPARE(identityOf(a, kById), number);
        QVERIFY(identityOf(std::make_shared<Point>(), kById) != number);
        QVERIFY(isAlive(number));
        for (int i = 0; i < 300; ++i) { // many of them lie where others lay
            a = nullptr;
            a = std::make_shared<Point>();
            QVERIFY(identityOf(a, kById) != number);
        }
        QVERIFY(!isAlive(number));
    }

    void equalityIsWhatTheClassSaysOfLivingObjects() {
        const auto a = std::make_shared<Point>(Point{1});
        auto b = std::make_shared<Point>(Point{1});
        const auto c = std::make_shared<Point>(Point{2});
        QVERIFY(!areEqual(identityOf(a, kById), identityOf(b, kById)));
        const std::uint64_t second = identityOf(b, kByValue);
        QVERIFY(areEqual(identityOf(a, kByValue), second));
        QVERIFY(!areEqual(identityOf(c, kByValue), second));
        QVERIFY(!areEqual(identityOf(a, kById), second)); // another class
        b = nullptr;
        QVERIFY(!areEqual(identityOf(a, kByValue), second));
        const auto bad = std::make_shared<Point>(Point{-1});
        QVERIFY_EXCEPTION_THROWN(areEqual(identityOf(bad, kByValue), identityOf(a, kByValue)),
                                 std::runtime_error);
    }

    void aTypeServesEqualObjectsAsLongAsItsOwnLives() {
        auto a = std::make_shared<Point>(Point{1});
        const auto b = std::make_shared<Point>(Point{1});
        const TypeId stored = tupleType(std::vector{typeOfObject(a, kByValue), literalType(3)});
        const TypeId asked = tupleType(std::vector{typeOfObject(b, kByValue), literalType(3)});
        const TypeId other = tupleType(std::vector{typeOfObject(b, kByValue), literalType(4)});
        QVERIFY(hasObjects(stored));
        QVERIFY(!hasObjects(literalType(3)));
        QVERIFY(isSubtype(asked, stored));
        QCOMPARE(commonSupertype(asked, stored), asked);
        QVERIFY(!wasSubtype(other, stored));
        a = nullptr;
        QVERIFY(!isSubtype(asked, stored));
        QVERIFY(wasSubtype(asked, stored));
        QVERIFY(!wasSubtype(other, stored));
        QCOMPARE(commonSupertype(asked, stored), TypeId::None);
    }

    void aTableDoesNotRememberWhatRestsOnEquality() {
        auto a = std::make_shared<Point>(Point{1});
        const auto b = std::make_shared<Point>(Point{1});
        DispatchTable table;
        table.add({}, callWith(typeOfObject(a, kByValue)), 7);
        const FunctionType request = callWith(typeOfObject(b, kByValue));
        QCOMPARE(table.dispatch({}, request), std::optional<std::uint32_t>(7));
        a = nullptr;
        QVERIFY(!table.dispatch({}, request).has_value());
        QVERIFY(couldServe(table.targets()[0].type, request));
    }

    void classesAreCalledWithoutTheirNamespaces() {
        QCOMPARE(plainName(typeid(Point)), std::string("Point"));
        QCOMPARE(plainName(typeid(Pair<int, Point>)), std::string("Pair<int, Point>"));
        QCOMPARE(plainName(typeid(Pair<Pair<Point, int>, Point>)),
                 std::string("Pair<Pair<Point, int>, Point>"));
        struct Local {};
        QCOMPARE(plainName(typeid(Pair<int, Local>)), std::string("Pair<int, Local>"));
        QCOMPARE(plainName(typeid(ParameterKind(Shape))), std::string("ParameterKind (Shape)"));
    }
};

RETRACESCOPE_TEST(ObjectTest);

#include "object_test.moc"
