#pragma once

#include <sstream>
#include <string>

#include <retracescope/session/session.h>

namespace retracescope::test {

/// A graph written as lines "name = Op(input, input)"; an input is a node's name, "^name" for a control edge.
struct TextGraph {
    session::Session session;
    session::Graph graph;
};

inline TextGraph graphFromText(const std::string& text, const std::string& result = {}) {
    TextGraph out;
    session::StringPool& strings = out.session.strings;
    std::unordered_map<std::string, std::uint32_t> rows;
    const auto edgeTo = [&](std::string name) {
        session::GraphEdge edge;
        edge.control = name.starts_with('^');
        name = edge.control ? name.substr(1) : name;
        if (rows.contains(name))
            edge.from = rows.at(name);
        else
            edge.external = strings.intern(name);
        edge.type = strings.intern("float32[2]");
        return edge;
    };
    std::istringstream lines(text);
    std::string line;
    std::vector<std::string> arguments;
    while (std::getline(lines, line)) { // first all names: an input may stand below
        const std::size_t equals = line.find(" = ");
        if (equals == std::string::npos)
            continue;
        rows.emplace(line.substr(0, equals), static_cast<std::uint32_t>(rows.size()));
        session::GraphNode node;
        const std::size_t open = line.find('(');
        node.name = strings.intern(line.substr(0, equals));
        node.op = strings.intern(line.substr(equals + 3, open - equals - 3));
        node.type = strings.intern("float32[2]");
        out.graph.nodes.push_back(node);
        arguments.push_back(line.substr(open + 1, line.rfind(')') - open - 1));
    }
    for (std::size_t row = 0; row < arguments.size(); ++row) {
        session::GraphNode& node = out.graph.nodes[row];
        node.firstInput = static_cast<std::uint32_t>(out.graph.inputs.size());
        std::istringstream words(arguments[row]);
        for (std::string word; words >> word; ++node.inputCount)
            out.graph.inputs.push_back(edgeTo(word.ends_with(',') ? word.substr(0, word.size() - 1) : word));
    }
    if (!result.empty())
        out.graph.outputs.push_back(edgeTo(result));
    out.graph.name = strings.intern("g");
    return out;
}

} // namespace retracescope::test
