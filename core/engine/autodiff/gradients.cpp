#include <retracescope/engine/autodiff/gradients.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradient_flow.h>
#include <retracescope/engine/autodiff/inner_gradients.h>
#include <retracescope/engine/autodiff/op_gradients.h>

namespace retracescope::autodiff {

using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;

namespace {

/// Nodes of a gradient lie in a scope of their own.
class GradientScope {
public:
    explicit GradientScope(Graph& graph) : m_graph(graph) { graph.pushScope("gradient"); }
    ~GradientScope() { m_graph.popScope(); }
    GradientScope(const GradientScope&) = delete;
    GradientScope& operator=(const GradientScope&) = delete;

private:
    Graph& m_graph;
};

/// The reverse sweep over one graph. Adjoints of nodes of which none was asked for, and which lead to nothing
/// that was, are never made.
class Sweep {
public:
    Sweep(Graph& graph, std::span<const NodeId> wrt, const MakeCallee& makeCallee)
        : m_graph(graph), m_makeCallee(makeCallee), m_count(graph.nodeCount()),
          m_isActive(activeNodes(graph, wrt)), m_adjoints(m_count, kNoNode) {}

    void seed(NodeId output, NodeId gradient);
    void run();
    NodeId adjointOf(NodeId node) const { return m_adjoints[node]; }

private:
    bool isActive(NodeId node) const { return node < m_count && m_isActive[node]; }
    void add(NodeId node, NodeId gradient);
    void visit(NodeId node);
    void visitInner(NodeId node);
    std::vector<NodeId> argumentsOf(NodeId node, const InnerGradient& gradient);
    void refuseHostCall(NodeId node) const;

    Graph& m_graph;
    const MakeCallee& m_makeCallee;
    const NodeId m_count;         ///< nodes before the sweep
    std::vector<bool> m_isActive; ///< a path of floating values leads from a node of wrt here
    std::vector<NodeId> m_adjoints;
};

void Sweep::add(NodeId node, NodeId gradient) {
    if (gradient == kNoNode || !isActive(node))
        return;
    NodeId& adjoint = m_adjoints[node];
    adjoint = adjoint == kNoNode ? gradient : sumOfGradients(m_graph, adjoint, gradient);
}

void Sweep::seed(NodeId output, NodeId gradient) {
    if (gradient == kNoNode && isActive(output))
        gradient = m_graph.append(Op::OnesLike, {output});
    add(output, gradient);
}

void Sweep::run() {
    for (NodeId node = m_count; node-- > 0;) {
        const Op op = m_graph.node(node).op;
        if (op == Op::Placeholder || op == Op::Constant || op == Op::Result)
            continue;
        m_graph.setSource(m_graph.node(node).source);
        if (op == Op::HostCall)
            refuseHostCall(node);
        else if (ir::runsGraphs(op))
            visitInner(node);
        else if (m_adjoints[node] != kNoNode)
            visit(node);
    }
}

void Sweep::visit(NodeId node) {
    const NodeId gradient = m_adjoints[node];
    const std::vector<NodeId> inputs(m_graph.inputsOf(node).begin(), m_graph.inputsOf(node).end());
    if (m_graph.node(node).op == Op::ReadVariable)
        return add(inputs[0], gradient);
    if (std::ranges::none_of(inputs, [&](NodeId input) { return isActive(input); }))
        return;
    const std::vector<NodeId> gradients = inputGradients({m_graph, node, gradient, inputs});
    RETRACESCOPE_CHECK(gradients.size() == inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        add(inputs[i], gradients[i]);
}

void Sweep::visitInner(NodeId node) {
    std::vector<bool> isSeeded;
    for (const NodeId result : m_graph.resultsOf(node))
        isSeeded.push_back(result < m_count && m_adjoints[result] != kNoNode);
    if (std::ranges::count(isSeeded, true) == 0)
        return;
    const std::vector<Target> targets = targetsOf(m_graph, node, m_isActive);
    for (const auto& gradient : gradientsThrough(m_graph, node, isSeeded, targets, m_makeCallee)) {
        const NodeId made = m_graph.addCall(gradient->backward, argumentsOf(node, *gradient));
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (!gradient->gradientOf[i])
                continue;
            const NodeId outside = targets[i].outside;
            const NodeId found = made + static_cast<NodeId>(*gradient->gradientOf[i]);
            add(outside, isHandle(m_graph, outside) ? found : fitted(m_graph, found, outside));
        }
    }
}

/// What the call for a gradient takes.
std::vector<NodeId> Sweep::argumentsOf(NodeId node, const InnerGradient& gradient) {
    const std::vector<NodeId> results = m_graph.resultsOf(node);
    std::vector<NodeId> arguments;
    for (const std::size_t place : gradient.seeded) {
        const NodeId result = results[place];
        const NodeId adjoint = result < m_count ? m_adjoints[result] : kNoNode;
        arguments.push_back(adjoint == kNoNode ? zeroGradient(m_graph, result)
                                               : fitted(m_graph, adjoint, result));
    }
    for (const Saved& saved : gradient.saved)
        arguments.push_back(saved.from == Saved::From::Input ? m_graph.inputsOf(node)[saved.place]
                                                             : results[saved.place]);
    return arguments;
}

void Sweep::refuseHostCall(NodeId node) const {
    for (const NodeId result : m_graph.resultsOf(node)) {
        if (m_adjoints[result] == kNoNode)
            continue;
        const ir::SourceLine* source = m_graph.sourceOf(node);
        throw UsageError(hostCallRefusal(m_graph.hostOf(node).name) +
                         (source ? placeText(source->file, source->line) : std::string()));
    }
}

} // namespace

std::string hostCallRefusal(std::string_view function) {
    return fmt::format("[gradients] host call '{}' has no gradient, and the target depends on the source "
                       "through it; compute that part with ops, or give it a gradient with CustomGradient",
                       function);
}

std::vector<NodeId> appendGradients(Graph& graph, std::span<const NodeId> outputs,
                                    std::span<const NodeId> outputGradients, std::span<const NodeId> wrt,
                                    const MakeCallee& makeCallee) {
    RETRACESCOPE_CHECK(outputs.size() == outputGradients.size());
    const GradientScope scope(graph);
    Sweep sweep(graph, wrt, makeCallee);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        sweep.seed(outputs[i], outputGradients[i]);
    sweep.run();
    std::vector<NodeId> gradients;
    for (const NodeId node : wrt)
        gradients.push_back(sweep.adjointOf(node));
    return gradients;
}

} // namespace retracescope::autodiff
