#include <retracescope/report/graph_json.h>

#include <nlohmann/json.hpp>

namespace retracescope::report {

using Json = nlohmann::ordered_json;
using namespace session;

namespace {

Json orNull(std::string_view text) {
    return text.empty() ? Json() : Json(std::string(text));
}

std::string sourceOf(const Session& session, const Graph& graph, const GraphEdge& edge) {
    const bool inside = edge.from < graph.nodes.size();
    return std::string(session.text(inside ? graph.nodes[edge.from].name : edge.external));
}

Json nodeJson(const Session& session, const Graph& graph, const GraphNode& node) {
    Json inputs = Json::array();
    for (std::uint32_t i = 0; i < node.inputCount; ++i) {
        const GraphEdge& edge = graph.inputs[node.firstInput + i];
        inputs.push_back({{"from", sourceOf(session, graph, edge)},
                          {"output", edge.output},
                          {"control", edge.control},
                          {"type", orNull(session.text(edge.type))}});
    }
    Json attributes = Json::object();
    for (std::uint32_t i = 0; i < node.attributeCount; ++i) {
        const GraphAttribute& attribute = graph.attributes[node.firstAttribute + i];
        attributes[std::string(session.text(attribute.name))] = std::string(session.text(attribute.value));
    }
    Json calls = Json::array();
    for (std::uint32_t i = 0; i < node.calleeCount; ++i) {
        const GraphCallee& callee = graph.callees[node.firstCallee + i];
        calls.push_back({{"role", session.text(callee.role)}, {"name", session.text(callee.name)}});
    }
    return {{"name", session.text(node.name)},
            {"op", session.text(node.op)},
            {"type", orNull(session.text(node.type))},
            {"device", orNull(session.text(node.device))},
            {"file", orNull(session.text(node.file))},
            {"line", node.line == 0 ? Json() : Json(node.line)},
            {"inputs", inputs},
            {"attributes", attributes},
            {"calls", calls}};
}

} // namespace

std::string graphJson(const Session& session, const Graph& graph) {
    Json nodes = Json::array();
    for (const GraphNode& node : graph.nodes)
        nodes.push_back(nodeJson(session, graph, node));
    Json outputs = Json::array();
    for (const GraphEdge& output : graph.outputs)
        outputs.push_back({{"from", sourceOf(session, graph, output)},
                           {"output", output.output},
                           {"type", orNull(session.text(output.type))}});
    const Json answer{{"graph",
                       {{"name", session.text(graph.name)},
                        {"library", graph.isLibraryFunction},
                        {"nodes", nodes},
                        {"outputs", outputs}}}};
    return answer.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace retracescope::report
