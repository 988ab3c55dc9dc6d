#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/trace/ops.h>

namespace retracescope::trace {

/// Computes a graph node by node with the ops of the front door: at once or, inside a trace, as nodes of that
/// trace; tapes see every op either way. Calls, conds and loops, which must be eager, are followed into their
/// graphs.
class Replay {
public:
    /// `where` is named by what goes wrong.
    Replay(const ir::Graph& graph, Where where)
        : m_graph(graph), m_where(where), m_values(graph.nodeCount()) {}

    /// The value of a node is known: its inputs are not asked for.
    void set(ir::NodeId node, Tensor value) { m_values[node] = std::move(value); }
    void setInputs(std::span<const Tensor> inputs);
    /// All nodes in program order, effects included.
    void runAll();
    /// What these nodes need, effects left out unless they are among it. kNoNode is passed over.
    void runFor(std::span<const ir::NodeId> nodes);

    /// Empty for kNoNode.
    Tensor valueOf(ir::NodeId node) const { return node == ir::kNoNode ? Tensor() : m_values[node]; }
    std::vector<Tensor> outputs() const;

private:
    void run(ir::NodeId node);
    void setResults(ir::NodeId node, std::span<const Tensor> results);
    std::vector<Tensor> runCond(ir::NodeId node, std::span<const Tensor> inputs);
    std::vector<Tensor> runWhile(ir::NodeId node, std::span<const Tensor> inputs);

    const ir::Graph& m_graph;
    const Where m_where;
    std::vector<Tensor> m_values; ///< by node
};

} // namespace retracescope::trace
