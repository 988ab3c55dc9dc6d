#include <retracescope/report/graph_text.h>

#include <fmt/format.h>

#include <retracescope/base/text.h>
#include <retracescope/base/units.h>
#include <retracescope/report/tables.h>

namespace retracescope::report {

namespace {

constexpr std::size_t kLongestAttribute = 60; // letters; a constant's whole value would bury the listing
constexpr std::size_t kTypeColumn = 48;

std::string attributeText(std::string_view text) {
    return shortened(printable(text.substr(0, 4 * kLongestAttribute)), kLongestAttribute);
}

class Listing {
public:
    Listing(const session::Session& session, const session::Graph& graph)
        : m_session(session), m_graph(graph) {}

    std::string run() {
        const std::string_view name = m_session.text(m_graph.name);
        m_out =
            fmt::format("{}: {}, {}\n", name.empty() ? "graph" : name,
                        formatPlural(static_cast<std::int64_t>(m_graph.nodes.size()), "node", "nodes"),
                        formatPlural(static_cast<std::int64_t>(m_graph.outputs.size()), "result", "results"));
        for (const session::GraphNode& node : m_graph.nodes)
            writeNode(node);
        if (!m_graph.outputs.empty()) {
            m_out += "  return ";
            for (std::size_t i = 0; i < m_graph.outputs.size(); ++i)
                m_out += (i > 0 ? ", " : "") + value(m_graph.outputs[i]);
            m_out += '\n';
        }
        return m_out;
    }

private:
    /// "x", "split:1" for a second output, "^x" for a control edge.
    std::string value(const session::GraphEdge& edge) const {
        const bool inside = edge.from < m_graph.nodes.size();
        std::string out = edge.control ? "^" : "";
        out += inside ? m_session.text(m_graph.nodes[edge.from].name) : m_session.text(edge.external);
        if (inside && edge.output > 0)
            out += fmt::format(":{}", edge.output);
        return out;
    }

    std::string arguments(const session::GraphNode& node) const {
        std::string out;
        const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
        for (std::uint32_t i = 0; i < node.inputCount; ++i)
            add(value(m_graph.inputs[node.firstInput + i]));
        for (std::uint32_t i = 0; i < node.attributeCount; ++i) {
            const session::GraphAttribute& a = m_graph.attributes[node.firstAttribute + i];
            add(fmt::format("{}={}", m_session.text(a.name), attributeText(m_session.text(a.value))));
        }
        for (std::uint32_t i = 0; i < node.calleeCount; ++i) {
            const session::GraphCallee& c = m_graph.callees[node.firstCallee + i];
            add(fmt::format("{}→{}", m_session.text(c.role), m_session.text(c.name)));
        }
        return out;
    }

    void writeNode(const session::GraphNode& node) {
        std::string line =
            fmt::format("  {} = {}({})", m_session.text(node.name), m_session.text(node.op), arguments(node));
        const std::string_view type = m_session.text(node.type);
        const std::string_view file = m_session.text(node.file);
        if (!type.empty() || !file.empty())
            line = fmt::format("{:<{}}  {}", line, kTypeColumn, type);
        if (!file.empty())
            line = fmt::format("{:<{}}  {}:{}", line, kTypeColumn + 18, file, node.line);
        m_out += line + '\n';
    }

    const session::Session& m_session;
    const session::Graph& m_graph;
    std::string m_out;
};

} // namespace

std::string graphText(const session::Session& session, const session::Graph& graph) {
    return Listing(session, graph).run();
}

} // namespace retracescope::report
