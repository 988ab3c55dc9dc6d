#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/core/engine/nn/numbers.h"
#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::compareTensors;
using test::compareValues;
using test::errorOf;
using test::numbers;
using test::startingWith;

namespace {

/// The sum of squares of a variable, whose gradient is twice what it holds.
Tensor squares(const Variable& x) {
    return reduceSum(square(x));
}

} // namespace

class SgdTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void movesAgainstTheGradient() {
        const Variable a(constant({1.0, -2.0}));
        const Variable b(constant(3.0));
        nn::SGD(0.1).applyGradients({constant({10.0, 20.0}), Tensor()}, {a, b});
        compareValues(a.read(), {0.0, -4.0});
        compareValues(b.read(), {3.0}); // without a gradient
    }

    void momentumKeepsAVelocity() {
        const Variable x(constant(1.0), {"x"});
        const nn::SGD sgd(0.1, {.momentum = 0.5});
        QVERIFY(sgd.variables().empty());
        double at = 1;
        double velocity = 0;
        for (int step = 0; step < 5; ++step) {
            velocity = 0.5 * velocity - 0.1 * 2 * at;
            compareValues(sgd.minimize([&] { return squares(x); }), {at * at});
            at += velocity;
            compareValues(x.read(), {at});
        }
        QCOMPARE(sgd.variables().size(), std::size_t{1});
        QCOMPARE(sgd.variables()[0].name(), std::string("x/velocity"));
        QVERIFY(!sgd.variables()[0].isTrainable());
    }

    void eagerAndTracedStepsAgree() {
        struct Run {
            nn::Dense hidden{4, {.activation = retracescope::tanh, .kernel = startingWith(1)}};
            nn::Dense output{1, {.kernel = startingWith(2)}};
            nn::SGD sgd{0.1, {.momentum = 0.9}};
            Tensor step(const Tensor& x, const Tensor& y) const {
                return sgd.minimize([&] { return nn::meanSquaredError(y, output(hidden(x))); });
            }
        };
        const Run eager;
        const Run traced;
        Function step("step", {"x", "y"}, [&](Tensor x, Tensor y) { return traced.step(x, y); });
        const Tensor x = numbers({8, 3}, 3);
        const Tensor y = reduceSum(x, {1}, true);
        Tensor loss;
        for (int i = 0; i < 50; ++i) {
            loss = eager.step(x, y);
            compareTensors(step(x, y), loss);
        }
        QVERIFY(loss.scalar<double>() < 0.01);
        QCOMPARE(step.traceCount(), 1U);
        QCOMPARE(nn::trainableVariables(traced.hidden, traced.output).size(), std::size_t{4});
    }

    void aRateInAVariableMayChange() {
        const Variable rate(constant(0.5));
        const Variable x(constant(1.0));
        const nn::SGD sgd(rate);
        Function step("step", std::vector<ParameterName>{},
                      [&] { return sgd.minimize([&] { return squares(x); }, {x}); });
        step();
        compareValues(x.read(), {0.0});
        x.assign(1.0);
        rate.assign(0.25);
        step();
        compareValues(x.read(), {0.5});
        QCOMPARE(step.traceCount(), 1U);
    }

    void onlyNamedVariablesMove() {
        const Variable a(constant(1.0));
        const Variable b(constant(1.0));
        nn::SGD(0.5).minimize([&] { return squares(a) + squares(b); }, {b});
        compareValues(a.read(), {1.0});
        compareValues(b.read(), {0.0});
    }

    void mistakesSayWhatWasExpected() {
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        const nn::SGD sgd(0.1);
        const Variable x(constant(1.0), {"x"});
        QVERIFY(message([&] {
                    sgd.applyGradients({}, {x});
                }).startsWith("[SGD] expected a gradient for each of 1 variables, got 0 (sgd_test.cpp:"));
        QVERIFY(
            message([&] { sgd.minimize([] { return constant(1.0) + 1.0; }, {x}); })
                .startsWith(
                    "[SGD] expected a gradient for at least one variable, got empty ones only: no path leads "
                    "from 'x' to the loss; compute it with them under the tape, or ask for zeros "
                    "(Unconnected::Zeros) (sgd_test.cpp:"));
        for (const auto& update : {&Variable::assign, &Variable::assignAdd, &Variable::assignSub}) {
            const auto updated = [&] {
                GradientTape tape;
                const Tensor unconnected = constant(1.0) + 1.0;
                (x.*update)(tape.gradient(unconnected, x));
            };
            Function traced("traced", {}, updated);
            for (const QString& refused : {message(updated), message(traced)})
                QVERIFY(refused.contains(
                    "got an empty one, as a gradient is that no path leads to; ask isEmpty(), or "
                    "for zeros (Unconnected::Zeros) (sgd_test.cpp:"));
        }
        QVERIFY(message([] { nn::SGD(-1); }).startsWith("[SGD] expected a learning rate from 0 on, got -1"));
        QVERIFY(message([] {
                    nn::SGD(1, {.momentum = 1});
                }).startsWith("[SGD] expected a momentum from 0 to below 1, got 1"));
        const nn::SGD withMomentum(0.1, {.momentum = 0.5});
        Function f("f", {"v"}, [&](Variable v) {
            withMomentum.applyGradients({constant(1.0)}, {v});
            return v.read();
        });
        QVERIFY(
            message([&] { f(x); })
                .startsWith("[SGD] momentum expected a variable that the function captures, got its argument "
                            "'x'"));
        const Variable open(constant({1.0}), {.name = "open", .shape = Shape{Shape::kUnknown}});
        QVERIFY(
            message([&] {
                withMomentum.applyGradients({constant({1.0})}, {open});
            }).startsWith("[SGD] momentum expected a variable of known shape, got 'open' of float64[None]"));
    }
};

RETRACESCOPE_TEST(SgdTest);
#include "sgd_test.moc"
