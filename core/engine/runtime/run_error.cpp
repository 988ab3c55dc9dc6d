#include <retracescope/engine/runtime/run_error.h>

#include <fmt/format.h>

namespace retracescope::runtime {

namespace {

std::string placeOf(const ir::Graph& graph, ir::NodeId node) {
    const ir::SourceLine* source = graph.sourceOf(node);
    return source ? placeText(source->file, source->line) : std::string();
}

} // namespace

void throwAtNode(const ir::Graph& graph, ir::NodeId node, const UsageError& error) {
    RunError atNode(error.what());
    atNode.at(placeOf(graph, node)); // host code may have named a line of its own
    throw atNode;
}

void throwThroughNode(const ir::Graph& graph, ir::NodeId node, const RunError& error) {
    if (graph.node(node).op != ir::Op::Call)
        throw error;
    throw RunError(fmt::format("{}, in '{}' called by '{}'{}", error.what(),
                               graph.calleeOf(node).graph().name(), graph.name(), placeOf(graph, node)));
}

} // namespace retracescope::runtime
