#include <retracescope/engine/autodiff/forward_backward.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/passes/rewrite.h>

namespace retracescope::autodiff {

using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;

namespace {

/// A host call has no gradient, but whether one is needed shows only when it is asked for.
bool isStraight(const Graph& graph) {
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const Op op = graph.node(node).op;
        if (op == Op::Cond || op == Op::While || op == Op::HostCall)
            return false;
        if (op == Op::Call && !isStraight(graph.calleeOf(node).graph()))
            return false;
    }
    return true;
}

bool isCapture(const Graph& graph, NodeId node) {
    return std::ranges::find(graph.captures(), node, &ir::Capture::node) != graph.captures().end();
}

/// Appends what `from` computes; returns its outputs in `to`.
std::vector<NodeId> appendAll(Graph& to, const Graph& from, std::span<const NodeId> inputs) {
    std::vector<NodeId> map(from.nodeCount(), kNoNode);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        map[from.inputs()[i]] = inputs[i];
    for (const ir::Capture& capture : from.captures())
        map[capture.node] = to.addCapture(capture.value, from.givenNameOf(capture.node));
    for (NodeId node = 0; node < from.nodeCount(); ++node) {
        const Op op = from.node(node).op;
        if (op == Op::Result || map[node] != kNoNode)
            continue;
        if (const ir::SourceLine* source = from.sourceOf(node))
            to.setSource(source->file, source->function, source->line);
        std::vector<NodeId> taken;
        for (const NodeId input : from.inputsOf(node))
            taken.push_back(map[input]);
        if (op == Op::Constant) {
            map[node] = to.addConstant(from.constantOf(node));
        } else if (op == Op::Call) {
            const std::vector<NodeId> outputs = appendAll(to, from.calleeOf(node).graph(), taken);
            const std::vector<NodeId> results = from.resultsOf(node);
            for (std::size_t i = 0; i < results.size(); ++i)
                map[results[i]] = outputs[i];
        } else {
            map[node] = to.append(op, taken, ir::Attributes(from.attributesOf(node)));
        }
    }
    std::vector<NodeId> outputs;
    for (const NodeId output : from.outputs())
        outputs.push_back(map[output]);
    return outputs;
}

/// The nodes from `count` on that the gradients need, and the nodes before it that these take.
std::vector<bool> neededFor(const Graph& graph, NodeId count, std::span<const NodeId> gradients) {
    const auto ownerOf = [&](NodeId node) {
        return node >= count && graph.node(node).op == Op::Result ? graph.inputsOf(node)[0] : node;
    };
    std::vector<bool> needed(graph.nodeCount(), false);
    for (const NodeId gradient : gradients)
        if (gradient != kNoNode)
            needed[ownerOf(gradient)] = true;
    for (NodeId node = graph.nodeCount(); node-- > count;)
        if (needed[node])
            for (const NodeId input : graph.inputsOf(node))
                needed[ownerOf(input)] = true;
    return needed;
}

} // namespace

ForwardBackward split(const Graph& graph, NodeId count, std::span<const NodeId> outputs,
                      std::span<const NodeId> seeds, std::span<const NodeId> gradients) {
    ForwardBackward result;
    passes::Rewrite forward(graph);
    passes::Rewrite backward(graph);
    for (NodeId node = 0; node < count; ++node)
        forward.copy(node);
    std::vector<NodeId> returned(outputs.begin(), outputs.end());
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        if (seeds[i] == kNoNode)
            continue;
        backward.copy(seeds[i]);
        result.seeded.push_back(i);
    }
    const std::vector<bool> needed = neededFor(graph, count, gradients);
    std::size_t input = 0;
    std::size_t capture = 0;
    for (NodeId node = 0; node < count; ++node) {
        const Op op = graph.node(node).op;
        const bool captured = op == Op::Placeholder && isCapture(graph, node);
        const std::size_t place = op != Op::Placeholder ? 0 : captured ? capture++ : input++;
        if (!needed[node])
            continue;
        if (op == Op::Constant) {
            backward.copy(node);
            continue;
        }
        if (op == Op::Placeholder) {
            result.saved.push_back({captured ? Saved::From::Capture : Saved::From::Input, place});
        } else {
            const auto known = std::ranges::find(returned, node);
            result.saved.push_back({Saved::From::Result, static_cast<std::size_t>(known - returned.begin())});
            if (known == returned.end())
                returned.push_back(node);
        }
        backward.replace(node, backward.to().addInput(graph.typeOf(node), fmt::format("saved_{}", node)));
    }
    for (NodeId node = count; node < graph.nodeCount(); ++node)
        if (needed[node] && std::ranges::find(seeds, node) == seeds.end())
            backward.copy(node);
    const auto mapped = [](const passes::Rewrite& rewrite, std::span<const NodeId> nodes) {
        std::vector<NodeId> all;
        for (const NodeId node : nodes)
            if (node != kNoNode)
                all.push_back(rewrite.mapped(node));
        return all;
    };
    std::size_t next = 0;
    for (const NodeId gradient : gradients)
        result.gradientOf.push_back(gradient == kNoNode ? std::nullopt : std::optional(next++));
    forward.to().setOutputs(mapped(forward, returned));
    forward.to().rename("forward " + graph.name());
    backward.to().setOutputs(mapped(backward, gradients));
    backward.to().rename("backward " + graph.name());
    result.forward = std::move(forward.to());
    result.backward = std::move(backward.to());
    return result;
}

std::optional<ForwardBackward> forwardBackward(const Graph& graph, const MakeCallee& makeCallee) {
    if (!isStraight(graph))
        return std::nullopt;
    Graph whole(graph.name());
    std::vector<NodeId> inputs;
    for (const NodeId input : graph.inputs())
        inputs.push_back(whole.addInput(graph.typeOf(input), graph.givenNameOf(input)));
    const std::vector<NodeId> outputs = appendAll(whole, graph, inputs);
    std::vector<NodeId> wrt = inputs;
    for (const ir::Capture& capture : whole.captures())
        wrt.push_back(capture.node);
    const NodeId count = whole.nodeCount();
    std::vector<NodeId> seeds;
    std::vector<NodeId> seededOutputs;
    std::vector<NodeId> given;
    for (const NodeId output : outputs) {
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
    return split(whole, count, outputs, seeds, gradients);
}

} // namespace retracescope::autodiff
