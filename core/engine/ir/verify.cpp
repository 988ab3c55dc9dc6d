#include <retracescope/engine/ir/verify.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace retracescope::ir {

namespace {

using Fault = std::optional<std::string>;

Fault inputFault(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const OpInfo& info = opInfo(node.op);
    const bool isCountRight =
        node.op == Op::Result
            ? node.inputCount == 1
            : node.inputCount >= info.minInputs && (info.maxInputs < 0 || node.inputCount <= info.maxInputs);
    if (!isCountRight)
        return fmt::format("has {} inputs", node.inputCount);
    for (const NodeId input : graph.inputsOf(id)) {
        if (input >= id)
            return fmt::format("reads node {}, which does not stand before it", input);
        if (graph.typeOf(input) == types::TensorTypeId::None)
            return fmt::format("reads node {}, which has no value", input);
    }
    return std::nullopt;
}

bool hasRow(std::int64_t row, std::size_t rows) {
    return row >= 0 && static_cast<std::size_t>(row) < rows;
}

Fault attributeFault(const Graph& graph, NodeId id) {
    const AttributeView attributes = graph.attributesOf(id);
    const auto allowed = opInfo(graph.node(id).op).attributes;
    for (const Attribute attribute : attributes.all()) {
        if (std::ranges::find(allowed, attribute) == allowed.end())
            return fmt::format("has the attribute {}, which is not its own", attributeName(attribute));
    }
    if (attributes.has(Attribute::Backward) &&
        !hasRow(attributes.number(Attribute::Backward), graph.branches().size()))
        return fmt::format("has no row for {}", attributeName(Attribute::Backward));
    const struct {
        Attribute attribute;
        std::size_t rows;
    } tables[] = {
        {Attribute::Constant, graph.constants().size()}, {Attribute::Callee, graph.callees().size()},
        {Attribute::Then, graph.branches().size()},      {Attribute::Else, graph.branches().size()},
        {Attribute::Condition, graph.branches().size()}, {Attribute::Body, graph.branches().size()},
        {Attribute::Host, graph.hosts().size()}};
    for (const auto& [attribute, rows] : tables) {
        const bool needs = std::ranges::find(allowed, attribute) != allowed.end();
        if (needs && !hasRow(attributes.number(attribute, -1), rows))
            return fmt::format("has no row for {}", attributeName(attribute));
    }
    return std::nullopt;
}

Fault resultFault(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    if (node.op == Op::Result) {
        const NodeId source = graph.inputsOf(id)[0];
        const Node& call = graph.node(source);
        if (!hasResultNodes(call.op) || node.resultCount >= call.resultCount)
            return "does not follow the node whose result it is";
        const std::vector<NodeId> results = graph.resultsOf(source);
        return results[node.resultCount] == id ? Fault()
                                               : Fault("does not follow the node whose result it is");
    }
    const std::vector<NodeId> results = graph.resultsOf(id);
    for (std::size_t further = 1; further < results.size(); ++further) {
        if (results[further] >= graph.nodeCount() || graph.node(results[further]).op != Op::Result)
            return fmt::format("lacks its result {}", further);
    }
    return std::nullopt;
}

Fault typeFault(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    if (node.op == Op::Constant && graph.typeOf(id) != graph.constantOf(id).type())
        return "has another type than its value";
    if (!isInferred(node.op))
        return std::nullopt;
    std::vector<types::TensorTypeId> inputTypes;
    std::vector<tensor::Tensor> values;
    for (const NodeId input : graph.inputsOf(id)) {
        inputTypes.push_back(graph.typeOf(input));
        values.push_back(graph.node(input).op == Op::Constant ? graph.constantOf(input) : tensor::Tensor());
    }
    try {
        const types::TensorTypeId expected = inferType({node.op, inputTypes, graph.attributesOf(id), values});
        if (expected != node.type)
            return fmt::format("has the type {}, expected {}",
                               node.type == types::TensorTypeId::None ? "none" : types::toText(node.type),
                               expected == types::TensorTypeId::None ? "none" : types::toText(expected));
    } catch (const UsageError& error) {
        return fmt::format("breaks a rule of its op: {}", error.what());
    }
    return std::nullopt;
}

Fault effectFault(const Graph& graph, NodeId id) {
    const Op op = graph.node(id).op;
    Effect least = opInfo(op).effect;
    for (const Graph* inner : graph.innerGraphsOf(id))
        least = std::max(least, inner->effect());
    return graph.effectOf(id) < least ? Fault("hides an effect") : Fault();
}

Fault nodeFault(const Graph& graph, NodeId id) {
    for (const auto& find : {inputFault, attributeFault, resultFault, typeFault, effectFault}) {
        if (const Fault fault = find(graph, id))
            return fmt::format("node {} ({}) {}", id, opName(graph.node(id).op), *fault);
    }
    return std::nullopt;
}

} // namespace

Fault findFault(const Graph& graph) {
    for (NodeId id = 0; id < graph.nodeCount(); ++id) {
        if (Fault fault = nodeFault(graph, id))
            return fault;
    }
    for (const NodeId output : graph.outputs()) {
        if (output >= graph.nodeCount() || graph.typeOf(output) == types::TensorTypeId::None)
            return fmt::format("the output {} has no value", output);
    }
    for (const auto& branch : graph.branches()) {
        if (const Fault fault = findFault(*branch))
            return fmt::format("in branch {}: {}", branch->name(), *fault);
    }
    return std::nullopt;
}

void verify(const Graph& graph) {
    const Fault fault = findFault(graph);
    if (fault)
        std::fprintf(stderr, "graph %s: %s\n", graph.name().c_str(), fault->c_str());
    RETRACESCOPE_CHECK(!fault);
}

} // namespace retracescope::ir
