#include <QTest>

#include <algorithm>
#include <stdexcept>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

const TensorSpec kFloat{DType::Float32, Shape{}, {}};

/// What no op computes.
Tensor medianOf(const Tensor& x) {
    std::vector<float> values = x.values<float>();
    std::ranges::sort(values);
    return constant(values[values.size() / 2]);
}

} // namespace

class HostCallTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void happensOnEveryRun() {
        int calls = 0;
        Function f("f", {"x"}, [&](Tensor x) {
            return hostCall(
                       "median", kFloat, [&](const Tensor& values) { return ++calls, medianOf(values); },
                       x * 2.0f) +
                   1.0f;
        });
        QCOMPARE(f(constant({3.0f, 1.0f, 2.0f})).scalar<float>(), 5.0f);
        QCOMPARE(f(constant({9.0f, 1.0f, 8.0f})).scalar<float>(), 17.0f);
        QCOMPARE(calls, 2);
        QCOMPARE(f.traceCount(), 1U);
        QCOMPARE(hostCall("median", kFloat, &medianOf, constant({1.0f, 5.0f, 3.0f})).scalar<float>(), 3.0f);
        const ir::Graph& graph = f.concreteFunctions()[0]->graph();
        bool isNode = false;
        for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
            isNode =
                isNode || (graph.node(node).op == ir::Op::HostCall && graph.hostOf(node).name == "median");
        QVERIFY(isNode);
    }

    void isAnEffectInProgramOrder() {
        std::string told;
        Function f("f", {"x"}, [&](Tensor x) {
            hostCall("first", [&] { told += "first "; });
            hostCall(
                "second", [&](const Tensor& value) { told += tensor::valueText(value) + " "; }, x);
            cond(
                x > 0.0f, [&] { hostCall("third", [&] { told += "positive "; }); }, [] {});
            return x;
        });
        f(constant(1.0f));
        f(constant(-1.0f));
        QCOMPARE(told, std::string("first 1 positive first -1 "));
    }

    void worksInLoops() {
        std::vector<int> seen;
        Function f("f", {"n"}, [&](Tensor n) {
            Local sum = 0;
            For(n, [&](const Tensor& i) {
                sum += hostCall(
                    "square", TensorSpec{DType::Int32, Shape{}, {}},
                    [&](const Tensor& at) {
                        const int value = static_cast<int>(at.scalar<std::int64_t>());
                        seen.push_back(value);
                        return constant(value * value);
                    },
                    i);
            });
            return sum;
        });
        QCOMPARE(f(constant(4)).scalar<std::int32_t>(), 14);
        QCOMPARE(seen, (std::vector<int>{0, 1, 2, 3}));
    }

    void severalResultsOfOpenShape() {
        const std::vector<TensorSpec> promised{{DType::Float32, {Shape::kUnknown}, {}},
                                               {DType::String, Shape{}, {}}};
        const auto positive = [](const Tensor& x) {
            std::vector<float> values = x.values<float>();
            std::erase_if(values, [](float value) { return value <= 0; });
            const auto count = static_cast<std::int64_t>(values.size());
            return std::vector<Tensor>{tensor::constant(values, Shape{count}), constant("positive")};
        };
        Function f("f", {"x"}, [&](Tensor x) {
            const std::vector<Tensor> results = hostCall("positive", promised, positive, x);
            return std::tuple(reduceSum(results[0]), results[1]);
        });
        const auto [sum, text] = f(constant({1.0f, -2.0f, 3.0f}));
        QCOMPARE(sum.scalar<float>(), 4.0f);
        QCOMPARE(text.strings()[0], std::string("positive"));
    }

    void whatItThrowsNamesTheCall() {
        Function f("f", {"x"}, [](Tensor x) {
            return hostCall(
                "fails", kFloat, [](const Tensor&) -> Tensor { throw std::runtime_error("no file"); }, x);
        });
        const std::string error = errorOf([&] { f(constant(1.0f)); });
        VERIFY_CONTAINS(error, "[host_call] 'fails' threw: no file (host_call_test.cpp:");
        VERIFY_CONTAINS(errorOf([&] { f.callBody(constant(1.0f)); }), error.substr(0, 40));
    }

    void resultsAreHeldToWhatWasPromised() {
        Function shape("shape", {"x"}, [](Tensor x) {
            return hostCall(
                "same", kFloat, [](const Tensor& value) { return value; }, x);
        });
        VERIFY_CONTAINS(errorOf([&] {
                            shape(constant({1.0f, 2.0f}));
                        }),
                        "[host_call] 'same' returned float32[2] as result 0, promised float32[] "
                        "(host_call_test.cpp:");
        VERIFY_CONTAINS(errorOf([] {
                            hostCall(
                                "none", std::vector<TensorSpec>{kFloat, kFloat},
                                [](const Tensor& value) { return value; }, constant(1.0f));
                        }),
                        "[host_call] 'none' returned 1 values, promised 2 (host_call_test.cpp:");
        VERIFY_CONTAINS(errorOf([] { hostCall("empty", kFloat, [] { return Tensor(); }); }),
                        "returned nothing as result 0");
    }

    void hasNoGradient() {
        const auto doubled = [](const Tensor& x) {
            return hostCall(
                "doubled", kFloat, [](const Tensor& value) { return value * 2.0f; }, x);
        };
        Function f("f", {"x"}, [&](Tensor x) { return gradients(doubled(x), {x})[0]; });
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }),
                        "[gradients] host call 'doubled' has no gradient");
        GradientTape tape({.persistent = true});
        const Tensor x = constant(3.0f);
        tape.watch(x);
        const Tensor y = doubled(x);
        const Tensor z = x * x;
        QCOMPARE(tape.gradient(z, x).scalar<float>(), 6.0f);
        VERIFY_CONTAINS(errorOf([&] { tape.gradient(y, x); }),
                        "[gradients] host call 'doubled' has no gradient");
        Function traced("traced", {"x"}, doubled);
        const Tensor w = traced(x);
        QCOMPARE(w.scalar<float>(), 6.0f);
        VERIFY_CONTAINS(errorOf([&] { tape.gradient(w, x); }),
                        "[gradients] host call 'doubled' has no gradient");
        Function branch("branch", {"v"}, [&](Tensor v) {
            const Tensor chosen = cond(
                v > 0.0f, [&] { return v * doubled(constant(1.0f)); }, [&] { return v; });
            return gradients(chosen, {v})[0];
        });
        QCOMPARE(branch(constant(1.0f)).scalar<float>(), 2.0f); // what it returned is kept
    }

    void itsOpsAreNoPartOfATrace() {
        Function inner("inner", {"x"}, [](Tensor x) { return x * 3.0f; });
        Function f("f", {"x"}, [&](Tensor x) {
            return hostCall(
                "traced", kFloat, [&](const Tensor& value) { return inner(value); }, x);
        });
        QCOMPARE(f(constant(2.0f)).scalar<float>(), 6.0f);
        QCOMPARE(f.concreteFunctions()[0]->graph().callees().size(), 0U);
    }
};

RETRACESCOPE_TEST(HostCallTest);
#include "host_call_test.moc"
