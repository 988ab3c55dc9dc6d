// Calls of concrete functions, deferred captures, and functions that run eagerly.
#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/event_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

float scalarOf(const Value& value) {
    return value.as<Tensor>()->scalar<float>();
}

TensorSpec vectorOfAnyLength(std::string name = {}) {
    return {DType::Float32, {Shape::kUnknown}, std::move(name)};
}

struct Eagerly {
    Eagerly() { runFunctionsEagerly(true); }
    ~Eagerly() { runFunctionsEagerly(false); }
};

} // namespace

class ConcreteCallTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isCalledLikeItsFunction() {
        Function power("power", {"a", {"b", 2}}, [](Tensor a, int b) { return b == 2 ? a * a : a; });
        const ConcreteFunction& square = power.concrete(constant(3.0f));
        const Tensor x = constant(10.0f);
        QCOMPARE(scalarOf(square(x, 2)), 100.0f);
        QCOMPARE(scalarOf(square(arg("b", 2), arg("a", x))), 100.0f);
        QCOMPARE(scalarOf(square(x, constant(2))), 100.0f); // a scalar of that value
        QCOMPARE(scalarOf(square(10.0, 2)), 100.0f);        // host values become tensors
        QCOMPARE(scalarOf(square(x)), 100.0f);              // flat: host parameters are left out
        QCOMPARE(scalarOf(square(arg("a", x))), 100.0f);
        QVERIFY(errorOf([&] { square(x, 3); })
                    .starts_with("[power_1] argument 'b': expected Literal[2], got Literal[3]; flat: "
                                 "expected 1 tensor, got 2"));
    }

    void structuresComeAsTracedOrFlat() {
        Function f("f", {"d", "t"}, [](std::map<std::string, Tensor> d, std::tuple<Tensor, Tensor> t) {
            return std::tuple(d["a"] + std::get<0>(t), d["b"] * std::get<1>(t));
        });
        const Tensor one = constant(1.0f);
        const Tensor two = constant(2.0f);
        const std::map<std::string, Tensor> d{{"a", one}, {"b", two}};
        const ConcreteFunction& g = f.concrete(d, std::tuple(one, two));
        QCOMPARE(g.flatNames(), (std::vector<std::string>{"d", "d_1", "t", "t_1"}));
        const auto sum = [](const Value& result) {
            const auto& items = result.as<Value::Sequence>()->items;
            return scalarOf(items[0]) + scalarOf(items[1]);
        };
        QCOMPARE(sum(g(d, std::tuple(two, two))), 7.0f);
        QCOMPARE(sum(g(one, two, two, two)), 7.0f);
        QCOMPARE(sum(g(one, two, arg("t_1", two), arg("t", two))), 7.0f);
        const std::vector<Tensor> flat = g.callFlat(std::vector{one, two, two, two});
        QCOMPARE(flat[0].scalar<float>(), 3.0f);
        QCOMPARE(flat[1].scalar<float>(), 4.0f);
        QVERIFY(errorOf<CastError>([&] { g(d, std::vector<Tensor>{two, two}); }) != "no error");
    }

    void aFlatCallSaysWhatKeepsItFromFitting_data() {
        QTest::addColumn<int>("call");
        QTest::addColumn<QString>("problem");
        QTest::newRow("too few") << 0 << "missing 'y'";
        QTest::newRow("too many") << 1 << "expected 2 tensors, got 3";
        QTest::newRow("unknown name") << 2 << "unexpected 'z'";
        QTest::newRow("twice") << 3 << "two values for 'x'";
        QTest::newRow("no tensor")
            << 4 << "expected 'y' as TensorSpec(shape=(None,), dtype=tf.float32, name=None)";
        QTest::newRow("rank") << 5 << "expected 'x' as float32[None], got float32[2,2]";
    }

    void aFlatCallSaysWhatKeepsItFromFitting() {
        QFETCH(int, call);
        QFETCH(QString, problem);
        Function f("f", {"x", "y"}, [](Tensor x, Tensor y) { return x + y; });
        const ConcreteFunction& g = f.concrete(vectorOfAnyLength(), vectorOfAnyLength());
        const Tensor a = ones({2});
        const std::string message = errorOf([&] {
            switch (call) {
            case 0:
                return g(a);
            case 1:
                return g(a, a, a);
            case 2:
                return g(a, arg("z", a));
            case 3:
                return g(a, arg("x", a));
            case 4:
                return g(a, "text");
            default:
                return g(ones({2, 2}), ones({2, 2}));
            }
        });
        QVERIFY2(message.starts_with("[f_1] "), message.c_str());
        QVERIFY2(message.find("; flat: " + problem.toStdString()) != std::string::npos, message.c_str());
    }

    void structuredNamesWinOverFlatOnes() {
        Function f("f", {"x", "y"}, [](Tensor x, Tensor y) { return x * 10.0f + y; });
        const ConcreteFunction& g = f.concrete(vectorOfAnyLength("y"), vectorOfAnyLength("x"));
        QCOMPARE(g.flatNames(), (std::vector<std::string>{"y", "x"}));
        const Value result = g(arg("x", constant({5.0f})), arg("y", constant({6.0f})));
        QCOMPARE(result.as<Tensor>()->data<float>()[0], 56.0f);
    }

    void variablesArePassedAsTraced() {
        Function f("f", {"a", "b"}, [](Variable a, Variable b) {
            a.assignAdd(1.0f);
            return a + b;
        });
        const Variable v(constant(1.0f));
        const Variable w(constant(10.0f));
        const ConcreteFunction& same = f.concrete(v, v);
        const ConcreteFunction& two = f.concrete(v, w);
        QCOMPARE(scalarOf(same(w, w)), 22.0f);
        QCOMPARE(scalarOf(two(w, v)), 13.0f);
        QCOMPARE(scalarOf(same(v)), 4.0f); // flat
        QVERIFY(errorOf<CastError>([&] {
                    same(v, w);
                }).find("which arguments are one variable is part of the trace") != std::string::npos);
        QVERIFY(errorOf<CastError>([&] { two(v, v); }) != "no error");
        QVERIFY(errorOf<CastError>([&] { two(v, constant(1.0f)); }) != "no error");
    }

    void becomesACallInsideATrace() {
        Function f("f", {"x"}, [](Tensor x) { return x + 1.0f; });
        const ConcreteFunction& g = f.concrete(ones({1}));
        Function outer("outer", {"x"}, [&](Tensor x) { return *g(x).as<Tensor>() * 2.0f; });
        QCOMPARE(outer(ones({1})).data<float>()[0], 4.0f);
        QVERIFY(errorOf<CastError>([&] { outer(ones({2})); }) != "no error");
    }

    void aDeferredCaptureIsAskedForAtEveryCall() {
        float rate = 1;
        int asked = 0;
        const auto now = [&] {
            ++asked;
            return constant(rate);
        };
        Function f("f", {"x"}, [&](Tensor x) {
            return x * deferred({DType::Float32, Shape{}, "rate"}, now);
        });
        QCOMPARE(f(constant(2.0f)).scalar<float>(), 2.0f);
        rate = 5;
        QCOMPARE(f(constant(2.0f)).scalar<float>(), 10.0f);
        QCOMPARE(asked, 2);
        QCOMPARE(f.traceCount(), std::size_t{1});
        QCOMPARE(f.concreteFunctions()[0]->type().captures[0].name, std::string("rate"));
        QCOMPARE(scalarOf((*f.concreteFunctions()[0])(constant(3.0f))), 15.0f);
        QCOMPARE(deferred({DType::Float32, Shape{}, ""}, now).scalar<float>(), 5.0f);
    }

    void aDeferredCaptureReachesThroughCallsAndBranches() {
        float rate = 1;
        Function inner("inner", {"x"}, [&](Tensor x) {
            return x * deferred({DType::Float32, Shape{}, "rate"}, [&] { return constant(rate); });
        });
        Function outer("outer", {"x"}, [&](Tensor x) {
            return cond(
                x > 0.0f, [&] { return inner(x); }, [&] { return x; });
        });
        QCOMPARE(outer(constant(2.0f)).scalar<float>(), 2.0f);
        rate = 3;
        QCOMPARE(outer(constant(2.0f)).scalar<float>(), 6.0f);
        QCOMPARE(outer(constant(-2.0f)).scalar<float>(), -2.0f);
        QCOMPARE(outer.traceCount(), std::size_t{1});
    }

    void aDeferredCaptureOfAnotherTypeIsRefused() {
        Tensor value = constant(1.0f);
        Function f("f", {}, [&] {
            return deferred({DType::Float32, Shape{}, ""}, [&] { return value; }) + 1.0f;
        });
        f();
        value = constant(1);
        QVERIFY(errorOf([&] {
                    f();
                }).starts_with("[f_1] deferred capture 'deferred': expected float32[], got int32[]"));
        value = Tensor();
        QVERIFY(errorOf([&] { f(); }).find("got nothing") != std::string::npos);
        QCOMPARE(f.traceCount(), std::size_t{1});
    }

    void aVariableMayStartWithADeferredCapture() {
        std::optional<Variable> state;
        Function f("f", {"x"}, [&](Tensor x) {
            const Tensor start = deferred({DType::Float32, Shape{}, ""}, [] { return constant(7.0f); });
            if (!state)
                state.emplace(start);
            return *state + x;
        });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 8.0f);
    }

    void functionsMayRunEagerly() {
        int runs = 0;
        Function f("f", {"x", {"k", 2}}, [&](Tensor x, int k) {
            ++runs;
            return std::tuple(x * k, x);
        });
        const Tensor x = constant(4);
        test::EventText events;
        {
            const Eagerly eagerly;
            QVERIFY(functionsRunEagerly());
            const auto [product, same] = f(x, 3);
            QCOMPARE(product.scalar<int>(), 12);
            QCOMPARE(std::get<0>(f(x)).scalar<int>(), 8);
            Function sum("sum", {"x"}, [](Tensor array) { return reduceSum(array); });
            const std::vector<float> host{1, 2};
            QCOMPARE(sum(std::span(host)).scalar<float>(), 3.0f);
        }
        const std::string told = events.takeText();
        QVERIFY2(
            told ==
                "function f(x, k)\nf call 1: eager\nf call 2: eager\nfunction sum(x)\nsum call 1: eager\n",
            told.c_str());
        QCOMPARE(f.traceCount(), std::size_t{0});
        QCOMPARE(f.bodyRuns(), std::size_t{2});
        f(x, 3);
        QCOMPARE(runs, 3);
        QCOMPARE(f.traceCount(), std::size_t{1});
    }
};

RETRACESCOPE_TEST(ConcreteCallTest);

#include "concrete_call_test.moc"
