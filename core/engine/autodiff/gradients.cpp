#include <retracescope/engine/autodiff/gradients.h>

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/op_gradients.h>
#include <retracescope/engine/autodiff/recompute.h>
#include <retracescope/engine/tensor/constant.h>

namespace retracescope::autodiff {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using types::DType;

namespace {

bool isHandle(const Graph& graph, NodeId node) {
    return graph.typeOf(node) != types::TensorTypeId::None &&
           types::dtypeOf(graph.typeOf(node)) == DType::Resource;
}

bool isFloating(const Graph& graph, NodeId node) {
    return graph.typeOf(node) != types::TensorTypeId::None &&
           types::isFloating(types::dtypeOf(graph.typeOf(node)));
}

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

types::TensorTypeId heldType(std::span<const Graph* const> graphs, std::size_t input);

/// What the variable behind a handle holds, as the graph's reads of it say; None if it never reads it.
types::TensorTypeId heldType(const Graph& graph, NodeId handle) {
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const Op op = graph.node(node).op;
        const auto arguments = ir::innerArguments(op, graph.inputsOf(node));
        const auto place = std::ranges::find(arguments, handle);
        if (place == arguments.end())
            continue;
        if (op == Op::ReadVariable)
            return graph.typeOf(node);
        const auto type =
            heldType(graph.innerGraphsOf(node), static_cast<std::size_t>(place - arguments.begin()));
        if (type != types::TensorTypeId::None)
            return type;
    }
    return types::TensorTypeId::None;
}

/// The same of a handle that is an input of each of the graphs.
types::TensorTypeId heldType(std::span<const Graph* const> graphs, std::size_t input) {
    for (const Graph* graph : graphs) {
        const types::TensorTypeId type = heldType(*graph, graph->inputs()[input]);
        if (type != types::TensorTypeId::None)
            return type;
    }
    return types::TensorTypeId::None;
}

/// A value that an inner graph takes and that gradients flow into.
struct Target {
    NodeId outside = kNoNode;
    std::size_t input = 0;                                ///< place among the inner graph's inputs
    NodeId capture = kNoNode;                             ///< or its capture in there; a callee's only
    types::TensorTypeId held = types::TensorTypeId::None; ///< of a variable: what it holds

    NodeId inside(const Graph& inner) const { return capture != kNoNode ? capture : inner.inputs()[input]; }
};

/// The reverse sweep over one graph. Adjoints of nodes of which none was asked for, and which lead to nothing
/// that was, are never made.
class Sweep {
public:
    Sweep(Graph& graph, std::span<const NodeId> wrt, const MakeCallee& makeCallee)
        : m_graph(graph), m_makeCallee(makeCallee), m_count(graph.nodeCount()), m_isActive(m_count),
          m_adjoints(m_count, kNoNode) {
        findActive(wrt);
    }

    void seed(NodeId output, NodeId gradient);
    void run();
    NodeId adjointOf(NodeId node) const { return m_adjoints[node]; }

private:
    void findActive(std::span<const NodeId> wrt);
    bool isActive(NodeId node) const { return node < m_count && m_isActive[node]; }
    bool dependsOnActive(NodeId node) const;
    NodeId captureNode(const tensor::Tensor& value) const;
    void add(NodeId node, NodeId gradient);
    void visit(NodeId node);
    void visitInner(NodeId node);
    std::vector<NodeId> resultGradients(NodeId node);
    std::vector<Target> targetsOf(NodeId node) const;

    Graph& m_graph;
    const MakeCallee& m_makeCallee;
    const NodeId m_count;         ///< nodes before the sweep
    std::vector<bool> m_isActive; ///< a path of floating values leads from a node of wrt here
    std::vector<NodeId> m_adjoints;
};

NodeId Sweep::captureNode(const tensor::Tensor& value) const {
    for (const ir::Capture& capture : m_graph.captures()) {
        if (capture.value.identity() == value.identity())
            return capture.node;
    }
    return kNoNode;
}

bool Sweep::dependsOnActive(NodeId node) const {
    const auto active = [this](NodeId input) { return isActive(input); };
    if (std::ranges::any_of(m_graph.inputsOf(node), active))
        return true;
    if (m_graph.node(node).op != Op::Call)
        return false;
    return std::ranges::any_of(m_graph.calleeOf(node).graph().captures(), [&](const ir::Capture& capture) {
        return isActive(captureNode(capture.value));
    });
}

void Sweep::findActive(std::span<const NodeId> wrt) {
    for (const NodeId node : wrt)
        m_isActive[node] = isFloating(m_graph, node) || isHandle(m_graph, node);
    for (NodeId node = 0; node < m_count; ++node) {
        if (m_graph.node(node).op == Op::Result || !dependsOnActive(node))
            continue;
        for (const NodeId result : m_graph.resultsOf(node))
            m_isActive[result] = m_isActive[result] || isFloating(m_graph, result);
    }
}

void Sweep::add(NodeId node, NodeId gradient) {
    if (gradient == kNoNode || !isActive(node))
        return;
    NodeId& adjoint = m_adjoints[node];
    adjoint = adjoint == kNoNode ? gradient : m_graph.append(Op::Add, {adjoint, gradient});
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
        if (ir::runsGraphs(op))
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
        result = m_adjoints[result] != kNoNode ? m_adjoints[result] : m_graph.append(Op::ZerosLike, {result});
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
        wrt.push_back(again.mapped(target.inside(inner)));
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
        if (gradient == kNoNode) {
            const auto type = Attributes().set(Attribute::Type, static_cast<std::int64_t>(targets[i].held));
            const NodeId like =
                isHandle(graph, wrt[i]) ? graph.append(Op::ReadVariable, {wrt[i]}, type) : wrt[i];
            gradient = graph.append(Op::ZerosLike, {like});
        }
        gradients.push_back(gradient);
    }
    graph.setOutputs(gradients);
    return std::move(graph);
}

std::vector<Target> Sweep::targetsOf(NodeId node) const {
    std::vector<Target> targets;
    const std::vector<const Graph*> inner = m_graph.innerGraphsOf(node);
    const auto arguments = ir::innerArguments(m_graph.node(node).op, m_graph.inputsOf(node));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (isActive(arguments[i]))
            targets.push_back(
                {arguments[i], i, kNoNode,
                 isHandle(m_graph, arguments[i]) ? heldType(inner, i) : m_graph.typeOf(arguments[i])});
    }
    if (m_graph.node(node).op == Op::Call) {
        for (const ir::Capture& capture : inner[0]->captures()) {
            const NodeId outside = captureNode(capture.value);
            if (isActive(outside))
                targets.push_back({outside, 0, capture.node,
                                   isHandle(m_graph, outside) ? heldType(*inner[0], capture.node)
                                                              : m_graph.typeOf(outside)});
        }
    }
    // A variable that nothing reads has no gradient.
    std::erase_if(targets, [](const Target& target) { return target.held == types::TensorTypeId::None; });
    return targets;
}

/// Through a call or a cond: by a call or cond of the gradients of its graphs.
void Sweep::visitInner(NodeId node) {
    std::vector<bool> isSeeded;
    for (const NodeId result : m_graph.resultsOf(node))
        isSeeded.push_back(isActive(result));
    const std::vector<NodeId> gradients = resultGradients(node);
    if (gradients.empty())
        return;
    const Op op = m_graph.node(node).op;
    if (op == Op::While)
        throw UsageError(
            "[gradients] cannot go through a while loop yet; unroll it with a host loop while tracing");
    requireUnchangedSince(m_graph, node);
    const std::vector<Target> targets = targetsOf(node);
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
