#include <retracescope/engine/autodiff/recompute.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::autodiff {

using ir::Effect;
using ir::NodeId;
using ir::Op;

namespace {

std::string placeOf(const ir::Graph& graph, NodeId node) {
    const ir::SourceLine* source = graph.sourceOf(node);
    return source ? placeText(source->file, source->line) : std::string();
}

bool isWrite(Op op) {
    return op == Op::AssignVariable || op == Op::AssignAddVariable || op == Op::AssignSubVariable;
}

} // namespace

ir::Graph copyForRecompute(const ir::Graph& graph) {
    std::set<NodeId> written;
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const Op op = graph.node(node).op;
        const bool runsGraphs = ir::runsGraphs(op);
        if (isWrite(op))
            written.insert(graph.inputsOf(node)[0]);
        else if (runsGraphs && graph.effectOf(node) >= Effect::Writes)
            throw UsageError(
                fmt::format("[gradient] '{}' inside '{}' changes variables; take the gradient of what it "
                            "computes without them{}",
                            graph.nameOf(node), graph.name(), placeOf(graph, node)));
        const bool reads = op == Op::ReadVariable && written.contains(graph.inputsOf(node)[0]);
        const bool mayRead = runsGraphs && graph.effectOf(node) == Effect::Reads && !written.empty();
        if (reads || mayRead)
            throw UsageError(
                fmt::format("[gradient] '{}' reads a variable that it has written before, which cannot be "
                            "computed again; read it first, or return the value{}",
                            graph.name(), placeOf(graph, node)));
    }
    ir::Graph copy = graph;
    copy.setOutputs({});
    return copy;
}

void requireUnchangedSince(const ir::Graph& graph, NodeId inner) {
    if (graph.effectOf(inner) == Effect::None)
        return;
    for (NodeId node = inner + 1; node < graph.nodeCount(); ++node) {
        if (graph.effectOf(node) == Effect::Writes)
            throw UsageError(
                fmt::format("[gradient] '{}' reads variables that '{}' may change before the gradient is "
                            "taken; take the gradient first{}",
                            graph.nameOf(inner), graph.nameOf(node), placeOf(graph, node)));
    }
}

} // namespace retracescope::autodiff
