#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <graph_def.pb.h>

#include <retracescope/session/session.h>

namespace retracescope::importers {

/// What a graph's inputs and names say that the user has to be told.
struct GraphFlaws {
    std::int64_t danglingInputs = 0;
    std::vector<std::string> danglingNames; ///< the first ones
    std::int64_t sharedNames = 0;           ///< nodes whose name an earlier node has
    std::vector<std::string> sharedNamesList;
};

/// Builds one graph of a session node by node; edges are resolved when all names are known.
class GraphBuilder {
public:
    GraphBuilder(session::Session& session, std::string_view name, bool isLibraryFunction);

    /// A function's argument, a source of edges that is no node.
    void addArgument(std::string_view name, std::string type);

    void addNode(const graph_def::Node& node);

    /// What the graph returns: "node:out:0", an argument's name, or a node for its side effects.
    void addOutput(std::string_view source, bool control);

    /// Resolves the edges and adds the graph to the session.
    session::GraphId finish(GraphFlaws& flaws);

private:
    session::GraphEdge resolve(std::string_view source, GraphFlaws& flaws) const;

    session::Session& m_session;
    session::Graph m_graph;
    std::unordered_map<std::string, std::uint32_t> m_nodes;         ///< the first node of each name
    std::unordered_map<std::string, session::StringId> m_arguments; ///< name -> type
    std::vector<session::StringId> m_inputs;                        ///< as written, grouped by consumer
    std::vector<std::pair<std::string, bool>> m_outputs;
    std::vector<std::string> m_sharedNames;
};

/// Links callees to graphs of the session by name, and TF1's calls, whose op is the function's name.
void linkCallees(session::Session& session);

} // namespace retracescope::importers
