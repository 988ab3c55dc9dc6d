#include <retracescope/engine/autodiff/gradient_flow.h>

#include <algorithm>

#include <retracescope/engine/tensor/list.h>

namespace retracescope::autodiff {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using tensor::Tensor;
using types::DType;
using types::TensorTypeId;

namespace {

NodeId captureOf(const Graph& graph, const Tensor& value) {
    const auto isResource = [](const Tensor& tensor) { return tensor.dtype() == DType::Resource; };
    for (const ir::Capture& capture : graph.captures()) {
        const bool isSameVariable =
            isResource(capture.value) && isResource(value) && capture.value.target() == value.target();
        if (isSameVariable || capture.value.isSame(value))
            return capture.node;
    }
    return kNoNode;
}

bool capturesInside(const Graph& graph, const Tensor& value) {
    if (captureOf(graph, value) != kNoNode)
        return true;
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (!ir::runsGraphs(graph.node(node).op))
            continue;
        const auto inner = graph.innerGraphsOf(node);
        if (std::ranges::any_of(inner, [&](const Graph* each) { return capturesInside(*each, value); }))
            return true;
    }
    return false;
}

bool isCapturedBy(const Graph& graph, NodeId node, const Tensor& value) {
    const auto inner = graph.innerGraphsOf(node);
    return std::ranges::any_of(inner, [&](const Graph* each) { return capturesInside(*each, value); });
}

TensorTypeId heldType(std::span<const Graph* const> graphs, std::size_t input);

/// What the variable behind a handle holds, as the graph's reads of it say; None if it never reads it.
TensorTypeId heldType(const Graph& graph, NodeId handle) {
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
        if (type != TensorTypeId::None)
            return type;
    }
    return TensorTypeId::None;
}

/// The same of a handle that is an input of each of the graphs.
TensorTypeId heldType(std::span<const Graph* const> graphs, std::size_t input) {
    for (const Graph* graph : graphs) {
        const TensorTypeId type = heldType(*graph, graph->inputs()[input]);
        if (type != TensorTypeId::None)
            return type;
    }
    return TensorTypeId::None;
}

/// The same of a variable that one of the graphs, or one inside of them, captures.
TensorTypeId heldType(std::span<const Graph* const> graphs, const Tensor& variable) {
    for (const Graph* graph : graphs) {
        const NodeId handle = captureOf(*graph, variable);
        TensorTypeId type = handle == kNoNode ? TensorTypeId::None : heldType(*graph, handle);
        for (NodeId node = 0; type == TensorTypeId::None && node < graph->nodeCount(); ++node)
            type = heldType(graph->innerGraphsOf(node), variable);
        if (type != TensorTypeId::None)
            return type;
    }
    return TensorTypeId::None;
}

void addCaptures(const Graph& graph, std::vector<Tensor>& all) {
    for (const ir::Capture& capture : graph.captures()) {
        const DType dtype = capture.value.dtype();
        if ((types::isFloating(dtype) || dtype == DType::Resource) &&
            std::ranges::none_of(all, [&](const Tensor& known) { return known.isSame(capture.value); }))
            all.push_back(capture.value);
    }
    for (const auto& callee : graph.callees())
        addCaptures(callee->graph(), all);
    for (const auto& branch : graph.branches())
        addCaptures(*branch, all);
}

} // namespace

std::vector<Tensor> capturedBy(const Graph& graph) {
    std::vector<Tensor> all;
    addCaptures(graph, all);
    return all;
}

bool carriesGradient(const Graph& graph, NodeId node) {
    const TensorTypeId type = graph.typeOf(node);
    const bool isElement = graph.node(node).op == Op::IteratorNext; // no gradient flows into a dataset
    return type != TensorTypeId::None && !isElement &&
           (types::isFloating(types::dtypeOf(type)) || tensor::isListType(type));
}

bool isHandle(const Graph& graph, NodeId node) {
    return graph.typeOf(node) != TensorTypeId::None && types::dtypeOf(graph.typeOf(node)) == DType::Resource;
}

std::vector<bool> activeNodes(const Graph& graph, std::span<const NodeId> wrt) {
    std::vector<bool> isActive(graph.nodeCount());
    for (const NodeId node : wrt)
        isActive[node] = carriesGradient(graph, node) || isHandle(graph, node);
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const Op op = graph.node(node).op;
        if (op == Op::Result || op == Op::StopGradient)
            continue;
        const bool dependsOnActive =
            std::ranges::any_of(graph.inputsOf(node), [&](NodeId input) { return isActive[input]; }) ||
            (ir::runsGraphs(op) && std::ranges::any_of(graph.captures(), [&](const ir::Capture& capture) {
                 return isActive[capture.node] && isCapturedBy(graph, node, capture.value);
             }));
        if (!dependsOnActive)
            continue;
        for (const NodeId result : graph.resultsOf(node))
            isActive[result] = isActive[result] || carriesGradient(graph, result);
    }
    return isActive;
}

NodeId Target::inside(Graph& copy) const {
    return captured.isEmpty() ? copy.inputs()[input] : copy.addCapture(captured);
}

bool Target::isSame(const Target& other) const {
    return outside == other.outside && captured.isSame(other.captured);
}

Target argumentTarget(const Graph& graph, NodeId node, std::size_t argument) {
    const NodeId outside = ir::innerArguments(graph.node(node).op, graph.inputsOf(node))[argument];
    return {outside, argument, Tensor(),
            isHandle(graph, outside) ? heldType(graph.innerGraphsOf(node), argument) : graph.typeOf(outside)};
}

Target capturedTarget(const Graph& graph, NodeId node, const Tensor& value) {
    const bool isVariable = value.dtype() == DType::Resource;
    return {kNoNode, 0, value, isVariable ? heldType(graph.innerGraphsOf(node), value) : value.type()};
}

std::vector<Target> targetsOf(const Graph& graph, NodeId node, const std::vector<bool>& isActive) {
    std::vector<Target> targets;
    const auto arguments = ir::innerArguments(graph.node(node).op, graph.inputsOf(node));
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (isActive[arguments[i]])
            targets.push_back(argumentTarget(graph, node, i));
    for (const ir::Capture& capture : graph.captures()) {
        if (capture.node >= isActive.size() || !isActive[capture.node] ||
            !isCapturedBy(graph, node, capture.value))
            continue;
        targets.push_back(capturedTarget(graph, node, capture.value));
        targets.back().outside = capture.node;
    }
    std::erase_if(targets, [](const Target& target) { return target.held == TensorTypeId::None; });
    return targets;
}

NodeId zeroGradient(Graph& graph, NodeId of, TensorTypeId held) {
    if (tensor::isListType(graph.typeOf(of)))
        return graph.append(Op::ListReserve, {graph.append(Op::ListLength, {of})},
                            Attributes().set(Attribute::DynamicSize, 1));
    if (isHandle(graph, of))
        of = graph.append(Op::ReadVariable, {of},
                          Attributes().set(Attribute::Type, static_cast<std::int64_t>(held)));
    return graph.append(Op::ZerosLike, {of});
}

NodeId sumOfGradients(Graph& graph, NodeId a, NodeId b) {
    return graph.append(tensor::isListType(graph.typeOf(a)) ? Op::ListAdd : Op::Add, {a, b});
}

NodeId fitted(Graph& graph, NodeId gradient, NodeId like) {
    const bool fits = types::isSubtype(graph.typeOf(gradient), graph.typeOf(like));
    return fits ? gradient : graph.append(Op::ReshapeLike, {gradient, like});
}

} // namespace retracescope::autodiff
