#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/plan.h>
#include <retracescope/engine/runtime/slab_layout.h>

namespace retracescope::runtime {

/// Fills a plan: types of every value, who needs a tensor of its own, commands in program order, places in
/// the slab.
class PlanBuilder {
public:
    explicit PlanBuilder(Plan& plan);
    void build();

private:
    enum class Place : std::uint8_t { Nowhere, Input, Bound, Slab, Slot };

    void inferTypes();
    types::TensorTypeId inferNode(ir::NodeId node) const;
    void markTensors();
    void choosePlaces();
    void placeView(ir::NodeId node);
    void findLastUses();
    void addCommands();
    void addCommand(ir::NodeId node);
    void addKernel(ir::NodeId node);
    bool reusesInput(ir::NodeId node);
    void placeInSlab(ir::NodeId node);
    void releaseDead(ir::NodeId node);
    void addTensorCommand(ir::NodeId node, Kernel kernel);
    void addUses();
    void addOutputs();
    std::uint32_t outputOf(ir::NodeId node) const;
    Plan::Source sourceOf(ir::NodeId node) const;

    /// What is asked again and again about a node's value.
    struct Facts {
        bool isKnown = false;          ///< its shape
        bool hasUnknownShapes = false; ///< it or an input
        bool isOnTensors = false;      ///< its op works on tensors, whatever their shapes
        bool isObjects = false;        ///< strings or pointers
        bool runsOnTensors() const { return hasUnknownShapes || isOnTensors; }
        std::uint32_t elementBytes = 0;
        std::size_t bytes = 0; ///< of a known shape
    };
    /// Throws UsageError with the node's op and line for a value that no memory holds.
    void requireRoom(ir::NodeId node) const;
    void noteFacts();
    bool isPlain() const;

    Plan& m_plan;
    const ir::Graph& m_graph;
    std::vector<types::TensorTypeId> m_types; ///< per node, as specific as the planned inputs allow
    std::vector<Facts> m_facts;               ///< per node
    std::vector<bool> m_needsTensor;
    std::vector<Place> m_places;
    std::vector<ir::NodeId> m_roots;   ///< per node: the value whose memory it is, itself unless it is a view
    std::vector<ir::NodeId> m_lastUse; ///< per root: the last node that reads it or a view of it
    std::vector<std::size_t> m_offsets; ///< per root in the slab
    SlabLayout m_layout;
    std::vector<types::TensorTypeId> m_inputTypes; ///< of the node whose kernel is chosen
};

} // namespace retracescope::runtime
