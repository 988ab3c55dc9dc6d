#include <retracescope/engine/passes/remove_dead_nodes.h>

#include <algorithm>
#include <vector>

#include <retracescope/engine/passes/rewrite.h>

namespace retracescope::passes {

using ir::NodeId;

namespace {

std::vector<bool> findLive(const ir::Graph& graph) {
    std::vector<bool> live(graph.nodeCount());
    for (const NodeId output : graph.outputs())
        live[output] = true;
    for (NodeId node = graph.nodeCount(); node-- > 0;) {
        const bool mustRun =
            graph.effectOf(node) >= ir::Effect::Writes || graph.node(node).op == ir::Op::Placeholder;
        live[node] = live[node] || mustRun;
        if (live[node]) {
            for (const NodeId input : graph.inputsOf(node))
                live[input] = true;
        }
    }
    return live;
}

} // namespace

ir::Graph removeDeadNodes(ir::Graph graph) {
    const std::vector<bool> live = findLive(graph);
    if (std::ranges::find(live, false) == live.end())
        return graph;
    Rewrite rewrite(graph);
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (live[node])
            rewrite.copy(node);
    }
    return rewrite.finish();
}

} // namespace retracescope::passes
