#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;

/// Doubles x until its sum reaches 100.
Tensor doubled(const Tensor& x) {
    return whileLoop([](const Tensor& v) { return reduceSum(v) < 100.0f; },
                     [](const Tensor& v) { return v * 2.0f; }, x);
}

} // namespace

class LoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noTripsAreMadeWhereAtMostNoneAreAllowed() {
        const auto looped = [](Tensor x) {
            return whileLoop([](Tensor sum) { return sum < 10.0f; }, [](Tensor sum) { return sum + 1.0f; }, x,
                             {.maximumIterations = -1});
        };
        const Function traced("looped", {"x"}, looped);
        QCOMPARE(looped(constant(1.0f)).scalar<float>(), 1.0f);
        QCOMPARE(traced(constant(1.0f)).scalar<float>(), 1.0f);
    }

    void loopsAlikeStagedAndOnTheHost() {
        Function f("f", {"x"}, [](Tensor x) { return doubled(x); });
        const Tensor x = constant({3.0f, 4.0f});
        QCOMPARE(f(x).values<float>(), doubled(x).values<float>());
        QCOMPARE(f(x).values<float>(), (V{48, 64}));
        QCOMPARE(f(constant({60.0f, 50.0f})).values<float>(), (V{60, 50})); // no trip
        QCOMPARE(f.bodyRuns(), 1U);
    }

    void severalValuesAndHostNumbers() {
        Function sumTo("sum_to", {"n"}, [](Tensor n) {
            const auto [i, sum] =
                whileLoop([&](Tensor at, Tensor) { return at < n; },
                          [](Tensor at, Tensor so) { return std::tuple(at + 1, so + at); }, std::tuple(0, 0));
            return std::tuple(i, sum);
        });
        const auto [i, sum] = sumTo(constant(10));
        QCOMPARE(i.scalar<std::int32_t>(), 10);
        QCOMPARE(sum.scalar<std::int32_t>(), 45);
        QCOMPARE(std::get<1>(sumTo(constant(1000))).scalar<std::int32_t>(), 499500);
        QCOMPARE(sumTo.traceCount(), 1U);
    }

    void aRangeCountsTrips() {
        Function f("f", {"n", "x"}, [](Tensor n, Tensor x) {
            return forRange(
                n, [](Tensor i, Tensor v) { return v * 2.0f + cast(i, DType::Float32); }, x);
        });
        QCOMPARE(f(constant(4), constant(0.5f)).scalar<float>(), 19.0f);
        QCOMPARE(f(constant(0), constant(0.5f)).scalar<float>(), 0.5f);
        QCOMPARE(forRange(
                     4, [](Tensor i, Tensor v) { return v * 2.0f + cast(i, DType::Float32); }, constant(0.5f))
                     .scalar<float>(),
                 19.0f);
    }

    void loopsNestAndBranch() {
        Function collatz("collatz", {"n"}, [](Tensor n) {
            const auto [last, steps] =
                whileLoop([](Tensor v, Tensor) { return v > 1; },
                          [](Tensor v, Tensor s) {
                              const Tensor half = v / 2;
                              const Tensor next = cond(
                                  equal(half * 2, v), [&] { return half; }, [&] { return v * 3 + 1; });
                              return std::tuple(next, s + 1);
                          },
                          std::tuple(n, 0));
            return steps;
        });
        QCOMPARE(collatz(constant(27)).scalar<std::int32_t>(), 111);
        Function table("table", {"n"}, [](Tensor n) {
            return forRange(
                n,
                [&](Tensor i, Tensor sum) {
                    return forRange(
                        n, [&](Tensor j, Tensor inner) { return inner + i * j; }, sum);
                },
                constant(std::int64_t{0}));
        });
        QCOMPARE(table(constant(std::int64_t{5})).scalar<std::int64_t>(), 100);
    }

    void variablesChangeOncePerTrip() {
        const Variable count(constant(0), {"count"});
        Function f("f", {"n"}, [&](Tensor n) {
            whileLoop([&](Tensor i) { return i < n; },
                      [&](Tensor i) {
                          count.assignAdd(2);
                          return i + 1;
                      },
                      constant(0));
            return count.read(); // after the loop
        });
        QCOMPARE(f(constant(5)).scalar<std::int32_t>(), 10);
        QCOMPARE(f(constant(3)).scalar<std::int32_t>(), 16);
    }

    void aShapeChangesOnlyWithAnInvariant() {
        const auto grow = [](Tensor x, const LoopOptions& options) {
            return whileLoop([](Tensor v) { return reduceSum(v) < 4.0f; },
                             [](Tensor v) {
                                 return concat({v, constant({1.0f})});
                             },
                             x, options);
        };
        Function strict("strict", {"x"}, [&](Tensor x) { return grow(x, {}); });
        const std::string message = errorOf([&] { strict(constant({1.0f})); });
        QVERIFY2(message.find("the value is float32[1] before the body, but float32[2] after it") !=
                     std::string::npos,
                 message.c_str());
        QVERIFY2(message.find("shapeInvariants") != std::string::npos, message.c_str());
        Function open("open", {"x"}, [&](Tensor x) {
            return grow(x, {.shapeInvariants = Value(TensorSpec{DType::Float32, {Shape::kUnknown}, {}})});
        });
        QCOMPARE(open(constant({1.0f})).values<float>(), (V{1, 1, 1, 1}));
    }

    void endsAfterTheMostTrips() {
        const auto three = [](Tensor x) {
            return whileLoop([](Tensor) { return constant(true); }, [](Tensor v) { return v + 1.0f; }, x,
                             {.maximumIterations = 3});
        };
        Function f("f", {"x"}, three);
        QCOMPARE(f(constant(0.0f)).scalar<float>(), 3.0f);
        QCOMPARE(three(constant(0.0f)).scalar<float>(), 3.0f);
    }

    void goesAlongTheRowsOfATensor() {
        const auto norms = [](Tensor x) {
            return forEach(
                x, [](Tensor row, Tensor sum) { return sum + reduceSum(row * row); }, constant(0.0f));
        };
        FunctionOptions options;
        options.inputSignature = {TensorSpec{DType::Float32, {Shape::kUnknown, 2}, ""}};
        Function f("f", {"x"}, norms, options);
        const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
        QCOMPARE(f(x).scalar<float>(), 30.0f);
        QCOMPARE(norms(x).scalar<float>(), 30.0f);
        QCOMPARE(f(zeros({0, 2})).scalar<float>(), 0.0f);
        QCOMPARE(f.traceCount(), 1U);
        const auto [low, high] = forEach(
            x,
            [](Tensor row, Tensor least, Tensor most) {
                return std::tuple(minimum(least, row), maximum(most, row));
            },
            std::tuple(constant({9.0f, 9.0f}), constant({0.0f, 0.0f})));
        QCOMPARE(low.values<float>(), (V{1, 2}));
        QCOMPARE(high.values<float>(), (V{3, 4}));
        Function slope("slope", {"x"}, [&](Tensor at) { return gradients(norms(at), {at})[0]; });
        QCOMPARE(slope(x).values<float>(), (V{2, 4, 6, 8}));
    }

    void aScalarHasNoRows() {
        const auto sum = [](Tensor x) {
            return forEach(
                x, [](Tensor row, Tensor so) { return so + row; }, constant(0.0f));
        };
        Function f("f", {"x"}, sum);
        for (const std::string& message :
             {errorOf([&] { sum(constant(1.0f)); }), errorOf([&] { f(constant(1.0f)); })})
            QVERIFY2(
                message.find("[forEach] expected a tensor with a leading axis to go along, got float32[]") !=
                    std::string::npos,
                message.c_str());
    }

    void theHostSeesRowsOfEagerTensorsOnly() {
        const std::vector<Tensor> rows = hostRows(constant({5.0f, 6.0f}));
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[1].scalar<float>(), 6.0f);
        Function f("f", {"x"}, [](Tensor x) { return hostRows(x)[0]; });
        QVERIFY(errorOf([&] { f(constant({1.0f})); }).find("loop with forEach") != std::string::npos);
    }

    void rowsAreMappedFoldedAndScanned() {
        const auto all = [](const Tensor& x) {
            return std::tuple(
                mapRows(x, [](const Tensor& row) { return reduceSum(row * row); }),
                fold(
                    x, [](const Tensor& sum, const Tensor& row) { return sum * 0.5f + row; }, zeros({2})),
                scan(
                    x, [](const Tensor& sum, const Tensor& row) { return sum + row; }, zeros({2})),
                mapRows(
                    x, [](const Tensor& row) { return cast(row, DType::Int32); }, DType::Int32));
        };
        FunctionOptions options;
        options.inputSignature = {TensorSpec{DType::Float32, {Shape::kUnknown, 2}, {}}};
        Function f("f", {"x"}, all, options);
        for (const Tensor& x :
             {constant({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}), constant({{7.0f, 8.0f}})}) {
            const auto [mapped, folded, scanned, cast] = f(x);
            const auto [a, b, c, d] = all(x);
            QCOMPARE(toText(mapped), toText(a));
            QCOMPARE(toText(folded), toText(b));
            QCOMPARE(toText(scanned), toText(c));
            QCOMPARE(toText(cast), toText(d));
        }
        QCOMPARE(f.traceCount(), 1U);
        const auto [mapped, folded, scanned, cast] = all(constant({{1.0f, 2.0f}, {3.0f, 4.0f}}));
        QCOMPARE(mapped.values<float>(), (V{5, 25}));
        QCOMPARE(folded.values<float>(), (V{3.5f, 5}));
        QCOMPARE(scanned.values<float>(), (V{1, 2, 4, 6}));
        const auto error = [](const auto& work) { return errorOf(work); };
        std::vector<Shape> known;
        Function ofKnown("ofKnown", {"x"}, [&](Tensor x) {
            const auto [rows, whole, sums, numbers] = all(x);
            known = {rows.shape(), sums.shape(), numbers.shape()};
        });
        ofKnown.concrete(TensorSpec{DType::Float32, {4, 2}, {}});
        QCOMPARE(known, (std::vector<Shape>{{4}, {4, 2}, {4, 2}}));
        QVERIFY(error([] {
                    mapRows(constant(1.0f), [](const Tensor& x) { return x; });
                }).starts_with("[mapRows] expected a tensor with a leading axis"));
    }

    void gradientsGoThroughScans() {
        Function f("f", {"x"}, [](Tensor x) {
            const Tensor sums = scan(
                x, [](const Tensor& sum, const Tensor& row) { return sum * row; }, constant(1.0f));
            return gradients(reduceSum(sums), {x})[0];
        });
        // a + ab + abc
        QCOMPARE(f(constant({2.0f, 3.0f, 4.0f})).values<float>(), (V{16, 10, 6}));
    }

    void mistakesNameTheValue() {
        Function changes("changes", {"x"}, [](Tensor x) {
            const auto [a, b] = whileLoop(
                [](Tensor, Tensor v) { return reduceSum(v) < 1.0f; },
                [](Tensor v, Tensor w) { return std::tuple(v, cast(w, DType::Float64)); }, std::tuple(x, x));
            return b;
        });
        const std::string message = errorOf([&] { changes(constant(0.0f)); });
        VERIFY_CONTAINS(message,
                        "[whileLoop] value 2 of 2 is float32[] before the body, but float64[] after it; "
                        "let it keep structure and dtype: cast it in the body, or what it starts with "
                        "(loop_test.cpp:");
        Function grows("grows", {"x"}, [](Tensor x) {
            return forRange(3, [](Tensor, Tensor v) { return concat({v, v}); }, x, {.maximumIterations = 5});
        });
        VERIFY_CONTAINS(
            errorOf([&] { grows(ones({1})); }),
            "[forRange] the value is float32[1] before the body, but float32[2] after it; let it keep "
            "its shape, or open the axes that change: LoopOptions::shapeInvariants");
        Function folds("folds", {"x"}, [](Tensor x) {
            return fold(
                x,
                [](Tensor sum, Tensor row) {
                    return concat({sum, row});
                },
                zeros({1}));
        });
        VERIFY_CONTAINS(errorOf([&] {
                            folds(ones({2, 1}));
                        }),
                        "[fold] the value is float32[1] before the body");
        Function scans("scans", {"x"}, [](Tensor x) {
            return scan(
                x,
                [](Tensor sum, Tensor row) {
                    return concat({sum, row});
                },
                zeros({1}));
        });
        VERIFY_CONTAINS(
            errorOf([&] {
                scans(ones({2, 1}));
            }),
            "[scan] expected float32[1] from the function, as the value before it is, got float32[2] "
            "(loop_test.cpp:");
        Function open("open", {"x"}, [](Tensor x) {
            LoopOptions options;
            options.shapeInvariants = Value(TensorSpec{DType::Float32, {3}, {}});
            return forEach(
                x, [](Tensor, Tensor v) { return v; }, ones({2}), options);
        });
        VERIFY_CONTAINS(
            errorOf([&] { open(ones({2})); }),
            "[forEach] the value is float32[2] before the loop, its shape invariant is float32[3]");
        Function undecided("undecided", {"x"}, [](Tensor x) {
            return whileLoop([](Tensor v) { return v; }, [](Tensor v) { return v; }, x);
        });
        QVERIFY(errorOf([&] {
                    undecided(constant(0.0f));
                }).find("expected a bool scalar from the condition") != std::string::npos);
    }
};

RETRACESCOPE_TEST(LoopTest);

#include "loop_test.moc"
