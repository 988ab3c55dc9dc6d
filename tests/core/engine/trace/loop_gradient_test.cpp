#include <cmath>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

using V = std::vector<float>;

bool isNear(const V& a, const V& b, float tolerance = 1e-5f) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a.size() != b.size() || std::abs(a[i] - b[i]) > tolerance * std::max(1.0f, std::abs(b[i]))) {
            qWarning("element %d is %g, expected %g", static_cast<int>(i), static_cast<double>(a[i]),
                     static_cast<double>(b[i]));
            return false;
        }
    return true;
}

int intOf(const Variable& variable) {
    return variable.read().scalar<std::int32_t>();
}

/// h = dropout(tanh(h w + x)) with what a generator draws, and a count of trips.
struct Recurrent {
    Generator random{7};
    Variable weight{constant({{0.7f, -0.3f}, {0.2f, 0.9f}}), {"weight"}};
    Variable trips{constant(0), {.name = "trips", .trainable = false}};

    Tensor step(const Tensor& h, const Tensor& x) const {
        trips.assignAdd(1);
        return random.dropout(tanh(matmul(h, weight) + x), 0.4);
    }
    Tensor staged(const Tensor& h, const Tensor& x, const Tensor& n) const {
        return forRange(
            n, [&](const Tensor&, const Tensor& value) { return step(value, x); }, h);
    }
    Tensor unrolled(Tensor h, const Tensor& x, int n) const {
        for (int i = 0; i < n; ++i)
            h = step(h, x);
        return h;
    }
    void restart() const {
        random.reset(7);
        trips.assign(0);
    }
};

} // namespace

/// Gradients of staged loops whose bodies have effects: what a trip has read, drawn or done belongs to it.
class LoopGradientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRecurrentCellWithDropoutAgreesWithItsHostLoop() {
        const Recurrent cell;
        const Tensor h = constant({{0.1f, -0.2f}, {0.3f, 0.5f}});
        const Tensor x = constant({0.4f, -0.4f});
        constexpr int kTrips = 5;
        const auto slopes = [&](const std::function<Tensor()>& run) {
            cell.restart();
            GradientTape tape;
            tape.watch(std::vector<Tensor>{h, x});
            const Tensor loss = reduceSum(square(run()));
            return tape.gradient(loss, {h, x, cell.weight});
        };
        const auto expected = slopes([&] { return cell.unrolled(h, x, kTrips); });
        QCOMPARE(intOf(cell.trips), kTrips);
        QVERIFY(std::abs(expected[2].values<float>()[0]) > 1e-4f); // something is left of it

        Function run("run", {"h", "x", "n"},
                     [&](Tensor a, Tensor b, Tensor n) { return cell.staged(a, b, n); });
        const auto byTape = slopes([&] { return run(h, x, constant(kTrips)); });
        QCOMPARE(intOf(cell.trips), kTrips);
        Function inside("inside", {"h", "x", "n"}, [&](Tensor a, Tensor b, Tensor n) {
            const Tensor loss = reduceSum(square(cell.staged(a, b, n)));
            return gradients(loss, {a, b, cell.weight});
        });
        cell.restart();
        const std::vector<Tensor> byGraph = inside(h, x, constant(kTrips));
        QCOMPARE(intOf(cell.trips), kTrips); // the loop ran once
        Function taped("taped", {"h", "x", "n"}, [&](Tensor a, Tensor b, Tensor n) {
            GradientTape tape;
            tape.watch(std::vector<Tensor>{a, b});
            const Tensor loss = reduceSum(square(cell.staged(a, b, n)));
            return tape.gradient(loss, {a, b, cell.weight});
        });
        cell.restart();
        const std::vector<Tensor> byInnerTape = taped(h, x, constant(kTrips));
        QCOMPARE(intOf(cell.trips), kTrips);
        for (std::size_t i = 0; i < expected.size(); ++i)
            for (const auto& found : {byTape, byGraph, byInnerTape})
                QVERIFY(isNear(found[i].values<float>(), expected[i].values<float>()));
        cell.restart();
        for (const Tensor& found : inside(h, x, constant(0)))
            QCOMPARE(found.shape().rank() > 0, true);
        QCOMPARE(intOf(cell.trips), 0);
        QCOMPARE(inside.traceCount(), 1U);
    }

    void loopsWithEffectsNest() {
        const Generator random(3);
        const Variable inner(constant(0), {.name = "inner", .trainable = false});
        const Variable outer(constant(0), {.name = "outer", .trainable = false});
        const auto trip = [&](const Tensor& value) {
            inner.assignAdd(1);
            return value * random.uniform({2}, 0.5, 1.5) + sin(value);
        };
        const auto restart = [&] {
            random.reset(3);
            inner.assign(0);
            outer.assign(0);
        };
        const Tensor x = constant({0.3f, -0.6f});
        const auto host = [&] {
            restart();
            GradientTape tape;
            tape.watch(x);
            Tensor value = x;
            for (int i = 0; i < 3; ++i) {
                outer.assignAdd(1);
                for (int k = 0; k < i + 1; ++k)
                    value = trip(value);
            }
            return tape.gradient(reduceSum(value), x);
        };
        const V expected = host().values<float>();
        Function slope("slope", {"x"}, [&](Tensor start) {
            const Tensor end = forRange(
                constant(3),
                [&](Tensor i, Tensor value) {
                    outer.assignAdd(1);
                    return forRange(
                        i + std::int64_t{1}, [&](Tensor, Tensor v) { return trip(v); }, value);
                },
                start);
            return gradients(reduceSum(end), {start})[0];
        });
        restart();
        QVERIFY(isNear(slope(x).values<float>(), expected));
        QCOMPARE(intOf(inner), 6);
        QCOMPARE(intOf(outer), 3);
    }

    void whatATripReadsIsItsOwn() {
        const Variable scale(constant(2.0f), {"scale"});
        Function f("f", {"x"}, [&](Tensor x) { // x * 2 * 3 * 4
            return forRange(
                constant(3),
                [&](Tensor, Tensor value) {
                    const Tensor next = cond(
                        value > -1.0f,
                        [&] {
                            const Tensor y = value * scale;
                            scale.assignAdd(1.0f);
                            return y;
                        },
                        [&] { return value; });
                    return next;
                },
                x);
        });
        Function slope("slope", {"x"}, [&](Tensor x) {
            const Tensor y = f(x);
            scale.assign(100.0f);
            return gradients(y, {x})[0];
        });
        QCOMPARE(slope(constant(1.0f)).scalar<float>(), 24.0f);
        scale.assign(2.0f);
        const Tensor x = constant(1.0f);
        GradientTape tape;
        tape.watch(x);
        const Tensor y = f(x);
        QCOMPARE(scale.read().scalar<float>(), 5.0f);
        scale.assign(100.0f);
        QCOMPARE(tape.gradient(y, x).scalar<float>(), 24.0f);
    }

    void aTapeInATraceKeepsWhatCallsAndBranchesHaveRead() {
        const Variable w(constant(3.0f), {"w"});
        Function scaled("scaled", {"x"}, [&](Tensor x) { return x * w; });
        Function slope("slope", {"x"}, [&](Tensor x) {
            GradientTape tape({.persistent = true});
            tape.watch(x);
            const Tensor called = scaled(x);
            const Tensor chosen = cond(
                x > 0.0f, [&] { return x * x * w; }, [&] { return -x; });
            w.assign(0.0f);
            return std::tuple(tape.gradient(called, x), tape.gradient(chosen, x),
                              tape.gradient(called * chosen, x));
        });
        const auto [called, chosen, product] = slope(constant(2.0f));
        QCOMPARE(called.scalar<float>(), 3.0f);
        QCOMPARE(chosen.scalar<float>(), 12.0f);
        QCOMPARE(product.scalar<float>(), 6 * 12 + 3 * 12.0f);
        QCOMPARE(w.read().scalar<float>(), 0.0f);
    }

    void higherOrdersThroughLoopsAndBranches() {
        const auto cubed = [](const Tensor& x) { // x^4 by a loop, where x > 0
            return cond(
                x > 0.0f,
                [&] {
                    return forRange(
                        constant(3), [&](Tensor, Tensor value) { return value * x; }, x);
                },
                [&] { return -x; });
        };
        Function byGraph("by_graph", {"x"}, [&](Tensor x) {
            const Tensor first = gradients(cubed(x), {x})[0];
            const Tensor second = gradients(first, {x})[0];
            const Tensor third = gradients(second, {x})[0];
            return std::tuple(first, second, third);
        });
        Function byTapes("by_tapes", {"x"}, [&](Tensor x) {
            GradientTape a;
            a.watch(x);
            GradientTape b;
            b.watch(x);
            GradientTape c;
            c.watch(x);
            const Tensor first = c.gradient(cubed(x), x);
            const Tensor second = b.gradient(first, x);
            return std::tuple(first, second, a.gradient(second, x));
        });
        for (const auto& [first, second, third] : {byGraph(constant(2.0f)), byTapes(constant(2.0f))}) {
            QCOMPARE(first.scalar<float>(), 32.0f);
            QCOMPARE(second.scalar<float>(), 48.0f);
            QCOMPARE(third.scalar<float>(), 48.0f);
        }
    }

    void aTapeInABodyIsPartOfTheLoop() {
        Function twice("twice", {"w"}, [](Tensor w) { return 2.0f * w; });
        const auto trained = [&](const Tensor& x, const Tensor& n) { // w' = 0.2 w + 0.4 x
            return forRange(
                n,
                [&](const Tensor&, const Tensor& w) {
                    GradientTape tape;
                    tape.watch(w);
                    const Tensor loss = square(twice(w) - x);
                    return w - 0.1f * tape.gradient(loss, w);
                },
                constant(0.0f));
        };
        Function train("train", {"x", "n"}, [&](Tensor x, Tensor n) {
            const Tensor w = trained(x, n);
            return std::tuple(w, gradients(w, {x})[0]);
        });
        for (const int n : {1, 3}) {
            const auto [w, slope] = train(constant(3.0f), constant(n));
            const float share = 0.5f * (1 - std::pow(0.2f, static_cast<float>(n)));
            QVERIFY(isNear({w.scalar<float>()}, {3 * share}));
            QVERIFY(isNear({slope.scalar<float>()}, {share}));
            QVERIFY(isNear({trained(constant(3.0f), constant(n)).scalar<float>()}, {3 * share}));
        }
    }

    void jacobiansGoRowByRow() {
        const Tensor x = constant({1.0f, 2.0f});
        const auto run = [](Tensor start) {
            GradientTape tape;
            tape.watch(start);
            const Tensor end = forRange(
                constant(2), [](Tensor, Tensor value) { return value * reduceSum(value); }, start);
            return tape.jacobian(end, start);
        };
        Function traced("traced", {"x"}, run);
        const V expected = run(x).values<float>();
        QVERIFY(isNear(traced(x).values<float>(), expected));
        QVERIFY(isNear(expected, {54, 27, 54, 81})); // of x_i s^3
        Function rows("rows", {"x"}, [](Tensor start) {
            const Tensor end = forRange(
                constant(2), [](Tensor, Tensor value) { return value * reduceSum(value); }, start);
            std::vector<Tensor> all;
            for (const Tensor& element : unstack(end))
                all.push_back(gradients(element, {start})[0]);
            return stack(all);
        });
        QVERIFY(isNear(rows(x).values<float>(), expected));
    }

    void unconnectedSourcesOfLoopsAreEmptyOrZero() {
        Function f("f", {"x", "y"}, [](Tensor x, Tensor y) {
            GradientTape tape({.persistent = true});
            tape.watch(std::vector<Tensor>{x, y});
            const Tensor end = forRange(
                constant(2), [&](Tensor, Tensor value) { return value * stopGradient(y); }, x);
            return std::tuple(tape.gradient(end, y),
                              tape.gradient(end, y, {.unconnected = Unconnected::Zeros}),
                              tape.gradient(end, x));
        });
        const auto [empty, zeros, slope] = f(constant(2.0f), constant(3.0f));
        QVERIFY(empty.isEmpty());
        QCOMPARE(zeros.values<float>(), (V{0}));
        QCOMPARE(slope.scalar<float>(), 9.0f);
    }
};

RETRACESCOPE_TEST(LoopGradientTest);

#include "loop_gradient_test.moc"
