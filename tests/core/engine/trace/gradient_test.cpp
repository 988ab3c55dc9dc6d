#include <cmath>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;

} // namespace

class GradientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatASelectMasksStaysMaskedAtASlopeWithoutEnd() {
        const auto safeNorm = [](const Tensor& x) {
            const Tensor norm = sqrt(reduceSum(x * x));
            return select(norm > 0.0f, norm, 0.0f);
        };
        const Function gradient("gradient", {"x"}, [&](Tensor x) { return gradients(safeNorm(x), {x})[0]; });
        QCOMPARE(gradient(constant({0.0f, 0.0f})).values<float>(), (std::vector<float>{0, 0}));
        QCOMPARE(gradient(constant({3.0f, 4.0f})).values<float>(), (std::vector<float>{0.6f, 0.8f}));
        const Function inverse("inverse", {"x"}, [](Tensor x) {
            return gradients(reduceSum(select(x > 0.0f, rsqrt(x), x)), {x})[0];
        });
        QCOMPARE(inverse(constant({0.0f, 4.0f})).values<float>(), (std::vector<float>{1, -0.0625f}));
        const Function plain("plain", {"x"}, [](Tensor x) { return gradients(sqrt(x), {x})[0]; });
        QVERIFY(std::isinf(plain(constant(0.0f)).scalar<float>()));
    }

    void ofAnArgument() {
        Function slope("slope", {"x"}, [](Tensor x) { return gradients(x * x * x, {x})[0]; });
        QCOMPARE(slope(constant({1.0f, 2.0f})).values<float>(), (V{3, 12}));
    }

    void trainsALine() {
        const Variable weight(constant(0.0f), {"weight"});
        const Variable bias(constant(0.0f), {"bias"});
        Function step("step", {"x", "y"}, [&](Tensor x, Tensor y) {
            const Tensor loss = reduceMean(square(x * weight.read() + bias.read() - y));
            const auto slopes = gradients(loss, {weight, bias});
            weight.assignSub(slopes[0] * 0.1f);
            bias.assignSub(slopes[1] * 0.1f);
            return loss;
        });
        const Tensor x = constant({0.0f, 1.0f, 2.0f, 3.0f});
        const Tensor y = constant({1.0f, 3.0f, 5.0f, 7.0f});
        for (int i = 0; i < 400; ++i)
            step(x, y);
        QCOMPARE(step.traceCount(), 1U);
        QVERIFY(std::abs(weight.read().scalar<float>() - 2) < 0.01f);
        QVERIFY(std::abs(bias.read().scalar<float>() - 1) < 0.02f);
    }

    void throughAnInnerFunctionAndItsVariable() {
        const Variable weight(constant({2.0f, 3.0f}), {"weight"});
        Function scale("scale", {"x"}, [&](Tensor x) { return x * weight.read(); });
        Function outer("outer", {"x"}, [&](Tensor x) {
            const Tensor y = square(scale(x));
            const auto slopes = gradients(y, {x, weight});
            return std::tuple(slopes[0], slopes[1]);
        });
        const auto [toX, toWeight] = outer(constant({5.0f, 7.0f}));
        QCOMPARE(toX.values<float>(), (V{2 * 5 * 4, 2 * 7 * 9})); // 2 x w^2
        QCOMPARE(toWeight.values<float>(), (V{2 * 2 * 25, 2 * 3 * 49}));
        QCOMPARE(scale.traceCount(), 1U); // taking a gradient traces nothing
    }

    void effectsOfAnInnerFunctionHappenOnce() {
        const Variable calls(constant(0), {"calls"});
        Function inner("inner", {"x"}, [&](Tensor x) {
            calls.assignAdd(1);
            return x * x;
        });
        Function slope("slope", {"x"}, [&](Tensor x) { return gradients(inner(x), {x})[0]; });
        QCOMPARE(slope(constant(3.0f)).scalar<float>(), 6.0f);
        QCOMPARE(calls.read().scalar<std::int32_t>(), 1);
    }

    void aValueThatAnInnerFunctionOverwritesIsKept() {
        const Variable weight(constant(2.0f), {"weight"});
        Function inner("inner", {"x"}, [&](Tensor x) {
            const Tensor y = x * weight.read();
            weight.assign(0.0f);
            return y;
        });
        Function slope("slope", {"x"}, [&](Tensor x) {
            const Tensor y = inner(x);
            weight.assign(10.0f);
            return gradients(y, {x})[0];
        });
        QCOMPARE(slope(constant(3.0f)).scalar<float>(), 2.0f);
        QCOMPARE(weight.read().scalar<float>(), 10.0f);
    }

    void variablesThatTheInnerFunctionDoesNotReadMayChange() {
        const Variable weight(constant(2.0f), {"weight"});
        const Variable steps(constant(0), {"steps"});
        Function inner("inner", {"x"}, [&](Tensor x) { return x * weight.read(); });
        Function slope("slope", {"x"}, [&](Tensor x) {
            const Tensor y = inner(x);
            steps.assignAdd(1);
            return gradients(y, {x})[0];
        });
        QCOMPARE(slope(constant(3.0f)).scalar<float>(), 2.0f);
    }

    void throughACond() {
        Function slope("slope", {"x"}, [](Tensor x) {
            const Tensor y = cond(
                reduceSum(x) > 0.0f, [&] { return x * x; }, [&] { return -x; });
            return gradients(y, {x})[0];
        });
        QCOMPARE(slope(constant({3.0f, 1.0f})).values<float>(), (V{6, 2}));
        QCOMPARE(slope(constant({-3.0f, 1.0f})).values<float>(), (V{-1, -1}));
    }

    void throughALoop() {
        const Variable weight(constant(0.5f), {"weight"});
        Function cell("cell", {"h"}, [&](Tensor h) { return weight * h; });
        const auto unroll = [&](Tensor h, Tensor n) {
            return forRange(
                n, [&](Tensor, Tensor value) { return cell(value); }, h);
        };
        Function slopes("slopes", {"h", "n"}, [&](Tensor h, Tensor n) {
            return gradients(unroll(h, n), {h, weight});
        });
        for (const int n : {0, 1, 3}) { // h w^n
            const std::vector<Tensor> found = slopes(constant(3.0f), constant(n));
            QCOMPARE(found[0].scalar<float>(), static_cast<float>(std::pow(0.5, n)));
            QCOMPARE(found[1].scalar<float>(), static_cast<float>(n * 3 * std::pow(0.5, n - 1)));
        }
        QCOMPARE(slopes.traceCount(), 1U);
        Function most("most", {"x"}, [](Tensor x) {
            const Tensor y = whileLoop([](Tensor v) { return v < 100.0f; }, [&](Tensor v) { return v * x; },
                                       x, {.maximumIterations = 3});
            return gradients(gradients(y, {x})[0], {x})[0];
        });
        QCOMPARE(most(constant(2.0f)).scalar<float>(), 48.0f); // x^4
        QCOMPARE(most(constant(20.0f)).scalar<float>(), 2.0f); // x^2: the condition ends it
    }

    void ofAGradient() {
        Function second("second", {"x"}, [](Tensor x) {
            const Tensor first = gradients(x * x * x, {x})[0];
            return gradients(first, {x})[0];
        });
        QCOMPARE(second(constant({1.0f, 2.0f})).values<float>(), (V{6, 12}));
    }

    void unconnectedSourcesAreEmptyOrZero() {
        const Variable unused(constant({1.0f, 2.0f}), {"unused"});
        Function f("f", {"x"}, [&](Tensor x) {
            if (!gradients(x * 2.0f, {unused})[0].isEmpty())
                throw std::logic_error("expected an empty tensor");
            return gradients(x * 2.0f, {unused}, Unconnected::Zeros)[0];
        });
        QCOMPARE(f(constant(1.0f)).values<float>(), (V{0, 0}));
    }

    void misuseSaysWhatToDo() {
        const Tensor eager = constant(1.0f);
        QCOMPARE(errorOf([&] { gradients(eager, {eager}); }).substr(0, 70),
                 std::string(
                     "[gradients] expected to be called inside a traced function, was called outside of any")
                     .substr(0, 70));
        Function ofEager("f", {"x"}, [&](Tensor x) { return gradients(x * eager, {eager})[0]; });
        QVERIFY(errorOf([&] { ofEager(constant(2.0f)); }).find("make it an argument or a variable") !=
                std::string::npos);
        Function ofInts("g", {"x"}, [](Tensor x) { return gradients(x + x, {x})[0]; });
        QVERIFY(errorOf([&] {
                    ofInts(constant(2));
                }).find("[gradients] expected a floating target, got int32") != std::string::npos);
    }

    void insideABranchOrBodyItIsThatOfWhatIsInThere() {
        Function inBranch("branch", {"x"}, [](Tensor x) {
            return cond(
                x > 0.0f, [&] { return gradients(x * x, {x})[0]; }, [&] { return x; });
        });
        QCOMPARE(inBranch(constant(3.0f)).scalar<float>(), 6.0f);
        Function descent("descent", {"n", "x"}, [](Tensor n, Tensor x) {
            return forRange(
                n, [](Tensor, Tensor v) { return v - gradients(square(v - 3.0f), {v})[0] * 0.25f; }, x);
        });
        QCOMPARE(descent(constant(2), constant(7.0f)).scalar<float>(), 4.0f); // 7, 5, 4
        Function slope("slope", {"n", "x"},
                       [&](Tensor n, Tensor x) { return gradients(descent(n, x), {x})[0]; });
        QCOMPARE(slope(constant(2), constant(7.0f)).scalar<float>(), 0.25f);

        const Variable weight(constant(0.0f), {"weight"});
        Function train("train", {"n", "x", "y"}, [&](Tensor n, Tensor x, Tensor y) {
            For(n, [&](Tensor) {
                const Tensor loss = reduceMean(square(x * weight.read() - y));
                If(loss > 0.0f, [&] { weight.assignSub(gradients(loss * 1.0f, {loss})[0] * 0.0f); });
                weight.assignSub(gradients(loss, {weight})[0] * 0.1f);
            });
        });
        train(constant(30), constant({1.0f, 2.0f, 3.0f}), constant({2.0f, 4.0f, 6.0f}));
        QVERIFY(std::abs(weight.read().scalar<float>() - 2.0f) < 1e-4f);
    }

    void insideABranchOrBodyNoPathIsLeftOut() {
        const auto refusalOf = [](const Function<Tensor(Tensor)>& f) {
            return errorOf([&] { f(constant(2.0f)); });
        };
        Function around("around", {"x"}, [](Tensor x) {
            const Tensor y = x * x;
            return cond(
                x > 0.0f, [&] { return gradients(x * y, {x})[0]; }, [&] { return x; });
        });
        VERIFY_CONTAINS(refusalOf(around),
                        "[gradients] the target depends on a source also by what was computed "
                        "outside of this branch or loop body, or in an earlier trip");
        VERIFY_CONTAINS(refusalOf(around), "record a GradientTape in here, for which that is constant "
                                           "(gradient_test.cpp:");
        const Variable weight(constant(0.5f), {"weight"});
        Function trips("trips", {"x"}, [&](Tensor x) {
            return forRange(
                3, [&](Tensor, Tensor v) { return gradients(v * weight.read(), {weight})[0]; }, x);
        });
        VERIFY_CONTAINS(refusalOf(trips), "the target depends on 'weight' also by");
        Function nested("nested", {"x"}, [&](Tensor x) {
            const Tensor outside = weight.read() * x;
            return cond(
                x > 0.0f,
                [&] {
                    return cond(
                        x > 1.0f, [&] { return gradients(outside * weight.read(), {weight})[0]; },
                        [&] { return x; });
                },
                [&] { return x; });
        });
        VERIFY_CONTAINS(refusalOf(nested), "the target depends on 'weight' also by");
        Function apart("apart", {"x"}, [&](Tensor x) { // outside, but not of the source
            const Tensor outside = x * 3.0f;
            return cond(
                x > 0.0f, [&] { return gradients(outside * weight.read(), {weight})[0]; }, [&] { return x; });
        });
        QCOMPARE(apart(constant(2.0f)).scalar<float>(), 6.0f);
    }
};

RETRACESCOPE_TEST(GradientTest);

#include "gradient_test.moc"
