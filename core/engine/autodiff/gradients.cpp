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
    void visitCall(NodeId node);
    void visitCond(NodeId node);
    void visitWhile(NodeId node);
    NodeId zerosOf(NodeId resultNode) { return m_graph.append(Op::ZerosLike, {resultNode}); }
    std::vector<NodeId> resultGradients(NodeId node);

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
        const bool isAnyActive =
            std::ranges::any_of(m_graph.resultsOf(node), [&](NodeId result) { return m_isActive[result]; });
        if (isAnyActive && m_graph.node(node).op != Op::Result)
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
        result = m_adjoints[result] != kNoNode ? m_adjoints[result] : zerosOf(result);
    return gradients;
}

void Sweep::visit(NodeId node) {
    m_graph.setSource(m_graph.node(node).source);
    const Op op = m_graph.node(node).op;
    if (op == Op::Call)
        return visitCall(node);
    if (op == Op::Cond)
        return visitCond(node);
    if (op == Op::While)
        return visitWhile(node);
    const NodeId gradient = m_adjoints[node];
    if (gradient == kNoNode || op == Op::Placeholder || op == Op::Constant)
        return;
    const std::vector<NodeId> inputs(m_graph.inputsOf(node).begin(), m_graph.inputsOf(node).end());
    if (op == Op::ReadVariable)
        return add(inputs[0], gradient);
    if (std::ranges::none_of(inputs, [&](NodeId input) { return isActive(input); }))
        return;
    const std::vector<NodeId> gradients = inputGradients({m_graph, node, gradient, inputs});
    CHECK(gradients.size() == inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        add(inputs[i], gradients[i]);
}

/// The gradient of an inner graph as a graph: takes what the inner one takes, then the gradients of its
/// results that are in `isSeeded`; returns the gradients of `wrt`, zeros where nothing leads there.
Graph gradientGraph(const Graph& inner, const std::vector<bool>& isSeeded, std::span<const NodeId> wrt,
                    std::span<const types::TensorTypeId> wrtTypes, const MakeCallee& makeCallee) {
    const std::vector<NodeId> outputs(inner.outputs().begin(), inner.outputs().end());
    Graph graph = copyForRecompute(inner);
    graph.rename("gradient of " + inner.name());
    Sweep sweep(graph, wrt, makeCallee);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (isSeeded[i])
            sweep.seed(outputs[i], graph.addInput(graph.typeOf(outputs[i]), fmt::format("gradient_{}", i)));
    }
    sweep.run();
    std::vector<NodeId> gradients;
    for (std::size_t i = 0; i < wrt.size(); ++i) {
        NodeId gradient = sweep.adjointOf(wrt[i]);
        if (gradient == kNoNode) {
            const NodeId like =
                isHandle(graph, wrt[i])
                    ? graph.append(Op::ReadVariable, {wrt[i]},
                                   Attributes().set(Attribute::Type, static_cast<std::int64_t>(wrtTypes[i])))
                    : wrt[i];
            gradient = graph.append(Op::ZerosLike, {like});
        }
        gradients.push_back(gradient);
    }
    graph.setOutputs(gradients);
    return graph;
}

/// What the variable behind a handle holds, as the graph's reads of it say; None if it never reads it.
types::TensorTypeId heldType(const Graph& graph, NodeId handle) {
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const auto inputs = graph.inputsOf(node);
        if (graph.node(node).op == Op::ReadVariable && inputs[0] == handle)
            return graph.typeOf(node);
        if (graph.node(node).op != Op::Call && graph.node(node).op != Op::Cond)
            continue;
        const bool isCond = graph.node(node).op == Op::Cond;
        for (std::size_t i = isCond ? 1 : 0; i < inputs.size(); ++i) {
            if (inputs[i] != handle)
                continue;
            const auto inside = [&](const Graph& inner) {
                return heldType(inner, inner.inputs()[i - (isCond ? 1 : 0)]);
            };
            types::TensorTypeId type =
                isCond ? inside(graph.branchOf(node, Attribute::Then)) : inside(graph.calleeOf(node).graph());
            if (type == types::TensorTypeId::None && isCond)
                type = inside(graph.branchOf(node, Attribute::Else));
            if (type != types::TensorTypeId::None)
                return type;
        }
    }
    return types::TensorTypeId::None;
}

void Sweep::visitCall(NodeId node) {
    std::vector<bool> isSeeded;
    for (const NodeId result : m_graph.resultsOf(node))
        isSeeded.push_back(isActive(result));
    const std::vector<NodeId> gradients = resultGradients(node);
    if (gradients.empty())
        return;
    requireUnchangedSince(m_graph, node);
    const Graph& inner = m_graph.calleeOf(node).graph();
    // Into what of the inner graph gradients flow, and what that is out here.
    std::vector<NodeId> wrt;
    std::vector<NodeId> targets;
    std::vector<types::TensorTypeId> wrtTypes;
    const auto consider = [&](NodeId innerNode, NodeId target) {
        const types::TensorTypeId held =
            isHandle(inner, innerNode) ? heldType(inner, innerNode) : inner.typeOf(innerNode);
        if (!isActive(target) || held == types::TensorTypeId::None)
            return;
        wrt.push_back(innerNode);
        targets.push_back(target);
        wrtTypes.push_back(held);
    };
    std::vector<NodeId> arguments(m_graph.inputsOf(node).begin(), m_graph.inputsOf(node).end());
    for (std::size_t i = 0; i < arguments.size(); ++i)
        consider(inner.inputs()[i], arguments[i]);
    for (const ir::Capture& capture : inner.captures())
        consider(capture.node, captureNode(capture.value));
    Graph gradient = gradientGraph(inner, isSeeded, wrt, wrtTypes, m_makeCallee);
    arguments.insert(arguments.end(), gradients.begin(), gradients.end());
    const NodeId call = m_graph.addCall(m_makeCallee(std::move(gradient)), arguments);
    const std::vector<NodeId> results = m_graph.resultsOf(call);
    for (std::size_t i = 0; i < targets.size(); ++i)
        add(targets[i], results[i]);
}

void Sweep::visitCond(NodeId node) {
    std::vector<bool> isSeeded;
    for (const NodeId result : m_graph.resultsOf(node))
        isSeeded.push_back(isActive(result));
    const std::vector<NodeId> gradients = resultGradients(node);
    if (gradients.empty())
        return;
    requireUnchangedSince(m_graph, node);
    const Graph& then = m_graph.branchOf(node, Attribute::Then);
    const Graph& otherwise = m_graph.branchOf(node, Attribute::Else);
    std::vector<NodeId> arguments(m_graph.inputsOf(node).begin() + 1, m_graph.inputsOf(node).end());
    std::vector<std::size_t> which;
    std::vector<types::TensorTypeId> wrtTypes;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!isActive(arguments[i]))
            continue;
        types::TensorTypeId held = m_graph.typeOf(arguments[i]);
        if (isHandle(m_graph, arguments[i])) {
            held = heldType(then, then.inputs()[i]);
            if (held == types::TensorTypeId::None)
                held = heldType(otherwise, otherwise.inputs()[i]);
        }
        if (held == types::TensorTypeId::None)
            continue;
        which.push_back(i);
        wrtTypes.push_back(held);
    }
    const auto gradientBranch = [&](const Graph& branch) {
        std::vector<NodeId> wrt;
        for (const std::size_t i : which)
            wrt.push_back(branch.inputs()[i]);
        return std::make_shared<const Graph>(gradientGraph(branch, isSeeded, wrt, wrtTypes, m_makeCallee));
    };
    const auto thenGradient = gradientBranch(then);
    const auto elseGradient = gradientBranch(otherwise);
    const NodeId predicate = m_graph.inputsOf(node)[0];
    const std::vector<NodeId> targets = arguments;
    arguments.insert(arguments.end(), gradients.begin(), gradients.end());
    const NodeId cond = m_graph.addCond(predicate, thenGradient, elseGradient, arguments);
    const std::vector<NodeId> results = m_graph.resultsOf(cond);
    for (std::size_t i = 0; i < which.size(); ++i)
        add(targets[which[i]], results[i]);
}

void Sweep::visitWhile(NodeId node) {
    if (!resultGradients(node).empty())
        throw UsageError(
            "[gradient] cannot go through a while loop yet; unroll it with a host loop while tracing");
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
