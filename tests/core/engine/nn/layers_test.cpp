#include <optional>
#include <set>
#include <thread>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/core/engine/nn/numbers.h"
#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using nn::Initialiser;
using test::compareGradients;
using test::compareTensors;
using test::compareValues;
using test::errorOf;
using test::numbers;
using test::startingWith;

namespace {

struct Moments {
    double mean = 0;
    double deviation = 0;
    double most = 0;
};

Moments momentsOf(const Tensor& x) {
    const Tensor wide = cast(x, DType::Float64);
    const Tensor mean = reduceMean(wide);
    return {mean.scalar<double>(), sqrt(reduceMean(square(wide - mean))).scalar<double>(),
            reduceMax(abs(wide)).scalar<double>()};
}

Initialiser given(const Tensor& value) {
    return Initialiser([value](const Shape&, DType) { return value; });
}

/// A model whose first layer serves twice.
struct Model {
    nn::Dense shared{4, {.activation = tanhOp(), .kernel = startingWith(1), .name = "shared"}};
    nn::Dense output{1, {.kernel = startingWith(2), .name = "output"}};
    Variable scale{constant(2.0)};
    Variable frozen{constant(1.0), {.name = "frozen", .trainable = false}};

    static nn::Activation tanhOp() { return retracescope::tanh; }
    Tensor operator()(const Tensor& x) const { return output(shared(shared(x))) * scale * frozen; }
    Tensor call(const Tensor& x) { return (*this)(x); }
    std::vector<Variable> trainableVariables() const {
        return nn::trainableVariables(shared, output, std::vector{shared, output}, scale, frozen);
    }
};

std::vector<std::string> namesOf(const std::vector<Variable>& variables) {
    std::vector<std::string> names;
    for (const Variable& variable : variables)
        names.push_back(variable.name());
    return names;
}

} // namespace

class LayersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void denseIsAProductABiasAndAnActivation() {
        const nn::Dense dense(2, {.activation = relu,
                                  .kernel = given(constant({{1.0f, -1.0f}, {2.0f, 0.5f}, {0.0f, 3.0f}})),
                                  .bias = given(constant({0.5f, -20.0f}))});
        QVERIFY(dense.trainableVariables().empty());
        const Tensor y = dense(constant({{1.0f, 2.0f, 3.0f}, {-1.0f, 0.0f, 10.0f}}));
        QCOMPARE(y.values<float>(), (std::vector<float>{5.5f, 0.0f, 0.0f, 11.0f}));
        QCOMPARE(namesOf(dense.trainableVariables()),
                 (std::vector<std::string>{"dense/kernel", "dense/bias"}));
        const nn::Dense bare(2, {.useBias = false, .name = "bare"});
        bare(ones({1, 3}));
        QCOMPARE(namesOf(bare.trainableVariables()), std::vector<std::string>{"bare/kernel"});
    }

    void denseKeepsLeadingAxes() {
        const nn::Dense dense(2, {.kernel = startingWith(1), .bias = startingWith(2)});
        const Tensor x = numbers({2, 3, 4, 5}, 3);
        const Tensor flat = dense(reshape(x, {24, 5}));
        compareTensors(dense(x), reshape(flat, {2, 3, 4, 2}));
        Function open("open", {"x"}, [&](Tensor at) { return dense(at); });
        const ConcreteFunction& any =
            open.concrete(TensorSpec{DType::Float64, {Shape::kUnknown, 3, 4, 5}, {}});
        compareTensors(any.callFlat(std::vector{x})[0], reshape(flat, {2, 3, 4, 2}));
        QVERIFY(
            errorOf([&] {
                open.concrete(TensorSpec{DType::Float64, {Shape::kUnknown, Shape::kUnknown, 5}, {}});
            }).starts_with("[dense] expected at most one axis of unknown size, got float64[None,None,5]"));
    }

    void activationsAreOpsOrCallables() {
        const Tensor x = numbers({3, 2}, 1);
        const auto with = [&](nn::Activation activation) {
            return nn::Dense(2, {.activation = std::move(activation), .kernel = startingWith(1)})(x);
        };
        const Tensor plain = with({});
        compareTensors(with(sigmoid), sigmoid(plain));
        compareTensors(with(softmax), softmax(plain));
        compareTensors(with(softplus), softplus(plain));
        compareTensors(with([](Tensor y) { return y * 2.0; }), plain * 2.0);
    }

    void convolutionIsItsOpABiasAndAnActivation() {
        const Window window{.strideHeight = 2, .strideWidth = 1, .edges = WindowEdges::Same};
        const nn::Conv2D conv(
            4, {3, 2},
            {.window = window, .activation = relu, .kernel = startingWith(1), .bias = startingWith(2)});
        const Tensor x = numbers({2, 5, 6, 3}, 3);
        const Tensor y = conv(x);
        QCOMPARE(y.shape(), (Shape{2, 3, 6, 4}));
        const Tensor kernel = conv.trainableVariables()[0].read();
        QCOMPARE(kernel.shape(), (Shape{3, 2, 3, 4}));
        compareTensors(y, relu(conv2d(x, kernel, window) + conv.trainableVariables()[1].read()));
        QCOMPARE(nn::Conv2D(100, 3)(zeros({1, 8, 7, 5})).shape(), (Shape{1, 6, 5, 100}));
    }

    void eagerTracedAndAsAMethodTheyAgree() {
        const auto model = std::make_shared<Model>();
        const Tensor x = numbers({3, 4}, 1);
        Function function("model", {"x"}, [&](Tensor at) { return (*model)(at); });
        const Tensor traced = function(x); // the first call makes the variables
        const Method call("call", {"x"}, &Model::call);
        compareTensors(traced, (*model)(x));
        compareTensors(traced, call(model, x));
        QCOMPARE(function.traceCount(), 1U);
        QCOMPARE(call.of(model).traceCount(), 1U);
    }

    void aFirstCallMayBeAnywhere() {
        const nn::Dense first(2);
        const nn::Dense late(2);
        const nn::Dense inABranch(2);
        const nn::Dense inALoop(2);
        Function f("f", {"x", "is_deep"}, [&](Tensor x, bool isDeep) {
            const Tensor y = first(x);
            if (!isDeep)
                return y;
            const Tensor z = cond(
                reduceSum(y) > 0.0f, [&] { return inABranch(late(y)); }, [&] { return y; });
            return forRange(
                3, [&](Tensor, Tensor value) { return inALoop(value); }, z);
        });
        f(ones({1, 2}), false);
        f(ones({1, 2}), true); // not the first call of f
        QCOMPARE(f.traceCount(), 2U);
        for (const nn::Dense* layer : {&first, &late, &inABranch, &inALoop})
            QCOMPARE(layer->trainableVariables().size(), std::size_t{2});
    }

    void aCreatingFirstCallMakesALayerOnce() {
        const nn::Dense dense(2);
        std::optional<Variable> count; // made by the function itself, whose first call therefore traces twice
        Function f("f", {"x"}, [&](Tensor x) {
            if (!count)
                count.emplace(constant(0));
            count->assignAdd(1);
            return dense(x);
        });
        const Tensor first = f(ones({1, 3}));
        QCOMPARE(f.bodyRuns(), 2U);
        const auto kernel = dense.trainableVariables()[0].id();
        QCOMPARE(toText(f(ones({1, 3}))), toText(first));
        QCOMPARE(dense.trainableVariables()[0].id(), kernel);
        QCOMPARE(count->read().scalar<int>(), 2);
    }

    void aTraceThatFailsLeavesLayersWhole() {
        const nn::Dense dense(2);
        bool fails = true;
        Function f("f", {"x"}, [&](Tensor x) {
            const Tensor y = dense(x);
            return fails ? matmul(y, ones({5, 5})) : y;
        });
        QVERIFY(errorOf([&] { f(ones({1, 3})); }).starts_with("[matmul]"));
        fails = false;
        QCOMPARE(toText(f(ones({1, 3}))), toText(dense(ones({1, 3}))));
    }

    void nodesLieInTheScopeOfTheirLayer() {
        const nn::Dense hidden(2, {.name = "hidden"});
        const nn::Conv2D edges(2, 1, {.name = "edges"});
        Function f("f", {"x"}, [&](Tensor x) { return edges(reshape(hidden(x), {1, 1, 1, -1})); });
        const ir::Graph& graph = f.concrete(ones({1, 3})).graph();
        const auto nodesIn = [&](std::string_view scope) {
            std::size_t count = 0;
            for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
                count += graph.scopeOf(node) == scope ? 1 : 0;
            return count;
        };
        QVERIFY(nodesIn("hidden") >= 4); // two reads, a product, a sum
        QVERIFY(nodesIn("edges") >= 4);
        const auto countOf = [&](const std::string& name) {
            std::size_t count = 0;
            for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
                count += graph.nameOf(node) == name ? 1 : 0;
            return count;
        };
        QCOMPARE(countOf("hidden/kernel"), std::size_t{1}); // of the scope and the variable's name, once
        QCOMPARE(countOf("edges/bias"), std::size_t{1});
        Function outer("outer", {"x"}, [&](Tensor x) {
            const NameScope block("block");
            return hidden(x);
        });
        const ir::Graph& inBlock = outer.concrete(ones({1, 3})).graph();
        std::set<std::string> names;
        for (ir::NodeId node = 0; node < inBlock.nodeCount(); ++node)
            names.insert(inBlock.nameOf(node));
        QVERIFY(names.contains("block/hidden/kernel"));
    }

    void copiesAreTheSameLayer() {
        const nn::Dense dense(2);
        const nn::Dense copy = dense;
        QCOMPARE(toText(copy(ones({1, 3}))), toText(dense(ones({1, 3}))));
        QCOMPARE(copy.trainableVariables()[0].id(), dense.trainableVariables()[0].id());
    }

    void threadsShareOneFirstCall() {
        const nn::Dense dense(3);
        std::vector<std::string> results(8);
        {
            std::vector<std::jthread> threads;
            for (std::string& result : results)
                threads.emplace_back([&] { result = toText(dense(ones({1, 4}))); });
        }
        for (const std::string& result : results)
            QCOMPARE(result, results.front());
        QCOMPARE(dense.trainableVariables().size(), std::size_t{2});
    }

    void gradientsAgreeWithDifferences() {
        const Model model;
        const Tensor x = numbers({3, 4}, 1);
        compareGradients([&] { return reduceSum(square(model(x))); },
                         [&] { return model.trainableVariables(); });
        const nn::Conv2D conv(2, 2,
                              {.window = {.strideHeight = 2, .edges = WindowEdges::Same},
                               .activation = retracescope::tanh,
                               .kernel = startingWith(4)});
        const Tensor image = numbers({2, 4, 4, 2}, 2);
        compareGradients([&] { return reduceSum(square(conv(image))); },
                         [&] { return conv.trainableVariables(); });
    }

    void aTapeSeesEvenTheFirstCall() {
        const Tensor x = numbers({3, 4}, 1);
        const auto slopes = [&](const nn::Dense& dense, const auto& call) {
            GradientTape tape;
            const Tensor loss = reduceSum(square(call(x)));
            return tape.gradient(loss, dense.trainableVariables());
        };
        const nn::Dense eager(2, {.kernel = startingWith(1)});
        const std::vector<Tensor> expected = slopes(eager, eager);
        const nn::Dense traced(2, {.kernel = startingWith(1)});
        Function f("f", {"x"}, [&](Tensor at) { return traced(at); });
        const std::vector<Tensor> computed = slopes(traced, f);
        QCOMPARE(expected.size(), std::size_t{2});
        for (std::size_t i = 0; i < expected.size(); ++i)
            compareTensors(computed[i], expected[i]);
    }

    void trainableVariablesComeInOrderAndOnce() {
        const Model model;
        QCOMPARE(namesOf(model.trainableVariables()), std::vector<std::string>{"variable"});
        model(numbers({1, 4}, 1));
        QCOMPARE(namesOf(model.trainableVariables()),
                 (std::vector<std::string>{"shared/kernel", "shared/bias", "output/kernel", "output/bias",
                                           "variable"}));
    }

    void initialisersFollowTheirRule() {
        QCOMPARE(Initialiser::zeros()({2}).values<float>(), (std::vector<float>{0, 0}));
        QCOMPARE(Initialiser::ones()({2}, DType::Int32).values<std::int32_t>(), (std::vector{1, 1}));
        QCOMPARE(Initialiser::constant(0.1)({2}, DType::Float64).values<double>(), (std::vector{0.1, 0.1}));
        const Moments uniform = momentsOf(Initialiser::randomUniform(-3, 3, 1)({50000}));
        QVERIFY(std::fabs(uniform.mean) < 0.03 && std::fabs(uniform.deviation - std::sqrt(3.0)) < 0.03);
        const Moments normal = momentsOf(Initialiser::randomNormal(2, 0.5, 1)({50000}));
        QVERIFY(std::fabs(normal.mean - 2) < 0.01 && std::fabs(normal.deviation - 0.5) < 0.01);
        const Moments glorot = momentsOf(Initialiser::glorotUniform(1)({3, 3, 20, 30}));
        const double limit = std::sqrt(6.0 / (9 * 20 + 9 * 30));
        QVERIFY(glorot.most <= limit && glorot.most > limit * 0.99);
        const Moments he = momentsOf(Initialiser::heNormal(1)({200, 300}));
        QVERIFY(std::fabs(he.deviation - std::sqrt(2.0 / 200)) < 0.002);
    }

    void equalSeedsGiveEqualNumbersAndNoneDifferentOnes() {
        const auto start = [](const Initialiser& initialiser) { return toText(initialiser({3, 4})); };
        QCOMPARE(start(Initialiser::glorotUniform(5)), start(Initialiser::glorotUniform(5)));
        QVERIFY(start(Initialiser::glorotUniform(5)) != start(Initialiser::glorotUniform(6)));
        QVERIFY(start(Initialiser::heNormal()) != start(Initialiser::heNormal()));
        const Initialiser one = Initialiser::randomNormal(0, 1);
        QCOMPARE(start(one), start(one));
        const std::int64_t seed = nn::nextSeed(); // what the next initialiser of a program would have
        QCOMPARE(start(Initialiser::randomNormal(0, 1)), start(Initialiser::randomNormal(0, 1, seed + 1)));
    }

    void dropoutDropsWhileTraining() {
        const Tensor x = numbers({100}, 1);
        const nn::Dropout eager(0.5, 7);
        const nn::Dropout traced(0.5, 7);
        const nn::Dropout decided(0.5, 7);
        QCOMPARE(toText(eager(x, false)), toText(x));
        Function host("host", {"x", "training"},
                      [&](Tensor at, bool training) { return traced(at, training); });
        Function staged("staged", {"x", "training"},
                        [&](Tensor at, Tensor training) { return decided(at, training); });
        for (const bool training : {true, false, true, true}) {
            const Tensor expected = eager(x, training);
            compareTensors(host(x, training), expected);
            compareTensors(staged(x, constant(training)), expected);
            const Moments kept = momentsOf(expected / x);
            QVERIFY(training ? kept.most == 2 && kept.deviation > 0.9 : kept.deviation < 1e-9);
        }
        QCOMPARE(host.traceCount(), 2U);
        QCOMPARE(staged.traceCount(), 1U);
        QCOMPARE(toText(nn::Dropout(0)(x, true)), toText(x));
    }

    void mistakesNameTheLayer() {
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        const nn::Dense dense(2, {.name = "hidden"});
        QVERIFY(message([&] {
                    dense(ones({3}));
                }).startsWith("[hidden] expected floating [batch, ..., features], got float32[3] ("));
        QVERIFY(
            message([&] {
                dense(constant({{1, 2}}));
            }).startsWith("[hidden] expected floating [batch, ..., features], got int32[1,2] (layers_test"));
        Function open("open", {"x"}, [&](Tensor x) { return dense(x); });
        QVERIFY(
            message([&] {
                open.concrete(TensorSpec{DType::Float32, {2, Shape::kUnknown}, {}});
            })
                .startsWith("[hidden] expected [batch, ..., features] whose last axis is known at the first "
                            "call, got float32[2,None]; say its size in the input signature"));
        dense(ones({1, 3}));
        QVERIFY(
            message([&] {
                dense(ones({1, 4}));
            })
                .startsWith("[hidden] expected float32 with 3 in the last axis, as at the first call, got "
                            "float32[1,4]"));
        QVERIFY(
            message([&] {
                dense(numbers({1, 3}, 1));
            })
                .startsWith("[hidden] expected float32 with 3 in the last axis, as at the first call, got "
                            "float64[1,3]"));
        const nn::Conv2D conv(2, 3, {.name = "edges"});
        QVERIFY(
            message([&] {
                conv(ones({8, 8, 3}));
            }).startsWith("[edges] expected floating [batch, height, width, channels], got float32[8,8,3]"));
        QVERIFY(message([&] {
                    conv(ones({1, 2, 8, 3}));
                }).startsWith("[edges] a window over 3 does not fit 2 elements; use edges Same"));
        QVERIFY(message([] { nn::Dense(0); }).startsWith("[dense] expected units from 1 on, got 0"));
        QVERIFY(message([] {
                    nn::Conv2D(1, {0, 3});
                }).startsWith("[conv2d] expected filters and kernel size from 1 on, got 1 and 0 x 3"));
        QVERIFY(
            message([] { nn::Dropout(1); }).startsWith("[Dropout] expected a rate from 0 to below 1, got 1"));
        const nn::Dense wrong(2, {.kernel = given(ones({9}))});
        QVERIFY(message([&] {
                    wrong(ones({1, 3}));
                }).startsWith("[initialiser] expected float32[3,2], got float32[9]"));
        QVERIFY(wrong.trainableVariables().empty());
    }
};

RETRACESCOPE_TEST(LayersTest);
#include "layers_test.moc"
