#include <retracescope/session/graph_columns.h>

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include <retracescope/base/units.h>

namespace retracescope::session {

namespace {

void appendEdge(const GraphEdge& edge, GraphEdgeTable& to) {
    to.source.push_back(edge.from);
    to.output.push_back(edge.output);
    to.control.push_back(edge.control ? 1 : 0);
    to.external.push_back(edge.external);
    to.type.push_back(edge.type);
}

GraphEdge edgeAt(const GraphEdgeTable& from, std::size_t row) {
    return {from.source[row], from.output[row], from.control[row] != 0, from.external[row], from.type[row]};
}

bool comesFrom(const GraphEdge& edge, const Graph& graph) {
    return edge.from == Id<void>::kNone || edge.from < graph.nodes.size();
}

/// Takes graph after graph from the tables.
class Assembly {
public:
    Assembly(const GraphTables& parts, std::size_t graphs) : m_parts(parts), m_graphs(graphs) {}

    /// Empty if all rows that the graph claims are there; else the table that is too short.
    std::string_view shortTable(const GraphExtent& extent) const {
        const auto isShort = [](const auto& table, std::size_t at, std::size_t count) {
            return count > table.size() - at;
        };
        if (isShort(m_parts.nodes, m_nodes, extent.nodes))
            return "graph_nodes";
        if (isShort(m_parts.inputs, m_inputs, extent.inputs))
            return "graph_inputs";
        if (isShort(m_parts.attributes, m_attributes, extent.attributes))
            return "graph_attributes";
        if (isShort(m_parts.callees, m_callees, extent.callees))
            return "graph_callees";
        return isShort(m_parts.outputs, m_outputs, extent.outputs) ? "graph_outputs" : "";
    }

    /// False if the parts contradict each other.
    bool take(const GraphExtent& extent, Graph& graph) {
        const bool sound = takeNodes(extent, graph) && takeOthers(extent, graph);
        if (!sound)
            keepNodesAlone(graph);
        m_nodes += extent.nodes;
        m_inputs += extent.inputs;
        m_attributes += extent.attributes;
        m_callees += extent.callees;
        m_outputs += extent.outputs;
        return sound;
    }

    std::size_t lostCallees = 0; ///< that are no graph of the session

    /// Rows that no graph has claimed.
    std::size_t left() const {
        return m_parts.nodes.size() - m_nodes + m_parts.inputs.size() - m_inputs + m_parts.attributes.size() -
               m_attributes + m_parts.callees.size() - m_callees + m_parts.outputs.size() - m_outputs;
    }

private:
    bool takeNodes(const GraphExtent& extent, Graph& graph) const {
        const GraphNodeTable& from = m_parts.nodes;
        std::uint64_t inputs = 0;
        std::uint64_t attributes = 0;
        std::uint64_t callees = 0;
        graph.nodes.reserve(extent.nodes);
        for (std::size_t row = m_nodes; row < m_nodes + extent.nodes; ++row) {
            // A sum beyond the extent is refused below, so that what is cut off here is never used.
            graph.nodes.push_back({from.name[row], from.op[row], from.type[row], from.device[row],
                                   from.file[row], from.line[row], static_cast<std::uint32_t>(inputs),
                                   from.inputs[row], static_cast<std::uint32_t>(attributes),
                                   from.attributes[row], static_cast<std::uint32_t>(callees),
                                   from.callees[row]});
            inputs += from.inputs[row];
            attributes += from.attributes[row];
            callees += from.callees[row];
        }
        return inputs == extent.inputs && attributes == extent.attributes && callees == extent.callees;
    }

    bool takeOthers(const GraphExtent& extent, Graph& graph) {
        bool sound = true;
        const auto takeEdges = [&](const GraphEdgeTable& from, std::size_t at, std::uint32_t count,
                                   std::vector<GraphEdge>& to) {
            to.reserve(count);
            for (std::size_t row = at; row < at + count; ++row) {
                to.push_back(edgeAt(from, row));
                sound &= comesFrom(to.back(), graph);
            }
        };
        takeEdges(m_parts.inputs, m_inputs, extent.inputs, graph.inputs);
        takeEdges(m_parts.outputs, m_outputs, extent.outputs, graph.outputs);
        for (std::size_t row = m_attributes; row < m_attributes + extent.attributes; ++row)
            graph.attributes.push_back({m_parts.attributes.name[row], m_parts.attributes.value[row]});
        for (std::size_t row = m_callees; row < m_callees + extent.callees; ++row) {
            GraphId callee = m_parts.callees.callee[row];
            if (callee.isValid() && callee.value >= m_graphs) {
                callee = {};
                ++lostCallees;
            }
            graph.callees.push_back({m_parts.callees.role[row], m_parts.callees.name[row], callee});
        }
        return sound;
    }

    static void keepNodesAlone(Graph& graph) {
        for (GraphNode& node : graph.nodes) {
            node.firstInput = node.inputCount = 0;
            node.firstAttribute = node.attributeCount = 0;
            node.firstCallee = node.calleeCount = 0;
        }
        graph.inputs.clear();
        graph.attributes.clear();
        graph.callees.clear();
        graph.outputs.clear();
    }

    const GraphTables& m_parts;
    std::size_t m_graphs;
    std::size_t m_nodes = 0, m_inputs = 0, m_attributes = 0, m_callees = 0, m_outputs = 0; ///< taken
};

} // namespace

GraphExtent appendGraph(const Graph& graph, GraphTables& to) {
    const auto rows = [](const auto& table) { return static_cast<std::uint32_t>(table.size()); };
    const GraphExtent before{rows(to.nodes), rows(to.inputs), rows(to.attributes), rows(to.callees),
                             rows(to.outputs)};
    GraphNodeTable& nodes = to.nodes;
    for (const GraphNode& n : graph.nodes) {
        nodes.name.push_back(n.name);
        nodes.op.push_back(n.op);
        nodes.type.push_back(n.type);
        nodes.device.push_back(n.device);
        nodes.file.push_back(n.file);
        nodes.line.push_back(n.line);
        nodes.inputs.push_back(n.inputCount);
        nodes.attributes.push_back(n.attributeCount);
        nodes.callees.push_back(n.calleeCount);
        for (std::uint32_t i = 0; i < n.inputCount; ++i)
            appendEdge(graph.inputs[n.firstInput + i], to.inputs);
        for (std::uint32_t i = 0; i < n.attributeCount; ++i) {
            to.attributes.name.push_back(graph.attributes[n.firstAttribute + i].name);
            to.attributes.value.push_back(graph.attributes[n.firstAttribute + i].value);
        }
        for (std::uint32_t i = 0; i < n.calleeCount; ++i) {
            const GraphCallee& callee = graph.callees[n.firstCallee + i];
            to.callees.role.push_back(callee.role);
            to.callees.name.push_back(callee.name);
            to.callees.callee.push_back(callee.graph);
        }
    }
    for (const GraphEdge& edge : graph.outputs)
        appendEdge(edge, to.outputs);
    return {rows(to.nodes) - before.nodes, rows(to.inputs) - before.inputs,
            rows(to.attributes) - before.attributes, rows(to.callees) - before.callees,
            rows(to.outputs) - before.outputs};
}

Status assembleGraphs(const GraphTables& parts, const std::vector<GraphExtent>& extents, Session& session) {
    Assembly assembly(parts, session.graphs.size());
    std::size_t broken = 0;
    for (std::size_t row = 0; row < extents.size(); ++row) {
        if (const std::string_view table = assembly.shortTable(extents[row]); !table.empty())
            return Error{fmt::format("graphs row {}: claims more rows of stream {} than it has", row, table)};
        if (extents[row] == GraphExtent{})
            continue;
        Graph& graph = session.graphs[row];
        if (!graph.nodes.empty() || !graph.outputs.empty())
            return Error{
                fmt::format("graphs row {}: its parts lie in tables and in streams; one is enough", row)};
        broken += assembly.take(extents[row], graph) ? 0 : 1;
    }
    if (broken > 0)
        session.warnings.push_back(fmt::format(
            "{} of {} graphs have nodes alone: what their nodes count does not add up, or an edge "
            "comes from no node",
            broken, session.graphs.size()));
    if (assembly.lostCallees > 0)
        session.warnings.push_back(
            fmt::format("{} of nodes left out: they are no graphs of the file",
                        formatPlural(static_cast<std::int64_t>(assembly.lostCallees), "callee", "callees")));
    if (assembly.left() > 0)
        session.warnings.push_back(
            fmt::format("{} of graph streams left out: no graph claims them",
                        formatPlural(static_cast<std::int64_t>(assembly.left()), "row", "rows")));
    return Done{};
}

} // namespace retracescope::session
