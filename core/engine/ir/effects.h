#pragma once

#include <vector>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::ir {

/// A variable, iterator or dataset that a graph touches: a captured one by its storage, any other by the node
/// of its handle.
struct ResourceUse {
    const tensor::Resource* captured = nullptr;
    NodeId argument = kNoNode; ///< the node of the handle, if not captured
    bool reads = false;        ///< its value goes somewhere
    bool writes = false;

    bool isSameVariable(const ResourceUse& other) const {
        return captured == other.captured && argument == other.argument;
    }
};

/// Every variable that a node touches, those of the graphs that it runs included, in order of first use.
std::vector<ResourceUse> resourcesOf(const Graph& graph, NodeId node);

/// Every variable that the graph, the graphs it calls and its branches touch, in order of first use.
std::vector<ResourceUse> resourcesOf(const Graph& graph);

/// `to` must run after `from` although it takes nothing from it.
struct ControlEdge {
    NodeId from;
    NodeId to;
    bool operator==(const ControlEdge&) const = default;
};

/// The order that effects demand (features.md, row 78): a read follows the last write of its variable, a
/// write the last write and all reads since; what touches the outside world follows its like. Running in node
/// order keeps all of them; these are for whoever draws or reorders the graph.
std::vector<ControlEdge> controlEdges(const Graph& graph);

} // namespace retracescope::ir
