#include <retracescope/engine/trace/initialise.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/executable.h>

namespace retracescope::trace {

namespace {

/// The node that a further result belongs to.
ir::NodeId ownerOf(const ir::Graph& graph, ir::NodeId node) {
    return graph.node(node).op == ir::Op::Result ? graph.inputsOf(node)[0] : node;
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
    return needed;
}

ir::Graph initialValues(std::span<const CreatedVariable> created, const ir::Graph& graph,
                        const std::vector<bool>& needed) {
    ir::Graph result = graph.blankCopy();
    std::vector<ir::NodeId> placeOf(graph.nodeCount(), ir::kNoNode);
    for (ir::NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.node(node).op == ir::Op::Result || !needed[node])
            continue;
        std::vector<ir::NodeId> inputs;
        for (const ir::NodeId input : graph.inputsOf(node))
            inputs.push_back(placeOf[input]);
        placeOf[node] = result.appendCopy(graph, node, inputs);
        const std::vector<ir::NodeId> results = graph.resultsOf(node);
        for (std::size_t i = 1; i < results.size(); ++i)
            placeOf[results[i]] = placeOf[node] + static_cast<ir::NodeId>(i);
    }
    std::vector<ir::NodeId> outputs;
    for (const CreatedVariable& variable : created)
        outputs.push_back(placeOf[variable.initial]);
    result.setOutputs(outputs);
    return result;
}

/// The arguments that are needed; all of them have a value, or will have one when the outer function runs.
std::vector<Tensor> neededArguments(const ir::Graph& graph, const std::vector<bool>& needed,
                                    std::span<const Tensor> arguments, std::source_location where) {
    RETRACESCOPE_CHECK(arguments.size() == graph.inputs().size());
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ir::NodeId input = graph.inputs()[i];
        if (!needed[input])
            continue;
        if (arguments[i].isEmpty())
            throw UsageError(
                fmt::format("[{}] a variable starts with a value made of argument '{}': expected "
                            "that value in the first trace, got only its spec{}",
                            graph.name(), graph.nameOf(input), placeText(where)));
        result.push_back(arguments[i]);
    }
    return result;
}

void leaveTo(Tracer& outer, std::span<const CreatedVariable> created,
             std::shared_ptr<const runtime::Executable> initial, std::span<const Tensor> arguments,
             std::source_location where) {
    std::vector<ir::NodeId> nodes;
    for (const Tensor& argument : arguments)
        nodes.push_back(outer.nodeOf(argument, initial->graph().name()));
    const std::vector<ir::NodeId> values =
        outer.graph().resultsOf(outer.graph().addCall(std::move(initial), nodes));
    for (std::size_t i = 0; i < created.size(); ++i)
        outer.addCreated({created[i].variable, values[i]}, where);
}

} // namespace

void initialise(std::span<const CreatedVariable> created, const ir::Graph& graph,
                std::span<const Tensor> arguments, std::source_location where) {
    const std::vector<bool> needed = neededNodes(created, graph);
    const std::vector<Tensor> taken = neededArguments(graph, needed, arguments, where);
    Tracer* outer = Tracer::current();
    const EagerScope outside;
    const auto initial = runtime::Executable::compile(initialValues(created, graph, needed));
    if (outer != nullptr && std::ranges::any_of(taken, &Tensor::isSymbolic))
        return leaveTo(*outer, created, initial, taken, where);
    const auto values = initial->run(taken);
    for (std::size_t i = 0; i < created.size(); ++i)
        if (!created[i].variable->isInitialized())
            created[i].variable->assign(values[i]);
}

} // namespace retracescope::trace
