#include <retracescope/engine/autodiff/division.h>

#include <algorithm>

#include <retracescope/engine/ir/effects.h>

namespace retracescope::autodiff {

using ir::Effect;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;

namespace {

/// Moves elements, or tells of shapes, or takes one value out of a list or puts it there.
bool onlyMoves(Op op) {
    switch (op) {
    case Op::Identity:
    case Op::StopGradient:
    case Op::Transpose:
    case Op::Reshape:
    case Op::BroadcastTo:
    case Op::StridedSlice:
    case Op::ExpandDims:
    case Op::Squeeze:
    case Op::ShapeOf:
    case Op::OnesLike:
    case Op::ZerosLike:
    case Op::ReshapeLike:
    case Op::ListReserve:
    case Op::ListLength:
    case Op::ListGet:
    case Op::ListSet:
        return true;
    default:
        return false;
    }
}

/// The node that a further result belongs to.
NodeId ownerOf(const ir::Graph& graph, NodeId node) {
    return graph.node(node).op == Op::Result ? graph.inputsOf(node)[0] : node;
}

} // namespace

Division::Division(const ir::Graph& graph, NodeId count, std::span<const NodeId> seeds,
                   std::span<const NodeId> gradients, Again again)
    : m_graph(graph), m_isForward(graph.nodeCount()), m_isCopied(graph.nodeCount()) {
    markForward(count, seeds);
    std::vector<bool> isNeeded(graph.nodeCount());
    const auto need = [&](NodeId node) { isNeeded[m_isForward[node] ? node : ownerOf(graph, node)] = true; };
    for (const NodeId gradient : gradients)
        if (gradient != kNoNode)
            need(gradient);
    for (NodeId node = graph.nodeCount(); node-- > 0;) {
        const bool hasEffect = !m_isForward[node] && graph.effectOf(node) >= Effect::Writes;
        if ((!isNeeded[node] && !hasEffect) || std::ranges::find(seeds, node) != seeds.end())
            continue;
        m_isCopied[node] = !m_isForward[node] || isComputedAgain(node, again);
        if (m_isCopied[node])
            std::ranges::for_each(graph.inputsOf(node), need);
        else
            m_saved.push_back(node);
    }
    std::ranges::reverse(m_saved);
}

void Division::markForward(NodeId count, std::span<const NodeId> seeds) {
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        const bool isInput = m_graph.node(node).op == Op::Placeholder && !isCapture(node);
        m_isForward[node] =
            ownerOf(m_graph, node) < count || (isInput && std::ranges::find(seeds, node) == seeds.end());
    }
}

bool Division::isCapture(NodeId node) const {
    return std::ranges::find(m_graph.captures(), node, &ir::Capture::node) != m_graph.captures().end();
}

bool Division::isComputedAgain(NodeId node, Again again) const {
    const Op op = m_graph.node(node).op;
    if (op == Op::Constant || (op == Op::Placeholder && isCapture(node)))
        return true;
    return again == Again::Cheap && ir::isInferred(op) && m_graph.effectOf(node) == Effect::None &&
           (ir::opInfo(op).elementwise || onlyMoves(op));
}

void Division::copyForward(passes::Rewrite& copy) const {
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node)
        if (m_isForward[node] && copy.mapped(node) == kNoNode)
            copy.copy(node);
}

void Division::copyBackward(passes::Rewrite& copy) const {
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node)
        if (m_isCopied[node])
            copy.copy(node);
}

} // namespace retracescope::autodiff
