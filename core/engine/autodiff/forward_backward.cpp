#include <retracescope/engine/autodiff/forward_backward.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/engine/autodiff/division.h>
#include <retracescope/engine/autodiff/gradient_flow.h>

namespace retracescope::autodiff {

using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;

namespace {

std::vector<NodeId> mappedBy(const passes::Rewrite& rewrite, std::span<const NodeId> nodes) {
    std::vector<NodeId> mapped;
    for (const NodeId node : nodes)
        if (node != kNoNode)
            mapped.push_back(rewrite.mapped(node));
    return mapped;
}

/// Among the inputs that are no seeds.
std::size_t inputPlace(const Graph& graph, std::span<const NodeId> seeds, NodeId input) {
    std::size_t place = 0;
    for (const NodeId other : graph.inputs()) {
        if (other == input)
            break;
        place += std::ranges::find(seeds, other) == seeds.end() ? 1 : 0;
    }
    return place;
}

} // namespace

ForwardBackward split(const Graph& graph, NodeId count, std::span<const NodeId> outputs,
                      std::span<const NodeId> seeds, std::span<const NodeId> gradients) {
    const Division division(graph, count, seeds, gradients, Again::Nothing);
    ForwardBackward result;
    passes::Rewrite forward(graph);
    passes::Rewrite backward(graph);
    division.copyForward(forward);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        if (seeds[i] == kNoNode)
            continue;
        backward.copy(seeds[i]);
        result.seeded.push_back(i);
    }
    std::vector<NodeId> returned(outputs.begin(), outputs.end());
    for (const NodeId node : division.saved()) {
        backward.replace(node, backward.to().addInput(graph.typeOf(node), fmt::format("saved_{}", node)));
        if (graph.node(node).op == Op::Placeholder) {
            result.saved.push_back({Saved::From::Input, inputPlace(graph, seeds, node)});
            continue;
        }
        const auto known = std::ranges::find(returned, node);
        result.saved.push_back({Saved::From::Result, static_cast<std::size_t>(known - returned.begin())});
        if (known == returned.end())
            returned.push_back(node);
    }
    division.copyBackward(backward);
    std::size_t next = 0;
    for (const NodeId gradient : gradients)
        result.gradientOf.push_back(gradient == kNoNode ? std::nullopt : std::optional(next++));
    forward.to().setOutputs(mappedBy(forward, returned));
    forward.to().rename("forward " + graph.name());
    backward.to().setOutputs(mappedBy(backward, gradients));
    backward.to().rename("backward " + graph.name());
    result.forward = std::move(forward.to());
    result.backward = std::move(backward.to());
    return result;
}

ir::OwnGradient ownGradientFrom(const ForwardBackward& graphs, std::size_t results,
                                std::vector<std::size_t> gradientsOf) {
    const Graph& forward = graphs.forward;
    const auto given = graphs.backward.inputs();
    passes::Rewrite copy(graphs.backward);
    Graph& graph = copy.to();
    std::vector<NodeId> inputs;
    for (const NodeId input : forward.inputs())
        inputs.push_back(graph.addInput(forward.typeOf(input), forward.givenNameOf(input)));
    std::vector<NodeId> outputs;
    for (const NodeId output : forward.outputs())
        outputs.push_back(graph.addInput(forward.typeOf(output), fmt::format("result_{}", outputs.size())));
    for (std::size_t i = 0; i < graphs.saved.size(); ++i) {
        const Saved& saved = graphs.saved[i];
        copy.replace(given[graphs.seeded.size() + i],
                     saved.from == Saved::From::Input ? inputs[saved.place] : outputs[saved.place]);
    }
    copy.copyRest(); // the gradients of the results come first
    return {std::make_shared<const Graph>(copy.finish()), results, std::move(gradientsOf)};
}

ForwardBackward forwardBackward(const Graph& graph, const MakeCallee& makeCallee) {
    Graph whole = graph;
    for (const tensor::Tensor& captured : capturedBy(graph))
        whole.addCapture(captured);
    const NodeId count = whole.nodeCount();
    std::vector<NodeId> wrt(whole.inputs().begin(), whole.inputs().end());
    for (const ir::Capture& capture : whole.captures())
        wrt.push_back(capture.node);
    std::vector<NodeId> seeds;
    std::vector<NodeId> seededOutputs;
    std::vector<NodeId> given;
    for (const NodeId output : graph.outputs()) {
        const bool isSeeded = types::isFloating(types::dtypeOf(whole.typeOf(output)));
        seeds.push_back(isSeeded
                            ? whole.addInput(whole.typeOf(output), fmt::format("gradient_{}", seeds.size()))
                            : kNoNode);
        if (!isSeeded)
            continue;
        seededOutputs.push_back(output);
        given.push_back(seeds.back());
    }
    const std::vector<NodeId> gradients = appendGradients(whole, seededOutputs, given, wrt, makeCallee);
    return split(whole, count, graph.outputs(), seeds, gradients);
}

} // namespace retracescope::autodiff
