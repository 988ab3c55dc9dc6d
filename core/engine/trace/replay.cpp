#include <retracescope/engine/trace/replay.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/custom_gradient.h>
#include <retracescope/engine/trace/host_call.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using ir::Attribute;
using ir::NodeId;
using ir::Op;

namespace {

/// The node that a further result belongs to.
NodeId ownerOf(const ir::Graph& graph, NodeId node) {
    return graph.node(node).op == Op::Result ? graph.inputsOf(node)[0] : node;
}

std::vector<Tensor> outputsOf(const ir::Graph& graph, std::span<const Tensor> inputs, Where where) {
    Replay replay(graph, where);
    replay.setInputs(inputs);
    replay.runAll();
    return replay.outputs();
}

std::shared_ptr<const ir::Graph> branchOf(const ir::Graph& graph, NodeId node, Attribute which) {
    return graph.branches()[static_cast<std::size_t>(graph.attributesOf(node).number(which))];
}

} // namespace

void Replay::setInputs(std::span<const Tensor> inputs) {
    RETRACESCOPE_CHECK(inputs.size() == m_graph.inputs().size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        set(m_graph.inputs()[i], inputs[i]);
}

void Replay::runAll() {
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node)
        run(node);
}

void Replay::runFor(std::span<const NodeId> nodes) {
    std::vector<bool> needed(m_graph.nodeCount(), false);
    for (const NodeId node : nodes)
        if (node != ir::kNoNode && m_values[node].isEmpty())
            needed[ownerOf(m_graph, node)] = true;
    for (NodeId node = m_graph.nodeCount(); node-- > 0;)
        if (needed[node])
            for (const NodeId input : m_graph.inputsOf(node))
                if (m_values[input].isEmpty())
                    needed[ownerOf(m_graph, input)] = true;
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node)
        if (needed[node])
            run(node);
}

std::vector<Tensor> Replay::outputs() const {
    std::vector<Tensor> results;
    for (const NodeId output : m_graph.outputs())
        results.push_back(m_values[output]);
    return results;
}

void Replay::run(NodeId node) {
    const Op op = m_graph.node(node).op;
    if (op == Op::Result || !m_values[node].isEmpty())
        return;
    std::vector<Tensor> inputs;
    for (const NodeId input : m_graph.inputsOf(node))
        inputs.push_back(m_values[input]);
    switch (op) {
    case Op::Placeholder:
        for (const ir::Capture& capture : m_graph.captures())
            if (capture.node == node)
                set(node, capture.value);
        return;
    case Op::Constant:
        return set(node, embedded(m_graph.constantOf(node), m_where));
    case Op::Call: {
        const auto row = static_cast<std::size_t>(m_graph.attributesOf(node).number(Attribute::Callee));
        std::vector<Tensor> results(m_graph.resultsOf(node).size());
        callGraph(std::dynamic_pointer_cast<const runtime::Executable>(m_graph.callees()[row]), inputs,
                  results, m_where);
        if (const auto own = m_graph.ownGradientOf(node); own && Tape::isAny())
            recordOwnGradient(*own, inputs, results);
        return setResults(node, results);
    }
    case Op::HostCall: {
        const auto row = static_cast<std::size_t>(m_graph.attributesOf(node).number(Attribute::Host));
        return setResults(node, callHost(m_graph.hosts()[row], inputs, m_where));
    }
    case Op::Cond:
        return setResults(node, runCond(node, inputs));
    case Op::While:
        return setResults(node, runWhile(node, inputs));
    default:
        return set(node, apply(op, inputs, ir::Attributes(m_graph.attributesOf(node)), m_where));
    }
}

void Replay::setResults(NodeId node, std::span<const Tensor> results) {
    const std::vector<NodeId> nodes = m_graph.resultsOf(node);
    RETRACESCOPE_CHECK(nodes.size() == results.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        set(nodes[i], results[i]);
}

std::vector<Tensor> Replay::runCond(NodeId node, std::span<const Tensor> inputs) {
    const auto then = branchOf(m_graph, node, Attribute::Then);
    const auto otherwise = branchOf(m_graph, node, Attribute::Else);
    return outputsOf(inputs[0].scalar<bool>() ? *then : *otherwise, inputs.subspan(1), m_where);
}

std::vector<Tensor> Replay::runWhile(NodeId node, std::span<const Tensor> inputs) {
    const auto condition = branchOf(m_graph, node, Attribute::Condition);
    const auto body = branchOf(m_graph, node, Attribute::Body);
    const std::size_t count = m_graph.resultsOf(node).size();
    std::vector<Tensor> values(inputs.begin(), inputs.end());
    while (outputsOf(*condition, values, m_where)[0].scalar<bool>()) {
        std::vector<Tensor> next = outputsOf(*body, values, m_where);
        std::ranges::move(next, values.begin());
    }
    values.resize(count);
    return values;
}

} // namespace retracescope::trace
