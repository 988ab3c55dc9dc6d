#include <QTest>

#include <retracescope/engine/ir/parse.h>
#include <retracescope/engine/ir/print.h>
#include <retracescope/engine/ir/verify.h>
#include <retracescope/engine/passes/pipeline.h>
#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/kernels/vector_kernels.h>
#include <retracescope/engine/tensor/text.h>

#include "tests/differential/random_program.h"
#include "tests/differential/reference.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::test;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using tensor::Tensor;

namespace {

constexpr std::uint64_t kPrograms = 3000;

/// Runs every node with the eager engine; each pure one is compared with the reference on the same inputs.
class EagerRun {
public:
    std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs) {
        std::vector<Tensor> values(graph.nodeCount());
        for (std::size_t i = 0; i < inputs.size(); ++i)
            values[graph.inputs()[i]] = inputs[i];
        for (const ir::Capture& capture : graph.captures())
            values[capture.node] = capture.value;
        for (NodeId node = 0; node < graph.nodeCount(); ++node)
            runNode(graph, node, values);
        std::vector<Tensor> outputs;
        for (const NodeId output : graph.outputs())
            outputs.push_back(values[output]);
        return outputs;
    }

    std::string difference; ///< the first one, or empty

private:
    void runNode(const Graph& graph, NodeId node, std::vector<Tensor>& values) {
        const Op op = graph.node(node).op;
        std::vector<Tensor> inputs;
        for (const NodeId input : graph.inputsOf(node))
            inputs.push_back(values[input]);
        if (op == Op::Constant) {
            values[node] = graph.constantOf(node);
        } else if (op == Op::Cond) {
            const auto which = inputs[0].scalar<bool>() ? ir::Attribute::Then : ir::Attribute::Else;
            keep(run(graph.branchOf(node, which), std::span(inputs).subspan(1)), node, values);
        } else if (op == Op::While) {
            while (run(graph.branchOf(node, ir::Attribute::Condition), inputs)[0].scalar<bool>())
                std::ranges::move(run(graph.branchOf(node, ir::Attribute::Body), inputs), inputs.begin());
            inputs.resize(graph.node(node).resultCount);
            keep(inputs, node, values);
        } else if (op == Op::HostCall) {
            keep(graph.hostOf(node).run(inputs), node, values);
        } else if (op == Op::Call) {
            keep(run(graph.calleeOf(node).graph(), inputs), node, values);
        } else if (op != Op::Placeholder && op != Op::Result) {
            values[node] = runtime::runOp(op, inputs, graph.attributesOf(node));
            if (ir::opInfo(op).effect == ir::Effect::None)
                compare(graph, node, inputs, values[node]);
        }
    }

    static void keep(const std::vector<Tensor>& results, NodeId node, std::vector<Tensor>& values) {
        for (std::size_t i = 0; i < results.size(); ++i)
            values[node + i] = results[i];
    }

    void compare(const Graph& graph, NodeId node, const std::vector<Tensor>& inputs, const Tensor& computed) {
        std::vector<ReferenceValue> values;
        for (const Tensor& input : inputs)
            values.push_back(toReference(input));
        const ir::AttributeView attributes = graph.attributesOf(node);
        const std::string found =
            findDifference(computed, computeReference(graph.node(node).op, values, attributes));
        if (difference.empty() && !found.empty()) {
            difference = "node " + std::to_string(node) + " " + found + "\n";
            for (const Tensor& input : inputs)
                difference += "  input " + tensor::toText(input).substr(0, 600) + "\n";
        }
    }
};

void reset(const RandomProgram& program) {
    for (std::size_t i = 0; i < program.variables.size(); ++i)
        program.variables[i]->assign(program.initialValues[i]);
}

/// Outputs of the eager engine and what its variables hold afterwards.
struct Outcome {
    std::vector<Tensor> outputs;
    std::vector<Tensor> state;
};

Outcome stateAfter(const RandomProgram& program, std::vector<Tensor> outputs) {
    Outcome outcome{std::move(outputs), {}};
    for (const auto& variable : program.variables)
        outcome.state.push_back(variable->read());
    return outcome;
}

std::string difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!tensor::sameContent(a[i], b[i]))
            return "value " + std::to_string(i) + " is " + tensor::toText(b[i]) + ", eager " +
                   tensor::toText(a[i]);
    }
    return {};
}

/// Runs the graph twice from the same state and compares with the eager outcome, bit by bit.
std::string differenceOfGraph(const RandomProgram& program, const Outcome& eager, const Graph& graph) {
    ir::verify(graph);
    const auto executable = runtime::Executable::compile(graph);
    for (int run = 0; run < 2; ++run) {
        reset(program);
        const Outcome outcome = stateAfter(program, executable->run(program.inputs));
        std::string found = difference(eager.outputs, outcome.outputs);
        if (found.empty())
            found = difference(eager.state, outcome.state);
        if (!found.empty())
            return "run " + std::to_string(run) + ": " + found;
    }
    return {};
}

Graph optimisedWithout(const Graph& graph, const std::string& pass) {
    passes::Options options;
    options.off = {pass};
    options.evaluate = [](Op op, std::span<const Tensor> inputs, ir::AttributeView attributes) {
        return std::optional(runtime::runOp(op, inputs, attributes));
    };
    return passes::runPipeline(graph, options);
}

} // namespace

class EnginesAgreeTest : public QObject {
    Q_OBJECT

private:
    /// Programs whose shapes turn out not to fit once they run (behind a cond) must fail as graphs too.
    template <class Check>
    void forEachProgram(std::uint64_t count, const Check& check) {
        std::uint64_t failing = 0;
        std::string failures;
        for (std::uint64_t seed = 1; seed <= count; ++seed) {
            const RandomProgram program = makeProgram(seed);
            reset(program);
            EagerRun eager;
            std::string found;
            try {
                const Outcome outcome = stateAfter(program, eager.run(program.graph, program.inputs));
                found = eager.difference.empty() ? check(program, outcome) : eager.difference;
            } catch (const UsageError& error) {
                ++failing;
                failures += std::string(error.what()) + '\n';
                found = graphFails(program) ? "" : std::string("only the eager run failed: ") + error.what();
            }
            if (!found.empty())
                QFAIL(("seed " + std::to_string(seed) + ": " + found + "\n" + ir::toText(program.graph))
                          .c_str());
        }
        QVERIFY2(failing * 15 < count, failures.c_str());
    }

    static bool graphFails(const RandomProgram& program) {
        try {
            reset(program);
            runtime::Executable::compile(program.graph)->run(program.inputs);
        } catch (const UsageError&) {
            return true;
        }
        return false;
    }

private Q_SLOTS:
    void programsUseEveryOp() {
        std::vector<int> uses(ir::kOpCount);
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            const Graph graph = makeProgram(seed).graph;
            for (const ir::Node& node : graph.nodes())
                ++uses[static_cast<std::size_t>(node.op)];
        }
        std::string missing;
        for (int op = 0; op < ir::kOpCount; ++op) {
            if (uses[static_cast<std::size_t>(op)] == 0 && static_cast<Op>(op) != Op::Print)
                missing += std::string(ir::opName(static_cast<Op>(op))) + ' ';
        }
        QVERIFY2(missing.empty(), missing.c_str());
    }

    void graphsComputeWhatEagerOpsAndTheReferenceDo() {
        forEachProgram(kPrograms, [](const RandomProgram& program, const Outcome& eager) {
            return differenceOfGraph(program, eager, program.graph);
        });
    }

    void passesChangeNoResult() {
        forEachProgram(kPrograms / 3, [](const RandomProgram& program, const Outcome& eager) {
            std::string found = differenceOfGraph(program, eager, runtime::optimise(program.graph));
            for (const std::string_view pass : passes::passNames()) {
                if (found.empty())
                    found =
                        differenceOfGraph(program, eager, optimisedWithout(program.graph, std::string(pass)));
            }
            return found;
        });
    }

    void openAxesAndRanksChangeNoResult() {
        forEachProgram(kPrograms / 3, [](const RandomProgram& program, const Outcome& eager) {
            std::string found;
            for (const bool unknownRank : {false, true}) {
                if (found.empty())
                    found = differenceOfGraph(program, eager, withOpenInputs(program.graph, unknownRank));
                if (found.empty())
                    found = differenceOfGraph(program, eager,
                                              runtime::optimise(withOpenInputs(program.graph, unknownRank)));
            }
            return found;
        });
    }

    void everyInstructionSetAgreesWithTheReference() {
        const auto all = runtime::supportedVectorKernels();
        for (const runtime::VectorKernels* kernels : all) {
            runtime::useVectorKernels(*kernels);
            forEachProgram(kPrograms / 5, [](const RandomProgram& program, const Outcome& eager) {
                return differenceOfGraph(program, eager, program.graph);
            });
        }
        runtime::useVectorKernels(*all.back());
    }

    void textBringsProgramsBack() {
        forEachProgram(kPrograms / 10, [](const RandomProgram& program, const Outcome& eager) -> std::string {
            std::vector<std::shared_ptr<const ir::Callee>> callees(program.graph.callees().begin(),
                                                                   program.graph.callees().end());
            std::vector<Tensor> handles;
            for (const ir::Capture& capture : program.graph.captures())
                handles.push_back(capture.value);
            std::size_t callee = 0;
            std::size_t handle = 0;
            std::size_t host = 0;
            const ir::ParseContext context{[&](std::string_view) { return callees[callee++]; },
                                           [&](std::string_view) { return handles[handle++]; },
                                           [&](std::string_view) { return program.graph.hosts()[host++]; }};
            const Result<Graph> parsed = ir::parseGraph(ir::toText(program.graph), context);
            if (!parsed)
                return parsed.error().message;
            if (ir::toText(*parsed) != ir::toText(program.graph))
                return "the text changed";
            return differenceOfGraph(program, eager, *parsed);
        });
    }
};

RETRACESCOPE_TEST(EnginesAgreeTest);
#include "engines_agree_test.moc"
