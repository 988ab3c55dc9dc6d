#include <cmath>
#include <random>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

using V = std::vector<double>;

/// A random program of two [2,3] tensors and a variable; equal for equal seeds.
Tensor program(std::uint32_t seed, const Tensor& x, const Tensor& y, const Variable& v) {
    std::mt19937 random(seed);
    std::vector<Tensor> made{x, y, v.read()};
    const auto any = [&] { return made[random() % made.size()]; };
    for (int i = 0; i < 8; ++i) {
        const Tensor a = any();
        switch (random() % 12) {
        case 0:
            made.push_back(a + any());
            break;
        case 1:
            made.push_back(a - any() * 0.5);
            break;
        case 2:
            made.push_back(a * any() * 0.25);
            break;
        case 3:
            made.push_back(a / (square(any()) + 1.5));
            break;
        case 4:
            made.push_back(tanh(a));
            break;
        case 5:
            made.push_back(sigmoid(a + v));
            break;
        case 6:
            made.push_back(reshape(transpose(a), {2, 3}));
            break;
        case 7:
            made.push_back(matmul(matmul(a, any(), false, true) * 0.1, any()));
            break;
        case 8:
            made.push_back(a - reduceMean(a, {1}, true));
            break;
        case 9:
            made.push_back(log(square(a) + 1.0) + exp(a * -0.1));
            break;
        case 10:
            made.push_back(select(any() > 0.05, a, any()));
            break;
        default:
            made.push_back(reduceSum(concat({a, any()}, 0), {0}) * sqrt(square(a) + 1.0) * 0.5);
        }
    }
    return reduceSum(made.back() * made[made.size() - 2] + made[made.size() - 3]);
}

Tensor values(std::mt19937& random) {
    V all(6);
    for (double& one : all)
        one = static_cast<double>(random() % 2000) / 1000 - 1;
    return constant(all, Shape{2, 3});
}

double farthest(const Tensor& a, const Tensor& b) {
    if (a.isEmpty() || b.isEmpty())
        return a.isEmpty() && b.isEmpty() ? 0 : 1e9;
    double most = 0;
    for (std::size_t i = 0; i < 6; ++i)
        most = std::max(most, std::abs(a.data<double>()[i] - b.data<double>()[i]));
    return most;
}

} // namespace

/// All ways to a gradient lead to the same: of eager ops, of a call, under a further tape, inside a function,
/// from graph to graph; and central differences say so, too.
class TapeAgreesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onRandomPrograms() {
        for (std::uint32_t seed = 1; seed <= 60; ++seed) {
            std::mt19937 random(seed * 7919);
            const Tensor x = values(random);
            const Tensor y = values(random);
            const Variable v(values(random), {"v"});
            Function f("f", {"x", "y"}, [&](Tensor a, Tensor b) { return program(seed, a, b, v); });
            Function byGraph("by_graph", {"x", "y"}, [&](Tensor a, Tensor b) {
                return gradients(program(seed, a, b, v), {a, b, v}, Unconnected::Zeros);
            });
            Function byTape("by_tape", {"x", "y"}, [&](Tensor a, Tensor b) {
                GradientTape tape;
                tape.watch(a);
                tape.watch(b);
                return tape.gradient(program(seed, a, b, v), {a, b, v}, {.unconnected = Unconnected::Zeros});
            });
            Function byCall("by_call", {"x", "y"}, [&](Tensor a, Tensor b) {
                GradientTape tape;
                tape.watch(a);
                tape.watch(b);
                return tape.gradient(f(a, b), {a, b, v}, {.unconnected = Unconnected::Zeros});
            });
            const std::vector<Tensor> expected = byGraph(x, y);
            const auto taped = [&](bool call, bool nested) {
                GradientTape outer({.watchVariables = nested});
                if (nested)
                    outer.watch(x);
                GradientTape tape({.persistent = true});
                tape.watch(std::tuple(x, y));
                const Tensor loss = call ? f(x, y) : program(seed, x, y, v);
                tape.gradient(loss, x);
                return tape.gradient(loss, {x, y, v}, {.unconnected = Unconnected::Zeros});
            };
            const std::vector<std::vector<Tensor>> all{taped(false, false), taped(true, false),
                                                       taped(true, true), byTape(x, y), byCall(x, y)};
            for (std::size_t way = 0; way < all.size(); ++way)
                for (std::size_t i = 0; i < 3; ++i)
                    QVERIFY2(farthest(all[way][i], expected[i]) < 1e-9,
                             qPrintable(QString("seed %1, way %2, source %3").arg(seed).arg(way).arg(i)));
            for (std::size_t i = 0; i < 6; ++i) {
                const auto at = [&](double step) {
                    V moved(x.data<double>().begin(), x.data<double>().end());
                    moved[i] += step;
                    return program(seed, constant(moved, Shape{2, 3}), y, v).scalar<double>();
                };
                const double slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                const double found = expected[0].data<double>()[i];
                // a value on the edge of a select may cross it
                if (std::abs(slope - found) > 1e-4 * (1 + std::abs(found)))
                    ++m_crossed;
            }
            QCOMPARE(f.traceCount(), 1U);
        }
        QVERIFY2(m_crossed <= 2, qPrintable(QString::number(m_crossed)));
    }

    void onSecondDerivatives() {
        for (std::uint32_t seed = 1; seed <= 20; ++seed) {
            std::mt19937 random(seed * 104729);
            const Tensor x = values(random);
            const Tensor y = values(random);
            const Variable v(values(random), {"v"});
            Function f("f", {"x", "y"}, [&](Tensor a, Tensor b) { return program(seed, a, b, v); });
            Function byGraph("by_graph", {"x", "y"}, [&](Tensor a, Tensor b) {
                const Tensor first = gradients(program(seed, a, b, v), {a}, Unconnected::Zeros)[0];
                return gradients(reduceSum(square(first)), {a, v}, Unconnected::Zeros);
            });
            const std::vector<Tensor> expected = byGraph(x, y);
            for (const bool call : {false, true}) {
                GradientTape outer;
                outer.watch(x);
                Tensor first;
                {
                    GradientTape inner;
                    inner.watch(x);
                    first = inner.gradient(call ? f(x, y) : program(seed, x, y, v), x,
                                           {.unconnected = Unconnected::Zeros});
                }
                const auto second =
                    outer.gradient(reduceSum(square(first)), {x, v}, {.unconnected = Unconnected::Zeros});
                for (std::size_t i = 0; i < 2; ++i)
                    QVERIFY2(farthest(second[i], expected[i]) < 1e-9,
                             qPrintable(QString("seed %1, call %2, source %3").arg(seed).arg(call).arg(i)));
            }
        }
    }

private:
    int m_crossed = 0;
};

RETRACESCOPE_TEST(TapeAgreesTest);

#include "tape_agrees_test.moc"
