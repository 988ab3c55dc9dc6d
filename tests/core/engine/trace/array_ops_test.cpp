#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;
using I = std::vector<int>;

/// What `body` makes of `x`, which must be the same eager and traced.
template <class Body>
std::string both(const Tensor& x, const Body& body) {
    Function traced("traced", {"x"}, [&](Tensor at) { return body(at); });
    const std::string eager = toText(body(x));
    const Tensor result = traced(x);
    return toText(result) == eager ? eager : eager + ", traced " + toText(result);
}

} // namespace

class ArrayOpsTest : public QObject {
    Q_OBJECT

    const Tensor m_x = constant({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});

private Q_SLOTS:
    void aVectorIsATensorOfItsLength() {
        const std::vector<float> values{1, 2, 3};
        QCOMPARE(toText(constant(values)), toText(constant({1.0f, 2.0f, 3.0f})));
        QCOMPARE(toText(constant(std::vector<std::int64_t>())),
                 toText(constant(std::vector<std::int64_t>(), {0})));
        Function f("f", {"x"}, [&](Tensor x) { return x + constant(values); });
        QCOMPARE(f(ones({3})).values<float>(), (std::vector<float>{2, 3, 4}));
        for (const std::string& message : {errorOf([&] {
                                               constant(values, {2, 2});
                                           }),
                                           errorOf([] {
                                               constant({{1, 2}, {3}});
                                           })})
            VERIFY_CONTAINS(message, "values do not fill the shape [2,2] (array_ops_test.cpp:");
        VERIFY_CONTAINS(errorOf([] { zeros({-1}); }), "got [None] (array_ops_test.cpp:");
    }

    void eagerAndTracedAgree() {
        const auto check = [&](const auto& body, const Tensor& expected) {
            QCOMPARE(both(m_x, body), toText(expected));
        };
        check([](Tensor x) { return stridedSlice(x, {1}); }, constant({4.0f, 5.0f, 6.0f}));
        check(
            [](Tensor x) {
                return stridedSlice(x, {{}, {{}, {}, -1}});
            },
            constant({{3.0f, 2.0f, 1.0f}, {6.0f, 5.0f, 4.0f}}));
        check([](Tensor x) { return slice(x, {0, 1}, {1, -1}); }, constant({{2.0f, 3.0f}}));
        check(
            [](Tensor x) {
                return gather(x, constant({2, 0}), 1);
            },
            constant({{3.0f, 1.0f}, {6.0f, 4.0f}}));
        check([](Tensor x) { return stack(unstack(x, 1)); },
              constant({{1.0f, 4.0f}, {2.0f, 5.0f}, {3.0f, 6.0f}}));
        check([](Tensor x) { return split(x, {1, 2}, 1)[1]; }, constant({{2.0f, 3.0f}, {5.0f, 6.0f}}));
        check([](Tensor x) { return split(x, 3, -1)[1]; }, constant({{2.0f}, {5.0f}}));
        check(
            [](Tensor x) {
                return pad(x, {{0, 1}, {1, 0}}, 9);
            },
            constant({{9.0f, 1.0f, 2.0f, 3.0f}, {9.0f, 4.0f, 5.0f, 6.0f}, {9.0f, 9.0f, 9.0f, 9.0f}}));
        check(
            [](Tensor x) {
                return reverse(x, {0, 1});
            },
            constant({{6.0f, 5.0f, 4.0f}, {3.0f, 2.0f, 1.0f}}));
        check([](Tensor x) { return sort(x, true); }, constant({{3.0f, 2.0f, 1.0f}, {6.0f, 5.0f, 4.0f}}));
        check([](Tensor x) { return sort(x, true, 0); }, constant({{4.0f, 5.0f, 6.0f}, {1.0f, 2.0f, 3.0f}}));
        check([](Tensor x) { return topK(x, 2).values; }, constant({{3.0f, 2.0f}, {6.0f, 5.0f}}));
        check([](Tensor x) { return topK(x, 1).indices; }, constant({{2}, {2}}));
        check([](Tensor x) { return where(x > 4.5f); },
              constant({{std::int64_t{1}, std::int64_t{1}}, {std::int64_t{1}, std::int64_t{2}}}));
        check(
            [](Tensor x) {
                return booleanMask(x, constant({false, true}));
            },
            constant({{4.0f, 5.0f, 6.0f}}));
        check(
            [](Tensor x) {
                return segmentSum(x, constant({2, 2}), 3);
            },
            constant({{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {5.0f, 7.0f, 9.0f}}));
        check([](Tensor x) { return oneHot(cast(stridedSlice(x, {0}), DType::Int32), 3); },
              constant({{0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}}));
        check([](Tensor x) { return range(reduceMax(x)) + 0.5f; },
              constant({0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f}));
        check([](Tensor x) { return linspace(reduceMin(x), 3.0f, 3); }, constant({1.0f, 2.0f, 3.0f}));
        check([](Tensor x) { return fill(shapeOf(x), 7); }, constant({{7, 7, 7}, {7, 7, 7}}));
        check([](Tensor) { return eye(2); }, constant({{1.0f, 0.0f}, {0.0f, 1.0f}}));
    }

    void sortingKeepsEqualElementsInOrderAndNansAboveAll() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(argSort(constant({2.0f, nan, 1.0f, 2.0f})).values<int>(), (I{2, 0, 3, 1}));
        QCOMPARE(argSort(constant({2.0f, nan, 1.0f, 2.0f}), true).values<int>(), (I{1, 0, 3, 2}));
    }

    void batchesOfMatricesAreMultipliedAndBroadcast() {
        const Tensor a = reshape(range(0.0f, 12.0f), {2, 2, 3});
        const Tensor b = reshape(range(0.0f, 6.0f), {3, 2});
        const std::vector<float> expected{10, 13, 28, 40, 46, 67, 64, 94};
        Function f("f", {"a", "b"}, [](Tensor x, Tensor y) { return matmul(x, y); });
        for (const Tensor& product :
             {matmul(a, b), f(a, b), matmul(a, stack({b, b})), matmul(a, transpose(b), false, true),
              transpose(matmul(b, a, true, true), {0, 2, 1})}) {
            QCOMPARE(product.shape(), (Shape{2, 2, 2}));
            QCOMPARE(product.values<float>(), expected);
        }
        QCOMPARE(matmul(zeros({0, 2, 3}), b).shape(), (Shape{0, 2, 2}));
    }

    void longSumsKeepTheirPrecision() {
        const Tensor many = filled(0.1f, {10'000'000});
        QVERIFY(std::abs(reduceSum(many).scalar<float>() - 1e6f) < 2.0f);
        QVERIFY(std::abs(reduceMean(many).scalar<float>() - 0.1f) < 1e-6f);
        const Tensor rows = reduceSum(reshape(many, {2, 5'000'000}), {1});
        for (const float sum : rows.values<float>())
            QVERIFY(std::abs(sum - 5e5f) < 1.0f);
    }

    void boolsAreFilledAndWrittenByRows() {
        const Tensor rows = constant({{true, false}, {true, true}});
        QCOMPARE(rows.values<bool>(), (std::vector<bool>{true, false, true, true}));
        QCOMPARE(zerosLike(rows).values<bool>(), std::vector<bool>(4, false));
        QCOMPARE(onesLike(rows).values<bool>(), std::vector<bool>(4, true));
    }

    void gatherHasADenseGradient() {
        Function slope("slope", {"x", "i"}, [](Tensor x, Tensor i) {
            return gradients(reduceSum(gather(x, i) * constant({1.0f, 10.0f, 100.0f})), {x})[0];
        });
        QCOMPARE(slope(constant({5.0f, 6.0f, 7.0f}), constant({2, 0, 2})).values<float>(), (V{10, 0, 101}));
    }

    void integersHavePowers() {
        Function cubed("cubed", {"x", "n"},
                       [](Tensor x, Tensor n) { return std::tuple(pow(x, 3), pow(x, n)); });
        const Tensor x = constant({2, 3, -2});
        const auto [three, each] = cubed(x, constant({0, 4, 5}));
        QCOMPARE(three.values<std::int32_t>(), (std::vector<std::int32_t>{8, 27, -8}));
        QCOMPARE(each.values<std::int32_t>(), (std::vector<std::int32_t>{1, 81, -32}));
        QCOMPARE(pow(constant(3), 21).scalar<std::int32_t>(),
                 static_cast<std::int32_t>(1870418611)); // mod 2^32
        QCOMPARE(pow(constant(std::int64_t{10}), std::int64_t{18}).scalar<std::int64_t>(),
                 std::int64_t{1000000000000000000});
        QVERIFY(test::errorOf([&] { pow(x, -1); }).starts_with("[pow] expected an exponent of 0 or more"));
    }

    void mistakesSayWhatWasExpected() {
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        QVERIFY(message([&] {
                    gather(m_x, constant({5}));
                }).startsWith("[gather] expected indices from 0 to below 2, got 5"));
        QVERIFY(message([&] {
                    split(m_x, 2, 1);
                }).startsWith("[split] axis 1 of float32[2,3] does not split into 2 equal parts"));
        QVERIFY(message([&] { topK(m_x, 4); }).startsWith("[top_k] float32[2,3] has no 4 elements"));
        QVERIFY(message([&] { slice(m_x, {0, 2}, {1, 2}); }).startsWith("[slice] 2 elements from 2 on"));
        QVERIFY(message([&] {
                    mod(constant(1), constant(0));
                }).startsWith("[mod] an integer was divided by zero"));
    }
};

RETRACESCOPE_TEST(ArrayOpsTest);
#include "array_ops_test.moc"
