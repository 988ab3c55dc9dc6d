#include <cmath>
#include <sstream>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;

/// log(1 + e^x), whose gradient by its ops is inf / inf for large x.
const auto kSoftplus = [](Tensor x) {
    const Tensor e = exp(x);
    return withGradient(log(1.0f + e),
                        [e](Tensor gradient) { return gradient * (1.0f - 1.0f / (1.0f + e)); });
};

/// x, whose gradient is cut to a norm of `most`.
const auto kClipGradient = [](Tensor x, float most) {
    return withGradient(identity(x), [most](Tensor gradient) {
        const Tensor norm = sqrt(reduceSum(square(gradient)));
        return std::tuple(gradient * minimum(1.0f, most / norm), Tensor());
    });
};

float slopeOf(const std::function<Tensor(Tensor)>& f, float at) {
    const Tensor x = constant(at);
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(f(x), x).scalar<float>();
}

bool shows(const std::string& text, const std::string& part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found)
        qWarning("'%s' lacks '%s'", text.c_str(), part.c_str());
    return found;
}

} // namespace

class CustomGradientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isUsedInPlaceOfTheOpsGradient() {
        const CustomGradient softplus("softplus", kSoftplus);
        QCOMPARE(softplus(constant(0.0f)).scalar<float>(), std::log(2.0f));
        QVERIFY(std::isnan(slopeOf([](Tensor x) { return log(1.0f + exp(x)); }, 100.0f)));
        QCOMPARE(slopeOf(softplus, 100.0f), 1.0f);
        Function traced("traced", {"x"}, [&](Tensor x) { return softplus(x); });
        QCOMPARE(slopeOf(traced, 100.0f), 1.0f); // a call under a tape
        Function inside("inside", {"x"}, [&](Tensor x) { return gradients(softplus(x), {x})[0]; });
        QCOMPARE(inside(constant(100.0f)).scalar<float>(), 1.0f);
        Function taped("taped", {"x"}, [&](Tensor x) {
            GradientTape tape;
            tape.watch(x);
            return tape.gradient(softplus(x), x);
        });
        QCOMPARE(taped(constant(100.0f)).scalar<float>(), 1.0f);
        QCOMPARE(taped(constant(0.0f)).scalar<float>(), 0.5f);
    }

    void hasGradientsOfHigherOrder() {
        const CustomGradient softplus("softplus", kSoftplus);
        Function traced("traced", {"x"}, [&](Tensor x) { return softplus(x); });
        const auto secondOf = [](const std::function<Tensor(Tensor)>& f, float at) {
            const Tensor x = constant(at);
            GradientTape outer;
            outer.watch(x);
            GradientTape inner;
            inner.watch(x);
            return outer.gradient(inner.gradient(f(x), x), x).scalar<float>();
        };
        const auto near = [](float a, float b) { return std::abs(a - b) < 1e-6f; };
        const float s = 1 / (1 + std::exp(-0.5f)); // the first derivative
        QVERIFY(near(secondOf(softplus, 0.5f), s * (1 - s)));
        QVERIFY(near(secondOf(traced, 0.5f), s * (1 - s)));
        Function third("third", {"x"}, [&](Tensor x) {
            const Tensor first = gradients(softplus(x), {x})[0];
            const Tensor second = gradients(first, {x})[0];
            return std::tuple(first, second, gradients(second, {x})[0]);
        });
        const auto [a, b, c] = third(constant(0.5f));
        QVERIFY(near(a.scalar<float>(), s));
        QVERIFY(near(b.scalar<float>(), s * (1 - s)));
        QVERIFY(near(c.scalar<float>(), s * (1 - s) * (1 - 2 * s)));
        Function taped("taped", {"x"}, [&](Tensor x) {
            GradientTape outer;
            outer.watch(x);
            GradientTape inner;
            inner.watch(x);
            return outer.gradient(inner.gradient(softplus(x), x), x);
        });
        QVERIFY(near(taped(constant(0.5f)).scalar<float>(), s * (1 - s)));
    }

    void inBranchesLoopsAndInnerFunctions() {
        const CustomGradient softplus("softplus", kSoftplus);
        Function inner("inner", {"x"}, [&](Tensor x) { return softplus(x) * 2.0f; });
        Function f("f", {"x", "n"}, [&](Tensor x, Tensor n) {
            return forRange(
                n,
                [&](Tensor, Tensor value) {
                    return cond(
                        value > 50.0f, [&] { return inner(value); }, [&] { return softplus(value); });
                },
                x);
        });
        QCOMPARE(slopeOf([&](Tensor x) { return f(x, constant(2)); }, 100.0f), 4.0f);
        Function inside("inside", {"x", "n"}, [&](Tensor x, Tensor n) { return gradients(f(x, n), {x})[0]; });
        QCOMPARE(inside(constant(100.0f), constant(3)).scalar<float>(), 8.0f);
        QCOMPARE(inside(constant(100.0f), constant(0)).scalar<float>(), 1.0f);
        const float s = 1 / (1 + std::exp(1.0f));
        QVERIFY(std::abs(inside(constant(-1.0f), constant(1)).scalar<float>() - s) < 1e-6f);
    }

    void aStraightThroughEstimator() {
        const CustomGradient rounded("rounded", [](Tensor x) {
            return withGradient(round(x), [](Tensor gradient) { return gradient; });
        });
        Function f("f", {"x"}, [&](Tensor x) { return square(rounded(x)); });
        QCOMPARE(f(constant(2.4f)).scalar<float>(), 4.0f);
        QCOMPARE(slopeOf(f, 2.4f), 4.0f);
        QCOMPARE(slopeOf([&](Tensor x) { return square(rounded(x)); }, 2.4f), 4.0f);
    }

    void hostValuesAreArgumentsWithoutAGradient() {
        const CustomGradient clip("clip", kClipGradient);
        const Tensor x = constant({3.0f, 4.0f});
        const auto gradient = [&](float most) {
            GradientTape tape;
            tape.watch(x);
            return tape.gradient(reduceSum(clip(x, most) * x), x).values<float>();
        };
        QCOMPARE(gradient(100.0f), (V{6, 8}));
        QCOMPARE(gradient(2.5f), (V{3 + 1.5f, 4 + 2}));
        Function traced("traced", {"x"},
                        [&](Tensor t) { return gradients(reduceSum(clip(t, 2.5f) * t), {t})[0]; });
        QCOMPARE(traced(x).values<float>(), (V{4.5f, 6}));
    }

    void severalAndStructuredArgumentsAndResults() {
        using Pair = std::tuple<Tensor, Tensor>;
        const CustomGradient f("f", [](std::vector<Tensor> items, std::map<std::string, Tensor> named) {
            const Tensor a = named.at("a");
            return withGradient(Pair(items[0] * items[1], a + 1.0f), [=](Tensor product, Tensor sum) {
                return std::tuple(std::vector<Tensor>{product * 10.0f, product * 20.0f},
                                  std::map<std::string, Tensor>{{"a", sum * 30.0f}});
            });
        });
        const auto run = [&](Tensor x, Tensor y, Tensor a) {
            GradientTape tape;
            tape.watch(std::vector<Tensor>{x, y, a});
            const auto [product, sum] = f(std::vector<Tensor>{x, y}, std::map<std::string, Tensor>{{"a", a}});
            const auto found = tape.gradient(product + 2.0f * sum, std::vector<Tensor>{x, y, a});
            return std::tuple(product, found[0], found[1], found[2]);
        };
        Function traced("traced", {"x", "y", "a"}, run);
        for (const auto& [product, x, y, a] : {run(constant(2.0f), constant(3.0f), constant(4.0f)),
                                               traced(constant(2.0f), constant(3.0f), constant(4.0f))}) {
            QCOMPARE(product.scalar<float>(), 6.0f);
            QCOMPARE(x.scalar<float>(), 10.0f);
            QCOMPARE(y.scalar<float>(), 20.0f);
            QCOMPARE(a.scalar<float>(), 60.0f);
        }
        GradientTape tape; // only one result is used: the other's gradient is zero
        const Tensor x = constant(2.0f);
        tape.watch(x);
        const auto [product, sum] =
            f(std::vector<Tensor>{x, x}, std::map<std::string, Tensor>{{"a", constant(1.0f)}});
        QCOMPARE(tape.gradient(product, x).scalar<float>(), 30.0f); // both places
    }

    void variablesAreArgumentsOrListed() {
        const Variable w(constant(3.0f), {"w"});
        const CustomGradient listed("listed", [&](Tensor x) {
            return withGradient(x * w,
                                [&w, x](Tensor gradient) {
                                    return std::pair(gradient * w,
                                                     std::vector<Tensor>{gradient * x * 100.0f});
                                },
                                {w});
        });
        const CustomGradient given("given", [](Tensor x, Variable v) {
            return withGradient(
                x * v, [=](Tensor gradient) { return std::tuple(gradient * v, gradient * x * 100.0f); });
        });
        const auto both = [&](const std::function<Tensor(Tensor)>& call) {
            GradientTape tape;
            const Tensor x = constant(2.0f);
            tape.watch(x);
            const auto found = tape.gradient(call(x), {x, w});
            return V{found[0].scalar<float>(), found[1].scalar<float>()};
        };
        Function tracedListed("traced_listed", {"x"}, [&](Tensor x) { return listed(x); });
        Function tracedGiven("traced_given", {"x", "v"}, [&](Tensor x, Variable v) { return given(x, v); });
        QCOMPARE(both(listed), (V{3, 200}));
        QCOMPARE(both([&](Tensor x) { return given(x, w); }), (V{3, 200}));
        QCOMPARE(both(tracedListed), (V{3, 200}));
        QCOMPARE(both([&](Tensor x) { return tracedGiven(x, w); }), (V{3, 200}));
        Function inside("inside", {"x"}, [&](Tensor x) { return gradients(listed(x), {x, w}); });
        QCOMPARE(inside(constant(2.0f))[1].scalar<float>(), 200.0f);
        QCOMPARE(inside(constant(2.0f))[0].scalar<float>(), 3.0f);

        const CustomGradient silent("silent", [&](Tensor x) {
            return withGradient(x * w, [](Tensor gradient) { return gradient; });
        });
        Function tracedSilent("traced_silent", {"x"}, [&](Tensor x) { return silent(x); });
        for (const std::string& message :
             {errorOf([&] { both(silent); }), errorOf([&] { both(tracedSilent); })}) {
            QVERIFY(
                shows(message, "[silent] reads variable 'w', for which its backward returns no gradient"));
            QVERIFY(shows(message, "custom_gradient_test.cpp"));
        }
    }

    void whatTheCallableUsesBesidesHasNoGradient() {
        const Tensor c = constant(5.0f);
        const auto run = [&](Tensor x, Tensor other) {
            const CustomGradient f("f", [&](Tensor a) {
                return withGradient(a * other * c, [=](Tensor gradient) { return gradient * other; });
            });
            GradientTape tape;
            tape.watch(std::vector<Tensor>{x, other, c});
            const auto found =
                tape.gradient(f(x), std::vector<Tensor>{x, other, c}, {.unconnected = Unconnected::Zeros});
            return std::tuple(found[0], found[1], found[2]);
        };
        Function traced("traced", {"x", "other"}, run);
        for (const auto& [x, other, captured] :
             {run(constant(2.0f), constant(7.0f)), traced(constant(2.0f), constant(7.0f))}) {
            QCOMPARE(x.scalar<float>(), 7.0f);
            QCOMPARE(other.scalar<float>(), 0.0f);
            QCOMPARE(captured.scalar<float>(), 0.0f);
        }
    }

    void effectsOfBothHappenOnce() {
        const Variable calls(constant(0), {.name = "calls", .trainable = false});
        const Variable backwards(constant(0), {.name = "backwards", .trainable = false});
        const CustomGradient f("f", [&](Tensor x) {
            calls.assignAdd(1);
            const Tensor seen = cast(calls.read(), DType::Float32);
            return withGradient(x * 1.0f, [&backwards, seen](Tensor gradient) {
                backwards.assignAdd(1);
                return gradient * seen; // as it was when it ran
            });
        });
        Function traced("traced", {"x"}, [&](Tensor x) {
            const Tensor y = f(f(x));
            calls.assignAdd(100);
            return gradients(y, {x})[0];
        });
        QCOMPARE(traced(constant(1.0f)).scalar<float>(), 2.0f); // 1 * 2
        QCOMPARE(calls.read().scalar<std::int32_t>(), 102);
        QCOMPARE(backwards.read().scalar<std::int32_t>(), 2);
        QCOMPARE(slopeOf(f, 1.0f), 103.0f);
        QCOMPARE(backwards.read().scalar<std::int32_t>(), 3);
        Function plain("plain", {"x"}, [&](Tensor x) { return f(x); });
        plain(constant(1.0f));
        QCOMPARE(backwards.read().scalar<std::int32_t>(), 3); // nobody asked
        QCOMPARE(calls.read().scalar<std::int32_t>(), 104);
        GradientTape tape;
        const Tensor x = constant(1.0f);
        tape.watch(x);
        QCOMPARE(tape.gradient(plain(x), x).scalar<float>(), 105.0f);
        QCOMPARE(backwards.read().scalar<std::int32_t>(), 4);
    }

    void integerResultsPassThrough() {
        const CustomGradient f("f", [](Tensor x, Tensor n) {
            return withGradient(std::tuple(x * 2.0f, n + 1), [](Tensor gradient, Tensor) {
                return std::tuple(gradient * 7.0f, Tensor());
            });
        });
        Function traced("traced", {"x"}, [&](Tensor x) {
            const auto [y, n] = f(x, constant(1));
            return std::tuple(gradients(y, {x})[0], n);
        });
        const auto [slope, n] = traced(constant(1.0f));
        QCOMPARE(slope.scalar<float>(), 7.0f);
        QCOMPARE(n.scalar<std::int32_t>(), 2);
    }

    void aJacobianGoesThroughIt() {
        const CustomGradient f("f", [](Tensor x) {
            return withGradient(square(x), [=](Tensor gradient) { return gradient * x; });
        });
        const auto run = [&](Tensor x) {
            GradientTape tape;
            tape.watch(x);
            return tape.jacobian(f(x), x);
        };
        Function traced("traced", {"x"}, run);
        QCOMPARE(run(constant({2.0f, 3.0f})).values<float>(), (V{2, 0, 0, 3}));
        QCOMPARE(traced(constant({2.0f, 3.0f})).values<float>(), (V{2, 0, 0, 3}));
    }

    void mistakesNameTheFunctionAndTheArgument() {
        const Tensor x = constant({1.0f, 2.0f});
        const auto errorsOf = [&](const auto& f) {
            const auto call = [&](Tensor a) {
                GradientTape tape;
                tape.watch(a);
                return tape.gradient(f(a), a);
            };
            Function traced("traced", {"a"}, call);
            return std::vector{errorOf([&] { call(x); }), errorOf([&] { traced(x); })};
        };
        const CustomGradient shape("shape", [](Tensor a) {
            return withGradient(a * 1.0f, [](Tensor gradient) { return reduceSum(gradient); });
        });
        for (const std::string& message : errorsOf(shape))
            QVERIFY(shows(message, "[shape] expected float32[2] as the gradient of argument 0 from its "
                                   "backward, got float32[]"));
        const CustomGradient dtype("dtype", [](Tensor a) {
            return withGradient(a * 1.0f, [](Tensor gradient) { return cast(gradient, DType::Float64); });
        });
        for (const std::string& message : errorsOf(dtype))
            QVERIFY(shows(message, "[dtype] expected float32[2] as the gradient of argument 0"));
        const CustomGradient number("number", [](Tensor a, Tensor b) {
            return withGradient(a * b,
                                [](Tensor gradient) { return std::tuple(gradient, gradient, gradient); });
        });
        for (const std::string& message : errorsOf([&](Tensor a) { return number(a, a); }))
            QVERIFY(
                shows(message, "[number] expected the gradients of 2 arguments from its backward, got 3"));
        const CustomGradient items("items", [](std::vector<Tensor> all) {
            return withGradient(all[0] * 1.0f, [](Tensor gradient) { return gradient; });
        });
        for (const std::string& message : errorsOf([&](Tensor a) { return items(std::vector{a, a}); }))
            QVERIFY(shows(message, "[items] expected as the gradient of argument 0 2 items"));
        const Variable w(constant(1.0f), {"w"});
        const CustomGradient variables("variables", [&](Tensor a) {
            return withGradient(a * w, [](Tensor gradient) { return gradient; }, {w});
        });
        for (const std::string& message : errorsOf(variables))
            QVERIFY(shows(message, "[variables] expected a gradient for each of 1 variables"));
    }

    void gradientsStopWhereTheyAreTold() {
        const auto run = [](Tensor x) {
            GradientTape tape({.persistent = true});
            tape.watch(x);
            const Tensor y = x * stopGradient(x) + stopGradient(x * x);
            return std::tuple(y, tape.gradient(y, x), tape.gradient(stopGradient(x) * 2.0f, x));
        };
        Function traced("traced", {"x"}, run);
        for (const auto& [y, slope, none] : {run(constant(3.0f)), traced(constant(3.0f))}) {
            QCOMPARE(y.scalar<float>(), 18.0f);
            QCOMPARE(slope.scalar<float>(), 3.0f);
            QVERIFY(none.isEmpty());
        }
        Function f("f", {"x"}, [](Tensor x) { return x * stopGradient(x); }); // its graph has been optimised
        QCOMPARE(slopeOf(f, 3.0f), 3.0f);
        Function g("g", {"x"}, [&](Tensor x) { return gradients(f(x) + f(stopGradient(x)), {x})[0]; });
        QCOMPARE(g(constant(3.0f)).scalar<float>(), 3.0f);
        const Tensor n = constant(2);
        QCOMPARE(stopGradient(n).scalar<std::int32_t>(), 2);
    }
};

RETRACESCOPE_TEST(CustomGradientTest);

#include "custom_gradient_test.moc"
