#include <retracescope/engine/autodiff/recompute.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/effects.h>

namespace retracescope::autodiff {

using ir::Effect;
using ir::Graph;
using ir::NodeId;
using ir::Op;

namespace {

/// A call by what it calls, any other node by its own name.
std::string nameOf(const Graph& graph, NodeId node) {
    switch (graph.node(node).op) {
    case Op::Call:
        return graph.calleeOf(node).graph().name();
    case Op::HostCall:
        return graph.hostOf(node).name;
    default:
        return graph.nameOf(node);
    }
}

std::string placeOf(const Graph& graph, NodeId node) {
    const ir::SourceLine* source = graph.sourceOf(node);
    return source ? placeText(source->file, source->line) : std::string();
}

/// A node that runs graphs, these without effects. Throws UsageError for a host call.
NodeId addQuietly(passes::Rewrite& rewrite, NodeId node, const MakeCallee& makeCallee) {
    const Graph& from = rewrite.from();
    const Op op = from.node(node).op;
    if (op == Op::HostCall)
        throw UsageError(fmt::format("[gradients] host call '{}' lies in a branch or loop whose values are "
                                     "computed again for a gradient, but what it returns cannot; call it "
                                     "outside and pass the result in{}",
                                     nameOf(from, node), placeOf(from, node)));
    std::vector<NodeId> inputs;
    for (const NodeId input : from.inputsOf(node))
        inputs.push_back(rewrite.mapped(input));
    std::vector<std::shared_ptr<const Graph>> inner;
    for (const Graph* graph : from.innerGraphsOf(node))
        inner.push_back(std::make_shared<const Graph>(withoutEffects(*graph, makeCallee).finish()));
    const auto arguments = ir::innerArguments(op, inputs);
    if (op == Op::Call)
        return rewrite.to().addCall(makeCallee(*inner[0]), arguments);
    if (op == Op::Cond)
        return rewrite.to().addCond(inputs[0], inner[0], inner[1], arguments);
    return rewrite.to().addWhile(inner[0], inner[1], arguments, from.node(node).resultCount);
}

} // namespace

void copyWithoutEffects(passes::Rewrite& rewrite, const MakeCallee& makeCallee) {
    const Graph& graph = rewrite.from();
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.node(node).op == Op::Result || rewrite.mapped(node) != ir::kNoNode)
            continue; // came with its node, or was there
        const std::vector<NodeId> results = graph.resultsOf(node);
        if (graph.effectOf(node) < Effect::Writes) {
            rewrite.copy(node);
        } else if (!results.empty()) {
            const NodeId quiet = addQuietly(rewrite, node, makeCallee);
            for (const NodeId result : results)
                rewrite.replace(result, quiet + (result - node));
        }
    }
}

passes::Rewrite withoutEffects(const Graph& graph, const MakeCallee& makeCallee) {
    passes::Rewrite rewrite(graph);
    copyWithoutEffects(rewrite, makeCallee);
    return rewrite;
}

void requireUnchangedSince(const Graph& graph, NodeId inner) {
    for (const ir::ResourceUse& use : ir::resourcesOf(graph, inner)) {
        if (!use.reads)
            continue;
        for (NodeId node = inner; node < graph.nodeCount(); ++node) {
            const bool changes =
                std::ranges::any_of(ir::resourcesOf(graph, node), [&](const ir::ResourceUse& other) {
                    return other.writes && other.isSameVariable(use);
                });
            if (!changes)
                continue;
            throw UsageError(node == inner
                                 ? fmt::format("[gradients] '{}' changes a variable that it reads, so its "
                                               "values cannot be computed "
                                               "again; return the new value and assign it outside{}",
                                               nameOf(graph, inner), placeOf(graph, inner))
                                 : fmt::format("[gradients] '{}' reads a variable that is changed before the "
                                               "gradient is taken, so its "
                                               "values cannot be computed again; take the gradient first{}",
                                               nameOf(graph, inner), placeOf(graph, node)));
        }
    }
}

} // namespace retracescope::autodiff
