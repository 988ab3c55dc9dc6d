#include <retracescope/engine/trace/node_backward.h>

#include <functional>
#include <string>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradients.h>
#include <retracescope/engine/autodiff/recompute.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/replay.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using ir::Attribute;
using ir::Graph;
using ir::NodeId;
using ir::Op;

namespace {

using Append = std::function<NodeId(Graph&, std::span<const NodeId>)>;

/// Lays the node alone into a graph, lets that be differentiated, and computes what was added.
class NodeBackward final : public Backward {
public:
    NodeBackward(Append append, std::vector<Tensor> captured)
        : m_append(std::move(append)), m_captured(std::move(captured)) {}

    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                       const std::vector<bool>& wanted, Where where) const override;

private:
    const Append m_append;
    const std::vector<Tensor> m_captured; ///< eager; the last of the entry's inputs stand for them
};

/// A call, cond or while of a trace is computed again for its gradient.
void requireUnchanged(const Tensor& result) {
    Tracer* const tracer = Tracer::current();
    if (tracer != nullptr && tracer->owns(result) && ir::runsGraphs(tracer->graph().node(result.node()).op))
        autodiff::requireUnchangedSince(tracer->graph(), result.node());
}

std::vector<Tensor> NodeBackward::inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                                 const std::vector<bool>& wanted, Where where) const {
    requireUnchanged(entry.results[0]);
    Graph graph("gradient");
    graph.setSource(where.file_name(), where.function_name(), where.line());
    const std::size_t arguments = entry.inputs.size() - m_captured.size();
    std::vector<NodeId> inputs;
    for (std::size_t i = 0; i < entry.inputs.size(); ++i)
        inputs.push_back(i < arguments ? graph.addInput(entry.inputs[i].type(), "input_" + std::to_string(i))
                                       : graph.addCapture(m_captured[i - arguments]));
    const NodeId node = m_append(graph, std::span(inputs).first(arguments));
    const std::vector<NodeId> results = graph.resultsOf(node);
    CHECK(results.size() == entry.results.size());
    std::vector<NodeId> outputs;
    std::vector<NodeId> seeds;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (gradients[i].isEmpty())
            continue;
        outputs.push_back(results[i]);
        seeds.push_back(graph.addInput(gradients[i].type(), "gradient_" + std::to_string(i)));
    }
    std::vector<NodeId> wrt;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (wanted[i])
            wrt.push_back(inputs[i]);
    const std::vector<NodeId> made = autodiff::appendGradients(graph, outputs, seeds, wrt, &compileCallee);

    Replay replay(graph, where);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        replay.set(inputs[i], entry.inputs[i]);
    for (std::size_t i = 0; i < results.size(); ++i)
        replay.set(results[i], entry.results[i]);
    for (std::size_t i = 0, seed = 0; i < results.size(); ++i)
        if (!gradients[i].isEmpty())
            replay.set(seeds[seed++], gradients[i]);
    replay.runFor(made);
    std::vector<Tensor> toInputs(inputs.size());
    for (std::size_t i = 0, next = 0; i < inputs.size(); ++i)
        if (wanted[i])
            toInputs[i] = replay.valueOf(made[next++]);
    return toInputs;
}

} // namespace

std::shared_ptr<const ir::Callee> compileCallee(Graph graph) {
    const EagerScope outside; // a trace must not record what passes compute
    return runtime::Executable::compile(runtime::optimise(std::move(graph)));
}

std::shared_ptr<const Backward> nodeBackward(Op op, const ir::Attributes& attributes) {
    return std::make_shared<const NodeBackward>(
        [op, attributes](Graph& graph, std::span<const NodeId> inputs) {
            return graph.append(op, inputs, attributes);
        },
        std::vector<Tensor>());
}

std::shared_ptr<const Backward> nodeBackward(std::shared_ptr<const ir::HostFunction> function) {
    return std::make_shared<const NodeBackward>(
        [function = std::move(function)](Graph& graph, std::span<const NodeId> inputs) {
            return graph.addHostCall(function, inputs);
        },
        std::vector<Tensor>());
}

std::shared_ptr<const Backward> nodeBackward(const Graph& graph, NodeId node, std::vector<Tensor> captured) {
    const Op op = graph.node(node).op;
    const ir::AttributeView attributes = graph.attributesOf(node);
    const auto branch = [&](Attribute which) {
        return graph.branches()[static_cast<std::size_t>(attributes.number(which))];
    };
    Append append;
    if (op == Op::HostCall)
        return nodeBackward(graph.hosts()[static_cast<std::size_t>(attributes.number(Attribute::Host))]);
    if (op == Op::Call) {
        append = [callee = graph.callees()[static_cast<std::size_t>(attributes.number(Attribute::Callee))]](
                     Graph& to, std::span<const NodeId> inputs) { return to.addCall(callee, inputs); };
    } else if (op == Op::Cond) {
        append = [then = branch(Attribute::Then),
                  otherwise = branch(Attribute::Else)](Graph& to, std::span<const NodeId> inputs) {
            return to.addCond(inputs[0], then, otherwise, inputs.subspan(1));
        };
    } else {
        CHECK(op == Op::While);
        append = [condition = branch(Attribute::Condition), body = branch(Attribute::Body),
                  count = graph.resultsOf(node).size()](Graph& to, std::span<const NodeId> inputs) {
            return to.addWhile(condition, body, inputs, count);
        };
    }
    return std::make_shared<const NodeBackward>(std::move(append), std::move(captured));
}

} // namespace retracescope::trace
