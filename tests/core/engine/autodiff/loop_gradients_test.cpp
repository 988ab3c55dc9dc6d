#include <cmath>
#include <functional>
#include <random>

#include <QTest>

#include <retracescope/engine/autodiff/gradients.h>
#include <retracescope/engine/ir/print.h>
#include <retracescope/engine/ir/verify.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

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

using Nodes = std::vector<NodeId>;

/// One trip: from the values and what is the same in every trip to the next values.
using Step = std::function<Nodes(Graph&, const Nodes& values, const Nodes& constants)>;

std::shared_ptr<const ir::Callee> compiled(Graph graph) {
    return Executable::compile(runtime::optimise(std::move(graph)));
}

types::TensorTypeId doubles(const Shape& shape) {
    return types::tensorType(DType::Float64, shape);
}

NodeId number(Graph& graph, double value) {
    return graph.addConstant(tensor::constant(value));
}

/// `trips` (int64[]) trips of `step` as a while node; its results without the counter. `open`: the body takes
/// values of unknown shape.
Nodes addLoop(Graph& graph, NodeId trips, const Nodes& values, const Nodes& constants, const Step& step,
              bool open = false) {
    Graph condition("condition");
    Graph body("body");
    Nodes arguments{graph.addConstant(tensor::constant(std::int64_t{0}))};
    arguments.insert(arguments.end(), values.begin(), values.end());
    arguments.push_back(trips);
    arguments.insert(arguments.end(), constants.begin(), constants.end());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool isValue = i > 0 && i <= values.size();
        const auto type = open && isValue ? doubles(Shape::unknownRank()) : graph.typeOf(arguments[i]);
        condition.addInput(type, "x");
        body.addInput(type, "x");
    }
    const auto inner = body.inputs();
    const auto count = static_cast<std::ptrdiff_t>(values.size());
    condition.setOutputs(std::array{
        condition.append(Op::Less, {condition.inputs()[0], condition.inputs()[values.size() + 1]})});
    Nodes next = step(body, Nodes(inner.begin() + 1, inner.begin() + 1 + count),
                      Nodes(inner.begin() + 2 + count, inner.end()));
    next.insert(next.begin(),
                body.append(Op::Add, {inner[0], body.addConstant(tensor::constant(std::int64_t{1}))}));
    body.setOutputs(next);
    const NodeId loop = graph.addWhile(std::make_shared<const Graph>(condition),
                                       std::make_shared<const Graph>(body), arguments, values.size() + 1);
    Nodes results = graph.resultsOf(loop);
    results.erase(results.begin());
    return results;
}

Nodes unrolled(Graph& graph, std::int64_t trips, Nodes values, const Nodes& constants, const Step& step) {
    for (std::int64_t trip = 0; trip < trips; ++trip)
        values = step(graph, values, constants);
    return values;
}

/// The sum of all elements of the values, each under a function of its own.
NodeId scalarOf(Graph& graph, const Nodes& values) {
    NodeId sum = kNoNode;
    for (const NodeId value : values) {
        const NodeId one =
            graph.append(Op::ReduceSum, {graph.append(Op::Mul, {value, graph.append(Op::Sigmoid, {value})})});
        sum = sum == kNoNode ? one : graph.append(Op::Add, {sum, one});
    }
    return sum;
}

/// A function of tensors: the first `valueCount` are a loop's values, the others the same in every trip.
struct Program {
    std::vector<Tensor> inputs;
    std::size_t valueCount = 1;
    Step step;
    bool open = false;

    struct Built {
        Graph graph{"f"};
        Nodes inputs;
        NodeId scalar = kNoNode;
    };

    /// As a loop of a number of trips that is an input behind the others, or unrolled.
    Built build(bool staged, std::int64_t trips) const {
        Built built;
        for (const Tensor& input : inputs)
            built.inputs.push_back(built.graph.addInput(input.type(), "x"));
        const NodeId count = built.graph.addInput(types::tensorType(DType::Int64, Shape{}), "trips");
        const auto split = built.inputs.begin() + static_cast<std::ptrdiff_t>(valueCount);
        const Nodes values(built.inputs.begin(), split);
        const Nodes constants(split, built.inputs.end());
        built.scalar =
            scalarOf(built.graph, staged ? addLoop(built.graph, count, values, constants, step, open)
                                         : unrolled(built.graph, trips, values, constants, step));
        return built;
    }

    static std::vector<Tensor> run(Graph graph, std::vector<Tensor> inputs, std::int64_t trips) {
        ir::verify(graph);
        inputs.push_back(tensor::constant(trips));
        const auto plain = Executable::compile(graph)->run(inputs);
        const auto optimised = Executable::compile(runtime::optimise(graph))->run(inputs);
        for (std::size_t i = 0; i < plain.size(); ++i)
            if (!tensor::sameContent(plain[i], optimised[i]))
                qFatal("passes change result %d", static_cast<int>(i));
        return plain;
    }

    double value(const std::vector<Tensor>& at, std::int64_t trips) const {
        Built built = build(true, trips);
        built.graph.setOutputs(std::array{built.scalar});
        return run(built.graph, at, trips)[0].scalar<double>();
    }

    /// Gradients with respect to all inputs; of order 2, of the sum of the first ones' squares.
    std::vector<Tensor> gradients(bool staged, std::int64_t trips, int order = 1) const {
        Built built = build(staged, trips);
        Nodes found;
        for (int i = 0; i < order; ++i) {
            found = appendGradients(built.graph, std::array{built.scalar}, std::array{kNoNode}, built.inputs,
                                    compiled);
            for (std::size_t k = 0; k < found.size(); ++k)
                if (found[k] == kNoNode)
                    found[k] = built.graph.append(Op::ZerosLike, {built.inputs[k]});
            built.scalar = scalarOf(built.graph, found);
        }
        built.graph.setOutputs(found);
        return run(built.graph, inputs, trips);
    }
};

bool isNear(double a, double b, double tolerance) {
    return std::fabs(a - b) <= tolerance * std::max({1.0, std::fabs(a), std::fabs(b)});
}

std::string difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance = 1e-10) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].type() != b[i].type())
            return "types of " + std::to_string(i) + ": " + types::toText(a[i].type()) + ", " +
                   types::toText(b[i].type());
        for (std::size_t k = 0; k < a[i].data<double>().size(); ++k)
            if (!isNear(a[i].data<double>()[k], b[i].data<double>()[k], tolerance))
                return "element " + std::to_string(k) + " of " + std::to_string(i) + " is " +
                       std::to_string(a[i].data<double>()[k]) + ", expected " +
                       std::to_string(b[i].data<double>()[k]);
    }
    return {};
}

std::vector<Tensor> centralDifferences(const Program& program, std::int64_t trips) {
    constexpr double kStep = 1e-5;
    std::vector<Tensor> slopes;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        Tensor slope = Tensor::uninitialized(program.inputs[i].type());
        for (std::size_t k = 0; k < slope.data<double>().size(); ++k) {
            const auto moved = [&](double by) {
                std::vector<Tensor> at = program.inputs;
                at[i] = Tensor::uninitialized(program.inputs[i].type());
                std::ranges::copy(program.inputs[i].data<double>(), at[i].mutableData<double>().begin());
                at[i].mutableData<double>()[k] += by;
                return program.value(at, trips);
            };
            slope.mutableData<double>()[k] = (moved(kStep) - moved(-kStep)) / (2 * kStep);
        }
        slopes.push_back(slope);
    }
    return slopes;
}

/// h = tanh(h w + x), a recurrent cell.
Program recurrent() {
    Program program;
    program.inputs = {tensor::constant({{0.1, -0.2}, {0.3, 0.5}}),
                      tensor::constant({{0.7, -0.3}, {0.2, 0.9}}), tensor::constant({0.1, -0.4})};
    program.step = [](Graph& g, const Nodes& v, const Nodes& c) {
        return Nodes{g.append(Op::Tanh, {g.append(Op::Add, {g.append(Op::MatMul, {v[0], c[0]}), c[1]})})};
    };
    return program;
}

/// tanh(a) * b, or that of a cond: sin(a) + b where `yes`.
std::shared_ptr<const Graph> inner(bool yes, types::TensorTypeId type) {
    Graph graph(yes ? "yes" : "no");
    const NodeId a = graph.addInput(type, "a");
    const NodeId b = graph.addInput(type, "b");
    graph.setOutputs(std::array{yes ? graph.append(Op::Add, {graph.append(Op::Sin, {a}), b})
                                    : graph.append(Op::Mul, {graph.append(Op::Tanh, {a}), b})});
    return std::make_shared<const Graph>(std::move(graph));
}

/// A body of random ops on its values (all of one shape) and on what is the same in every trip.
Step randomStep(std::uint64_t seed) {
    return [seed](Graph& g, const Nodes& values, const Nodes& constants) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
        Nodes pool = values;
        pool.insert(pool.end(), constants.begin(), constants.end());
        const std::size_t count = 2 + below(6);
        for (std::size_t i = 0; i < count; ++i) {
            const NodeId a = pool[below(pool.size())];
            const NodeId b = pool[below(pool.size())];
            switch (below(10)) {
            case 7:
                pool.push_back(g.addCall(compiled(*inner(false, g.typeOf(a))), std::array{a, b}));
                break;
            case 8: {
                const NodeId sum = g.append(Op::ReduceSum, {a});
                const NodeId isLarge = g.append(Op::Greater, {sum, number(g, 0.05)});
                pool.push_back(g.addCond(isLarge, inner(true, g.typeOf(a)), inner(false, g.typeOf(a)),
                                         std::array{a, b}));
                break;
            }
            case 9: {
                const NodeId trips = g.addConstant(tensor::constant(std::int64_t{2}));
                pool.push_back(addLoop(g, trips, {a}, {b}, [](Graph& h, const Nodes& v, const Nodes& c) {
                    return Nodes{
                        h.append(Op::Tanh, {h.append(Op::Add, {v[0], h.append(Op::Mul, {v[0], c[0]})})})};
                })[0]);
                break;
            }
            case 0:
                pool.push_back(g.append(Op::Add, {a, b}));
                break;
            case 1:
                pool.push_back(g.append(Op::Mul, {a, g.append(Op::Sigmoid, {b})}));
                break;
            case 2:
                pool.push_back(g.append(Op::Sub, {g.append(Op::Tanh, {a}), b}));
                break;
            case 3:
                pool.push_back(g.append(Op::Mul, {a, g.append(Op::ReduceMean, {b})}));
                break;
            case 4:
                pool.push_back(g.append(Op::Select, {g.append(Op::Greater, {a, number(g, 0.05)}), a, b}));
                break;
            case 5:
                pool.push_back(g.append(Op::MatMul, {a, b}));
                break;
            default:
                pool.push_back(g.append(Op::Exp, {g.append(Op::Neg, {g.append(Op::Square, {a})})}));
            }
        }
        Nodes next;
        for (std::size_t i = 0; i < values.size(); ++i) { // kept small, so that no trip explodes
            const NodeId from =
                below(5) == 0 ? values[below(values.size())] : pool[pool.size() - 1 - below(3)];
            next.push_back(below(4) == 0 ? from : g.append(Op::Tanh, {from}));
        }
        return next;
    };
}

Program randomProgram(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Program program;
    program.valueCount = 1 + random() % 3;
    const std::size_t inputs = program.valueCount + random() % 3;
    for (std::size_t i = 0; i < inputs; ++i) {
        Tensor input = Tensor::uninitialized(doubles({2, 2}));
        for (double& element : input.mutableData<double>())
            element = static_cast<double>(random() % 2000) / 1000 - 1;
        program.inputs.push_back(input);
    }
    program.step = randomStep(seed * 7 + 1);
    return program;
}

} // namespace

class LoopGradientsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreeWithCentralDifferences() {
        for (const std::int64_t trips : {0, 1, 4}) {
            const std::string found =
                difference(recurrent().gradients(true, trips), centralDifferences(recurrent(), trips), 1e-6);
            QVERIFY2(found.empty(), (std::to_string(trips) + " trips: " + found).c_str());
        }
    }

    void agreeWithTheUnrolledProgram() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const Program program = randomProgram(seed);
            const auto trips = static_cast<std::int64_t>(seed % 5);
            const std::string found =
                difference(program.gradients(true, trips), program.gradients(false, trips));
            QVERIFY2(found.empty(), ("seed " + std::to_string(seed) + ": " + found).c_str());
        }
    }

    void haveGradientsThemselves() {
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const Program program = seed == 1 ? recurrent() : randomProgram(seed);
            const auto trips = static_cast<std::int64_t>(seed % 4);
            const std::string found =
                difference(program.gradients(true, trips, 2), program.gradients(false, trips, 2), 1e-8);
            QVERIFY2(found.empty(), ("seed " + std::to_string(seed) + ": " + found).c_str());
        }
    }

    void loopsNest() {
        Program program = recurrent();
        const Step inner = program.step;
        const auto nested = [&](bool staged) {
            return [=](Graph& g, const Nodes& v, const Nodes& c) {
                const NodeId trips = g.addConstant(tensor::constant(std::int64_t{3}));
                const NodeId scaled = g.append(Op::Mul, {v[0], number(g, 0.5)});
                return staged ? addLoop(g, trips, {scaled}, c, inner) : unrolled(g, 3, {scaled}, c, inner);
            };
        };
        program.step = nested(true);
        Program flat = program;
        flat.step = nested(false);
        QCOMPARE(difference(program.gradients(true, 2), flat.gradients(false, 2)), std::string());
        QCOMPARE(difference(program.gradients(true, 2, 2), flat.gradients(false, 2, 2), 1e-8), std::string());
    }

    void aCondInALoopDecidesAnewInEachTrip() {
        Program program = recurrent();
        program.step = [](Graph& g, const Nodes& v, const Nodes& c) {
            const auto branch = [&](const char* name, Op op) {
                Graph graph(name);
                const NodeId x = graph.addInput(g.typeOf(v[0]), "x");
                const NodeId y = graph.addInput(g.typeOf(c[1]), "y");
                graph.setOutputs(std::array{graph.append(op, {x, y})});
                return std::make_shared<const Graph>(graph);
            };
            const NodeId flag = g.append(Op::Greater, {g.append(Op::ReduceSum, {v[0]}), number(g, 0.5)});
            const NodeId next =
                g.addCond(flag, branch("down", Op::Sub), branch("up", Op::Mul), std::array{v[0], c[1]});
            return Nodes{g.append(Op::Add, {g.append(Op::MatMul, {next, c[0]}), number(g, 0.3)})};
        };
        QCOMPARE(difference(program.gradients(true, 5), program.gradients(false, 5)), std::string());
        QCOMPARE(difference(program.gradients(true, 5), centralDifferences(program, 5), 1e-6), std::string());
    }

    void valuesMayChangeTheirShape() {
        Program program;
        program.inputs = {tensor::constant({0.5, -0.25}), tensor::constant({0.75})};
        program.open = true;
        program.step = [](Graph& g, const Nodes& v, const Nodes& c) {
            const NodeId longer = g.append(Op::Concat, {v[0], c[0]}, Attributes().set(Attribute::Axis, 0));
            return Nodes{g.append(Op::Mul, {longer, g.append(Op::ReduceMean, {longer})})};
        };
        for (const std::int64_t trips : {0, 3})
            QCOMPARE(difference(program.gradients(true, trips), program.gradients(false, trips)),
                     std::string());
        QCOMPARE(difference(program.gradients(true, 3, 2), program.gradients(false, 3, 2), 1e-8),
                 std::string());
    }

    void listsAreValuesOfALoopToo() {
        // All values of one trip after the other, stacked.
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId trips = graph.addInput(types::tensorType(DType::Int64, Shape{}), "trips");
        const auto row = Attributes().set(Attribute::Type, static_cast<std::int64_t>(doubles({2})));
        const NodeId list = graph.append(Op::ListReserve, {trips}, row);
        const Step step = [](Graph& g, const Nodes& v, const Nodes& c) {
            const NodeId next = g.append(Op::Mul, {v[0], c[0]});
            return Nodes{next, g.append(Op::ListSet, {v[1], g.append(Op::Sub, {c[1], v[2]}), next}),
                         g.append(Op::Sub, {v[2], g.addConstant(tensor::constant(std::int64_t{1}))})};
        };
        const Nodes results = addLoop(graph, trips, {x, list, trips}, {x, trips}, step);
        const NodeId powers = graph.append(Op::ListStack, {results[1]}, row); // x^2, x^3, x^4
        graph.setOutputs(
            appendGradients(graph, std::array{powers}, std::array{kNoNode}, std::array{x}, compiled));
        const auto slope = Program::run(graph, {tensor::constant({2.0, 3.0})}, 3)[0].values<double>();
        QCOMPARE(slope, (std::vector<double>{2 * 2 + 3 * 4 + 4 * 8, 2 * 3 + 3 * 9 + 4 * 27}));
    }

    void whatACalleeInTheBodyCapturesHasItsGradient() {
        const auto variable = runtime::Variable::make("v", doubles({2}), tensor::constant({3.0, 5.0}));
        const Tensor handleTensor = Tensor::resource(variable);
        const auto held = Attributes().set(Attribute::Type, static_cast<std::int64_t>(variable->type()));
        Graph cell("cell");
        const NodeId a = cell.addInput(doubles({2}), "a");
        cell.setOutputs(std::array{cell.append(
            Op::Mul, {a, cell.append(Op::ReadVariable, {cell.addCapture(handleTensor, "v")}, held)})});
        const auto callee = Executable::compile(cell);
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId trips = graph.addInput(types::tensorType(DType::Int64, Shape{}), "trips");
        const NodeId handle = graph.addCapture(handleTensor, "v");
        const Step step = [&](Graph& g, const Nodes& v, const Nodes&) { return Nodes{g.addCall(callee, v)}; };
        const Nodes results = addLoop(graph, trips, {x}, {}, step);
        graph.setOutputs(
            appendGradients(graph, results, std::array{kNoNode}, std::array{x, handle}, compiled));
        const auto found = Program::run(graph, {tensor::constant({1.0, 2.0})}, 3); // x v^3
        QCOMPARE(found[0].values<double>(), (std::vector<double>{27, 125}));
        QCOMPARE(found[1].values<double>(), (std::vector<double>{27, 2 * 75}));
    }

    void everyTripKeepsWhatItHasReadOfAVariable() {
        const auto variable = runtime::Variable::make("v", doubles({2}), tensor::constant({3.0, 5.0}));
        const auto held = Attributes().set(Attribute::Type, static_cast<std::int64_t>(variable->type()));
        Graph graph("f");
        const NodeId x = graph.addInput(doubles({2}), "x");
        const NodeId trips = graph.addInput(types::tensorType(DType::Int64, Shape{}), "trips");
        const NodeId handle = graph.addCapture(Tensor::resource(variable), "v");
        const Step step = [&](Graph& g, const Nodes& v, const Nodes& c) { // x v, then v + 1, ...
            const NodeId read = g.append(Op::ReadVariable, {c[0]}, held);
            g.append(Op::AssignAddVariable, {c[0], g.append(Op::OnesLike, {v[0]})}, held);
            return Nodes{g.append(Op::Mul, {v[0], read})};
        };
        Nodes results = addLoop(graph, trips, {x}, {handle}, step);
        const Nodes found = appendGradients(graph, results, std::array{kNoNode}, std::array{x}, compiled);
        results.push_back(found[0]);
        graph.setOutputs(results);
        const auto made = Executable::compile(graph)->run(
            std::array{tensor::constant({1.0, 2.0}), tensor::constant(std::int64_t{3})});
        QCOMPARE(made[0].values<double>(), (std::vector<double>{3 * 4 * 5, 2 * 5 * 6 * 7}));
        QCOMPARE(made[1].values<double>(), (std::vector<double>{3 * 4 * 5, 5 * 6 * 7}));
        QCOMPARE(variable->read().values<double>(), (std::vector<double>{6, 8})); // three times, not six
    }
};

RETRACESCOPE_TEST(LoopGradientsTest);

#include "loop_gradients_test.moc"
