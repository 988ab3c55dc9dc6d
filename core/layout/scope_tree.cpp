#include <retracescope/layout/scope_tree.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

namespace retracescope::layout {

namespace {

constexpr std::size_t kParts = 24; // per scope that is cut: as many as one screen shows

std::uint32_t addScope(ScopeTree& tree, std::uint32_t parent, std::string name, std::string path,
                       bool isPart) {
    Scope scope;
    scope.name = std::move(name);
    scope.path = std::move(path);
    scope.parent = parent;
    scope.depth = tree.scopes[parent].depth + 1;
    scope.isPart = isPart;
    tree.scopes.push_back(std::move(scope));
    return static_cast<std::uint32_t>(tree.scopes.size() - 1);
}

/// A node or a scope directly inside a scope, with the row that orders it.
struct Item {
    std::uint32_t firstNode = 0;
    std::uint32_t id = 0;
    bool isScope = false;
};

std::vector<std::uint32_t> firstNodes(const ScopeTree& tree) {
    std::vector<std::uint32_t> first(tree.scopes.size(), session::GraphEdge().from);
    for (std::size_t node = tree.scopeOfNode.size(); node-- > 0;) {
        std::uint32_t scope = tree.scopeOfNode[node];
        first[scope] = static_cast<std::uint32_t>(node);
        while (scope != 0) {
            scope = tree.scopes[scope].parent;
            first[scope] = std::min(first[scope], static_cast<std::uint32_t>(node));
        }
    }
    return first;
}

/// Moves items [begin, end) of `scope` into a new part, and cuts that again if it is still too long.
void cut(ScopeTree& tree, std::uint32_t scope, std::vector<Item> items) {
    if (items.size() <= kLargestScope)
        return;
    tree.scopes[scope].nodes.clear();
    tree.scopes[scope].scopes.clear();
    for (std::size_t p = 0; p < kParts; ++p) {
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(items.size() * p / kParts);
        const auto end = items.begin() + static_cast<std::ptrdiff_t>(items.size() * (p + 1) / kParts);
        std::string name = fmt::format("part {} of {}", p + 1, kParts);
        std::string path = tree.scopes[scope].path;
        path += (path.empty() ? "" : "/") + name;
        const std::uint32_t part = addScope(tree, scope, std::move(name), std::move(path), true);
        tree.scopes[scope].scopes.push_back(part);
        for (auto item = begin; item != end; ++item) {
            (item->isScope ? tree.scopes[part].scopes : tree.scopes[part].nodes).push_back(item->id);
            if (item->isScope)
                tree.scopes[item->id].parent = part;
            else
                tree.scopeOfNode[item->id] = part;
        }
        cut(tree, part, std::vector<Item>(begin, end));
    }
}

void cutLongScopes(ScopeTree& tree) {
    const std::vector<std::uint32_t> first = firstNodes(tree);
    const std::size_t count = tree.scopes.size();
    for (std::uint32_t s = 0; s < count; ++s) {
        const Scope& scope = tree.scopes[s];
        if (scope.nodes.size() + scope.scopes.size() <= kLargestScope)
            continue;
        std::vector<Item> items;
        for (const std::uint32_t node : scope.nodes)
            items.push_back({node, node, false});
        for (const std::uint32_t inner : scope.scopes)
            items.push_back({first[inner], inner, true});
        std::ranges::sort(items, {}, &Item::firstNode);
        cut(tree, s, std::move(items));
    }
}

/// Depths change when parts come in between; counts are sums from the leaves up.
void finish(ScopeTree& tree) {
    std::vector<std::uint32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const std::uint32_t inner : tree.scopes[order[i]].scopes) {
            tree.scopes[inner].depth = tree.scopes[order[i]].depth + 1;
            order.push_back(inner);
        }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
        Scope& scope = tree.scopes[order[i]];
        scope.nodeCount = static_cast<std::uint32_t>(scope.nodes.size());
        for (const std::uint32_t inner : scope.scopes)
            scope.nodeCount += tree.scopes[inner].nodeCount;
    }
}

ScopeTree scopesOfNames(const session::Session& session, const session::Graph& graph) {
    ScopeTree tree;
    tree.scopes.emplace_back();
    std::unordered_map<std::string_view, std::uint32_t> known; // path, a view into the node's name
    for (std::uint32_t row = 0; row < graph.nodes.size(); ++row) {
        const std::string_view name = session.text(graph.nodes[row].name);
        std::uint32_t scope = 0;
        std::size_t start = 0;
        for (std::size_t slash = name.find('/'); slash != std::string_view::npos && slash + 1 < name.size();
             slash = name.find('/', slash + 1)) {
            if (slash == start) {
                start = slash + 1;
                continue; // "//" and a leading '/' make no scope
            }
            const std::string_view path = name.substr(0, slash);
            const auto [it, isNew] = known.try_emplace(path, 0);
            if (isNew) {
                it->second = addScope(tree, scope, std::string(path.substr(start)), std::string(path), false);
                tree.scopes[scope].scopes.push_back(it->second);
            }
            scope = it->second;
            start = slash + 1;
        }
        tree.scopes[scope].nodes.push_back(row);
        tree.scopeOfNode.push_back(scope);
    }
    finish(tree);
    return tree;
}

/// Finds scopes of equal structure beside each other and puts each run of them into a scope of its own.
class Runs {
public:
    Runs(const session::Graph& graph, ScopeTree& tree)
        : m_graph(graph), m_tree(tree), m_place(graph.nodes.size(), kOutside) {}

    void group() {
        const auto count = static_cast<std::uint32_t>(m_tree.scopes.size());
        m_hash.resize(count);
        for (std::uint32_t scope = 0; scope < count; ++scope)
            groupIn(scope);
        finish(m_tree);
    }

private:
    static constexpr std::uint32_t kOutside = session::GraphEdge().from;

    void groupIn(std::uint32_t scope) {
        const std::vector<std::uint32_t> inner = m_tree.scopes[scope].scopes;
        std::vector<std::uint32_t> kept;
        for (std::size_t begin = 0; begin < inner.size();) {
            std::size_t end = begin + 1;
            while (end < inner.size() && areEqual(inner[begin], inner[end]))
                ++end;
            if (end - begin > 1)
                kept.push_back(addRun(scope, std::span(inner).subspan(begin, end - begin)));
            else
                kept.push_back(inner[begin]);
            begin = end;
        }
        m_tree.scopes[scope].scopes = std::move(kept);
    }

    std::uint32_t addRun(std::uint32_t parent, std::span<const std::uint32_t> equal) {
        const std::string& first = m_tree.scopes[equal.front()].name;
        const std::string& last = m_tree.scopes[equal.back()].name;
        std::string name =
            fmt::format("{}{}{} ({} equal)", first, equal.size() == 2 ? ", " : " … ", last, equal.size());
        std::string path = m_tree.scopes[parent].path;
        path += (path.empty() ? "" : "/") + name;
        const std::uint32_t run = addScope(m_tree, parent, std::move(name), std::move(path), true);
        m_tree.scopes[run].isRun = true;
        m_tree.scopes[run].scopes.assign(equal.begin(), equal.end());
        for (const std::uint32_t scope : equal)
            m_tree.scopes[scope].parent = run;
        return run;
    }

    bool areEqual(std::uint32_t a, std::uint32_t b) {
        const std::uint32_t nodes = m_tree.scopes[a].nodeCount;
        return nodes > 1 && nodes == m_tree.scopes[b].nodeCount && hashOf(a) == hashOf(b);
    }

    void collect(std::uint32_t scope, std::vector<std::uint32_t>& rows) const {
        rows.insert(rows.end(), m_tree.scopes[scope].nodes.begin(), m_tree.scopes[scope].nodes.end());
        for (const std::uint32_t inner : m_tree.scopes[scope].scopes)
            collect(inner, rows);
    }

    /// Of ops, types and edges, nodes named by their place within the scope. Never 0.
    std::uint64_t hashOf(std::uint32_t scope) {
        if (m_hash[scope] != 0)
            return m_hash[scope];
        std::vector<std::uint32_t> rows;
        collect(scope, rows);
        std::ranges::sort(rows);
        for (std::size_t i = 0; i < rows.size(); ++i)
            m_place[rows[i]] = static_cast<std::uint32_t>(i);
        std::uint64_t hash = 1;
        const auto add = [&](std::uint64_t value) {
            hash ^= value + 0x9e3779b97f4a7c15 + (hash << 12) + (hash >> 4);
            hash *= 0xff51afd7ed558ccd;
        };
        for (const std::uint32_t row : rows) {
            const session::GraphNode& node = m_graph.nodes[row];
            add(node.op.value);
            add(node.type.value);
            add(node.inputCount);
            for (std::uint32_t i = 0; i < node.inputCount; ++i) {
                const session::GraphEdge& edge = m_graph.inputs[node.firstInput + i];
                add(edge.from < m_graph.nodes.size() ? m_place[edge.from] : kOutside);
                add(std::uint64_t{edge.output} << 1 | (edge.control ? 1 : 0));
            }
        }
        for (const std::uint32_t row : rows)
            m_place[row] = kOutside;
        m_hash[scope] = std::max<std::uint64_t>(hash, 1);
        return m_hash[scope];
    }

    const session::Graph& m_graph;
    ScopeTree& m_tree;
    std::vector<std::uint64_t> m_hash;  ///< by scope; 0: not known yet
    std::vector<std::uint32_t> m_place; ///< by row: within the scope that is looked at
};

} // namespace

std::string_view shortName(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos || slash + 1 == name.size() ? name : name.substr(slash + 1);
}

bool ScopeTree::isWithin(std::uint32_t inner, std::uint32_t outer) const {
    while (inner != outer && inner != 0)
        inner = scopes[inner].parent;
    return inner == outer;
}

ScopeTree buildScopeTree(const session::Session& session, const session::Graph& graph) {
    ScopeTree tree = scopesOfNames(session, graph);
    cutLongScopes(tree);
    finish(tree);
    return tree;
}

ScopeTree buildScopeTreeWithRuns(const session::Session& session, const session::Graph& graph) {
    ScopeTree tree = scopesOfNames(session, graph);
    Runs(graph, tree).group();
    cutLongScopes(tree);
    finish(tree);
    return tree;
}

} // namespace retracescope::layout
