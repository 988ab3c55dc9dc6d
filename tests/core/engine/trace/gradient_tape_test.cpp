#include <cmath>
#include <optional>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

struct Layer {
    Tensor weight;
    Tensor bias;
    static auto traceFields() {
        return std::tuple(field("weight", &Layer::weight), field("bias", &Layer::bias));
    }
};

} // namespace

class GradientTapeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofEagerOps() {
        const Tensor x = constant({1.0f, 2.0f});
        GradientTape tape;
        tape.watch(x);
        const Tensor y = x * x * x + 2.0f * x;
        QCOMPARE(tape.gradient(y, x).values<float>(), (V{5, 14}));
    }

    void onlyWhatIsWatchedHasAGradient() {
        const Tensor x = constant(3.0f);
        const Tensor before = x * x;
        GradientTape tape({.persistent = true});
        QVERIFY(tape.gradient(x * x, x).isEmpty());
        tape.watch(x);
        QCOMPARE(tape.gradient(x * x + before, x).scalar<float>(), 6.0f);
        QCOMPARE(tape.gradient(x, x).scalar<float>(), 1.0f);
        QVERIFY(tape.gradient(before, x).isEmpty());
        QCOMPARE(tape.gradient(before, x, {.unconnected = Unconnected::Zeros}).scalar<float>(), 0.0f);
    }

    void trainableVariablesAreWatchedByThemselves() {
        const Variable v(constant(2.0f), {"v"});
        const Variable fixed(constant(3.0f), {.name = "fixed", .trainable = false});
        GradientTape tape({.persistent = true});
        const Tensor y = v * v * fixed;
        QCOMPARE(tape.watchedVariables().size(), std::size_t{1});
        QCOMPARE(tape.watchedVariables()[0].id(), v.id());
        QCOMPARE(tape.gradient(y, v).scalar<float>(), 12.0f);
        QVERIFY(tape.gradient(y, fixed).isEmpty());
        tape.watch(fixed);
        QCOMPARE(tape.gradient(v * fixed, fixed).scalar<float>(), 2.0f);

        GradientTape blind({.watchVariables = false});
        const Tensor z = v * v;
        QVERIFY(blind.gradient(z, v).isEmpty());
    }

    void aVariableIsNotTheTensorItStartedWith() {
        const Tensor start = constant(2.0f);
        const Variable v(start, {"v"});
        GradientTape tape({.persistent = true});
        tape.watch(start);
        const Tensor y = start * v.read() * v.read();
        v.assign(100.0f); // what was read is kept
        QCOMPARE(tape.gradient(y, v).scalar<float>(), 8.0f);
        QCOMPARE(tape.gradient(y, start).scalar<float>(), 4.0f);
    }

    void aViewIsNotWhatItViews() {
        const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
        GradientTape tape({.persistent = true});
        tape.watch(x);
        const Tensor flat = reshape(x, {4});
        const Tensor y = reduceSum(square(identity(flat)));
        QCOMPARE(toText(tape.gradient(y, flat).type()), std::string("float32[4]"));
        QCOMPARE(tape.gradient(y, x).values<float>(), (V{2, 4, 6, 8}));
    }

    void isUsedOnceUnlessPersistent() {
        const Tensor x = constant(3.0f);
        GradientTape tape;
        tape.watch(x);
        const Tensor y = x * x;
        QCOMPARE(tape.gradient(y, x).scalar<float>(), 6.0f);
        const std::string message = errorOf([&] { tape.gradient(y, x); });
        QVERIFY2(contains(message,
                          "[GradientTape] expected to be used once, was asked a second time; make it "
                          "with TapeOptions{.persistent = true} to ask again, or reset() it"),
                 message.c_str());
        tape.reset();
        tape.watch(x);
        QCOMPARE(tape.gradient(x * x * x, x).scalar<float>(), 27.0f);

        GradientTape persistent({.persistent = true});
        persistent.watch(x);
        const Tensor z = x * x;
        QCOMPARE(persistent.gradient(z, x).scalar<float>(), 6.0f);
        QCOMPARE(persistent.gradient(z * z, x).scalar<float>(), 108.0f);
        QCOMPARE(persistent.gradient(z, x).scalar<float>(), 6.0f);
    }

    void standsStillWhileStopped() {
        const Tensor x = constant(3.0f);
        GradientTape tape;
        tape.watch(x);
        Tensor y = x * x;
        {
            const auto pause = tape.stopRecording();
            y = y + x * x * x;
        }
        QVERIFY(tape.gradient(y, x).isEmpty()); // the sum was not seen

        tape.reset();
        tape.watch(x);
        Tensor unseen;
        {
            const auto pause = tape.stopRecording();
            unseen = x * x;
        }
        QCOMPARE(tape.gradient(x * unseen, x).scalar<float>(), 9.0f);
    }

    void nestsForHigherOrders() {
        const Tensor x = constant(2.0f);
        GradientTape third;
        third.watch(x);
        Tensor second;
        {
            GradientTape two;
            two.watch(x);
            Tensor first;
            {
                GradientTape one;
                one.watch(x);
                first = one.gradient(pow(x, 4.0f), x);
            }
            QCOMPARE(first.scalar<float>(), 32.0f);
            second = two.gradient(first, x);
        }
        QCOMPARE(second.scalar<float>(), 48.0f);
        QCOMPARE(third.gradient(second, x).scalar<float>(), 48.0f);
    }

    void ofStructuresInTheirStructure() {
        const Variable v(constant(2.0f), {"v"});
        const Tensor x = constant(3.0f);
        const Layer layer{constant(4.0f), constant(5.0f)};
        GradientTape tape({.persistent = true});
        tape.watch(Value(std::tuple(x, layer)));
        const Tensor y = layer.weight * x * v + layer.bias;

        const std::vector<Tensor> mixed = tape.gradient(y, {v, x});
        QCOMPARE(mixed[0].scalar<float>(), 12.0f);
        QCOMPARE(mixed[1].scalar<float>(), 8.0f);
        const auto named = tape.gradient(y, std::map<std::string, Variable>{{"v", v}});
        QCOMPARE(named.at("v").scalar<float>(), 12.0f);
        const auto [list, pair] =
            tape.gradient(y, std::tuple(std::vector<Tensor>{x, constant(1.0f)}, std::tuple(v, x)));
        QCOMPARE(list[0].scalar<float>(), 8.0f);
        QVERIFY(list[1].isEmpty());
        QCOMPARE(std::get<0>(pair).scalar<float>(), 12.0f);
        const Layer toLayer = tape.gradient(y, layer);
        QCOMPARE(toLayer.weight.scalar<float>(), 6.0f);
        QCOMPARE(toLayer.bias.scalar<float>(), 1.0f);
    }

    void severalTargetsAddUp() {
        const Tensor x = constant({1.0f, 2.0f});
        GradientTape tape({.persistent = true});
        tape.watch(x);
        const std::vector<Tensor> targets{x * x, 3.0f * x};
        QCOMPARE(tape.gradient(targets, x).values<float>(), (V{5, 7}));
        const std::vector<Tensor> weights{constant({1.0f, 0.0f}), constant({0.0f, 10.0f})};
        QCOMPARE(tape.gradient(targets, x, {.outputGradients = weights}).values<float>(), (V{2, 30}));
    }

    void ofACallOfAFunction() {
        const Variable w(constant({{2.0f}, {3.0f}}), {"w"});
        Function g("g", {"x"}, [&](Tensor x) { return reduceSum(square(matmul(x, w))); });
        const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
        g(x);
        const ConcreteFunction& concrete = *g.concreteFunctions()[0];
        QVERIFY(!concrete.hasGradient());
        for (int i = 0; i < 2; ++i) {
            GradientTape tape;
            tape.watch(x);
            const auto slopes = tape.gradient(g(x), {x, w});
            QCOMPARE(slopes[0].values<float>(), (V{32, 48, 72, 108}));
            QCOMPARE(slopes[1].values<float>(), (V{124, 176}));
        }
        QVERIFY(concrete.hasGradient());
        QCOMPARE(g.traceCount(), 1U); // tapes are no part of a signature
        QCOMPARE(g.bodyRuns(), 1U);
    }

    void callsOfWatchedNothingStayAsTheyAre() {
        Function g("g", {"x"}, [](Tensor x) { return x * x; });
        GradientTape tape;
        g(constant(2.0f));
        QVERIFY(!g.concreteFunctions()[0]->hasGradient());
    }

    void aFunctionsResultThatIsItsArgument() {
        Function g("g", {"x"}, [](Tensor x) { return std::tuple(x, x * x); });
        const Tensor x = constant(3.0f);
        GradientTape tape({.persistent = true});
        tape.watch(x);
        const auto [same, squared] = g(x);
        QCOMPARE(tape.gradient(same * same + squared, x).scalar<float>(), 12.0f);
        QCOMPARE(tape.gradient(same * x, same).scalar<float>(), 3.0f);
    }

    void effectsOfACallHappenOnceAndWhatItReadIsKept() {
        const Variable v(constant(2.0f), {"v"});
        Function g("g", {"x"}, [&](Tensor x) {
            const Tensor y = v * x;
            v.assignAdd(1.0f);
            return y + v * x;
        });
        const Tensor x = constant(3.0f);
        GradientTape tape;
        tape.watch(x);
        const Tensor y = g(x);
        QCOMPARE(y.scalar<float>(), 15.0f);
        v.assign(50.0f);
        const auto slopes = tape.gradient(y, {x, v});
        QCOMPARE(slopes[0].scalar<float>(), 5.0f);
        QCOMPARE(slopes[1].scalar<float>(), 6.0f);
        QCOMPARE(v.read().scalar<float>(), 50.0f);
    }

    void higherOrdersThroughACall() {
        Function g("g", {"x"}, [](Tensor x) { return pow(x, 4.0f); });
        const Variable x(constant(2.0f), {"x"});
        GradientTape outer;
        Tensor first;
        {
            GradientTape inner;
            first = inner.gradient(g(x), x);
        }
        QCOMPARE(first.scalar<float>(), 32.0f);
        QCOMPARE(outer.gradient(first, x).scalar<float>(), 48.0f);
        QCOMPARE(g.traceCount(), 1U);
    }

    void anOutputGradientMayBeWatchedItself() {
        Function g("g", {"x"}, [](Tensor x) { return x * x * x; });
        const Tensor x = constant({1.0f, 2.0f});
        const Tensor weight = constant({1.0f, 1.0f});
        GradientTape outer;
        outer.watch(weight);
        GradientTape inner;
        inner.watch(x);
        const Tensor y = g(x); // by its backward graph, op by op under the outer tape
        const Tensor slope = inner.gradient(y, x, {.outputGradients = weight});
        QCOMPARE(outer.gradient(slope, weight).values<float>(), (V{3, 12}));
    }

    void throughNestedCallsBranchesAndLoops() {
        const Variable w(constant(0.5f), {"w"});
        Function cell("cell", {"h"}, [&](Tensor h) { return tanh(w * h); });
        Function unroll("unroll", {"h", "n"}, [&](Tensor h, Tensor n) {
            return std::get<0>(whileLoop([&](Tensor, Tensor i) { return i < n; },
                                         [&](Tensor s, Tensor i) { return std::tuple(cell(s), i + 1); },
                                         std::tuple(h, 0)));
        });
        Function twice("twice", {"h"}, [&](Tensor h) { return cell(cell(h)); });
        Function either("either", {"h"}, [&](Tensor h) {
            return cond(
                h > 0.0f, [&] { return cell(h); }, [&] { return -h; });
        });
        const Tensor h = constant(1.0f);
        const auto slopeOf = [&](const std::function<Tensor()>& call) {
            GradientTape tape;
            return tape.gradient(call(), w).scalar<float>();
        };
        const float t = std::tanh(0.5f);
        QVERIFY(std::abs(slopeOf([&] { return unroll(h, constant(1)); }) - (1 - t * t)) < 1e-6f);
        QVERIFY(std::abs(slopeOf([&] { return either(h); }) - (1 - t * t)) < 1e-6f);
        QVERIFY(std::abs(slopeOf([&] { return unroll(h, constant(2)); }) -
                         slopeOf([&] { return twice(h); })) < 1e-6f);
        QVERIFY(std::abs(slopeOf([&] { return unroll(h, constant(3)); }) - 0.624576f) < 1e-5f);
        QCOMPARE(unroll.traceCount(), 1U);
        QCOMPARE(cell.traceCount(), 1U);
    }

    void insideAFunction() {
        Function g("g", {"x"}, [](Tensor x) {
            const Tensor before = x * x; // the same node if equal ones were shared
            GradientTape tape;
            tape.watch(x);
            return tape.gradient(reduceSum(x * x * x + before + x * x), x);
        });
        QCOMPARE(g(constant({1.0f, 2.0f})).values<float>(), (V{5, 16}));
        QCOMPARE(g(constant({3.0f, 4.0f})).values<float>(), (V{33, 56}));
        QCOMPARE(g.traceCount(), 1U);
    }

    void insideAFunctionThroughCallsAndBranches() {
        const Variable w(constant(3.0f), {"w"});
        Function inner("inner", {"x"}, [&](Tensor x) { return w * x * x; });
        Function outer("outer", {"x"}, [&](Tensor x) {
            GradientTape tape({.persistent = true});
            tape.watch(x);
            const Tensor y = inner(x);
            const Tensor z = cond(
                x > 0.0f, [&] { return y * x; }, [&] { return -x * w; });
            const auto first = tape.gradient(y, {x, w});
            const auto second = tape.gradient(z, {x, w});
            return std::tuple(first[0], first[1], second[0], second[1]);
        });
        const auto [a, b, c, d] = outer(constant(2.0f));
        QCOMPARE(a.scalar<float>(), 12.0f);
        QCOMPARE(b.scalar<float>(), 4.0f);
        QCOMPARE(c.scalar<float>(), 36.0f); // 3 w x^2
        QCOMPARE(d.scalar<float>(), 8.0f);
        const auto [e, f, g, h] = outer(constant(-2.0f));
        QCOMPARE(e.scalar<float>(), -12.0f);
        QCOMPARE(f.scalar<float>(), 4.0f);
        QCOMPARE(g.scalar<float>(), -3.0f);
        QCOMPARE(h.scalar<float>(), 2.0f);
    }

    void aTapeInsideAFunctionUnderOneOutside() {
        Function slope("slope", {"x"}, [](Tensor x) {
            GradientTape tape;
            tape.watch(x);
            return tape.gradient(x * x * x, x);
        });
        const Tensor x = constant(2.0f);
        GradientTape outer;
        outer.watch(x);
        QCOMPARE(outer.gradient(slope(x), x).scalar<float>(), 12.0f);
    }

    void aTraceUnderATapeIsNotSeenByIt() {
        const Tensor x = constant(2.0f);
        GradientTape tape;
        tape.watch(x);
        Function g("g", {"x"}, [&](Tensor y) {
            const EagerScope outside;
            x* x; // computed while tracing: nobody's
            return Tensor(y);
        });
        QCOMPARE(tape.gradient(g(x), x).scalar<float>(), 1.0f);
    }

    void keepsNothingOnceItIsOver() {
        const Tensor x = constant({1.0f, 2.0f});
        Tensor y;
        {
            GradientTape tape({.persistent = true});
            tape.watch(x);
            y = x * x;
            square(y);
            QVERIFY(!y.isUnique());
            tape.reset();
            QVERIFY(y.isUnique());
            tape.watch(x);
            y = x * x;
            QVERIFY(!y.isUnique());
        }
        QVERIFY(y.isUnique());
        GradientTape once;
        once.watch(x);
        y = x * x;
        once.gradient(y, x);
        QVERIFY(y.isUnique());
    }

    void aJacobianHasTheGradientOfEveryElement() {
        const Tensor x = constant({1.0f, 2.0f, 3.0f});
        const Variable v(constant(2.0f), {"v"});
        Function g("g", {"x"}, [&](Tensor at) {
            return matmul(constant({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}),
                          reshape(square(at) * v, {3, 1}));
        });
        GradientTape tape({.persistent = true});
        tape.watch(x);
        const Tensor y = reshape(g(x), {2});
        QCOMPARE(toText(tape.jacobian(y, x).type()), std::string("float32[2,3]"));
        QCOMPARE(tape.jacobian(y, x).values<float>(), (V{4, 16, 36, 16, 40, 72}));
        const auto [toV, toOther] = tape.jacobian(y, std::tuple(v, constant(1.0f)));
        QCOMPARE(toV.values<float>(), (V{36, 78}));
        QVERIFY(toOther.isEmpty());
        QCOMPARE(toText(tape.jacobian(y, ones({4}), Unconnected::Zeros).type()), std::string("float32[2,4]"));
        QCOMPARE(tape.jacobian(square(x), x).values<float>(), (V{2, 0, 0, 0, 4, 0, 0, 0, 6}));
        QCOMPARE(g.traceCount(), 1U);

        GradientTape once;
        once.watch(x);
        const Tensor z = square(x);
        once.jacobian(z, x);
        QVERIFY(contains(errorOf([&] { once.gradient(z, x); }), "was asked a second time"));
    }

    void aBatchJacobianGoesRowByRow() {
        const Tensor x = constant({{1.0f, 2.0f}, {3.0f, 4.0f}});
        const Tensor mix = constant({{1.0f, 0.0f, 1.0f}, {0.0f, 2.0f, 1.0f}});
        Function g("g", {"x"}, [&](Tensor at) {
            GradientTape tape;
            tape.watch(at);
            return tape.batchJacobian(matmul(square(at), mix), at);
        });
        const Tensor rows = g(x);
        QCOMPARE(toText(rows.type()), std::string("float32[2,3,2]"));
        QCOMPARE(rows.values<float>(), (V{2, 0, 0, 8, 2, 4, 6, 0, 0, 16, 6, 8}));
        GradientTape tape;
        tape.watch(x);
        QVERIFY(
            contains(errorOf([&] { tape.batchJacobian(reduceSum(x), x); }),
                     "[GradientTape.batchJacobian] expected a target and a source with the same first axis"));
    }

    void misuseSaysWhatToDo() {
        GradientTape tape({.persistent = true});
        const Tensor x = constant(2.0f);
        tape.watch(x);
        const auto shows = [](const std::string& message, std::string_view part) {
            if (!contains(message, part))
                qWarning("%s", message.c_str());
            return contains(message, part);
        };
        QVERIFY(shows(errorOf([&] { tape.watch(constant(2)); }),
                      "[GradientTape.watch] expected a floating tensor, got int32[]; cast it"));
        QVERIFY(shows(errorOf([&] { tape.watch(3); }),
                      "[GradientTape.watch] expected tensors and variables, got"));
        QVERIFY(shows(errorOf([&] { tape.gradient(constant(1), x); }),
                      "[GradientTape.gradient] expected floating tensors as target, got int32[]"));
        QVERIFY(shows(errorOf([&] {
                          tape.gradient(x, x, {.outputGradients = constant({1.0f, 2.0f})});
                      }),
                      "expected the output gradient of target 0 as float32[], got float32[2]"));
        QVERIFY(shows(errorOf([&] {
                          tape.gradient(x, x, {.outputGradients = std::vector<Tensor>{x, x}});
                      }),
                      "expected an output gradient for each of 1 targets, got 2"));
        QVERIFY(shows(errorOf([&] { tape.gradient(x, Tensor()); }), "expected a tensor, got an empty one"));
        std::optional<GradientTape> kept;
        Tensor inside;
        const Function leaks("leaks", {"x"}, [&](Tensor v) {
            kept.emplace().watch(v);
            inside = v * v;
            return v;
        });
        leaks(x);
        QVERIFY(
            shows(errorOf([&] { kept->gradient(inside, x); }),
                  "[GradientTape.gradient] a symbolic float32[] of the trace of 'leaks' is out of scope"));
    }

    void aProductHasTheSecondDerivativesOfItsZeros_data() {
        QTest::addColumn<V>("factors");
        QTest::newRow("none") << V{2, 5, 3, 7};
        QTest::newRow("one") << V{2, 0, 3, 7};
        QTest::newRow("two") << V{0, 5, 0, 7};
        QTest::newRow("three") << V{0, 5, 0, 0};
    }
    void aProductHasTheSecondDerivativesOfItsZeros() {
        QFETCH(const V, factors);
        V expected;
        for (std::size_t i = 0; i < factors.size(); ++i)
            for (std::size_t j = 0; j < factors.size(); ++j) {
                float others = i == j ? 0.0f : 1.0f;
                for (std::size_t k = 0; k < factors.size(); ++k)
                    others *= k == i || k == j ? 1.0f : factors[k];
                expected.push_back(others);
            }
        const Tensor x = constant(factors);
        using Product = std::function<Tensor(Tensor)>;
        for (const Product& product :
             {Product([](Tensor a) { return reduceProd(a); }),
              Product([](Tensor a) { return reduceProd(a, {0}, true); }), Product([](Tensor a) {
                  return reduceProd(reshape(a, {2, 2}), {0, 1});
              }),
              Product([](Tensor a) {
                  return reduceProd(reshape(a, {2, 1, 2}), {-1, 0});
              })}) {
            GradientTape second;
            second.watch(x);
            Tensor gradient;
            {
                GradientTape first;
                first.watch(x);
                gradient = first.gradient(product(x), x);
            }
            QCOMPARE(second.jacobian(gradient, x).values<float>(), expected);
        }
    }

    void smallCapturedTensorsHaveTheirGradients() {
        const Tensor k = constant({1.0f, 1.0f});
        const Tensor x = constant({3.0f, 4.0f});
        Function f("f", {"x"}, [&](Tensor a) { return a * k * k; });
        Function outer("outer", {"x"}, [&](Tensor a) { return f(a) + 1.0f; });
        Function branches("branches", {"x"}, [&](Tensor a) {
            return cond(
                reduceSum(a) > 0.0f, [&] { return a * k; }, [&] { return a; });
        });
        outer(x); // traced before there is a tape
        const auto gradient = [&](const auto& function) {
            GradientTape tape;
            tape.watch(k);
            const Tensor y = function(x);
            return tape.gradient(y, k).template values<float>();
        };
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(gradient(f), (V{6, 8}));
            QCOMPARE(gradient(outer), (V{6, 8}));
            QCOMPARE(gradient(branches), (V{3, 4}));
        }
    }
};

RETRACESCOPE_TEST(GradientTapeTest);

#include "gradient_tape_test.moc"
