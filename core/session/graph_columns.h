#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/base/result.h>
#include <retracescope/session/session.h>

/// The parts of graphs as columns (FORMAT.md 4): those of the first graph, then those of the second, and so
/// on; within a graph, a node's inputs, attributes and callees in the order of the nodes.
namespace retracescope::session {

struct GraphNodeTable {
    std::vector<StringId> name;
    std::vector<StringId> op;
    std::vector<StringId> type;
    std::vector<StringId> device;
    std::vector<StringId> file;
    std::vector<std::uint32_t> line;
    std::vector<std::uint32_t> inputs; ///< how many; so are the next two
    std::vector<std::uint32_t> attributes;
    std::vector<std::uint32_t> callees;

    std::size_t size() const { return name.size(); }
};

struct GraphEdgeTable {
    std::vector<std::uint32_t> source; ///< node of the same graph, or Id<void>::kNone
    std::vector<std::uint32_t> output;
    std::vector<std::uint8_t> control;
    std::vector<StringId> external;
    std::vector<StringId> type;

    std::size_t size() const { return source.size(); }
};

struct GraphAttributeTable {
    std::vector<StringId> name;
    std::vector<StringId> value;

    std::size_t size() const { return name.size(); }
};

struct GraphCalleeTable {
    std::vector<StringId> role;
    std::vector<StringId> name;
    std::vector<GraphId> callee;

    std::size_t size() const { return role.size(); }
};

struct GraphTables {
    GraphNodeTable nodes;
    GraphEdgeTable inputs;
    GraphAttributeTable attributes;
    GraphCalleeTable callees;
    GraphEdgeTable outputs;
};

/// How many rows of each table one graph takes.
struct GraphExtent {
    std::uint32_t nodes = 0, inputs = 0, attributes = 0, callees = 0, outputs = 0;

    bool operator==(const GraphExtent&) const = default;
};

/// Appends the parts of a graph.
GraphExtent appendGraph(const Graph& graph, GraphTables& to);

/// Fills the graphs of a session from their parts; `extents` are by graph. A graph whose parts contradict
/// each other keeps its nodes alone, which Session::warnings tells. The error names a graph that claims rows
/// which are not there.
Status assembleGraphs(const GraphTables& parts, const std::vector<GraphExtent>& extents, Session& session);

} // namespace retracescope::session
