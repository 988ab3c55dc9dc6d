#include <algorithm>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/event_text.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

/// What may be asked of a function and of its traces.
class FunctionAccessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theCallableIsCalledByItself() {
        int runs = 0;
        Function half("half", {"x", {"by", 2.0f}}, [&](Tensor x, float by) {
            ++runs;
            return x / by;
        });
        QCOMPARE(half.callBody(constant(3.0f), 2.0f).scalar<float>(), 1.5f);
        QCOMPARE(half.callBody(arg("x", constant(3.0f))).scalar<float>(), 1.5f);
        QCOMPARE(runs, 2);
        QCOMPARE(half.tracingCount(), 0U);
        Function outer("outer", {"x"}, [&](Tensor x) { return half.callBody(x, 4.0f) + 1.0f; });
        QCOMPARE(outer(constant(8.0f)).scalar<float>(), 3.0f);
        QCOMPARE(outer.concreteFunctions()[0]->graph().callees().size(), 0U); // a part of its trace
        QCOMPARE(half.tracingCount(), 0U);
    }

    void parametersAndSignature() {
        Function open("open", {"x", {"steps", 3}}, [](Tensor x, int steps) { return x * steps; });
        QCOMPARE(open.parameters().size(), 2U);
        QCOMPARE(open.parameters()[1].name, std::string("steps"));
        QVERIFY(!open.inputSignature());
        FunctionOptions options;
        options.inputSignature = {TensorSpec{DType::Float32, {Shape::kUnknown}, "values"}};
        options.jitCompile = true;
        options.attributes = {{"implements", "sum_of"}};
        Function fixed(
            "fixed", {"x"}, [](Tensor x) { return reduceSum(x); }, options);
        QCOMPARE(fixed.inputSignature()->size(), 1U);
        QCOMPARE((*fixed.inputSignature())[0].as<TensorSpec>()->name, std::string("values"));
        QVERIFY(fixed.options().jitCompile);
        QCOMPARE(fixed.options().attributes.at("implements"), std::string("sum_of"));
        QCOMPARE(fixed(ones({3})).scalar<float>(), 3.0f); // neither changes what it computes
    }

    void theObserverIsToldOfTheOptions() {
        FunctionOptions options;
        options.reduceRetracing = true;
        options.jitCompile = true;
        options.attributes = {{"implements", "sum_of"}, {"layer", "1"}};
        const test::EventText events;
        Function f(
            "f", {"x"}, [](Tensor x) { return x; }, options);
        f(constant(1.0f));
        VERIFY_CONTAINS(events.text(), "reduce_retracing=True, jit_compile=True, "
                                       "experimental_attributes={'implements': 'sum_of', 'layer': '1'}");
    }

    void nodesLieInScopesAndHaveNames() {
        Function f("f", {"x", "y"}, [](Tensor x, Tensor y) {
            Tensor z;
            {
                const NameScope block("block");
                z = named("total", x + y);
                const NameScope inner("inner");
                z = z * 2.0f;
            }
            return z + y;
        });
        const ir::Graph& graph = f.concrete(ones({}), ones({})).graph();
        std::vector<std::string> names;
        for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
            names.push_back(graph.nameOf(node));
        QCOMPARE(names[0], std::string("x"));
        QCOMPARE(names[2], std::string("block/total"));
        QVERIFY(std::ranges::any_of(names,
                                    [](const auto& name) { return name.starts_with("block/inner/mul_"); }));
        QVERIFY(names.back().starts_with("add_"));
        QCOMPARE(named("eager", constant(2.0f)).scalar<float>(), 2.0f);
        VERIFY_CONTAINS(errorOf([] { const NameScope none(""); }), "[NameScope] expected a name");
    }

    void structuresOfATrace() {
        Function f("f", {"x", "flag"}, [](std::tuple<Tensor, Tensor> x, bool flag) {
            return std::map<std::string, Tensor>{{"sum", std::get<0>(x) + std::get<1>(x)},
                                                 {"first", flag ? std::get<0>(x) : std::get<1>(x)}};
        });
        const ConcreteFunction& concrete = f.concrete(std::tuple(ones({2, 3}), ones({3})), true);
        const auto inputs = concrete.inputStructure();
        QCOMPARE(inputs.size(), 2U);
        QCOMPARE(inputs[0].first, std::string("x"));
        const auto& pair = *inputs[0].second.as<Value::Sequence>();
        QVERIFY(pair.isTuple);
        QCOMPARE(toText(types::tensorType(DType::Float32, pair.items[1].as<TensorSpec>()->shape)),
                 std::string("float32[3]"));
        QCOMPARE(inputs[1].second.as<Literal>()->value(), Literal(true).value());
        const Value output = concrete.outputStructure();
        const auto& dict = *output.as<Value::Dict>();
        QCOMPARE(dict.items.size(), 2U);
        for (const auto& [key, spec] : dict.items)
            QCOMPARE(spec.as<TensorSpec>()->shape, Shape({2, 3}));
        Function nothing("nothing", {"x"}, [](Tensor) {});
        QVERIFY(nothing.concrete(ones({})).outputStructure().as<Literal>()->isNone());
    }

    void endlessRecursionNamesTheChain() {
        Function<Tensor(Tensor, int)>* again = nullptr;
        Function other("other", {"x", "n"}, [&](Tensor x, int n) { return (*again)(x, n + 1); });
        Function<Tensor(Tensor, int)> f("f", {"x", "n"}, [&](Tensor x, int n) { return other(x, n); });
        again = &f;
        const std::string error = errorOf([&] { f(constant(1.0f), 0); });
        VERIFY_CONTAINS(error, "more than 200 traces inside each other (... -> ");
        VERIFY_CONTAINS(error, "f -> other -> f -> other");
        VERIFY_CONTAINS(error, "(function_access_test.cpp:");
        QCOMPARE(f.tracingCount(), 0U);
        QCOMPARE(other.tracingCount(), 0U);
    }

    void anUnrolledLoopIsToldOnce() {
        std::vector<UnrollWarning> told;
        const auto before = setUnrollHandler([&](const UnrollWarning& warning) { told.push_back(warning); });
        const test::EventText events;
        Function f("f", {"x", "n"}, [](Tensor x, int n) {
            for (int i = 0; i < n; ++i)
                x = x * 2.0f;
            return x;
        });
        f(constant(1.0f), 10);
        QCOMPARE(told.size(), 0U);
        f(constant(1.0f), 1200);
        f(constant(1.0f), 1300);
        QCOMPARE(told.size(), 1U);
        QCOMPARE(told[0].function, std::string("f"));
        QVERIFY(told[0].nodes >= 1200U);
        VERIFY_CONTAINS(toText(told[0]), "nodes of one line (function_access_test.cpp:");
        VERIFY_CONTAINS(events.text(), "f warns: " + toText(told[0]));
        Function inside("inside", {"p", "x"}, [](Tensor p, Tensor x) {
            return cond(
                p,
                [&] {
                    Tensor y = x;
                    for (int i = 0; i < 1200; ++i)
                        y = y * 2.0f;
                    return y;
                },
                [&] { return x; });
        });
        inside(constant(false), constant(1.0f));
        QCOMPARE(told.size(), 2U);
        setUnrollHandler(before);
    }
};

RETRACESCOPE_TEST(FunctionAccessTest);
#include "function_access_test.moc"
