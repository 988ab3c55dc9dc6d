#include <retracescope/engine/passes/fold_constants.h>

#include <algorithm>
#include <ranges>

#include <retracescope/base/check.h>
#include <retracescope/engine/passes/rewrite.h>
#include <retracescope/engine/tensor/constant.h>

namespace retracescope::passes {

using ir::NodeId;
using ir::Op;
using tensor::Tensor;

namespace {

constexpr std::int64_t kLargestResult = 64 * 1024; // bytes

/// Strings count as their handles.
bool isSmall(types::TensorTypeId type) {
    const auto elements = types::elementsOf(type);
    const auto bytes =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(types::dtypeBytes(types::dtypeOf(type))));
    return elements && *elements <= kLargestResult / bytes;
}

/// A list or dataset stays a node: it has no text as a constant.
bool canFold(const ir::Graph& graph, NodeId node) {
    return ir::isInferred(graph.node(node).op) && graph.effectOf(node) == ir::Effect::None &&
           !tensor::holdsResources(types::dtypeOf(graph.typeOf(node)));
}

bool looksAtShapeOnly(Op op) {
    return op == Op::ShapeOf || op == Op::OnesLike || op == Op::ZerosLike;
}

/// Whether a value could follow: of the nodes where it does, the first one is among them.
bool mayFold(const ir::Graph& graph, NodeId node) {
    return canFold(graph, node) && (looksAtShapeOnly(graph.node(node).op) ||
                                    std::ranges::all_of(graph.inputsOf(node), [&](NodeId input) {
                                        return graph.node(input).op == Op::Constant;
                                    }));
}

/// The value of a node that looks at its input's shape only.
std::optional<Tensor> fromShape(const ir::Graph& graph, NodeId node, const Evaluate& evaluate) {
    const Op op = graph.node(node).op;
    if (!looksAtShapeOnly(op))
        return std::nullopt;
    const types::TensorTypeId input = graph.typeOf(graph.inputsOf(node)[0]);
    if (!types::shapeOf(input).isKnown() || !isSmall(graph.typeOf(node)))
        return std::nullopt;
    if (op == Op::ShapeOf)
        return tensor::constant(types::shapeOf(input).sizes(), types::Shape{types::shapeOf(input).rank()});
    const Tensor like = Tensor::uninitialized(input); // only its type is looked at
    return evaluate(op, std::span(&like, 1), {});
}

std::optional<Tensor> fromConstants(Rewrite& rewrite, NodeId node, const Evaluate& evaluate) {
    const ir::Graph& graph = rewrite.from();
    std::vector<Tensor> values;
    for (const NodeId input : graph.inputsOf(node)) {
        const NodeId mapped = rewrite.mapped(input);
        if (rewrite.to().node(mapped).op != Op::Constant)
            return std::nullopt;
        values.push_back(rewrite.to().constantOf(mapped));
    }
    std::vector<types::TensorTypeId> inputTypes(values.size());
    std::ranges::transform(values, inputTypes.begin(), &Tensor::type);
    if (!isSmall(ir::inferType({graph.node(node).op, inputTypes, graph.attributesOf(node), values})))
        return std::nullopt;
    return evaluate(graph.node(node).op, values, graph.attributesOf(node));
}

ir::Graph folded(const ir::Graph& graph, const Evaluate& evaluate) {
    Rewrite rewrite(graph);
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        std::optional<Tensor> value;
        if (canFold(graph, node)) {
            value = fromShape(graph, node, evaluate);
            if (!value)
                value = fromConstants(rewrite, node, evaluate);
        }
        if (!value) {
            rewrite.copy(node);
            continue;
        }
        rewrite.to().standWhere(graph, node);
        rewrite.replace(node, rewrite.to().addConstant(*value, graph.givenNameOf(node)));
    }
    return rewrite.finish();
}

} // namespace

/// Known values may tell shapes that do not fit, in a branch that no run takes: such a graph stays as it is
/// and fails when it runs, if it does.
ir::Graph foldConstants(ir::Graph graph, const Evaluate& evaluate) {
    const auto nodes = std::views::iota(NodeId{0}, graph.nodeCount());
    if (std::ranges::none_of(nodes, [&](NodeId node) { return mayFold(graph, node); }))
        return graph;
    try {
        return folded(graph, evaluate);
    } catch (const UsageError&) {
        return graph;
    }
}

} // namespace retracescope::passes
