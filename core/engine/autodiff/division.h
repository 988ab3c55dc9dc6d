#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/passes/rewrite.h>

namespace retracescope::autodiff {

/// What a backward graph computes again instead of taking it from the forward one.
enum class Again : std::uint8_t {
    Nothing,
    Cheap, ///< what goes element by element or only moves elements: it costs about what keeping it would
};

/// A graph that first computes values and then, from node `count` on, gradients of them, seen as two: the
/// forward one, and the backward one that takes seeds and what is saved of the first. Effects and reads of
/// variables stay where they are and happen once.
class Division {
public:
    /// `seeds` are inputs from `count` on that the backward graph takes (kNoNode is passed over); all others
    /// belong to the forward graph. `gradients` is what is wanted of the backward graph, and nodes with
    /// effects from `count` on are, too.
    Division(const ir::Graph& graph, ir::NodeId count, std::span<const ir::NodeId> seeds,
             std::span<const ir::NodeId> gradients, Again again);

    bool isForward(ir::NodeId node) const { return m_isForward[node]; }
    /// The values of the forward graph, inputs among them, that the backward one takes, in order. Constants
    /// and captures are not: it has them, too.
    const std::vector<ir::NodeId>& saved() const { return m_saved; }

    void copyForward(passes::Rewrite& copy) const;
    /// Into a copy where something stands for all seeds and saved values.
    void copyBackward(passes::Rewrite& copy) const;

private:
    void markForward(ir::NodeId count, std::span<const ir::NodeId> seeds);
    bool isCapture(ir::NodeId node) const;
    bool isComputedAgain(ir::NodeId node, Again again) const;

    const ir::Graph& m_graph;
    std::vector<bool> m_isForward;
    std::vector<bool> m_isCopied; ///< into the backward graph
    std::vector<ir::NodeId> m_saved;
};

} // namespace retracescope::autodiff
