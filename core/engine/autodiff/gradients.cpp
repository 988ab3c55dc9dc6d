#include <retracescope/engine/autodiff/gradients.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradient_flow.h>
#include <retracescope/engine/autodiff/loop_gradients.h>
#include <retracescope/engine/autodiff/op_gradients.h>
#include <retracescope/engine/autodiff/recompute.h>

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
    void visitLoop(NodeId node);
    void refuseHostCall(NodeId node) const;
    std::vector<NodeId> resultGradients(NodeId node);

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
        else if (op == Op::While)
            visitLoop(node);
        else if (ir::runsGraphs(op))
            visitInner(node);
        else if (m_adjoints[node] != kNoNode)
            visit(node);
    }
}

/// The gradients of a call's or cond's results, zeros where only others have one; empty if none has.
std::vector<NodeId> Sweep::resultGradients(NodeId node) {
    std::vector<NodeId> gradients;
    bool isAny = false;
    for (const NodeId result : m_graph.resultsOf(node)) {
        if (!isActive(result))
            continue;
        isAny = isAny || m_adjoints[result] != kNoNode;
        gradients.push_back(result);
    }
    if (!isAny)
        return {};
    for (NodeId& result : gradients)
        result = m_adjoints[result] != kNoNode ? m_adjoints[result] : zeroGradient(m_graph, result);
    return gradients;
}

void Sweep::visit(NodeId node) {
    const NodeId gradient = m_adjoints[node];
    const std::vector<NodeId> inputs(m_graph.inputsOf(node).begin(), m_graph.inputsOf(node).end());
    if (m_graph.node(node).op == Op::ReadVariable)
        return add(inputs[0], gradient);
    if (std::ranges::none_of(inputs, [&](NodeId input) { return isActive(input); }))
        return;
    const std::vector<NodeId> gradients = inputGradients({m_graph, node, gradient, inputs});
    CHECK(gradients.size() == inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        add(inputs[i], gradients[i]);
}

/// The gradient of an inner graph as a graph: takes what the inner one takes, then the gradients of its
/// results that are in `isSeeded`; returns the gradients of the targets, zeros where nothing leads there.
Graph gradientGraph(const Graph& inner, const std::vector<bool>& isSeeded, std::span<const Target> targets,
                    const MakeCallee& makeCallee) {
    passes::Rewrite again = withoutEffects(inner, makeCallee);
    Graph& graph = again.to();
    graph.rename("gradient of " + inner.name());
    std::vector<NodeId> wrt;
    for (const Target& target : targets)
        wrt.push_back(target.inside(again));
    Sweep sweep(graph, wrt, makeCallee);
    for (std::size_t i = 0; i < isSeeded.size(); ++i) {
        const NodeId output = again.mapped(inner.outputs()[i]);
        if (isSeeded[i])
            sweep.seed(output, graph.addInput(graph.typeOf(output), fmt::format("gradient_{}", i)));
    }
    sweep.run();
    std::vector<NodeId> gradients;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        NodeId gradient = sweep.adjointOf(wrt[i]);
        if (gradient == kNoNode)
            gradient = zeroGradient(graph, wrt[i], targets[i].held);
        gradients.push_back(gradient);
    }
    graph.setOutputs(gradients);
    return std::move(graph);
}

/// Through a call or a cond: by a call or cond of the gradients of its graphs.
void Sweep::visitInner(NodeId node) {
    std::vector<bool> isSeeded;
    for (const NodeId result : m_graph.resultsOf(node))
        isSeeded.push_back(isActive(result));
    const std::vector<NodeId> gradients = resultGradients(node);
    if (gradients.empty())
        return;
    requireUnchangedSince(m_graph, node);
    const std::vector<Target> targets = targetsOf(m_graph, node, m_isActive);
    const Op op = m_graph.node(node).op;
    std::vector<Graph> inner;
    for (const Graph* graph : m_graph.innerGraphsOf(node))
        inner.push_back(gradientGraph(*graph, isSeeded, targets, m_makeCallee));
    const NodeId predicate = op == Op::Cond ? m_graph.inputsOf(node)[0] : kNoNode;
    const auto taken = ir::innerArguments(op, m_graph.inputsOf(node));
    std::vector<NodeId> arguments(taken.begin(), taken.end());
    arguments.insert(arguments.end(), gradients.begin(), gradients.end());
    const NodeId made = op == Op::Call
                            ? m_graph.addCall(m_makeCallee(std::move(inner[0])), arguments)
                            : m_graph.addCond(predicate, std::make_shared<const Graph>(std::move(inner[0])),
                                              std::make_shared<const Graph>(std::move(inner[1])), arguments);
    const std::vector<NodeId> results = m_graph.resultsOf(made);
    for (std::size_t i = 0; i < targets.size(); ++i)
        add(targets[i].outside, results[i]);
}

void Sweep::visitLoop(NodeId node) {
    std::vector<NodeId> gradients;
    for (const NodeId result : m_graph.resultsOf(node))
        gradients.push_back(m_adjoints[result]);
    if (std::ranges::count(gradients, kNoNode) == std::ssize(gradients))
        return;
    requireUnchangedSince(m_graph, node);
    const std::vector<Target> targets = targetsOf(m_graph, node, m_isActive);
    const std::vector<NodeId> found = loopGradients(m_graph, node, gradients, targets, m_makeCallee);
    for (std::size_t i = 0; i < targets.size(); ++i)
        add(targets[i].outside, found[i]);
}

void Sweep::refuseHostCall(NodeId node) const {
    for (const NodeId result : m_graph.resultsOf(node)) {
        if (m_adjoints[result] == kNoNode)
            continue;
        const ir::SourceLine* source = m_graph.sourceOf(node);
        throw UsageError(fmt::format("[gradients] host call '{}' has no gradient, and the target depends on "
                                     "the source through it; compute that part with ops{}",
                                     m_graph.hostOf(node).name,
                                     source ? placeText(source->file, source->line) : std::string()));
    }
}

} // namespace

std::vector<NodeId> appendGradients(Graph& graph, std::span<const NodeId> outputs,
                                    std::span<const NodeId> outputGradients, std::span<const NodeId> wrt,
                                    const MakeCallee& makeCallee) {
    CHECK(outputs.size() == outputGradients.size());
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
