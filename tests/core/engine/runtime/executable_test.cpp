#include <QTest>

#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/print.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/text.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using runtime::Variable;
using tensor::constant;
using tensor::Tensor;

namespace {

using V = std::vector<float>;

types::TensorTypeId floats(types::Shape shape) {
    return types::tensorType(types::DType::Float32, shape);
}

std::vector<std::string> textsOf(const std::vector<Tensor>& tensors) {
    std::vector<std::string> texts;
    for (const Tensor& tensor : tensors)
        texts.push_back(tensor::toText(tensor));
    return texts;
}

Tensor handleOf(const std::shared_ptr<Variable>& variable) {
    return Tensor::resource(variable);
}

ir::Attributes ofType(const Variable& variable) {
    return ir::Attributes().set(ir::Attribute::Type, static_cast<std::int64_t>(variable.type()));
}

std::string printed;

} // namespace

class ExecutableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsAChain() {
        Graph graph("chain");
        const NodeId x = graph.addInput(floats({4}), "x");
        const NodeId two = graph.addConstant(constant(2.0f));
        const NodeId y = graph.append(Op::Mul, {x, two});
        const NodeId z = graph.append(Op::Neg, {graph.append(Op::Add, {y, x})});
        graph.setOutputs(std::array{z});
        const auto executable = Executable::compile(graph);
        const std::array inputs{constant({1.0f, 2.0f, 3.0f, 4.0f})};
        QCOMPARE(executable->run(inputs)[0].values<float>(), (V{-3, -6, -9, -12}));
        QCOMPARE(executable->run(inputs)[0].values<float>(), (V{-3, -6, -9, -12}));
    }

    void plansForTheShapesThatCome() {
        Graph graph("open");
        const NodeId x = graph.addInput(floats({types::Shape::kUnknown}), "x");
        graph.setOutputs(std::array{graph.append(Op::ReduceSum, {graph.append(Op::Square, {x})})});
        const auto executable = Executable::compile(graph);
        QCOMPARE(executable->run(std::array{constant({1.0f, 2.0f})})[0].scalar<float>(), 5.0f);
        QCOMPARE(executable->run(std::array{constant({1.0f, 2.0f, 3.0f})})[0].scalar<float>(), 14.0f);
        QCOMPARE(executable->run(std::array{constant({2.0f, 2.0f})})[0].scalar<float>(), 8.0f);
        QCOMPARE(executable->planCount(), std::size_t{2});
    }

    void refusesAnotherType() {
        Graph graph("f");
        const NodeId x = graph.addInput(floats({2}), "x");
        graph.setOutputs(std::array{graph.append(Op::Neg, {x})});
        const auto executable = Executable::compile(graph);
        try {
            executable->run(std::array{constant({1, 2})});
            QFAIL("accepted int32");
        } catch (const UsageError& error) {
            QCOMPARE(error.what(), "[f] x is expected as float32[2], got int32[2]");
        }
    }

    void keepsEffectsInProgramOrder() {
        const auto variable = Variable::make("v", floats({}), constant(1.0f));
        Graph graph("effects");
        const NodeId x = graph.addInput(floats({}), "x");
        const NodeId v = graph.addCapture(handleOf(variable), "v");
        const NodeId before = graph.append(Op::ReadVariable, {v}, ofType(*variable));
        graph.append(Op::AssignAddVariable, {v, x}, ofType(*variable));
        const NodeId between = graph.append(Op::ReadVariable, {v}, ofType(*variable));
        graph.append(Op::AssignVariable, {v, graph.append(Op::Mul, {between, between})}, ofType(*variable));
        const NodeId after = graph.append(Op::ReadVariable, {v}, ofType(*variable));
        graph.setOutputs(std::array{before, between, after});
        const auto executable = Executable::compile(runtime::optimise(graph));
        const auto results = textsOf(executable->run(std::array{constant(2.0f)}));
        QCOMPARE(results, (std::vector<std::string>{"float32[] 1", "float32[] 3", "float32[] 9"}));
        QCOMPARE(variable->read().scalar<float>(), 9.0f);
    }

    void runsOnlyTheChosenBranch() {
        const auto count = [](const char* text) {
            Graph branch(text);
            const NodeId x = branch.addInput(floats({2}), "x");
            branch.append(Op::Print, {x}, ir::Attributes().set(ir::Attribute::Text, text));
            branch.setOutputs(std::array{x, branch.append(Op::Neg, {x})});
            return std::make_shared<const Graph>(branch);
        };
        Graph graph("choose");
        const NodeId p = graph.addInput(types::tensorType(types::DType::Bool, types::Shape{}), "p");
        const NodeId x = graph.addInput(floats({2}), "x");
        const NodeId chosen = graph.addCond(p, count("yes"), count("no"), std::array{x});
        graph.setOutputs(graph.resultsOf(chosen));
        const auto executable = Executable::compile(runtime::optimise(graph));
        printed.clear();
        runtime::setPrintSink([](std::string_view line) { printed += line; });
        const auto results = textsOf(executable->run(std::array{constant(true), constant({1.0f, 2.0f})}));
        executable->run(std::array{constant(false), constant({3.0f, 4.0f})});
        runtime::setPrintSink(nullptr);
        QCOMPARE(printed, std::string("yes [1, 2]\nno [3, 4]\n"));
        QCOMPARE(results, (std::vector<std::string>{"float32[2] [1, 2]", "float32[2] [-1, -2]"}));
    }

    void callsAnotherGraph() {
        Graph inner("inner");
        const NodeId a = inner.addInput(floats({types::Shape::kUnknown}), "a");
        inner.setOutputs(std::array{inner.append(Op::Square, {a}), inner.append(Op::ReduceSum, {a})});
        Graph outer("outer");
        const NodeId x = outer.addInput(floats({3}), "x");
        const NodeId call = outer.addCall(Executable::compile(inner), std::array{x});
        outer.setOutputs(std::array{outer.append(Op::Mul, {call, call + 1})});
        const auto executable = Executable::compile(outer);
        QCOMPARE(executable->run(std::array{constant({1.0f, 2.0f, 3.0f})})[0].values<float>(),
                 (V{6, 24, 54}));
    }

    void joinsStrings() {
        Graph graph("strings");
        const NodeId x = graph.addInput(types::tensorType(types::DType::String, types::Shape{}), "x");
        graph.setOutputs(std::array{graph.append(Op::Add, {x, x})});
        QCOMPARE(Executable::compile(graph)->run(std::array{constant("a")})[0].scalar<std::string>(),
                 std::string("aa"));
    }
};

RETRACESCOPE_TEST(ExecutableTest);
#include "executable_test.moc"
