#include <QTest>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <retracescope/engine/runtime/print.h>
#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInfinity = std::numeric_limits<float>::infinity();

std::string printed;

} // namespace

class ChecksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anAssertionEndsTheRunWithItsValues() {
        Function f("f", {"x"}, [](Tensor x) {
            assertTrue(reduceMin(x) > 0.0f, "expected positive numbers, got", {x, constant("end")});
            return reduceSum(x);
        });
        QCOMPARE(f(constant({1.0f, 2.0f})).scalar<float>(), 3.0f);
        const std::string error = errorOf([&] { f(constant({1.0f, -2.0f})); });
        VERIFY_CONTAINS(error, "[assert] expected positive numbers, got: [1, -2], end (checks_test.cpp:");
        QCOMPARE(f.traceCount(), 1U);
        VERIFY_CONTAINS(errorOf([] { assertTrue(constant(false)); }),
                        "[assert] expected true, got false (checks_test.cpp:");
        VERIFY_CONTAINS(errorOf([] { assertTrue(constant({true})); }),
                        "[assert] expected a bool scalar, got bool[1]");
    }

    void assertionsHappenInProgramOrder() {
        runtime::setPrintSink([](std::string_view line) { printed += line; });
        printed.clear();
        Function f("f", {"x"}, [](Tensor x) {
            print("before");
            assertTrue(x > 0.0f); // nothing depends on it
            print("after");
        });
        f(constant(1.0f));
        VERIFY_CONTAINS(errorOf([&] { f(constant(-1.0f)); }), "[assert]");
        runtime::setPrintSink(nullptr);
        QCOMPARE(printed, std::string("before\nafter\nbefore\n"));
    }

    void assertionsStayInTheirBranchAndLoop() {
        Function f("f", {"n"}, [](Tensor n) {
            return cond(
                n > 3,
                [&] {
                    Local i = 0;
                    While([&] { return i < n; },
                          [&] {
                              assertTrue(i < 5, "trip", {i});
                              i += 1;
                          });
                    return i.read();
                },
                [&] { return n; });
        });
        QCOMPARE(f(constant(2)).scalar<std::int32_t>(), 2);
        QCOMPARE(f(constant(5)).scalar<std::int32_t>(), 5);
        VERIFY_CONTAINS(errorOf([&] { f(constant(7)); }), "[assert] trip: 5 (checks_test.cpp:");
    }

    void errorsOfARunNameTheFunctionsThatCalled() {
        Function inner("inner", {"x", "i"}, [](Tensor x, Tensor i) { return gather(x, i); });
        Function middle("middle", {"x", "i"}, [&](Tensor x, Tensor i) { return inner(x, i) * 2.0f; });
        Function outer("outer", {"x", "i"}, [&](Tensor x, Tensor i) { return middle(x, i) + 1.0f; });
        const Tensor x = constant({1.0f, 2.0f});
        QCOMPARE(outer(x, constant(1)).scalar<float>(), 5.0f);
        const std::string error = errorOf([&] { outer(x, constant(7)); });
        VERIFY_CONTAINS(error, "[gather] expected indices from 0 to below 2, got 7 (checks_test.cpp:");
        VERIFY_CONTAINS(error, ", in 'inner' called by 'middle' (checks_test.cpp:");
        VERIFY_CONTAINS(error, ", in 'middle' called by 'outer' (checks_test.cpp:");
    }

    void checkedNumbersPassThrough() {
        Function f("f", {"x"}, [](Tensor x) { return checkNumerics(x, "input of f") * 2.0f; });
        QCOMPARE(f(constant({1.0f, 2.0f})).values<float>(), (std::vector<float>{2, 4}));
        VERIFY_CONTAINS(errorOf([&] {
                            f(constant({kNan, kInfinity, 1.0f, kNan}));
                        }) + '\n',
                        "[check_numerics] input of f: expected finite numbers, got 2 NaNs and 1 infinity in "
                        "float32[4] (checks_test.cpp:");
        VERIFY_CONTAINS(errorOf([&] { checkNumerics(constant(-kInfinity)); }),
                        "[check_numerics] input: expected finite numbers, got 1 infinity in float32[]");
        VERIFY_CONTAINS(errorOf([&] { checkNumerics(constant(1)); }),
                        "[check_numerics] expected a floating dtype, got int32");
        Tensor halves = Tensor::uninitialized(types::tensorType(DType::Float16, Shape{2}));
        const std::array<std::uint16_t, 2> bits{0x3c00, 0x7e00}; // 1 and a NaN
        std::memcpy(halves.mutableBytes(), bits.data(), sizeof bits);
        VERIFY_CONTAINS(errorOf([&] { checkNumerics(halves); }), "got 1 NaN in float16[2]");
        GradientTape tape;
        const Tensor x = constant(3.0f);
        tape.watch(x);
        QCOMPARE(tape.gradient(checkNumerics(x * x), x).scalar<float>(), 6.0f);
    }

    void everyOpCanBeChecked() {
        Function f("f", {"x"}, [](Tensor x) {
            return cond(
                x > 0.0f, [&] { return sqrt(x); }, [&] { return log(-x - 1.0f) + 1.0f; });
        });
        QVERIFY(std::isnan(f(constant(-0.5f)).scalar<float>())); // traced without checks
        const CheckNumericsScope checked;
        QVERIFY(std::isnan(f(constant(-0.5f)).scalar<float>())); // and stays as it is
        f.clear();
        QCOMPARE(f(constant(4.0f)).scalar<float>(), 2.0f);
        const std::string error = errorOf([&] { f(constant(-0.5f)); });
        VERIFY_CONTAINS(error,
                        "[check_numerics] the result of log in 'f/else': expected finite numbers, got 1 "
                        "NaN in float32[] (checks_test.cpp:");
        const std::string eager = errorOf([] { exp(constant({1000.0f, 0.0f})); });
        VERIFY_CONTAINS(eager,
                        "[check_numerics] the result of exp: expected finite numbers, got 1 infinity in "
                        "float32[2] (checks_test.cpp:");
        {
            const bool before = enableCheckNumerics(false);
            QVERIFY(before);
            QVERIFY(std::isinf(exp(constant(1000.0f)).scalar<float>()));
            enableCheckNumerics(before);
        }
    }

    void checksEndWithTheirScope() {
        { const CheckNumericsScope checked; }
        QVERIFY(std::isinf(exp(constant(1000.0f)).scalar<float>()));
    }
};

RETRACESCOPE_TEST(ChecksTest);
#include "checks_test.moc"
