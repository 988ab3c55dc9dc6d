#include <array>

#include <fmt/format.h>

#include <retracescope/engine/autodiff/inner_gradients.h>
#include <retracescope/engine/passes/rewrite.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/list.h>

namespace retracescope::autodiff {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using tensor::constant;
using types::TensorTypeId;

namespace {

NodeId number(Graph& graph, std::size_t value) {
    return graph.addConstant(constant(static_cast<std::int64_t>(value)));
}

/// The gradient of a branch, and what of it has to be kept: places of outputs of its forward graph.
struct BranchGradient {
    ForwardBackward graphs;
    std::vector<std::size_t> kept;
};

BranchGradient branchGradient(Differentiated&& made, const Graph& branch) {
    BranchGradient result;
    result.graphs = split(made.whole, made.count, branch.outputs(), made.seeds, made.gradients);
    for (const Saved& saved : result.graphs.saved)
        if (saved.from == Saved::From::Result)
            result.kept.push_back(saved.place);
    return result;
}

/// The branch, with a list of what is kept behind its `count` outputs if `keeps`.
Graph forwardBranch(const BranchGradient& branch, std::size_t count, bool keeps) {
    Graph graph = branch.graphs.forward;
    const std::vector<NodeId> all(graph.outputs().begin(), graph.outputs().end());
    std::vector<NodeId> outputs(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    if (keeps) {
        NodeId list = graph.append(Op::ListReserve, {number(graph, branch.kept.size())});
        for (std::size_t i = 0; i < branch.kept.size(); ++i)
            list = graph.append(Op::ListSet, {list, number(graph, i), all[branch.kept[i]]});
        outputs.push_back(list);
    }
    graph.setOutputs(outputs);
    return graph;
}

/// Takes the seeds, the arguments of the cond and, if `keeps`, the list.
Graph backwardBranch(const BranchGradient& branch, std::span<const TensorTypeId> arguments, bool keeps) {
    const Graph& from = branch.graphs.backward;
    passes::Rewrite copy(from);
    Graph& graph = copy.to();
    const std::size_t seeds = branch.graphs.seeded.size();
    std::ranges::for_each(from.inputs().first(seeds), [&](NodeId seed) { copy.copy(seed); });
    std::vector<NodeId> taken;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        taken.push_back(graph.addInput(arguments[i], fmt::format("argument_{}", i)));
    const NodeId list = keeps ? graph.addInput(tensor::listType(), "kept") : kNoNode;
    std::size_t next = 0;
    for (std::size_t i = 0; i < branch.graphs.saved.size(); ++i) {
        const NodeId input = from.inputs()[seeds + i];
        const auto type = Attributes().set(Attribute::Type, static_cast<std::int64_t>(from.typeOf(input)));
        const Saved& saved = branch.graphs.saved[i];
        copy.replace(input, saved.from == Saved::From::Input
                                ? taken[saved.place]
                                : graph.append(Op::ListGet, {list, number(graph, next++)}, type));
    }
    copy.copyRest();
    return copy.finish();
}

} // namespace

InnerGradient condGradient(const Graph& graph, NodeId node, const std::vector<bool>& isSeeded,
                           std::span<const Target> targets, const MakeCallee& makeCallee) {
    const std::array branches{&graph.branchOf(node, Attribute::Then), &graph.branchOf(node, Attribute::Else)};
    const auto inputs = graph.inputsOf(node);
    const std::vector<NodeId> results = graph.resultsOf(node);
    const std::vector<TensorTypeId> seeds = seedTypes(graph, node, isSeeded);
    std::vector<TensorTypeId> types;
    for (const NodeId input : inputs)
        types.push_back(graph.typeOf(input));
    const auto arguments = std::span(types).subspan(1);

    std::array made{differentiate(*branches[0], seeds, targets, makeCallee),
                    differentiate(*branches[1], seeds, targets, makeCallee)};
    InnerGradient result;
    std::size_t next = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const bool has = made[0].gradients[i] != kNoNode || made[1].gradients[i] != kNoNode;
        result.gradientOf.push_back(has ? std::optional(next++) : std::nullopt);
        for (Differentiated& branch : made)
            if (has && branch.gradients[i] == kNoNode)
                branch.gradients[i] = zeroGradient(branch.whole, branch.insideOf[i], targets[i].held);
    }
    const std::array parts{branchGradient(std::move(made[0]), *branches[0]),
                           branchGradient(std::move(made[1]), *branches[1])};
    const bool keeps = !parts[0].kept.empty() || !parts[1].kept.empty();
    const auto forwardOf = [&](const BranchGradient& branch) {
        return std::make_shared<const Graph>(forwardBranch(branch, results.size(), keeps));
    };
    const auto backwardOf = [&](const BranchGradient& branch) {
        return std::make_shared<const Graph>(backwardBranch(branch, arguments, keeps));
    };

    if (keeps) {
        Graph forward("forward " + graph.nameOf(node));
        std::vector<NodeId> taken;
        for (const TensorTypeId type : types)
            taken.push_back(forward.addInput(type, "argument"));
        const NodeId cond =
            forward.addCond(taken[0], forwardOf(parts[0]), forwardOf(parts[1]), std::span(taken).subspan(1));
        forward.setOutputs(forward.resultsOf(cond));
        result.forward = makeCallee(std::move(forward));
    }
    Graph backward("backward " + graph.nameOf(node));
    result.seeded = parts[0].graphs.seeded;
    std::vector<NodeId> taken;
    for (const std::size_t place : result.seeded)
        taken.push_back(backward.addInput(graph.typeOf(results[place]), "gradient"));
    const NodeId predicate = backward.addInput(types[0], "predicate");
    for (const TensorTypeId type : arguments)
        taken.push_back(backward.addInput(type, "argument"));
    if (keeps)
        taken.push_back(backward.addInput(tensor::listType(), "kept"));
    const NodeId cond = backward.addCond(predicate, backwardOf(parts[0]), backwardOf(parts[1]), taken);
    backward.setOutputs(next > 0 ? backward.resultsOf(cond) : std::vector<NodeId>());
    result.backward = makeCallee(std::move(backward));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        result.saved.push_back({Saved::From::Input, i});
    if (keeps)
        result.saved.push_back({Saved::From::Result, results.size()});
    return result;
}

} // namespace retracescope::autodiff
