#include <retracescope/engine/trace/initialise.h>

#include <algorithm>

#include <retracescope/engine/runtime/executable.h>

namespace retracescope::trace {

namespace {

/// The node that a further result belongs to.
ir::NodeId ownerOf(const ir::Graph& graph, ir::NodeId node) {
    while (graph.node(node).op == ir::Op::Result)
        --node;
    return node;
}

/// Marks all that the initial values need; the graph is in topological order.
std::vector<bool> neededNodes(std::span<const CreatedVariable> created, const ir::Graph& graph) {
    std::vector<bool> needed(graph.nodeCount(), false);
    for (const CreatedVariable& variable : created)
        needed[ownerOf(graph, variable.initial)] = true;
    for (ir::NodeId node = graph.nodeCount(); node-- > 0;)
        if (needed[node])
            for (const ir::NodeId input : graph.inputsOf(node))
                needed[ownerOf(graph, input)] = true;
    for (const ir::NodeId input : graph.inputs())
        needed[input] = true; // the run takes all arguments
    return needed;
}

ir::Graph initialValues(std::span<const CreatedVariable> created, const ir::Graph& graph) {
    const std::vector<bool> needed = neededNodes(created, graph);
    ir::Graph result = graph.blankCopy();
    std::vector<ir::NodeId> placeOf(graph.nodeCount(), ir::kNoNode);
    for (ir::NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.node(node).op == ir::Op::Result || !needed[node])
            continue;
        std::vector<ir::NodeId> inputs;
        for (const ir::NodeId input : graph.inputsOf(node))
            inputs.push_back(placeOf[input]);
        placeOf[node] = result.appendCopy(graph, node, inputs);
        for (ir::NodeId next = node + 1; next < graph.nodeCount() && graph.node(next).op == ir::Op::Result;
             ++next)
            placeOf[next] = placeOf[node] + (next - node);
    }
    std::vector<ir::NodeId> outputs;
    for (const CreatedVariable& variable : created)
        outputs.push_back(placeOf[variable.initial]);
    result.setOutputs(outputs);
    return result;
}

} // namespace

void initialise(std::span<const CreatedVariable> created, const ir::Graph& graph,
                std::span<const Tensor> arguments) {
    const EagerScope outside;
    const auto values = runtime::Executable::compile(initialValues(created, graph))->run(arguments);
    for (std::size_t i = 0; i < created.size(); ++i)
        if (!created[i].variable->isInitialized())
            created[i].variable->assign(values[i]);
}

} // namespace retracescope::trace
