// What a function does otherwise when it follows TensorFlow: concrete functions without checks, leaked
// tensors, creating calls that fail.
#include <array>
#include <optional>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

FunctionOptions following(bool tensorflow) {
    FunctionOptions options;
    options.policy = tensorflow ? Policy::tensorflow() : Policy();
    return options;
}

using V = std::vector<float>;

V valuesOf(const Value& value) {
    return value.as<Tensor>()->values<float>();
}

} // namespace

class PolicyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConcreteFunctionChecksShapesOrRunsThem_data() { bothPolicies(); }
    void aConcreteFunctionChecksShapesOrRunsThem() {
        QFETCH(const bool, tensorflow);
        Function f(
            "f", {"x", "y"}, [](Tensor x, Tensor y) { return x * x + y; }, following(tensorflow));
        const ConcreteFunction& g = f.concrete(constant({1.0f}), constant({2.0f}));
        const Tensor wide = constant({1.0f, 2.0f, 3.0f});
        QCOMPARE(valuesOf(g(constant({3.0f}), constant({1.0f}))), V{10});
        VERIFY_CONTAINS(errorOf([&] { g(constant({1}), constant({2})); }), "expected 'x' as float32[1]");
        if (!tensorflow) {
            VERIFY_CONTAINS(errorOf([&] { g(wide, wide); }), "expected 'x' as float32[1], got float32[3]");
            VERIFY_CONTAINS(errorOf([&] {
                                g.callFlat(std::array{wide, wide});
                            }),
                            "is expected as float32[1]");
            return;
        }
        QCOMPARE(valuesOf(g(wide, wide)), (V{2, 6, 12}));
        VERIFY_CONTAINS(errorOf([&] { g(wide, constant({1.0f, 2.0f})); }), "[add]");
        QCOMPARE(g.callFlat(std::array{wide, wide})[0].values<float>(), (V{2, 6, 12}));
        GradientTape tape;
        tape.watch(wide);
        const Value y = g(wide, wide);
        QCOMPARE(tape.gradient(*y.as<Tensor>(), wide).values<float>(), (V{3, 5, 7}));
        Function outer("outer", {"x"}, [&](Tensor x) { return *g(x, x).as<Tensor>(); });
        VERIFY_CONTAINS(errorOf([&] { outer(wide); }), "expected 'x' as float32[1], got float32[3]");
        QCOMPARE(f.tracingCount(), std::size_t{1});
    }

    void variablesOfAConcreteFunctionAreThoseOfItsTrace_data() { bothPolicies(); }
    void variablesOfAConcreteFunctionAreThoseOfItsTrace() {
        QFETCH(const bool, tensorflow);
        const Variable v(constant(1.0f));
        const Variable w(constant(10.0f));
        const Variable wide(constant({1.0f, 2.0f}));
        Function f(
            "f", {"a", "b"}, [](Variable a, Variable b) { return a + 2.0f * b; }, following(tensorflow));
        const ConcreteFunction& one = f.concrete(v, v);
        const ConcreteFunction& two = f.concrete(v, w);
        QCOMPARE(valuesOf(one(w, w)), V{30});
        QCOMPARE(valuesOf(two(w, v)), V{12});
        if (!tensorflow) {
            VERIFY_CONTAINS(errorOf([&] { one(v, w); }), "which arguments are one variable is part");
            VERIFY_CONTAINS(errorOf([&] { two(v, v); }), "which arguments are one variable is part");
            VERIFY_CONTAINS(errorOf([&] { two(wide, v); }), "float32[2]");
            return;
        }
        QCOMPARE(valuesOf(one(v, w)), V{3}); // the first in its places
        QCOMPARE(valuesOf(two(v, v)), V{3});
        QCOMPARE(valuesOf(two(wide, v)), (V{3, 4}));
        QCOMPARE(two.callFlat(std::array{wide.handle(), v.handle()})[0].values<float>(), (V{3, 4}));
    }

    void aTraceWithALeakedTensorFailsOrIsKept_data() { bothPolicies(); }
    void aTraceWithALeakedTensorFailsOrIsKept() {
        QFETCH(const bool, tensorflow);
        Tensor leaked;
        Function leaks("leaks", {"x"}, [&](Tensor x) { return leaked = x + 1.0f; });
        leaks(constant(1.0f));
        int bodies = 0;
        Function uses(
            "uses", {"x"},
            [&](Tensor x) {
                ++bodies;
                return cond(
                    x > 0.0f, [&] { return x + leaked; }, [&] { return x; });
            },
            following(tensorflow));
        for (int i = 0; i < 2; ++i)
            VERIFY_CONTAINS(errorOf([&] { uses(constant(1.0f)); }),
                            "the trace of 'leaks' is out of scope and cannot be used here");
        QCOMPARE(uses.tracingCount(), tensorflow ? std::size_t{1} : std::size_t{0});
        QCOMPARE(bodies, tensorflow ? 1 : 2);
        if (!tensorflow)
            return;
        QCOMPARE(uses.concreteFunctions()[0]->type().captures.size(), std::size_t{1});
        Function outer(
            "outer", {"x"}, [&](Tensor x) { return uses(x); }, following(true));
        VERIFY_CONTAINS(errorOf([&] { outer(constant(1.0f)); }), "the trace of 'leaks' is out of scope");
        QCOMPARE(outer.tracingCount(), std::size_t{1});
    }

    void whatLeaksIntoTheTraceAroundItFailsThatTrace() {
        Function f(
            "f", {"x"},
            [](Tensor x) {
                Tensor inner;
                cond(
                    x > 0.0f, [&] { return inner = x + 1.0f; }, [&] { return x; });
                return inner * 2.0f;
            },
            following(true));
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }), "is out of scope");
        QCOMPARE(f.tracingCount(), std::size_t{0});

        Tensor leaked;
        Function inner(
            "inner", {"x"}, [&](Tensor x) { return leaked = x + 1.0f; }, following(true));
        Function user(
            "user", {"x"}, [&](Tensor x) { return x + leaked; }, following(true));
        Function outer(
            "outer", {"x"}, [&](Tensor x) { return user(inner(x)); }, following(true));
        VERIFY_CONTAINS(errorOf([&] { outer(constant(1.0f)); }), "the trace of 'inner' is out of scope");
        QCOMPARE(user.tracingCount(), std::size_t{1});
        QCOMPARE(outer.tracingCount(), std::size_t{0});
        // The next trace of outer is not the one that the leaked tensor was made in.
        VERIFY_CONTAINS(errorOf([&] { outer(constant(1.0f)); }), "the trace of 'inner' is out of scope");
        QCOMPARE(outer.tracingCount(), std::size_t{1});
    }

    void aFailedCreatingCallLeavesItsFirstTraceOrNothing_data() { bothPolicies(); }
    void aFailedCreatingCallLeavesItsFirstTraceOrNothing() {
        QFETCH(const bool, tensorflow);
        bool isMended = false;
        std::optional<Variable> kept;
        Function f(
            "creates", {"x"},
            [&](Tensor x) {
                if (!isMended || !kept)
                    kept.emplace(constant(1.0f));
                return *kept + x;
            },
            following(tensorflow));
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }), "is created on every call");
        QCOMPARE(f.tracingCount(), tensorflow ? std::size_t{1} : std::size_t{0});
        QCOMPARE(f.bodyRuns(), std::size_t{2});
        isMended = true;
        kept.reset();
        if (tensorflow) {
            VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }), "is created in a later call");
            QCOMPARE(f.bodyRuns(), std::size_t{3});
            QCOMPARE(f.tracingCount(), std::size_t{1});
        } else {
            QCOMPARE(f(constant(1.0f)).scalar<float>(), 2.0f);
        }
    }

private:
    static void bothPolicies() {
        QTest::addColumn<bool>("tensorflow");
        QTest::newRow("own") << false;
        QTest::newRow("tensorflow") << true;
    }
};

RETRACESCOPE_TEST(PolicyTest);

#include "policy_test.moc"
