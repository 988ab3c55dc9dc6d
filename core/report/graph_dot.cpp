#include <retracescope/report/graph_dot.h>

#include <fmt/format.h>

#include <retracescope/layout/node_roles.h>
#include <retracescope/layout/scope_tree.h>

namespace retracescope::report {

namespace {

/// A quoted DOT string. Line breaks become the escape for one; other control characters are left out.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
    }
    return out + "\"";
}

const char* styleOf(layout::NodeRole role) {
    switch (role) {
    case layout::NodeRole::Input:
        return ", style=\"rounded,filled\", fillcolor=\"#DCEAF8\"";
    case layout::NodeRole::Constant:
        return ", style=filled, fillcolor=\"#ECEEF1\"";
    case layout::NodeRole::Weight:
        return ", style=filled, fillcolor=\"#F7F0D2\"";
    case layout::NodeRole::Operation:
        break;
    }
    return "";
}

class DotWriter {
public:
    DotWriter(const session::Session& session, const session::Graph& graph)
        : m_session(session), m_graph(graph), m_tree(layout::buildScopeTree(session, graph)) {}

    std::string run() {
        m_out = fmt::format("digraph {} {{\n", quoted(m_session.text(m_graph.name)));
        m_out += "  rankdir=TB;\n  node [shape=box, fontname=\"DejaVu Sans\", fontsize=11];\n"
                 "  edge [fontname=\"DejaVu Sans Mono\", fontsize=9, color=\"#525A66\"];\n";
        writeScope(0, "  ");
        for (std::uint32_t row = 0; row < m_graph.nodes.size(); ++row) {
            const session::GraphNode& node = m_graph.nodes[row];
            for (std::uint32_t i = 0; i < node.inputCount; ++i)
                writeEdge(m_graph.inputs[node.firstInput + i], fmt::format("n{}", row));
        }
        for (std::size_t i = 0; i < m_graph.outputs.size(); ++i) {
            m_out += fmt::format("  result{} [label=\"result {}\", style=rounded];\n", i, i);
            writeEdge(m_graph.outputs[i], fmt::format("result{}", i));
        }
        return m_out + "}\n";
    }

private:
    void writeScope(std::uint32_t scope, const std::string& indent) {
        for (const std::uint32_t row : m_tree.scopes[scope].nodes)
            writeNode(row, indent);
        for (const std::uint32_t inner : m_tree.scopes[scope].scopes) {
            if (m_tree.scopes[inner].isPart) { // a part is no scope of the program
                writeScope(inner, indent);
                continue;
            }
            m_out += fmt::format("{}subgraph cluster_{} {{\n{}  label={};\n", indent, inner, indent,
                                 quoted(m_tree.scopes[inner].name));
            writeScope(inner, indent + "  ");
            m_out += indent + "}\n";
        }
    }

    void writeNode(std::uint32_t row, const std::string& indent) {
        const session::GraphNode& node = m_graph.nodes[row];
        const std::string_view name = m_session.text(node.name);
        const std::string_view op = m_session.text(node.op);
        std::string label = fmt::format("{}\n{}", layout::shortName(name), op);
        if (!m_session.text(node.type).empty())
            label += fmt::format("\n{}", m_session.text(node.type));
        std::string tooltip(name);
        if (!m_session.text(node.file).empty())
            tooltip += fmt::format(" {}:{}", m_session.text(node.file), node.line);
        m_out += fmt::format("{}n{} [label={}, tooltip={}{}];\n", indent, row, quoted(label), quoted(tooltip),
                             styleOf(layout::roleOfOp(op)));
    }

    void writeEdge(const session::GraphEdge& edge, const std::string& to) {
        std::string from = fmt::format("n{}", edge.from);
        if (edge.from >= m_graph.nodes.size()) {
            from = fmt::format("outside{}", m_outside++);
            m_out += fmt::format("  {} [label={}, shape=plaintext];\n", from,
                                 quoted(m_session.text(edge.external)));
        }
        std::string attributes = edge.control ? " [style=dashed]" : "";
        if (!edge.control && !m_session.text(edge.type).empty())
            attributes = fmt::format(" [label={}]", quoted(m_session.text(edge.type)));
        m_out += fmt::format("  {} -> {}{};\n", from, to, attributes);
    }

    const session::Session& m_session;
    const session::Graph& m_graph;
    layout::ScopeTree m_tree;
    std::string m_out;
    std::size_t m_outside = 0;
};

} // namespace

std::string graphDot(const session::Session& session, const session::Graph& graph) {
    return DotWriter(session, graph).run();
}

} // namespace retracescope::report
