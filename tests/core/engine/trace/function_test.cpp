#include <QTest>

#include <optional>
#include <thread>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/event_text.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;
using test::EventText;

class FunctionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tracesOncePerSignature() {
        int runs = 0;
        Function scale("scale", {"x", "up"}, [&](Tensor x, bool up) {
            ++runs;
            return up ? x * 3.0f : x / 2.0f;
        });
        QCOMPARE(valueText(scale(constant({2.0f, 4.0f}), true)), std::string("[6, 12]"));
        QCOMPARE(valueText(scale(constant({2.0f, 4.0f}), false)), std::string("[1, 2]"));
        QCOMPARE(valueText(scale(constant({3.0f, 5.0f}), true)), std::string("[9, 15]"));
        QCOMPARE(valueText(scale(constant({1.0f}), true)), std::string("[3]"));
        QCOMPARE(runs, 3);
        QCOMPARE(scale.bodyRuns(), std::size_t{3});
        QCOMPARE(scale.tracingCount(), std::size_t{3});
    }

    void tellsTheObserverWhatHappensInOrder() {
        EventText events;
        Function f("clip", {"x", "limit"}, [](Tensor x, double limit) { return minimum(x, limit); });
        f(constant({1.0f, 9.0f}), 5.0);
        f(constant({1.0f, 9.0f}), 5.0);
        f(constant({1.0f, 9.0f}), 2.5);
        VERIFY_CONTAINS(errorOf([&] {
                            f(constant({1, 9, 4}), 2.5);
                        }),
                        "[minimum] a host float64 does not become int32");
        const std::string text = events.takeText();
        QCOMPARE(
            text.substr(0, text.find("clip_2 is made")),
            std::string("function clip(x, limit)\n"
                        "clip call 1 misses: first_call\n"
                        "clip traces\n"
                        "clip_1 is made: (x: TensorSpec(shape=(2,), dtype=tf.float32, name=None), limit: "
                        "Literal[5.0]) -> TensorSpec(shape=(2,), dtype=tf.float32, name=None)\n"
                        "clip traced, 1 body runs\n"
                        "clip call 1: traced clip_1\n"
                        "clip call 2: hit clip_1\n"
                        "clip call 3 misses:\n"
                        "  not clip_1: value limit.value: 5.0 -> 2.5\n"
                        "clip traces\n"));
        VERIFY_CONTAINS(text, "  not clip_1: dtype x.dtype: float32 -> int32, shape x.shape[0]: 2 -> 3, "
                              "value limit.value: 5.0 -> 2.5");
        VERIFY_CONTAINS(text, "clip call 4: error\n");
        QCOMPARE(f.failedTraceCount(), std::size_t{1});
        QCOMPARE(f.tracingCount(), std::size_t{2});
    }

    void relaxesFromTheSecondShapeOn() {
        FunctionOptions options;
        options.reduceRetracing = true;
        Function f(
            "total", {"x"}, [](Tensor x) { return reduceSum(x); }, options);
        for (const std::int64_t length : {2, 3, 4, 2})
            QCOMPARE(f(ones({length})).scalar<float>(), static_cast<float>(length));
        QCOMPARE(f.signatures(false),
                 std::string("(x: TensorSpec(shape=(2,), dtype=tf.float32, name=None)) -> "
                             "TensorSpec(shape=(), dtype=tf.float32, name=None)\n"
                             "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None)) -> "
                             "TensorSpec(shape=(), dtype=tf.float32, name=None)\n"));
        QCOMPARE(QString::fromStdString(f.signatures()).count(QStringLiteral("Input Parameters:")), 2);
        QCOMPARE(f.traceCount(), std::size_t{2}); // listing made none
    }

    void triesTheExactSignatureWhenTheRelaxedOneFails() {
        FunctionOptions options;
        options.reduceRetracing = true;
        Function f(
            "needs_size", {"x"},
            [](Tensor x) {
                if (x.shape()[0] == Shape::kUnknown)
                    throw UsageError("[needs_size] size must be known");
                return x * static_cast<float>(x.shape()[0]);
            },
            options);
        EventText events;
        f(ones({2}));
        QCOMPARE(valueText(f(ones({3}))), std::string("[3, 3, 3]"));
        QCOMPARE(f.tracingCount(), std::size_t{2});
        VERIFY_CONTAINS(events.text(), "warns: the relaxed trace failed");
    }

    void anInputSignatureMakesOneTraceAndRefusesTheRest() {
        FunctionOptions options;
        options.inputSignature = {TensorSpec{DType::Float32, {Shape::kUnknown}, ""}};
        Function f(
            "signed", {"x"}, [](Tensor x) { return x + 1.0f; }, options);
        f(constant({1.0f}));
        f(constant({1.0f, 2.0f}));
        QCOMPARE(f.traceCount(), std::size_t{1});
        VERIFY_CONTAINS(
            errorOf([&] {
                f(constant({1, 2}));
            }),
            "[signed] argument 'x': expected TensorSpec(shape=(None,), dtype=tf.float32, name=None), "
            "got TensorSpec(shape=(2,), dtype=tf.int32, name=None) (function_test.cpp:");
        VERIFY_CONTAINS(errorOf([&] { f(ones({2, 2})); }), "shape=(2, 2)");
        QVERIFY(&f.concrete() == f.concreteFunctions()[0]);
        QVERIFY(&f.concrete(ones({7})) == f.concreteFunctions()[0]);
    }

    void bindsNamedAndDefaultArgumentsCanonically() { // O46
        Function f("mixed", {"x", {"k", 3}}, [](Tensor x, int k) { return x * k; });
        const Tensor x = constant({1.0f});
        f(x, 3);
        f(x);
        f(arg("x", x));
        f(arg("k", 3), arg("x", x));
        QCOMPARE(f.tracingCount(), std::size_t{1});
        QCOMPARE(f(arg("x", x), arg("k", 4)).scalar<float>(), 4.0f);
        VERIFY_CONTAINS(errorOf([&] { f(arg("y", x)); }), "missing a required argument: 'x'");
    }

    void concreteFunctionsComeFromValuesAndSpecs() {
        Function f("square_it", {"x"}, [](Tensor x) { return square(x); });
        const auto& open = f.concrete(TensorSpec{DType::Float32, {Shape::kUnknown}, ""});
        QVERIFY(&f.concrete(ones({3})) == &open); // O07
        f(ones({5}));
        QCOMPARE(f.tracingCount(), std::size_t{1});
        const std::vector<Tensor> arguments{constant({3.0f})};
        QCOMPARE(open.callFlat(arguments)[0].values<float>(), std::vector<float>{9.0f});
        QVERIFY(&f.concrete(ones({2, 2})) != &open);
        QCOMPARE(f.tracingCount(), std::size_t{2});
    }

    void variablesAreReadAndWrittenInProgramOrder() {
        const Variable v(constant(1.0f), {"v"});
        Function f("steps", {"x"}, [&](Tensor x) {
            const Tensor before = v.read();
            v.assignAdd(x);
            const Tensor after = v.read();
            v.assign(after * 10.0f);
            return std::vector<Tensor>{before, after, v.read()};
        });
        const auto result = f(constant(2.0f));
        QCOMPARE(result[0].scalar<float>(), 1.0f);
        QCOMPARE(result[1].scalar<float>(), 3.0f);
        QCOMPARE(result[2].scalar<float>(), 30.0f);
        v.assign(0.0f);
        QCOMPARE(f(constant(2.0f))[1].scalar<float>(), 2.0f);
        QCOMPARE(f.traceCount(), std::size_t{1});
        QCOMPARE(f.concreteFunctions()[0]->type().captures.size(), std::size_t{1});
    }

    void variableArgumentsAreTypedByTheirAliasPattern() { // O98
        const Variable x(constant(1.0f));
        const Variable y(constant(2.0f));
        const Variable z(constant(3.0f));
        Function f("aliases", {"a", "b", "c"}, [](Variable a, Variable b, Variable c) {
            a.assignAdd(1.0f);
            return a + b.read() + c.read();
        });
        f(x, y, z);
        f(z, y, x);
        QCOMPARE(f.tracingCount(), std::size_t{1});
        QCOMPARE(f(x, x, z).scalar<float>(), 10.0f); // x was 2, is 3; z is 4
        QCOMPARE(f(y, y, z).scalar<float>(), 10.0f); // y was 2, is 3; z is 4
        QCOMPARE(f.tracingCount(), std::size_t{2});
        f(z, y, y);
        QCOMPARE(f.tracingCount(), std::size_t{3});
    }

    void aFirstCallThatCreatesAVariableTracesTwice() { // O115, O118
        std::optional<Variable> made;
        Function f("creates_once", {"x"}, [&](Tensor x) {
            if (!made)
                made.emplace(x * 2.0f, Variable::Options{"made"});
            made->assignAdd(x);
            return made->read();
        });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 3.0f);
        QCOMPARE(f.bodyRuns(), std::size_t{2});
        QCOMPARE(f.tracingCount(), std::size_t{2});
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 4.0f);
        QCOMPARE(f.bodyRuns(), std::size_t{2});
    }

    void anInnerFunctionMakesItsVariablesWhileAnotherIsTraced() { // N059
        EventText events;
        std::optional<Variable> made;
        Function inner("inner", {"x"}, [&](Tensor x) {
            if (!made)
                made.emplace(constant(10.0f));
            return *made + x;
        });
        Function outer("outer", {"x"}, [&](Tensor x) { return inner(x) * 2.0f; });
        QCOMPARE(outer(constant(1.0f)).scalar<float>(), 22.0f);
        QCOMPARE(inner.tracingCount(), std::size_t{2});
        QCOMPARE(outer.tracingCount(), std::size_t{1});
        const std::string text = events.takeText();
        VERIFY_CONTAINS(text, "inner call 1 misses: first_call\n");
        VERIFY_CONTAINS(text, "inner call 1 misses: phase\n");
        QVERIFY(text.find("outer call 1 misses: phase") == std::string::npos);
        QCOMPARE(outer(constant(2.0f)).scalar<float>(), 24.0f);
        QCOMPARE(inner(constant(1.0f)).scalar<float>(), 11.0f);
        QCOMPARE(valueText(outer(ones({2}))), std::string("[22, 22]"));
        QCOMPARE(inner.traceCount(), std::size_t{3});
        QCOMPARE(outer.traceCount(), std::size_t{2});
    }

    void aValueThatOnlyTheOuterCallKnowsMakesTheOuterFunctionTheCreator() {
        EventText events;
        std::optional<Variable> made;
        Function inner("inner", {"x"}, [&](Tensor x) {
            if (!made)
                made.emplace(x * 2.0f, Variable::Options{"made"});
            return *made + x;
        });
        Function outer("outer", {"x"}, [&](Tensor x) { return inner(x + 1.0f); });
        QCOMPARE(outer(constant(1.0f)).scalar<float>(), 6.0f);
        QCOMPARE(outer(constant(2.0f)).scalar<float>(), 7.0f); // the variable stays 4
        QCOMPARE(inner.tracingCount(), std::size_t{2});
        QCOMPARE(outer.tracingCount(), std::size_t{2});
        VERIFY_CONTAINS(events.text(), "outer call 1 misses: phase\n");
    }

    void suchAnOuterFunctionHasToBeInItsFirstCall() {
        std::optional<Variable> made;
        Function inner("inner", {"x"}, [&](Tensor x) {
            if (!made)
                made.emplace(x * 2.0f, Variable::Options{"made"});
            return *made + x;
        });
        Function late("late", {"x", "create"},
                      [&](Tensor x, bool create) { return create ? inner(x) : Tensor(x); });
        late(constant(1.0f), false);
        VERIFY_CONTAINS(errorOf([&] { late(constant(1.0f), true); }),
                        "[late] creating variable 'made' on a non-first call");
        made.reset();
        Function branches("branches", {"x"}, [&](Tensor x) {
            return cond(
                reduceSum(x) > 0.0f, [&]() -> Tensor { return inner(x); }, [&] { return x; });
        });
        VERIFY_CONTAINS(errorOf([&] { branches(constant(1.0f)); }), "variable 'made' is created in a branch");
        QCOMPARE(inner.tracingCount(), std::size_t{0});
        made.reset();
        QCOMPARE(inner(constant(1.0f)).scalar<float>(), 3.0f); // as if nothing had happened
    }

    void aSpecIsEnoughForAVariableThatNeedsNoValueOfIt() {
        std::optional<Variable> made;
        Function f("f", {"x"}, [&](Tensor x) {
            if (!made)
                made.emplace(constant(10.0f));
            return *made + x;
        });
        f.concrete(TensorSpec{types::DType::Float32, {}, {}});
        QCOMPARE(f.tracingCount(), std::size_t{2});
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 11.0f);
        QCOMPARE(f.tracingCount(), std::size_t{2});
        made.reset();
        Function g("g", {"x"}, [&](Tensor x) {
            if (!made)
                made.emplace(x);
            return *made + x;
        });
        VERIFY_CONTAINS(errorOf([&] {
                            g.concrete(TensorSpec{types::DType::Float32, {}, {}});
                        }),
                        "[g] a variable starts with a value made of argument 'x'");
        QCOMPARE(g.tracingCount(), std::size_t{0});
    }

    void hostNumbersKeepTheirValueOrAreRefused() {
        const Function f("f", {"x", "k"}, [](Tensor x, int k) { return x * static_cast<float>(k); });
        const Tensor x = constant(1.0f);
        QCOMPARE(f(x, std::int64_t{3}).scalar<float>(), 3.0f);
        QCOMPARE(f(x, std::uint8_t{3}).scalar<float>(), 3.0f);
        QCOMPARE(f.tracingCount(), std::size_t{1});
        VERIFY_CONTAINS(errorOf([&] { f(x, 2.5); }), "expects an integer, got Literal[2.5]");
        VERIFY_CONTAINS(errorOf([&] { f(x, 2.0); }), "expects an integer, got Literal[2.0]");
        VERIFY_CONTAINS(
            errorOf([&] { f(x, 5'000'000'000); }),
            "[f] argument 'k': expected a whole number of 32 bits, got 5000000000 (function_test");
        const Function g("g", {"k"}, [](unsigned k) { return constant(static_cast<float>(k)); });
        QCOMPARE(g(7).scalar<float>(), 7.0f);
        VERIFY_CONTAINS(errorOf([&] { g(-1); }),
                        "[g] argument 'k': expected a whole number of 32 bits without a sign, got -1");
        const Function n("n", {"k"}, [](std::uint64_t k) { return constant(k == ~std::uint64_t{0} >> 1); });
        QVERIFY(n(~std::uint64_t{0} >> 1).scalar<bool>());
        VERIFY_CONTAINS(errorOf([&] { n(~std::uint64_t{0}); }), "up to 2^63 - 1, got 18446744073709551615");
        VERIFY_CONTAINS(errorOf([&] { n(-3); }),
                        "[n] argument 'k': expected a whole number of 64 bits without a sign, got -3");
        const Function l("l", {"k"}, [](std::int64_t k) { return constant(k); });
        VERIFY_CONTAINS(errorOf([&] { l(~std::uint64_t{0}); }), "up to 2^63 - 1, got 18446744073709551615");
        const Function h("h", {"k"}, [](std::int8_t k) { return constant(static_cast<float>(k)); });
        VERIFY_CONTAINS(errorOf([&] { h(300); }), "expected a whole number of 8 bits, got 300");
        const Function rate("rate", {"r"}, [](float r) { return constant(r); });
        QCOMPARE(rate(0.1).scalar<float>(), 0.1f); // floating numbers are rounded
        QCOMPARE(rate(2).scalar<float>(), 2.0f);
    }

    void textAndListsOfHostValuesComeBackAsTensors() {
        const Function text("text", {"x"}, [](Tensor) { return std::string("a"); });
        QCOMPARE(text(constant(1.0f)).strings()[0], std::string("a"));
        const Function list("list", {"x"}, [](Tensor) { return std::vector<int>{1, 2}; });
        const std::vector<Tensor> numbers = list(constant(1.0f));
        QCOMPARE(numbers[1].scalar<std::int32_t>(), 2);
        const Function map("map", {"x"}, [](Tensor) { return std::map<std::string, float>{{"a", 1.5f}}; });
        QCOMPARE(map(constant(1.0f)).at("a").scalar<float>(), 1.5f);
    }

    void aVariableOfALaterCallIsRefusedAsThat() {
        std::optional<Variable> first;
        std::optional<Variable> second;
        Function f("creates", {"x", "more"}, [&](Tensor x, bool more) {
            if (!first)
                first.emplace(constant(1.0f), Variable::Options{"first"});
            if (more && !second)
                second.emplace(constant(1.0f), Variable::Options{"second"});
            return *first + x;
        });
        QCOMPARE(f(constant(1.0f), false).scalar<float>(), 2.0f);
        VERIFY_CONTAINS(
            errorOf([&] { f(constant(1.0f), true); }),
            "[creates] variable 'second' is created in a later call, expected only in the first: ");
        QCOMPARE(f(constant(1.0f), false).scalar<float>(), 2.0f);
    }

    void aCallThatAlwaysCreatesLeavesNothingBehind() { // O116, but nothing stays
        EventText events;
        Function f("creates", {"x"}, [](Tensor x) { return Variable(constant(1.0f), {"new"}) + x; });
        for (int call = 1; call <= 2; ++call) {
            VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }),
                            "[creates] variable 'new' is created on every call");
            QCOMPARE(f.tracingCount(), std::size_t{0});
            QCOMPARE(f.bodyRuns(), static_cast<std::size_t>(2 * call));
            QCOMPARE(f.failedTraceCount(), static_cast<std::size_t>(call));
        }
        VERIFY_CONTAINS(events.text(), "creates call 1 misses: first_call");
        VERIFY_CONTAINS(events.text(), "creates call 1 misses: phase");
        VERIFY_CONTAINS(events.text(), "creates traced, 2 body runs, withdrawn");
        QVERIFY(events.text().find("is made") == std::string::npos);
        QVERIFY(events.text().find("is dropped") == std::string::npos);
        QCOMPARE(f.traceCount(), std::size_t{2});
        VERIFY_CONTAINS(events.text(), "creates call 2 misses: failed_before");
    }

    void creatingOnALaterCallIsRefused() {
        std::optional<Variable> made;
        Function f("late", {"x", "create"}, [&](Tensor x, bool create) {
            if (create)
                made.emplace(constant(1.0f));
            return x;
        });
        f(constant(1.0f), false);
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f), true); }), "non-first call");
        QCOMPARE(f.tracingCount(), std::size_t{1});
        f(constant(1.0f), false);
    }

    void aNegativeZeroKeepsItsSign() { // R17, R32
        for (const bool own : {true, false}) {
            EventText events;
            FunctionOptions options;
            options.policy = own ? Policy() : Policy::tensorflow();
            Function f(
                "f", {"x"}, [](double x) { return x; }, options);
            QCOMPARE(valueText(f(-0.0)), std::string("-0"));
            QCOMPARE(valueText(f(0.0)), std::string(own ? "0" : "-0")); // one trace in TensorFlow
            QCOMPARE(f.tracingCount(), std::size_t{own ? 2U : 1U});
            VERIFY_CONTAINS(f.signatures(false), "(x: Literal[-0.0])");
            VERIFY_CONTAINS(f.signatures(true), "x (POSITIONAL_OR_KEYWORD): Literal[-0.0]\n");
            VERIFY_CONTAINS(events.text(), "f_1 is made: (x: Literal[-0.0])");
            if (own)
                VERIFY_CONTAINS(events.text(), "  not f_1: value x.value: -0.0 -> 0.0\n");
        }
    }

    void capturesTensorsByIdentity() {
        Tensor outside = constant({1.0f, 2.0f});
        const Tensor large = ones({200});
        const Tensor alike = constant({1.0f, 2.0f}); // another tensor
        Function f("captures", {"x"}, [&](Tensor x) {
            return x + reduceSum(outside) + reduceSum(large) + reduceMax(outside) + reduceSum(alike);
        });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 209.0f);
        outside = constant({100.0f, 100.0f});
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 209.0f); // O107: stale, as documented
        const auto& concrete = *f.concreteFunctions()[0];
        QCOMPARE(concrete.type().captures.size(), std::size_t{3});
        QCOMPARE(concrete.graph().captures().size(), std::size_t{3});
    }

    void passesLookIntoSmallCapturesThatHaveNoGradient() {
        const Tensor small = constant({2, 3});
        const Tensor large = range(200);
        Function f("captures", {"x"}, [&](Tensor x) { return x + reduceSum(small) + reduceSum(large); });
        QCOMPARE(f(constant(1)).scalar<std::int32_t>(), 1 + 5 + 19900);
        const auto& concrete = *f.concreteFunctions()[0];
        QCOMPARE(concrete.type().captures.size(), std::size_t{2});
        QCOMPARE(concrete.graph().captures().size(), std::size_t{1});
    }

    void anInnerFunctionClosesOverTensorsOfTheTraceAroundIt() {
        int inner = 0;
        Function f("outer", {"x", "v"}, [&](Tensor x, Variable v) {
            const Tensor y = x * 2.0f;
            Local<> held = y + 1.0f;
            Function add("add", {"z"}, [&](Tensor z) {
                ++inner;
                Function deeper("deeper", {"z"}, [&](Tensor w) { return w * y + v; });
                return cond(
                           z > 0.0f, [&] { return z + y; }, [&] { return held.read(); }) +
                       deeper(z);
            });
            const Tensor first = add(x);
            return first + add(x + 1.0f); // the second call hits
        });
        const Variable v(constant(10.0f));
        for (int i = 0; i < 2; ++i) { // x = 3, y = 6: 9 + 28, and 10 + 34
            QCOMPARE(f(constant(3.0f), v).scalar<float>(), 81.0f);
            QCOMPARE(inner, 1);
        }
        v.assign(0.0f);
        QCOMPARE(f(constant(3.0f), v).scalar<float>(), 61.0f);

        GradientTape tape;
        const Tensor x = constant(3.0f);
        tape.watch(x);
        const Tensor result = f(x, v); // (x + y) + x y + v + (x + 1 + y) + (x + 1) y + v, y = 2 x
        const auto [toX, toV] = tape.gradient(result, std::tuple(x, v));
        QCOMPARE(toX.scalar<float>(), 6.0f + 4.0f * 3.0f + 4.0f * 3.0f + 2.0f);
        QCOMPARE(toV.scalar<float>(), 2.0f);
    }

    void anInnerFunctionClosesOverTensorsOfABranch() {
        Function f("outer", {"x"}, [](Tensor x) {
            return cond(
                x > 0.0f,
                [&] {
                    const Tensor y = x * 2.0f;
                    Function add("add", {"z"}, [&](Tensor z) { return z + y * x; });
                    return add(x) + add(y);
                },
                [&] {
                    return forRange(
                        3,
                        [&](Tensor i, Tensor sum) {
                            const Tensor step = cast(i, DType::Float32);
                            Function add("add", {"z"}, [&](Tensor z) { return z + step; });
                            return add(sum);
                        },
                        x);
                });
        });
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(f(constant(3.0f)).scalar<float>(), 3.0f + 18.0f + 6.0f + 18.0f);
            QCOMPARE(f(constant(-1.0f)).scalar<float>(), 2.0f);
        }
        GradientTape tape;
        const Tensor x = constant(3.0f);
        tape.watch(x);
        const Tensor y = f(x); // 3 x + 4 x x
        QCOMPARE(tape.gradient(y, x).scalar<float>(), 27.0f);
    }

    void aFunctionThatClosedOverATraceFailsOutsideOfIt() {
        std::optional<Function<Tensor(Tensor)>> kept;
        Function f("outer", {"x"}, [&](Tensor x) {
            if (!kept)
                kept.emplace("inner", std::vector<ParameterName>{"z"}, [x](Tensor z) { return z + x; });
            return (*kept)(x);
        });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 2.0f);
        VERIFY_CONTAINS(errorOf([&] { (*kept)(constant(1.0f)); }), "the trace of 'outer' is out of scope");
        VERIFY_CONTAINS(errorOf([&] { f(constant({1.0f})); }), "the trace of 'outer' is out of scope");
    }

    void hostNumbersAreNoCaptures() {
        Function f("numbers", {"x"}, [](Tensor x) {
            x = x * 2.0f + square(3.0f) + cast(4, DType::Float32);
            return forRange(
                2, [](const Tensor&, const Tensor& y) { return select(y > 0.0f, y, 5.0f); }, x);
        });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 15.0f);
        QCOMPARE(f.concreteFunctions()[0]->type().captures.size(), std::size_t{0});
        float scale = 2;
        Function frozen("frozen", {"x"}, [&](Tensor x) { return x * scale; });
        QCOMPARE(frozen(constant(3.0f)).scalar<float>(), 6.0f);
        scale = 5; // no part of the key
        QCOMPARE(frozen(constant(3.0f)).scalar<float>(), 6.0f);
        QCOMPARE(frozen.traceCount(), std::size_t{1});
    }

    void aTensorOfAnOpenShapeCannotBeFilled() {
        Function f("filled", {"x"}, [](Tensor x) { return zeros(x.shape()) + x; });
        VERIFY_CONTAINS(errorOf([&] {
                            f.concrete(TensorSpec{DType::Float32, {Shape::kUnknown}, ""});
                        }),
                        "[filled] expected a shape whose sizes are known, got [None]");
        QCOMPARE(f(ones({2})).data<float>()[1], 1.0f);
    }

    void innerFunctionsKeepACacheOfTheirOwn() { // O125
        Function inner("inner", {"x"}, [](Tensor x) { return x * 2.0f; });
        Function outer("outer", {"x"}, [&](Tensor x) { return inner(x) + inner(x); });
        inner(constant(1.0f));
        QCOMPARE(outer(constant(3.0f)).scalar<float>(), 12.0f);
        QCOMPARE(inner.tracingCount(), std::size_t{1});
        QCOMPARE(outer.tracingCount(), std::size_t{1});
        const auto& callees = outer.concreteFunctions()[0]->graph().callees();
        QCOMPARE(callees.size(), std::size_t{1});
        QCOMPARE(&callees.front()->graph(), &inner.concreteFunctions()[0]->graph());
        Function deep("deep", {"n", "x"},
                      [&](int n, Tensor x) -> Tensor { return n == 0 ? x : outer(x) + float(n); });
        QCOMPARE(deep(1, constant(1.0f)).scalar<float>(), 5.0f);
    }

    void plainHelpersArePartOfTheTrace() {
        const Variable count(constant(0.0f));
        const auto next = [&] { // takes no tensor of the trace
            count.assignAdd(1.0f);
            return count.read();
        };
        Tensor elsewhere;
        Function f("f", {"x"}, [&](Tensor x) {
            std::jthread([&] { elsewhere = constant(1.0f) + 1.0f; }); // no part of it
            return x + next();
        });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 2.0f);
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 3.0f);
        QCOMPARE(f.traceCount(), std::size_t{1});
        QCOMPARE(elsewhere.scalar<float>(), 2.0f);
    }

    void anEagerScopeIsOutsideOfTheTrace() {
        const Variable count(constant(0.0f));
        std::optional<Variable> late;
        Function f("f", {"x", "create"}, [&](Tensor x, bool create) {
            const EagerScope outside;
            count.assignAdd(1.0f);
            if (create) // which a trace that is not the first may not
                late.emplace(constant(10.0f) + count.read());
            return x;
        });
        for (int call = 0; call < 2; ++call)
            f(constant(1.0f), false);
        QCOMPARE(count.read().scalar<float>(), 1.0f); // while tracing, not when it runs
        f(constant(1.0f), true);
        QCOMPARE(late->read().scalar<float>(), 12.0f);
    }

    void recursionOnHostValuesUnrolls() { // O130
        std::function<Tensor(int, const Tensor&)> again;
        Function f("recursive", {"n", "x"},
                   [&](int n, Tensor x) { return n == 0 ? x : again(n - 1, x) + 1.0f; });
        again = [&](int n, const Tensor& x) { return f(n, x); };
        QCOMPARE(f(5, constant(0.0f)).scalar<float>(), 5.0f);
        QCOMPARE(f.tracingCount(), std::size_t{6});
        Function endless("endless", {"n"}, [&](int n) -> Tensor { return again(n + 1, constant(0.0f)); });
        again = [&](int n, const Tensor&) { return endless(n); };
        VERIFY_CONTAINS(errorOf([&] { endless(0); }), "traces inside each other");
    }

    void condTracesBothBranchesOnce() {
        int thenRuns = 0;
        int elseRuns = 0;
        const Variable total(constant(0.0f));
        Function f("choose", {"x", "flag"}, [&](Tensor x, Tensor flag) {
            return cond(
                flag,
                [&] {
                    ++thenRuns;
                    total.assignAdd(reduceSum(x));
                    return x + 1.0f;
                },
                [&] {
                    ++elseRuns;
                    return x * total.read();
                });
        });
        QCOMPARE(valueText(f(constant({1.0f, 2.0f}), constant(true))), std::string("[2, 3]"));
        QCOMPARE(valueText(f(constant({1.0f, 2.0f}), constant(false))), std::string("[3, 6]"));
        QCOMPARE(total.read().scalar<float>(), 3.0f);
        QCOMPARE(thenRuns, 1);
        QCOMPARE(elseRuns, 1);
    }

    void choicesInsideEachOtherEndAtALimit() {
        std::function<Tensor(const Tensor&, int)> choose = [&](const Tensor& x, int depth) -> Tensor {
            return depth == 0 ? x
                              : cond(
                                    x > 0.0f, [&] { return choose(x + 1.0f, depth - 1); }, [&] { return x; });
        };
        Function f("f", {"x", "depth"}, [&](Tensor x, int depth) { return choose(x, depth); });
        QCOMPARE(f(constant(1.0f), 300).scalar<float>(), 301.0f);
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f), 2000); }),
                        "[f] more than 400 functions, branches and loops are traced inside each other");
    }

    void condNamesTheBranchAndTheValueThatDisagree() {
        Function f("differs", {"x"}, [](Tensor x) {
            return cond(
                reduceSum(x) > 0.0f, [&] { return std::tuple(x, x); },
                [&] { return std::tuple(x, cast(x, DType::Int32)); });
        });
        VERIFY_CONTAINS(errorOf([&] { f(constant({1.0f})); }),
                        "[cond] result[1] is float32[1] in the then branch, but int32[1] in the else branch");
    }

    void aSymbolicIfThrowsWithAHint() {
        Function f("branches", {"x"}, [](Tensor x) {
            if (x > 0.0f)
                return x;
            return -x;
        });
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }),
                        "branch with If() or cond(predicate, then, else)");
        QVERIFY(bool(constant(1.0f) > 0.0f));
    }

    void aLeakedTensorIsNamedWithItsFunction() {
        Tensor leaked;
        Function leaks("leaks", {"x"}, [&](Tensor x) {
            leaked = x + 1.0f;
            return x;
        });
        leaks(constant(1.0f));
        VERIFY_CONTAINS(errorOf([&] { leaked * 2.0f; }),
                        "the trace of 'leaks' is out of scope and cannot be used here");
        Function uses("uses", {"x"}, [&](Tensor x) { return x + leaked; });
        VERIFY_CONTAINS(errorOf([&] { uses(constant(1.0f)); }), "in 'uses'");
    }

    void aLeakedTensorIsNoArgumentOfAKnownSignatureEither() {
        Tensor leaked;
        Function leaks("leaks", {"x"}, [&](Tensor x) {
            leaked = x;
            return x;
        });
        leaks(constant(1.0f));
        Function half("half", {"x"}, [](Tensor x) { return x / 2.0f; });
        Function same("same", {"x", "y"}, [](Tensor x, Tensor y) { return std::tuple(x, y); });
        for (int i = 0; i < 2; ++i) { // the second time the signature is known
            QCOMPARE(half(constant(1.0f)).scalar<float>(), 0.5f);
            QCOMPARE(std::get<1>(same(constant(1.0f), constant(2.0f))).scalar<float>(), 2.0f);
            VERIFY_CONTAINS(errorOf([&] { half(leaked); }),
                            "[half] a symbolic float32[] of the trace of 'leaks'");
            VERIFY_CONTAINS(errorOf([&] { same(constant(1.0f), leaked); }), "of the trace of 'leaks'");
        }
    }

    void structuresOfTensorsAreTypedByTheirItems() { // O34
        Function f("sum_all", {"parts", "named"},
                   [](std::vector<Tensor> parts, std::map<std::string, Tensor> named) {
                       Tensor total = named.at("first");
                       for (const Tensor& part : parts)
                           total = total * 10.0f + part;
                       return std::map<std::string, Tensor>{
                           {"total", total}, {"count", constant(static_cast<int>(parts.size()))}};
                   });
        const Tensor one = constant(1.0f);
        const auto result = f({one, one}, {{"first", one}});
        QCOMPARE(result.at("total").scalar<float>(), 111.0f);
        QCOMPARE(result.at("count").scalar<int>(), 2);
        QCOMPARE(f({one, constant(2.0f)}, {{"first", constant(5.0f)}}).at("total").scalar<float>(), 512.0f);
        QCOMPARE(f.tracingCount(), std::size_t{1});
        EventText events;
        f({one}, {{"first", one}});
        VERIFY_CONTAINS(events.text(), "structure parts.len: 2 -> 1");
        QCOMPARE(f.tracingCount(), std::size_t{2});
    }

    void listsAndTuplesAreKeptApart() {
        Function f("f", {"items"}, [](Value) { return 1; });
        const Tensor x = constant(1.0f);
        f(Value(std::vector<Tensor>{x, x}));
        for (int call = 0; call < 2; ++call)
            f(Value(std::tuple(x, x)));
        QCOMPARE(f.tracingCount(), std::size_t{2});
    }

    void clearEmptiesTheCacheAndSaysSo() {
        const Variable count(constant(0.0f));
        Function f("cleared", {"x"}, [&](Tensor x) {
            count.assignAdd(1.0f);
            return x;
        });
        f(constant(1.0f));
        f.clear();
        QCOMPARE(f.tracingCount(), std::size_t{0});
        EventText events;
        f(constant(1.0f));
        VERIFY_CONTAINS(events.text(), "cleared call 2 misses: cleared");
        QCOMPARE(f.traceCount(), std::size_t{2});
        QCOMPARE(count.read().scalar<float>(), 2.0f);
    }

    void aFunctionMadeAnewInALoopIsSeenAsASibling() {
        EventText events;
        for (int i = 0; i < 2; ++i) {
            Function f("again", {"x"}, [](Tensor x) { return x; });
            f(constant(1.0f));
        }
        VERIFY_CONTAINS(events.text(), "again call 1 misses: first_call");
        VERIFY_CONTAINS(events.text(), "again call 1 misses: new_callable");
    }

    void manyThreadsMakeOneTracePerSignature() {
        Function f("shared", {"x"}, [](Tensor x) { return x * 2.0f; });
        {
            std::vector<std::jthread> threads;
            for (int thread = 0; thread < 4; ++thread)
                threads.emplace_back([&f] {
                    for (int i = 0; i < 200; ++i)
                        f(ones({1 + i % 10}));
                });
        }
        QCOMPARE(f.traceCount(), std::size_t{10});
    }

    void aMistakeInTheBodyNamesTheUsersLine() {
        Function f("wrong", {"x"}, [](Tensor x) { return matmul(x, ones({3, 3})); });
        const std::string message = errorOf([&] { f(ones({2, 2})); });
        VERIFY_CONTAINS(message, "[matmul]");
        VERIFY_CONTAINS(message, "function_test.cpp:");
    }
};

RETRACESCOPE_TEST(FunctionTest);

#include "function_test.moc"
