#pragma once

#include <functional>
#include <vector>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::passes {

/// A graph on its way to another: walks the nodes of `from` in order and keeps which new value stands for
/// each.
class Rewrite {
public:
    explicit Rewrite(const ir::Graph& from);

    const ir::Graph& from() const { return m_from; }
    ir::Graph& to() { return m_to; }

    /// The new value of an old one that has been rewritten.
    ir::NodeId mapped(ir::NodeId old) const { return m_map[old]; }

    /// Copies a node with its inputs mapped, all its results included.
    void copy(ir::NodeId old);
    /// Copies what nothing stands for yet.
    void copyRest();
    /// Lets `replacement`, a value of the new graph, stand for the old one.
    void replace(ir::NodeId old, ir::NodeId replacement) { m_map[old] = replacement; }

    /// The new graph, with the old one's outputs mapped.
    ir::Graph finish();

private:
    const ir::Graph& m_from;
    ir::Graph m_to;
    std::vector<ir::NodeId> m_map;
    std::vector<ir::NodeId> m_inputs; ///< of the node being copied
};

} // namespace retracescope::passes
