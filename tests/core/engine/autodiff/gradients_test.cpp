#include <cmath>
#include <functional>
#include <random>
#include <set>

#include <QTest>

#include <retracescope/engine/autodiff/gradients.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/text.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using autodiff::appendGradients;
using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using tensor::Tensor;
using types::DType;
using types::Shape;

namespace {

std::shared_ptr<const ir::Callee> compiled(Graph graph) {
    return Executable::compile(std::move(graph));
}

types::TensorTypeId doubles(const Shape& shape) {
    return types::tensorType(DType::Float64, shape);
}

/// Values away from 0 and from each other, where no rule has a kink.
Tensor values(const Shape& shape, std::mt19937& random, bool positive, double start) {
    Tensor result = Tensor::uninitialized(doubles(shape));
    double step = start;
    for (double& value : result.mutableData<double>()) {
        value = 0.3 + step + 0.01 * static_cast<double>(random() % 10);
        value = positive || random() % 2 == 0 ? value : -value;
        step += 0.11;
    }
    return result;
}

/// A function of some tensors as a graph: appends its nodes, returns the result.
struct Case {
    const char* name;
    std::vector<Shape> shapes;
    std::function<NodeId(Graph&, const std::vector<NodeId>&)> build;
    bool positive = false;
};

Attributes axes(std::initializer_list<std::int64_t> list, bool keep = false) {
    return Attributes().set(Attribute::Axes, list).set(Attribute::KeepDims, keep);
}

Case unary(const char* name, Op op, bool positive = false) {
    return {name, {{2, 3}}, [op](Graph& g, const auto& x) { return g.append(op, {x[0]}); }, positive};
}

Case binary(const char* name, Op op, Shape a, Shape b, bool positive = false) {
    return {name, {a, b}, [op](Graph& g, const auto& x) { return g.append(op, {x[0], x[1]}); }, positive};
}

Case product(const char* name, Shape a, Shape b, bool ta, bool tb) {
    return {name, {a, b}, [=](Graph& g, const auto& x) {
                return g.append(Op::MatMul, {x[0], x[1]},
                                Attributes().set(Attribute::TransposeA, ta).set(Attribute::TransposeB, tb));
            }};
}

Case running(const char* name, Op op, bool exclusive, bool reverse) {
    return {name, {{2, 3, 2}}, [=](Graph& g, const auto& x) {
                return g.append(op, {x[0]},
                                Attributes()
                                    .set(Attribute::Axis, 1)
                                    .set(Attribute::Exclusive, exclusive)
                                    .set(Attribute::Reverse, reverse));
            }};
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        unary("identity", Op::Identity),
        unary("check_numerics", Op::CheckNumerics),
        unary("neg", Op::Neg),
        unary("abs", Op::Abs),
        unary("square", Op::Square),
        unary("sqrt", Op::Sqrt, true),
        unary("exp", Op::Exp),
        unary("log", Op::Log, true),
        unary("tanh", Op::Tanh),
        unary("sigmoid", Op::Sigmoid),
        unary("relu", Op::Relu),
        unary("sin", Op::Sin),
        unary("cos", Op::Cos),
        unary("tan", Op::Tan),
        unary("erf", Op::Erf),
        unary("log1p", Op::Log1p, true),
        unary("expm1", Op::Expm1),
        unary("rsqrt", Op::Rsqrt, true),
        binary("atan2", Op::Atan2, {2, 3}, {3}),
        binary("floor_mod", Op::FloorMod, {2, 3}, {2, 1}),
        binary("add", Op::Add, {2, 3}, {2, 3}),
        binary("add, broadcast", Op::Add, {2, 3}, {3}),
        binary("sub, both broadcast", Op::Sub, {2, 1}, {1, 3}),
        binary("mul", Op::Mul, {2, 3}, {2, 1}),
        binary("mul, scalar", Op::Mul, {2, 3}, Shape{}),
        binary("div", Op::Div, {4, 2, 3}, {2, 1}),
        binary("pow", Op::Pow, {2, 3}, {3}, true),
        binary("maximum", Op::Maximum, {2, 3}, {3}),
        binary("minimum", Op::Minimum, {3}, {2, 3}),
        product("matmul", {2, 3}, {3, 4}, false, false),
        product("matmul, a transposed", {3, 2}, {3, 4}, true, false),
        product("matmul, b transposed", {2, 3}, {4, 3}, false, true),
        product("matmul, both transposed", {3, 2}, {4, 3}, true, true),
        product("matmul, batches", {2, 2, 3}, {2, 3, 4}, false, false),
        product("matmul, batches, a transposed", {2, 3, 2}, {2, 3, 4}, true, false),
        product("matmul, batches, one b", {2, 2, 3}, {4, 3}, false, true),
        product("matmul, batches, one a", {3, 2}, {2, 3, 4}, true, false),
        product("matmul, batches of both broadcast", {2, 1, 2, 3}, {3, 3, 2}, false, false),
        {"select",
         {{2, 3}, {3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Select, {g.append(Op::Greater, {x[0], x[1]}), x[0], x[1]});
         }},
        {"cast",
         {{2, 3}},
         [](Graph& g, const auto& x) {
             const auto to = Attributes().set(Attribute::DType, static_cast<std::int64_t>(DType::Float64));
             return g.append(Op::Cast, {x[0]}, to);
         }},
        {"transpose", {{2, 3, 4}}, [](Graph& g, const auto& x) { return g.append(Op::Transpose, {x[0]}); }},
        {"transpose, permutation",
         {{2, 3, 4}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Transpose, {x[0]}, Attributes().set(Attribute::Permutation, {1, 2, 0}));
         }},
        {"reshape",
         {{2, 6}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Reshape, {x[0]}, Attributes().set(Attribute::Shape, {3, -1}));
         }},
        {"reshape_like",
         {{2, 6}, {3, 4}},
         [](Graph& g, const auto& x) {
             return g.append(Op::ReshapeLike, {x[0], x[1]});
         }},
        {"broadcast_to",
         {{3, 1}},
         [](Graph& g, const auto& x) {
             return g.append(Op::BroadcastTo, {x[0]}, Attributes().set(Attribute::Shape, {2, 3, 4}));
         }},
        {"sum_like",
         {{2, 3}, {3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::SumLike, {x[0], x[1]});
         }},
        {"concat",
         {{2, 3}, {2, 1}, {2, 2}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Concat, {x[0], x[1], x[2]}, Attributes().set(Attribute::Axis, -1));
         }},
        {"concat_part",
         {{5, 2}, {2, 2}, {3, 2}},
         [](Graph& g, const auto& x) {
             return g.append(Op::ConcatPart, {x[0], x[1], x[2]},
                             Attributes().set(Attribute::Axis, 0).set(Attribute::Index, 1));
         }},
        {"reduce_sum", {{2, 3}}, [](Graph& g, const auto& x) { return g.append(Op::ReduceSum, {x[0]}); }},
        {"reduce_sum, axis",
         {{2, 3, 4}},
         [](Graph& g, const auto& x) { return g.append(Op::ReduceSum, {x[0]}, axes({1})); }},
        {"reduce_sum, kept",
         {{2, 3, 4}},
         [](Graph& g, const auto& x) {
             return g.append(Op::ReduceSum, {x[0]}, axes({-1, 0}, true));
         }},
        {"reduce_mean", {{2, 3}}, [](Graph& g, const auto& x) { return g.append(Op::ReduceMean, {x[0]}); }},
        {"reduce_mean, axis",
         {{2, 3, 4}},
         [](Graph& g, const auto& x) {
             return g.append(Op::ReduceMean, {x[0]}, axes({0, 2}));
         }},
        {"reduce_max", {{2, 3}}, [](Graph& g, const auto& x) { return g.append(Op::ReduceMax, {x[0]}); }},
        {"reduce_max, axis",
         {{2, 3, 4}},
         [](Graph& g, const auto& x) { return g.append(Op::ReduceMax, {x[0]}, axes({1})); }},
        {"strided_slice",
         {{5, 4, 2}},
         [](Graph& g, const auto& x) {
             return g.append(Op::StridedSlice, {x[0]},
                             Attributes()
                                 .set(Attribute::Begin, {-1, 1})
                                 .set(Attribute::End, {0, 0})
                                 .set(Attribute::Strides, {-2, 1})
                                 .set(Attribute::EndMask, 1)
                                 .set(Attribute::ShrinkMask, 2));
         }},
        {"strided_slice_grad",
         {{2, 3}, {4, 3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::StridedSliceGrad, {x[0], x[1]},
                             Attributes().set(Attribute::Begin, {1}).set(Attribute::End, {3}));
         }},
        {"gather",
         {{3, 4}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Gather, {x[0], g.addConstant(tensor::constant({2, 0, 2, 3}, {2, 2}))},
                             Attributes().set(Attribute::Axis, 1));
         }},
        {"gather, batched",
         {{2, 3, 2}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Gather, {x[0], g.addConstant(tensor::constant({2, 0, 1, 1}, {2, 2}))},
                             Attributes().set(Attribute::Axis, 1).set(Attribute::BatchDims, 1));
         }},
        {"gather_grad",
         {{3, 2}, {4, 2}},
         [](Graph& g, const auto& x) {
             return g.append(Op::GatherGrad, {x[0], g.addConstant(tensor::constant({2, 0, 2})), x[1]},
                             Attributes().set(Attribute::Axis, 0));
         }},
        {"expand_dims",
         {{2, 3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::ExpandDims, {x[0]}, Attributes().set(Attribute::Axis, 1));
         }},
        {"squeeze",
         {{2, 1, 3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Squeeze, {x[0]}, Attributes().set(Attribute::Axes, {1}));
         }},
        {"pad",
         {{2, 3}, Shape{}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Pad, {x[0], x[1]}, Attributes().set(Attribute::Paddings, {1, 0, 0, 2}));
         }},
        {"tile",
         {{2, 3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Tile, {x[0]}, Attributes().set(Attribute::Multiples, {3, 2}));
         }},
        {"tile_grad",
         {{4, 3}, {2, 3}},
         [](Graph& g, const auto& x) {
             return g.append(Op::TileGrad, {x[0], x[1]}, Attributes().set(Attribute::Multiples, {2, 1}));
         }},
        {"reduce_min, axis",
         {{2, 3, 4}},
         [](Graph& g, const auto& x) { return g.append(Op::ReduceMin, {x[0]}, axes({1})); }},
        {"reduce_prod", {{2, 3}}, [](Graph& g, const auto& x) { return g.append(Op::ReduceProd, {x[0]}); }},
        {"reduce_prod, axes",
         {{2, 3, 2}},
         [](Graph& g, const auto& x) {
             return g.append(Op::ReduceProd, {x[0]}, axes({0, -1}));
         }},
        running("cum_sum", Op::CumSum, false, false),
        running("cum_sum, exclusive and reverse", Op::CumSum, true, true),
        running("cum_prod", Op::CumProd, false, false),
        running("cum_prod, exclusive", Op::CumProd, true, false),
        running("cum_prod, reverse", Op::CumProd, false, true),
        {"fill",
         {Shape{}},
         [](Graph& g, const auto& x) {
             return g.append(Op::Fill, {g.addConstant(tensor::constant({2, 3})), x[0]});
         }},
        {"lists",
         {{3, 2}, {2}},
         [](Graph& g, const auto& x) {
             const auto at = [&](int index) { return g.addConstant(tensor::constant(index)); };
             const auto row = Attributes().set(Attribute::Type, static_cast<std::int64_t>(g.typeOf(x[1])));
             const NodeId rows = g.append(Op::ListFromTensor, {x[0]});
             const NodeId one = g.append(Op::ListGet, {rows, at(1)}, row);
             NodeId list = g.append(Op::ListReserve, {at(3)}, row);
             list = g.append(Op::ListSet, {list, at(2), g.append(Op::Mul, {one, x[1]})});
             const NodeId zero = g.append(Op::ListGet, {list, at(0), x[1]});
             list = g.append(Op::ListAdd, {g.append(Op::ListSet, {list, at(1), zero}), rows});
             const NodeId whole = g.append(Op::ListStack, {list}, row);
             return g.append(Op::Mul, {whole, g.append(Op::ListStack, {list, x[0]})});
         }},
        {"a chain",
         {{2, 3}, {3, 2}},
         [](Graph& g, const auto& x) {
             const NodeId y = g.append(Op::Tanh, {g.append(Op::MatMul, {x[0], x[1]})});
             return g.append(Op::Mul, {y, g.append(Op::Add, {y, g.append(Op::Exp, {y})})});
         }},
    };
    return all;
}

/// sum(weights * case(inputs)), a scalar, and optionally its gradients. `open`: inputs of unknown sizes.
struct Built {
    Graph graph{"f"};
    std::vector<NodeId> inputs;
    NodeId scalar = kNoNode;
};

enum class Open { No, Sizes, Rank };

types::TensorTypeId typeFor(const Shape& shape, Open open) {
    if (open == Open::Rank)
        return doubles(Shape::unknownRank());
    std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    if (open == Open::Sizes)
        std::ranges::fill(sizes, Shape::kUnknown);
    return doubles(Shape(sizes));
}

Built build(const Case& which, Open open) {
    Built built;
    for (std::size_t i = 0; i < which.shapes.size(); ++i)
        built.inputs.push_back(built.graph.addInput(typeFor(which.shapes[i], open), "x" + std::to_string(i)));
    const NodeId y = which.build(built.graph, built.inputs);
    // Weights that differ by element: sin(1 + position) would need an op; squares of y do as well, and a
    // second factor.
    const NodeId weighed = built.graph.append(Op::Mul, {y, built.graph.append(Op::Sigmoid, {y})});
    built.scalar = built.graph.append(Op::ReduceSum, {weighed});
    return built;
}

double evaluate(const Built& built, std::span<const Tensor> inputs) {
    Graph graph = built.graph;
    graph.setOutputs(std::array{built.scalar});
    return Executable::compile(graph)->run(inputs)[0].scalar<double>();
}

std::vector<Tensor> gradients(Built built, std::span<const Tensor> inputs) {
    const auto nodes =
        appendGradients(built.graph, std::array{built.scalar}, std::array{kNoNode}, built.inputs, compiled);
    std::vector<NodeId> outputs;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        outputs.push_back(nodes[i] == kNoNode ? built.graph.append(Op::ZerosLike, {built.inputs[i]})
                                              : nodes[i]);
    built.graph.setOutputs(outputs);
    return Executable::compile(built.graph)->run(inputs);
}

Tensor moved(const Tensor& from, std::size_t element, double by) {
    Tensor copy = Tensor::uninitialized(from.type());
    std::ranges::copy(from.data<double>(), copy.mutableData<double>().begin());
    copy.mutableData<double>()[element] += by;
    return copy;
}

bool isNear(double a, double b) {
    return std::fabs(a - b) <= 1e-5 * std::max({1.0, std::fabs(a), std::fabs(b)});
}

/// Central differences of `f` in every element of input `which`.
template <class F>
std::vector<double> differences(const F& f, std::vector<Tensor> inputs, std::size_t which) {
    constexpr double kStep = 1e-5;
    std::vector<double> result;
    const Tensor at = inputs[which];
    for (std::size_t i = 0; i < static_cast<std::size_t>(at.elements()); ++i) {
        inputs[which] = moved(at, i, kStep);
        const double above = f(inputs);
        inputs[which] = moved(at, i, -kStep);
        result.push_back((above - f(inputs)) / (2 * kStep));
    }
    return result;
}

const Case& caseNamed(const QString& name) {
    for (const Case& one : cases()) {
        if (name == one.name)
            return one;
    }
    qFatal("no such case");
}

std::vector<Tensor> inputsOf(const Case& which) {
    std::mt19937 random(5);
    std::vector<Tensor> inputs;
    for (const Shape& shape : which.shapes)
        inputs.push_back(values(shape, random, which.positive, 0.003 * static_cast<double>(inputs.size())));
    return inputs;
}

Attributes ofType(types::TensorTypeId type) {
    return Attributes().set(Attribute::Type, static_cast<std::int64_t>(type));
}

void addCases() {
    QTest::addColumn<QString>("name");
    for (const Case& one : cases())
        QTest::newRow(one.name) << one.name;
}

} // namespace

class GradientsTest : public QObject {
    Q_OBJECT

private:
    /// The gradients `computed` of a function against central differences of it, element by element.
    static void compareWithDifferences(const Built& function, const std::vector<Tensor>& inputs,
                                       const std::vector<Tensor>& computed) {
        for (std::size_t input = 0; input < inputs.size(); ++input) {
            QCOMPARE(computed[input].type(), inputs[input].type());
            const auto expected =
                differences([&](const auto& at) { return evaluate(function, at); }, inputs, input);
            for (std::size_t i = 0; i < expected.size(); ++i)
                QVERIFY2(isNear(computed[input].data<double>()[i], expected[i]),
                         qPrintable(QString("input %1, element %2: %3 by differences, %4 by the rule")
                                        .arg(input)
                                        .arg(i)
                                        .arg(expected[i])
                                        .arg(computed[input].data<double>()[i])));
        }
    }

private Q_SLOTS:
    void agreesWithDifferences_data() { addCases(); }
    void agreesWithDifferences() {
        QFETCH(QString, name);
        const Case& which = caseNamed(name);
        const std::vector<Tensor> inputs = inputsOf(which);
        const Built built = build(which, Open::No);
        const std::vector<Tensor> computed = gradients(built, inputs);
        compareWithDifferences(built, inputs, computed);
    }

    void doesNotNeedToKnowShapes_data() { addCases(); }
    void doesNotNeedToKnowShapes() {
        QFETCH(QString, name);
        const Case& which = caseNamed(name);
        const std::vector<Tensor> inputs = inputsOf(which);
        const std::vector<Tensor> known = gradients(build(which, Open::No), inputs);
        for (const Open open : {Open::Sizes, Open::Rank}) {
            const std::vector<Tensor> open1 = gradients(build(which, open), inputs);
            for (std::size_t i = 0; i < known.size(); ++i)
                QCOMPARE(tensor::toText(open1[i]), tensor::toText(known[i]));
        }
    }

    void canBeDifferentiatedAgain_data() { addCases(); }
    void canBeDifferentiatedAgain() {
        QFETCH(QString, name);
        const Case& which = caseNamed(name);
        const std::vector<Tensor> inputs = inputsOf(which);
        const Built built = build(which, Open::No);
        // The sum of the squares of the first gradient as the next function.
        Built second = built;
        const auto first = appendGradients(second.graph, std::array{second.scalar}, std::array{kNoNode},
                                           second.inputs, compiled);
        second.scalar = kNoNode;
        for (const NodeId gradient : first) {
            if (gradient == kNoNode)
                continue;
            const NodeId squares =
                second.graph.append(Op::ReduceSum, {second.graph.append(Op::Square, {gradient})});
            second.scalar =
                second.scalar == kNoNode ? squares : second.graph.append(Op::Add, {second.scalar, squares});
        }
        const std::vector<Tensor> computed = gradients(second, inputs);
        compareWithDifferences(second, inputs, computed);
    }

    void everyOpWithoutEffectsIsTried() {
        std::set<Op> tried;
        for (const Case& one : cases()) {
            const Graph graph = build(one, Open::No).graph;
            for (const ir::Node& node : graph.nodes())
                tried.insert(node.op);
        }
        // Their results are no floating values, or do not depend on values.
        const std::set<Op> without{
            Op::LogicalNot, Op::Equal,      Op::NotEqual,     Op::Less,    Op::LessEqual, Op::Greater,
            Op::LogicalOr,  Op::LogicalAnd, Op::GreaterEqual, Op::ShapeOf, Op::OnesLike,  Op::ZerosLike,
            Op::Floor,      Op::Ceil,       Op::Round,        Op::Sign,    Op::FloorDiv,  Op::ArgMax,
            Op::ArgMin,     Op::ReduceAny,  Op::ReduceAll,    Op::ArgSort, Op::Range,     Op::Where,
            Op::RandomBits, Op::ListLength, Op::StopGradient};
        const auto isOnDatasets = [](Op op) { return op >= Op::DatasetRange && op <= Op::IteratorNext; };
        std::string missing;
        for (int op = static_cast<int>(Op::Identity); op < ir::kOpCount; ++op) {
            const auto one = static_cast<Op>(op);
            const bool isPlain = ir::opInfo(one).effect == ir::Effect::None && !ir::runsGraphs(one);
            if (isPlain && !tried.contains(one) && !without.contains(one) && !isOnDatasets(one))
                missing += std::string(ir::opName(one)) + ' ';
        }
        QCOMPARE(missing, std::string());
    }

    void whatDoesNotLeadToAnOutputHasNone() {
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId unused = graph.addInput(doubles({2}), "unused");
        const NodeId whole = graph.addInput(types::tensorType(DType::Int32, Shape{2}), "whole");
        const NodeId flag = graph.append(Op::Greater, {x, unused});
        const NodeId y = graph.append(
            Op::ReduceSum, {graph.append(Op::Select, {flag, x, graph.append(Op::ZerosLike, {x})})});
        const auto found = appendGradients(graph, std::array{y}, std::array{kNoNode},
                                           std::array{x, unused, whole}, compiled);
        QVERIFY(found[0] != kNoNode);
        QCOMPARE(found[1], kNoNode); // only through a condition
        QCOMPARE(found[2], kNoNode); // integers
    }

    void tiesFollowTensorFlow() {
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({3}), "x");
        const NodeId y = graph.addInput(doubles({3}), "y");
        const NodeId most = graph.append(Op::Maximum, {x, y});
        const NodeId all =
            graph.append(Op::Add, {graph.append(Op::ReduceSum, {most}), graph.append(Op::ReduceMax, {x})});
        const auto found =
            appendGradients(graph, std::array{all}, std::array{kNoNode}, std::array{x, y}, compiled);
        graph.setOutputs(found);
        const Tensor same = tensor::constant({2.0, 2.0, 2.0});
        const auto result = Executable::compile(graph)->run(std::array{same, same});
        QCOMPARE(result[0].values<double>(), (std::vector<double>{1 + 1 / 3.0, 1 + 1 / 3.0, 1 + 1 / 3.0}));
        QCOMPARE(result[1].values<double>(), (std::vector<double>{0, 0, 0}));
    }

    void aProductHasTheGradientsOfItsZeros() {
        const auto gradientAt = [](const Tensor& at) {
            Graph graph("f");
            const NodeId x = graph.addInput(at.type(), "x");
            const NodeId y = graph.append(Op::ReduceProd, {x});
            graph.setOutputs(
                appendGradients(graph, std::array{y}, std::array{kNoNode}, std::array{x}, compiled));
            return Executable::compile(graph)->run(std::array{at})[0].values<double>();
        };
        QCOMPARE(gradientAt(tensor::constant({2.0, 3.0, 5.0})), (std::vector<double>{15, 10, 6}));
        QCOMPARE(gradientAt(tensor::constant({2.0, 0.0, 5.0})), (std::vector<double>{0, 10, 0}));
        QCOMPARE(gradientAt(tensor::constant({0.0, 0.0, 5.0})), (std::vector<double>{0, 0, 0}));
    }

    void runningProductsHaveTheGradientsOfTheirZeros_data() {
        QTest::addColumn<bool>("exclusive");
        QTest::addColumn<bool>("reverse");
        QTest::newRow("plain") << false << false;
        QTest::newRow("exclusive") << true << false;
        QTest::newRow("reverse") << false << true;
        QTest::newRow("exclusive, reverse") << true << true;
    }
    void runningProductsHaveTheGradientsOfTheirZeros() {
        QFETCH(const bool, exclusive);
        QFETCH(const bool, reverse);
        for (const Tensor& at :
             {tensor::constant({2.0, 0.0, 5.0, 3.0}), tensor::constant({0.0, 2.0, 0.0, 3.0}),
              tensor::constant({2.0, 3.0, 5.0, 0.0}), tensor::constant({0.0, 0.0, 5.0, 1.0})}) {
            Built built;
            built.inputs.push_back(built.graph.addInput(at.type(), "x"));
            const NodeId y = built.graph.append(Op::CumProd, {built.inputs[0]},
                                                Attributes()
                                                    .set(Attribute::Axis, 0)
                                                    .set(Attribute::Exclusive, exclusive)
                                                    .set(Attribute::Reverse, reverse));
            const NodeId weights = built.graph.addConstant(tensor::constant({0.5, -1.5, 2.0, 0.7}));
            built.scalar = built.graph.append(Op::ReduceSum, {built.graph.append(Op::Mul, {y, weights})});
            const std::vector<Tensor> inputs{at};
            compareWithDifferences(built, inputs, gradients(built, inputs));
        }
    }

    void weighsOutputsWithTheGradientsGiven() {
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId weights = graph.addInput(doubles({2}), "weights");
        const NodeId y = graph.append(Op::Square, {x});
        graph.setOutputs(appendGradients(graph, std::array{y}, std::array{weights}, std::array{x}, compiled));
        const auto result = Executable::compile(graph)->run(
            std::array{tensor::constant({3.0, 4.0}), tensor::constant({10.0, 1.0})});
        QCOMPARE(result[0].values<double>(), (std::vector<double>{60, 8}));
    }

    void aVariableIsWhatTheGraphReadsOfIt() {
        const auto variable = runtime::Variable::make("v", doubles({2}), tensor::constant({3.0, 5.0}));
        Graph graph("f");
        const NodeId handle = graph.addCapture(Tensor::resource(variable), "v");
        const NodeId once = graph.append(Op::ReadVariable, {handle}, ofType(variable->type()));
        graph.append(Op::AssignAddVariable, {handle, once}, ofType(variable->type()));
        const NodeId twice = graph.append(Op::ReadVariable, {handle}, ofType(variable->type()));
        const NodeId y = graph.append(Op::Mul, {once, twice}); // 3*6 and 5*10
        const auto found =
            appendGradients(graph, std::array{y}, std::array{kNoNode}, std::array{handle}, compiled);
        graph.setOutputs(found);
        const auto result = Executable::compile(graph)->run(std::vector<Tensor>{});
        // Both reads count; that one was assigned from the other does not: state carries no gradient.
        QCOMPARE(result[0].values<double>(), (std::vector<double>{9, 15}));
    }

    void goesThroughACall() {
        const auto variable = runtime::Variable::make("v", doubles({2}), tensor::constant({3.0, 5.0}));
        const Tensor handleTensor = Tensor::resource(variable);
        Graph inner("inner");
        const NodeId a = inner.addInput(doubles({2}), "a");
        const NodeId innerHandle = inner.addCapture(handleTensor, "v");
        const NodeId read = inner.append(Op::ReadVariable, {innerHandle}, ofType(variable->type()));
        inner.append(Op::Print, {a}, Attributes().set(Attribute::Text, "never again"));
        inner.setOutputs(std::array{inner.append(Op::Square, {a}), inner.append(Op::Mul, {a, read})});

        Graph graph("outer");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId handle = graph.addCapture(handleTensor, "v");
        const NodeId call = graph.addCall(Executable::compile(inner), std::array{x});
        const NodeId second = graph.resultsOf(call)[1];
        const auto found =
            appendGradients(graph, std::array{second}, std::array{kNoNode}, std::array{x, handle}, compiled);
        graph.setOutputs(found);
        const auto result = Executable::compile(graph)->run(std::array{tensor::constant({7.0, 8.0})});
        QCOMPARE(result[0].values<double>(), (std::vector<double>{3, 5}));
        QCOMPARE(result[1].values<double>(), (std::vector<double>{7, 8}));
    }

    void goesThroughACond() {
        const auto branch = [](const char* name, Op op) {
            Graph graph(name);
            const NodeId a = graph.addInput(doubles({2}), "a");
            graph.addInput(doubles({2}), "b");
            graph.setOutputs(std::array{graph.append(op, {a})});
            return std::make_shared<const Graph>(graph);
        };
        Graph graph("f");
        const NodeId flag = graph.addInput(types::tensorType(DType::Bool, Shape{}), "flag");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId y = graph.addInput(doubles({2}), "y");
        const NodeId cond =
            graph.addCond(flag, branch("yes", Op::Square), branch("no", Op::Neg), std::array{x, y});
        const auto found =
            appendGradients(graph, std::array{cond}, std::array{kNoNode}, std::array{x, y}, compiled);
        QCOMPARE(found[1], kNoNode); // neither branch uses it
        graph.setOutputs(std::array{found[0]});
        const auto run = [&](bool value) {
            return Executable::compile(graph)->run(std::array{
                tensor::constant(value), tensor::constant({3.0, 4.0}), tensor::constant({0.0, 0.0})});
        };
        QCOMPARE(run(true)[0].values<double>(), (std::vector<double>{6, 8}));
        QCOMPARE(run(false)[0].values<double>(), (std::vector<double>{-1, -1}));
    }

    void whatACallHasReadIsKeptWhenTheVariableChanges() {
        const auto variable = runtime::Variable::make("v", doubles(Shape{}), tensor::constant(3.0));
        const Tensor handleTensor = Tensor::resource(variable);
        Graph inner("inner");
        const NodeId a = inner.addInput(doubles(Shape{}), "a");
        const NodeId innerHandle = inner.addCapture(handleTensor, "v");
        const NodeId read = inner.append(Op::ReadVariable, {innerHandle}, ofType(variable->type()));
        inner.append(Op::AssignAddVariable, {innerHandle, a}, ofType(variable->type()));
        inner.setOutputs(std::array{inner.append(Op::Mul, {a, read})});
        Graph graph("outer");
        const NodeId x = graph.addInput(doubles(Shape{}), "x");
        const NodeId handle = graph.addCapture(handleTensor, "v");
        const NodeId call = graph.addCall(Executable::compile(inner), std::array{x});
        graph.append(Op::AssignVariable, {handle, x}, ofType(variable->type()));
        graph.setOutputs(
            appendGradients(graph, std::array{call}, std::array{kNoNode}, std::array{x, handle}, compiled));
        const auto found = Executable::compile(graph)->run(std::array{tensor::constant(7.0)});
        QCOMPARE(found[0].scalar<double>(), 3.0);
        QCOMPARE(found[1].scalar<double>(), 7.0);
        QCOMPARE(variable->read().scalar<double>(), 7.0);
    }

    void nothingFlowsBackThroughStopGradient() {
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId stopped = graph.append(Op::StopGradient, {x});
        const NodeId product = graph.append(Op::Mul, {x, stopped});
        const auto found =
            appendGradients(graph, std::array{product}, std::array{kNoNode}, std::array{x}, compiled);
        const auto second = appendGradients(graph, found, std::array{kNoNode}, std::array{x}, compiled);
        QCOMPARE(second[0], kNoNode);
        graph.setOutputs(found);
        QCOMPARE(
            Executable::compile(graph)->run(std::array{tensor::constant({3.0, 4.0})})[0].values<double>(),
            (std::vector<double>{3, 4}));
    }

    void aSecondGradientThroughANodeSharesWhatWasMadeForTheFirst() {
        Graph inner("inner");
        const NodeId a = inner.addInput(doubles(Shape{}), "a");
        inner.setOutputs(std::array{inner.append(Op::Exp, {inner.append(Op::Sin, {a})})});
        Graph graph("outer");
        const NodeId x = graph.addInput(doubles(Shape{}), "x");
        const NodeId call = graph.addCall(Executable::compile(inner), std::array{x});
        const auto gradient = [&](NodeId of) {
            return appendGradients(graph, std::array{of}, std::array{kNoNode}, std::array{x}, compiled)[0];
        };
        const NodeId first = gradient(call);
        const std::size_t results = graph.resultsOf(call).size();
        const std::size_t callees = graph.callees().size();
        const NodeId second = gradient(graph.append(Op::Square, {call}));
        QCOMPARE(graph.resultsOf(call).size(), results);
        QCOMPARE(graph.callees().size(), callees);
        graph.setOutputs(std::array{first, second});
        const auto found = Executable::compile(graph)->run(std::array{tensor::constant(0.5)});
        const double e = std::exp(std::sin(0.5));
        QVERIFY(std::abs(found[0].scalar<double>() - e * std::cos(0.5)) < 1e-12);
        QVERIFY(std::abs(found[1].scalar<double>() - 2 * e * e * std::cos(0.5)) < 1e-12);
    }
};

RETRACESCOPE_TEST(GradientsTest);

#include "gradients_test.moc"
