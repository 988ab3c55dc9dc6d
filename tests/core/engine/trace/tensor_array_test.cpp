#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;

/// x, x^2, ..., x^n as rows.
Tensor powers(const Tensor& n, const Tensor& x) {
    const auto [i, last, all] = whileLoop([&](Tensor at, Tensor, TensorArray) { return at < n; },
                                          [&](Tensor at, Tensor value, TensorArray so) {
                                              const Tensor next = value * x;
                                              return std::tuple(at + 1, next, so.write(at, next));
                                          },
                                          std::tuple(0, onesLike(x), TensorArray(DType::Float32, n)));
    return all.stack();
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class TensorArrayTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void collectsInALoopAlikeStagedAndOnTheHost() {
        Function f("f", {"n", "x"}, powers);
        const Tensor x = constant({2.0f, 3.0f});
        QCOMPARE(f(constant(3), x).values<float>(), (V{2, 3, 4, 9, 8, 27}));
        QCOMPARE(f(constant(3), x).shape(), (Shape{3, 2}));
        QCOMPARE(powers(constant(3), x).values<float>(), (V{2, 3, 4, 9, 8, 27}));
        QCOMPARE(f(constant(1), x).values<float>(), (V{2, 3}));
        QCOMPARE(f.traceCount(), 1U);
        QCOMPARE(types::toText(f.concreteFunctions()[0]->type().output),
                 std::string("TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)"));
    }

    void isAValueThatWritingLeavesAsItWas() {
        const TensorArray none(DType::Float32, 2);
        const TensorArray one = none.write(1, constant(5.0f));
        QCOMPARE(one.read(1).scalar<float>(), 5.0f);
        QCOMPARE(one.write(0, 4.0f).stack().values<float>(), (V{4, 5}));
        QVERIFY(contains(errorOf([&] { (void)none.read(1); }), "element 1 has not been written"));
        QCOMPARE(none.size().scalar<std::int32_t>(), 2);
    }

    void cutsATensorIntoRowsAndJoinsThemAgain() {
        const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
        const auto work = [](Tensor at) {
            const TensorArray rows = TensorArray::unstack(at);
            return std::tuple(rows.read(1), rows.stack(), rows.concat());
        };
        Function f("f", {"x"}, work);
        for (const auto& [row, whole, flat] : {work(x), f(x)}) {
            QCOMPARE(row.values<float>(), (V{3, 4}));
            QVERIFY(tensor::sameContent(whole, x));
            QCOMPARE(flat.values<float>(), (V{1, 2, 3, 4}));
            QCOMPARE(flat.shape(), (Shape{4}));
        }
        QVERIFY(contains(errorOf([] { TensorArray::unstack(constant(1.0f)); }), "a leading axis"));
    }

    void growsOnlyWithADynamicSize() {
        const auto filled = [](TensorArray array) {
            return array.write(2, 3.0f).write(0, 1.0f).write(1, 2.0f).stack();
        };
        QCOMPARE(filled(TensorArray(DType::Float32, 0, {.dynamicSize = true})).values<float>(), (V{1, 2, 3}));
        const std::string message = errorOf([&] { filled(TensorArray(DType::Float32, 2)); });
        QVERIFY2(contains(message, "index 2 is out of range, expected 0 to 1"), message.c_str());
        constexpr std::int64_t kFar = std::int64_t{1} << 32;
        QVERIFY(contains(errorOf([] { TensorArray(DType::Float32, kFar); }),
                         "expected a size from 0 to 2147483647, got 4294967296"));
        QVERIFY(contains(
            errorOf([] {
                static_cast<void>(
                    TensorArray(DType::Float32, 0, {.dynamicSize = true}).write(kFar, constant(1.0f)));
            }),
            "index 4294967296 is out of range: a list has at most 2147483647 elements"));
        Function f("f", {}, [&] { return filled(TensorArray(DType::Float32, 2)); });
        QVERIFY(contains(errorOf([&] { f(); }), "index 2 is out of range"));
    }

    void mistakesNameIndexAndExpectation() {
        const TensorArray array = TensorArray(DType::Float32, 3).write(1, constant({1.0f, 2.0f}));
        QVERIFY(contains(errorOf([&] {
                             (void)array.write(1, constant({1.0f, 2.0f}));
                         }),
                         "element 1 has been written before"));
        QVERIFY(contains(errorOf([&] { (void)array.write(2, constant({1.0f})); }),
                         "element 2 is float32[1], expected float32[2]"));
        QVERIFY(contains(errorOf([&] { (void)array.write(2, constant({1, 2})); }), "got int32[2]"));
        QVERIFY(contains(errorOf([&] { array.stack(); }), "element 0 has not been written"));
        QVERIFY(contains(errorOf([] { TensorArray(DType::Float32, 0).stack(); }), "give the element shape"));
        QCOMPARE(TensorArray(DType::Float32, 0, {.elementShape = Shape{2}}).stack().shape(), (Shape{0, 2}));
        QVERIFY(contains(
            errorOf([] { (void)TensorArray(DType::Float32, 1, {.elementShape = Shape{2}}).write(0, 1.0f); }),
            "expected float32[2], got float32[]"));
        // In a traced function, dtypes when it is traced, the rest when it runs.
        Function twice("twice", {"i"}, [](Tensor i) {
            return TensorArray(DType::Float32, 3).write(0, 1.0f).write(i, 2.0f).read(2);
        });
        QVERIFY(contains(errorOf([&] { twice(constant(0)); }), "element 0 has been written before"));
        QVERIFY(contains(errorOf([&] { twice(constant(1)); }), "element 2 has not been written"));
        QCOMPARE(twice(constant(2)).scalar<float>(), 2.0f);
        Function wrong("wrong", {},
                       [] { return TensorArray(DType::Float32, 1).write(0, constant(1)).stack(); });
        QVERIFY(contains(errorOf([&] { wrong(); }), "[TensorArray.write] expected float32"));
    }

    void goesInAndOutOfFunctions() {
        Function fill("fill", {"array", "x"}, [](TensorArray array, Tensor x) { return array.write(1, x); });
        const TensorArray filled = fill(TensorArray(DType::Float32, 2).write(0, 1.0f), constant(2.0f));
        QCOMPARE(filled.stack().values<float>(), (V{1, 2}));
    }

    void gradientsGoThroughIt() {
        Function slope("slope", {"n", "x"},
                       [](Tensor n, Tensor x) { return gradients(powers(n, x), {x})[0]; });
        QCOMPARE(slope(constant(3), constant({2.0f})).values<float>(), (V{1 + 2 * 2 + 3 * 4}));
        Function second("second", {"n", "x"}, [](Tensor n, Tensor x) {
            return gradients(gradients(powers(n, x), {x})[0], {x})[0];
        });
        QCOMPARE(second(constant(3), constant({2.0f})).values<float>(), (V{2 + 6 * 2}));
        GradientTape tape; // what it records eagerly
        const Tensor x = constant({2.0f});
        tape.watch(x);
        QCOMPARE(tape.gradient(powers(constant(3), x), x).values<float>(), (V{1 + 2 * 2 + 3 * 4}));
        Function rows("rows", {"x"}, [](Tensor at) {
            const TensorArray all = TensorArray::unstack(at);
            return gradients(all.read(0) * all.read(2) + all.read(0), {at})[0];
        });
        QCOMPARE(rows(constant({2.0f, 3.0f, 5.0f})).values<float>(), (V{6, 0, 2}));
    }
};

RETRACESCOPE_TEST(TensorArrayTest);

#include "tensor_array_test.moc"
