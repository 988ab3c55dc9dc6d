#include "views/graph/graph_search.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace retracescope::views {

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

struct Term {
    enum { Name, Op, Shape, File } where = Name;
    std::string text;
};

std::vector<Term> parse(const std::string& query) {
    std::vector<Term> terms;
    std::istringstream words(lower(query));
    for (std::string word; words >> word;) {
        Term term{Term::Name, word};
        if (word.starts_with("op:"))
            term = {Term::Op, word.substr(3)};
        else if (word.starts_with("shape:"))
            term = {Term::Shape, word.substr(6)};
        else if (word.starts_with("file:"))
            term = {Term::File, word.substr(5)};
        if (!term.text.empty())
            terms.push_back(term);
    }
    return terms;
}

} // namespace

std::vector<std::uint32_t> findNodes(const session::Session& session, const session::Graph& graph,
                                     const std::string& query) {
    const std::vector<Term> terms = parse(query);
    std::vector<std::uint32_t> found;
    for (std::uint32_t row = 0; !terms.empty() && row < graph.nodes.size(); ++row) {
        const session::GraphNode& node = graph.nodes[row];
        const bool fits = std::ranges::all_of(terms, [&](const Term& term) {
            const session::StringId where[] = {node.name, node.op, node.type, node.file};
            std::string text = lower(session.text(where[term.where]));
            if (term.where == Term::File)
                text += ":" + std::to_string(node.line);
            return text.find(term.text) != std::string::npos;
        });
        if (fits)
            found.push_back(row);
    }
    return found;
}

} // namespace retracescope::views
