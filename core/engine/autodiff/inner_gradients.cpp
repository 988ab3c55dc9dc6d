#include <retracescope/engine/autodiff/inner_gradients.h>
#include <retracescope/engine/passes/rewrite.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/loop_gradients.h>

namespace retracescope::autodiff {

using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using types::TensorTypeId;

namespace {

/// What was made for the gradient of a node, kept with the graph.
struct KnownGradient final : ir::Note {
    std::vector<bool> isSeeded;
    std::vector<Target> targets;
    std::vector<std::shared_ptr<const InnerGradient>> gradients;

    bool isFor(const std::vector<bool>& otherSeeds, std::span<const Target> otherTargets) const {
        const auto isSame = [](const Target& a, const Target& b) { return a.isSame(b); };
        return isSeeded == otherSeeds && std::ranges::equal(targets, otherTargets, isSame);
    }
};

/// Results that came later are not seeded.
std::vector<bool> withoutTail(std::vector<bool> isSeeded) {
    while (!isSeeded.empty() && !isSeeded.back())
        isSeeded.pop_back();
    return isSeeded;
}

/// By the gradient that the node has of its own.
InnerGradient ownGradient(const Graph& graph, NodeId node, const ir::OwnGradient& own,
                          std::span<const Target> targets, const MakeCallee& makeCallee) {
    InnerGradient result;
    const std::vector<NodeId> results = graph.resultsOf(node);
    for (std::size_t i = 0; i < own.results; ++i)
        if (types::isFloating(types::dtypeOf(graph.typeOf(results[i]))))
            result.seeded.push_back(i);
    const std::size_t inputs = graph.inputsOf(node).size();
    const std::size_t taken = own.backward->inputs().size() - inputs - result.seeded.size();
    for (std::size_t i = 0; i < inputs; ++i)
        result.saved.push_back({Saved::From::Input, i});
    for (std::size_t i = 0; i < taken; ++i)
        result.saved.push_back({Saved::From::Result, i});
    for (const Target& target : targets) {
        const auto place = std::ranges::find(own.gradientsOf, target.input);
        const bool has = target.captured.isEmpty() && place != own.gradientsOf.end();
        result.gradientOf.push_back(
            has ? std::optional(static_cast<std::size_t>(place - own.gradientsOf.begin())) : std::nullopt);
    }
    passes::Rewrite copy(*own.backward); // the gradients first
    const auto given = own.backward->inputs();
    for (const auto part : {given.last(result.seeded.size()), given.first(inputs + taken)})
        std::ranges::for_each(part, [&](NodeId input) { copy.copy(input); });
    copy.copyRest();
    result.backward = makeCallee(copy.finish());
    return result;
}

std::vector<InnerGradient> made(const Graph& graph, NodeId node, const std::vector<bool>& isSeeded,
                                std::span<const Target> targets, const MakeCallee& makeCallee) {
    const auto own = graph.ownGradientOf(node);
    std::vector<InnerGradient> gradients;
    std::vector<bool> byOps = isSeeded;
    if (own) {
        const auto end = byOps.begin() + static_cast<std::ptrdiff_t>(own->results);
        if (std::find(byOps.begin(), end, true) != end)
            gradients.push_back(ownGradient(graph, node, *own, targets, makeCallee));
        std::fill(byOps.begin(), end, false);
    }
    if (std::ranges::find(byOps, true) == byOps.end())
        return gradients;
    switch (graph.node(node).op) {
    case Op::Call:
        gradients.push_back(callGradient(graph, node, byOps, targets, makeCallee));
        break;
    case Op::Cond:
        gradients.push_back(condGradient(graph, node, byOps, targets, makeCallee));
        break;
    default:
        RETRACESCOPE_CHECK(graph.node(node).op == Op::While);
        gradients.push_back(loopGradient(graph, node, byOps, targets, makeCallee));
    }
    return gradients;
}

} // namespace

Differentiated differentiate(const Graph& inner, std::span<const TensorTypeId> seedTypes,
                             std::span<const Target> targets, const MakeCallee& makeCallee) {
    Differentiated result;
    result.whole = inner;
    Graph& whole = result.whole;
    for (const Target& target : targets)
        result.insideOf.push_back(target.inside(whole));
    result.count = whole.nodeCount();
    std::vector<NodeId> outputs;
    std::vector<NodeId> given;
    for (std::size_t i = 0; i < inner.outputs().size(); ++i) {
        const bool isSeeded = seedTypes[i] != TensorTypeId::None;
        result.seeds.push_back(isSeeded ? whole.addInput(seedTypes[i], fmt::format("gradient_{}", i))
                                        : kNoNode);
        if (!isSeeded)
            continue;
        outputs.push_back(inner.outputs()[i]);
        given.push_back(result.seeds.back());
    }
    result.gradients = appendGradients(whole, outputs, given, result.insideOf, makeCallee);
    return result;
}

InnerGradient callGradient(const Graph& graph, NodeId node, const std::vector<bool>& isSeeded,
                           std::span<const Target> targets, const MakeCallee& makeCallee) {
    const Graph& callee = graph.calleeOf(node).graph();
    const Differentiated made = differentiate(callee, seedTypes(graph, node, isSeeded), targets, makeCallee);
    ForwardBackward graphs = split(made.whole, made.count, callee.outputs(), made.seeds, made.gradients);
    InnerGradient result;
    if (graphs.forward.outputs().size() > callee.outputs().size())
        result.forward = makeCallee(std::move(graphs.forward));
    result.backward = makeCallee(std::move(graphs.backward));
    result.seeded = std::move(graphs.seeded);
    result.saved = std::move(graphs.saved);
    result.gradientOf = std::move(graphs.gradientOf);
    return result;
}

std::vector<TensorTypeId> seedTypes(const Graph& graph, NodeId node, const std::vector<bool>& isSeeded) {
    const std::vector<NodeId> results = graph.resultsOf(node);
    std::vector<TensorTypeId> types;
    for (std::size_t i = 0; i < results.size(); ++i)
        types.push_back(isSeeded[i] ? graph.typeOf(results[i]) : TensorTypeId::None);
    return types;
}

std::vector<std::shared_ptr<const InnerGradient>> gradientsThrough(Graph& graph, NodeId node,
                                                                   const std::vector<bool>& isSeeded,
                                                                   std::span<const Target> targets,
                                                                   const MakeCallee& makeCallee) {
    const std::vector<bool> key = withoutTail(isSeeded);
    for (const auto& note : graph.notesOf(node))
        if (const auto* known = dynamic_cast<const KnownGradient*>(note.get());
            known != nullptr && known->isFor(key, targets))
            return known->gradients;
    const auto known = std::make_shared<KnownGradient>();
    known->isSeeded = key;
    known->targets.assign(targets.begin(), targets.end());
    for (InnerGradient& gradient : made(graph, node, isSeeded, targets, makeCallee)) {
        if (gradient.forward)
            graph.replaceByCall(node, std::exchange(gradient.forward, nullptr));
        known->gradients.push_back(std::make_shared<const InnerGradient>(std::move(gradient)));
    }
    graph.addNote(node, known);
    return known->gradients;
}

} // namespace retracescope::autodiff
