#include <QTest>

#include <cmath>
#include <complex>
#include <random>

#include <retracescope/types/trace_type.h>

#include "tests/core/types/type_text.h"
#include "tests/support/test_main.h"

using namespace retracescope::types;
using retracescope::test::type;
using retracescope::test::writtenType;

namespace {

/// Random types that collide often: few dtypes, sizes, names and literals, nested up to two levels.
TypeId randomType(std::mt19937& random, int depth = 0) {
    const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto tensor = [&] {
        if (pick(8) == 0)
            return tensorType(DType::Float32, Shape::unknownRank());
        std::vector<std::int64_t> sizes;
        for (int rank = pick(3); rank > 0; --rank)
            sizes.push_back(pick(3) - 1);
        return tensorType(pick(4) == 0 ? DType::Int32 : DType::Float32, Shape(sizes));
    };
    switch (pick(depth < 2 ? 9 : 5)) {
    case 0:
        return literalType(pick(2));
    case 1:
        return variableType(tensor(), pick(3) != 0, pick(2));
    case 2:
        return tensorSpec(tensor(), pick(3) == 0 ? "y" : "");
    case 3:
    case 4:
        return tensorSpec(tensor());
    case 5:
        return dictType({{Literal(pick(2) == 0 ? "a" : "b"), randomType(random, depth + 1)}});
    case 6: {
        const std::vector<TypeId> items{randomType(random, depth + 1)};
        return pick(2) == 0 ? listType(items) : tupleType(items);
    }
    case 7:
        return pick(2) == 0 ? datasetType(tensorSpec(tensor())) : iteratorType(tensorSpec(tensor()));
    default: {
        const std::vector<TypeId> items{randomType(random, depth + 1), randomType(random, depth + 1)};
        return listType(items);
    }
    }
}

std::vector<TypeId> randomTypes(unsigned seed, int count) {
    std::mt19937 random(seed);
    std::vector<TypeId> types;
    for (int i = 0; i < count; ++i)
        types.push_back(randomType(random));
    return types;
}

} // namespace

class TraceTypeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsTheSummaryTable_data() {
        QTest::addColumn<QString>("request");
        QTest::addColumn<QString>("cached");
        QTest::addColumn<bool>("fits");
        QTest::addColumn<QString>("common");
        const auto row = [](const char* request, const char* cached, bool fits, const char* common) {
            QTest::addRow("%s vs %s", request, cached) << request << cached << fits << common;
        };
        row("f32[2]", "f32[2]", true, "f32[2]");
        row("f32[2]", "f32[?]", true, "f32[?]");
        row("f32[?]", "f32[2]", false, "f32[?]");
        row("f32[2]", "f32[3]", false, "f32[?]");
        row("f32[2]", "f32[2,2]", false, "f32*");
        row("f32[]", "f32[1]", false, "f32*");
        row("f32[5,5]", "f32*", true, "f32*");
        row("f32*", "f32[5]", false, "f32*");
        row("f32[1,?]", "f32[?,2]", false, "f32[?,?]");
        row("f32[2]", "f64[2]", false, "");
        row("i32[2]", "f32[2]", false, "");
        row("f32[2]", "f32[2]:y", true, "");
        row("f32[2]:y", "f32[2]", false, "");
        row("f32[2]:y", "f32[2]:z", false, "");
        row("1", "1", true, "1");
        row("1", "2", false, "");
        row("'a'", "'b'", false, "");
        row("'a'", "b'a'", false, "");
        row("none", "0", false, "");
        row("1", "true", false, ""); // TensorFlow: yes (oracle/deviations.md, literals)
        row("1", "1.0", false, "");  // TensorFlow: yes (oracle/deviations.md, literals)
        row("1", "i32[]", false, "");
        row("var f32[2]@0", "var f32[3]@0", false, "var f32[?]@0");
        row("var f32[2]@0", "var f32[?]@0", true, "var f32[?]@0");
        row("var f32[2]@0", "f32[2]", false, "");
        row("var f32[2]@0", "var f32[2]@1", false, "");
        row("var f32[2]@0", "fixed f32[2]@0", false, "");
        row("[f32[2]]", "(f32[2])", false, "");
        row("[f32[2]]", "[f32[2],f32[2]]", false, "");
        row("{a:1}", "{a:1,b:1}", false, "");
        row("[f32[2]]", "[f32[3]]", false, "[f32[?]]");
        row("{b:f32[2],a:1}", "{a:1,b:f32[?]}", true, "{a:1,b:f32[?]}");
        row("[1,f32[2]]", "[2,f32[2]]", false, "");
        row("[]", "()", false, "");
        row("ds(f32[2])", "ds(f32[?])", true, "ds(f32[?])");
        row("ds(f32[?])", "ds(f32[2])", false, "ds(f32[?])");
        row("ds(f32[2,2])", "ds(f32[3,2])", false, "ds(f32[?,2])");
        row("ds((f32[2],i32[]))", "ds((f32[3],i32[]))", false, "ds((f32[?],i32[]))");
        row("ds((f32[2],i32[]))", "ds((f32[2],f32[]))", false, "");
        row("ds(f32[2])", "it(f32[2])", false, "");
        row("ds(f32[2])", "f32[2]", false, "");
        row("it(f32[2])", "it(f32[3])", false, "it(f32[?])");
    }

    void followsTheSummaryTable() {
        QFETCH(QString, request);
        QFETCH(QString, cached);
        QFETCH(bool, fits);
        QFETCH(QString, common);
        const TypeId a = type(request.toStdString());
        const TypeId b = type(cached.toStdString());
        QCOMPARE(isSubtype(a, b), fits);
        const TypeId expected = common.isEmpty() ? TypeId::None : type(common.toStdString());
        QCOMPARE(toText(commonSupertype(a, b)), toText(expected));
        QCOMPARE(toText(commonSupertype(b, a)), toText(expected));
    }

    void subtypingIsAPartialOrder() {
        const std::vector<TypeId> types = randomTypes(1, 300);
        int related = 0;
        for (const TypeId a : types) {
            QVERIFY(isSubtype(a, a));
            for (const TypeId b : types) {
                if (!isSubtype(a, b))
                    continue;
                related += a != b;
                QVERIFY(a == b || !isSubtype(b, a));
                for (const TypeId c : types)
                    QVERIFY(!isSubtype(b, c) || isSubtype(a, c));
            }
        }
        QVERIFY(related > 200);
    }

    void whatServesOnlyItselfHasNoSubtypes() {
        const std::vector<TypeId> types = randomTypes(5, 1500);
        int alone = 0;
        for (const TypeId wide : types) {
            if (!servesOnlyItself(wide))
                continue;
            ++alone;
            for (const TypeId narrow : types)
                QVERIFY2(narrow == wide || !isSubtype(narrow, wide), toText(wide).c_str());
        }
        QVERIFY2(alone > 400 && alone < 1200, std::to_string(alone).c_str());
        for (const char* text : {"f32[2]", "1", "[f32[2],1]", "{a:f32[]}", "var f32[2]@0"})
            QVERIFY2(servesOnlyItself(type(text)), text);
        for (const char* text :
             {"f32[?]", "f32*", "f32[2]:y", "(f32[2],f32[?])", "var f32[?]@0", "ds(f32[2])"})
            QVERIFY2(!servesOnlyItself(type(text)), text);
    }

    void theCommonSupertypeIsTheLeastUpperBound() {
        std::mt19937 random(2);
        std::vector<TypeId> types;
        for (int i = 0; i < 150; ++i)
            types.push_back(randomType(random));
        int proper = 0;
        for (const TypeId a : types)
            for (const TypeId b : types) {
                const TypeId bound = commonSupertype(a, b);
                QVERIFY(bound == commonSupertype(b, a));
                if (bound == TypeId::None)
                    continue;
                proper += bound != a && bound != b;
                // A name is no part of what a bound widens: an unnamed spec is below a named one, yet has no
                // bound with it.
                QVERIFY(isSubtype(a, bound) && isSubtype(b, bound));
                for (const TypeId other : types)
                    QVERIFY(!(isSubtype(a, other) && isSubtype(b, other)) || isSubtype(bound, other));
            }
        QVERIFY(proper > 50);
    }

    void literalsCompareByKindAndBits() {
        QVERIFY(Literal(0.0) != Literal(-0.0));
        QVERIFY(Literal(std::nan("1")) == Literal(-std::nan("2")));
        QVERIFY(literalType(std::nan("1")) == literalType(-std::nan("2")));
        QVERIFY(Literal(true) != Literal(1));
        QVERIFY(Literal("a") != Literal(Literal::Bytes{"a"}));
    }

    void tensorflowSharesEqualNumbers() {
        QVERIFY(sharedLiteral(true) == sharedLiteral(1));
        QVERIFY(sharedLiteral(1.0) == sharedLiteral(1));
        QVERIFY(sharedLiteral(-0.0) == sharedLiteral(0.0));
        QVERIFY(sharedLiteral(std::ldexp(1.0, 40)) == sharedLiteral(std::int64_t{1} << 40));
        QVERIFY(sharedLiteral(1.5) != sharedLiteral(1));
        QVERIFY(sharedLiteral("1") != sharedLiteral(1));
        QVERIFY(sharedLiteral(std::complex(2.0, 0.0)) == sharedLiteral(2));
        QVERIFY(sharedLiteral(std::complex(0.0, 2.0)) != sharedLiteral(2));
        QVERIFY(sharedLiteral(std::complex(-0.0, 1.0)) == sharedLiteral(std::complex(0.0, 1.0)));
        QVERIFY(sharedLiteral(std::complex(1.0, std::nan("1"))) == sharedLiteral(std::nan("2")));
    }

    void writesLiteralsAsPythonDoes() {
        const auto check = [](const Literal& literal, const char* expected) {
            QCOMPARE(toText(literal), std::string(expected));
        };
        check(1e16, "1e+16");
        check(1099511627776.0, "1099511627776.0");
        check(-0.0, "-0.0");
        check(std::complex(0.0, 1.0), "1j");
        check(std::complex(2.0, 0.0), "(2+0j)");
        check(std::complex(-0.5, -2.0), "(-0.5-2j)");
        check("it's", "\"it's\"");
        check("it's \"x\"", "'it\\'s \"x\"'");
        check("tab\tnew\nline", "'tab\\tnew\\nline'");
        check("\xc3\xa4", "'\xc3\xa4'");
        check(Literal::Bytes{"\xc3\xa4"}, "b'\\xc3\\xa4'");
    }

    void keysAreOrderedByValueNotByText() {
        const std::vector<Literal> sorted{Literal(),   Literal(2),   Literal(2.5),
                                          Literal(10), Literal("b"), Literal("c")};
        for (std::size_t i = 0; i < sorted.size(); ++i)
            for (std::size_t k = 0; k < sorted.size(); ++k)
                QVERIFY((keyOrder(sorted[i], sorted[k]) < 0) == (i < k));
        QVERIFY(keyOrder(1, true) != 0);
    }

    void keysOfOneKindAreSortable() {
        using Complex = std::complex<double>;
        QVERIFY(areSortable(1, true) && areSortable(2.5, -1) && areSortable("a", "b"));
        QVERIFY(areSortable(Literal::Bytes{"a"}, Literal::Bytes{"b"}));
        QVERIFY(!areSortable(1, "a") && !areSortable("a", Literal::Bytes{"a"}) && !areSortable(Literal(), 1));
        QVERIFY(!areSortable(Complex(1, 1), Complex(2, 0)) && !areSortable(1, Complex(2, 0)));
    }

    void aCacheKeyForgetsTheOrderOfADict() {
        const TypeId written = writtenType("{b:[{y:f32[2],x:2}],a:1}");
        const TypeId other = writtenType("{a:1,b:[{x:2,y:f32[2]}]}");
        QVERIFY(written != other);
        QVERIFY(cacheKey(written) == cacheKey(other));
        QCOMPARE(toText(written), std::string("Dict[['b', List[Dict[['y', TensorSpec(shape=(2,), "
                                              "dtype=tf.float32, name=None)], ['x', Literal[2]]]]], "
                                              "['a', Literal[1]]]"));
        QVERIFY(asWritten(cacheKey(written), written) == written);
        const TypeId wider = commonSupertype(cacheKey(written), type("{a:1,b:[{x:2,y:f32[3]}]}"));
        QVERIFY(asWritten(wider, written) == writtenType("{b:[{y:f32[?],x:2}],a:1}"));
    }

    void theRulesOfAKeyAreSwitches() {
        const KeyRules sharing{true, false};
        QVERIFY(cacheKey(type("[true,1.0]")) != cacheKey(type("[1,1]")));
        QVERIFY(cacheKey(type("[true,1.0]"), sharing) == cacheKey(type("[1,1]"), sharing));
        QVERIFY(asWritten(cacheKey(type("[true,1.0]"), sharing), type("[true,1.0]")) == type("[true,1.0]"));
        const TypeId one = dictType({{Literal(true), type("5")}, {Literal(2), type("6")}});
        const TypeId two = dictType({{Literal(2.0), type("6")}, {Literal(1), type("5")}});
        QVERIFY(cacheKey(one) != cacheKey(two));
        QVERIFY(cacheKey(one, sharing) == cacheKey(two, sharing));
        const std::vector<std::pair<Literal, TypeId>> fields{{Literal("x"), type("f32[]")}};
        const KeyRules naming{false, true};
        QVERIFY(cacheKey(namedType("P", fields, 1)) != cacheKey(namedType("P", fields, 2)));
        QVERIFY(cacheKey(namedType("P", fields, 1), naming) == cacheKey(namedType("P", fields, 2), naming));
        QVERIFY(cacheKey(namedType("P", fields, 1), naming) != cacheKey(namedType("Q", fields, 1), naming));
    }

    void printsAsSignaturesDo() {
        QCOMPARE(toText(type("f32[?,2]:y")),
                 std::string("TensorSpec(shape=(None, 2), dtype=tf.float32, name='y')"));
        QCOMPARE(toText(type("f32[4]")), std::string("TensorSpec(shape=(4,), dtype=tf.float32, name=None)"));
        QCOMPARE(toText(type("str*")),
                 std::string("TensorSpec(shape=<unknown>, dtype=tf.string, name=None)"));
        QCOMPARE(toText(type("var f32[]@0")),
                 std::string("VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)"));
        QCOMPARE(toText(type("{k:1,a:'x'}")), std::string("Dict[['a', Literal['x']], ['k', Literal[1]]]"));
        QCOMPARE(toText(type("[true,(0.5,none)]")),
                 std::string("List[Literal[True], Tuple[Literal[0.5], Literal[None]]]"));
        QCOMPARE(toText(type("ds(i64[?])")),
                 std::string("DatasetSpec(TensorSpec(shape=(None,), dtype=tf.int64, name=None), "
                             "TensorShape([]))"));
        QCOMPARE(toText(type("it((i64*,{k:i64[]}))")),
                 std::string("IteratorSpec((TensorSpec(shape=<unknown>, dtype=tf.int64, name=None), {'k': "
                             "TensorSpec(shape=(), dtype=tf.int64, name=None)}),)"));
        QCOMPARE(toText(type("ds((i64[]))")),
                 std::string("DatasetSpec((TensorSpec(shape=(), dtype=tf.int64, name=None),), "
                             "TensorShape([]))"));
        const TypeId point = namedType("Point", {{Literal("x"), type("[i64[]]")}});
        QCOMPARE(toText(datasetType(point)),
                 std::string("DatasetSpec(Point(x=[TensorSpec(shape=(), dtype=tf.int64, name=None)]), "
                             "TensorShape([]))"));
    }

    void aDatasetIsOneLeaf() {
        const TypeId both = type("[ds((f32[2],i32[])),{b:it(f32[2]),a:f32[3]},1]");
        QCOMPARE(leafCount(both), 3);
        const std::vector<TypeId> leaves = leavesOf(both);
        QCOMPARE(leaves, (std::vector{type("ds((f32[2],i32[]))"), type("f32[3]"), type("it(f32[2])")}));
        const auto open = [](TensorTypeId tensor) {
            return tensorType(dtypeOf(tensor), Shape::unknownRank());
        };
        QCOMPARE(toText(withTensors(both, open)),
                 toText(type("[ds((f32[2],i32[])),{b:it(f32[2]),a:f32*},1]")));
    }
};

RETRACESCOPE_TEST(TraceTypeTest);

#include "trace_type_test.moc"
