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
    void addKernel(ir::NodeId node);
    bool reusesInput(ir::NodeId node);
    void placeInSlab(ir::NodeId node);
    void releaseDead(ir::NodeId node);
    void addTensorCommand(ir::NodeId node, Kernel kernel);
    void addUses();
    void addOutputs();

    bool isKnown(ir::NodeId node) const;
    bool runsOnTensors(ir::NodeId node) const;
    bool hasUnknownShapes(ir::NodeId node) const;
    bool isObjects(ir::NodeId node) const;
    std::size_t bytesOf(ir::NodeId node) const;

    Plan& m_plan;
    const ir::Graph& m_graph;
    std::vector<types::TensorTypeId> m_types; ///< per node, as specific as the planned inputs allow
    std::vector<bool> m_needsTensor;
    std::vector<Place> m_places;
    std::vector<ir::NodeId> m_roots;   ///< per node: the value whose memory it is, itself unless it is a view
    std::vector<ir::NodeId> m_lastUse; ///< per root: the last node that reads it or a view of it
    std::vector<std::size_t> m_offsets; ///< per root in the slab
    SlabLayout m_layout;
};

} // namespace retracescope::runtime
