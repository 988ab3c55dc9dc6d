#include <retracescope/layout/graph_fold.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/base/units.h>
#include <retracescope/layout/node_roles.h>

namespace retracescope::layout {

namespace {

constexpr std::size_t kFewBoxes = 40; // what a folded graph opens with at most
constexpr std::size_t kMostOutputs = 6;
constexpr std::size_t kLongestTitle = 32; // letters

/// The middle goes: names differ at their ends.
std::string elided(std::string_view text, std::size_t letters = kLongestTitle) {
    if (text.size() <= letters)
        return std::string(text);
    const std::size_t half = letters / 2;
    return fmt::format("{}…{}", text.substr(0, half), text.substr(text.size() - half + 1));
}

/// One value on its way to one box.
struct Use {
    std::uint32_t node = 0;
    std::uint32_t output = 0;
    std::uint32_t toBox = 0;
    std::uint32_t toNode = 0; ///< row, for the name of what reads it
    bool control = false;
    session::StringId type;

    auto value() const { return std::tuple(node, output, control); }
};

class Folding {
public:
    Folding(const session::Session& session, const session::Graph& graph, const ScopeTree& tree,
            const OpenScopes& open, bool foldSides)
        : m_session(session), m_graph(graph), m_tree(tree), m_open(open),
          m_isSide(foldSides ? findSideNodes(session, graph) : std::vector<bool>(graph.nodes.size(), false)) {
    }

    FoldedGraph run() {
        m_out.boxOfNode.assign(m_graph.nodes.size(), kNoBox);
        m_clusterOfScope.assign(m_tree.scopes.size(), kNoCluster);
        m_boxOfScope.assign(m_tree.scopes.size(), kNoBox);
        openClusters(0);
        makeBoxes();
        makeOutputs();
        collectUses();
        connect();
        addSidePills();
        return std::move(m_out);
    }

private:
    void openClusters(std::uint32_t scope);
    void makeBoxes();
    void makeOutputs();
    void addOutput(std::size_t place, std::string title, const session::GraphEdge& edge);
    void collectUses();
    void connect();
    void connectValue(std::span<const Use> uses);
    void addSidePills();
    std::string nodeSubtitle(const session::GraphNode& node) const;
    std::string_view sideName(std::uint32_t node) const;
    std::string_view nameOf(std::uint32_t node) const {
        return shortName(m_session.text(m_graph.nodes[node].name));
    }

    const session::Session& m_session;
    const session::Graph& m_graph;
    const ScopeTree& m_tree;
    const OpenScopes& m_open;
    std::vector<bool> m_isSide;
    FoldedGraph m_out;
    std::vector<std::int32_t> m_clusterOfScope;
    std::vector<std::uint32_t> m_boxOfScope;
    std::vector<Use> m_uses;
    std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> m_edges;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_popular; ///< box -> values read there without lines
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_sides;  ///< box -> constants and weights read there
    std::map<std::uint32_t, std::vector<std::string>> m_external; ///< box -> names
};

std::string countText(std::uint32_t nodes) {
    return formatPlural(nodes, "node", "nodes");
}

void Folding::openClusters(std::uint32_t scope) {
    for (const std::uint32_t inner : m_tree.scopes[scope].scopes) {
        if (!m_open[inner])
            continue;
        m_clusterOfScope[inner] = static_cast<std::int32_t>(m_out.clusters.size());
        const Scope& s = m_tree.scopes[inner];
        m_out.clusters.push_back({inner, m_clusterOfScope[scope], elided(s.name), countText(s.nodeCount)});
        openClusters(inner);
    }
}

std::string Folding::nodeSubtitle(const session::GraphNode& node) const {
    const std::string_view op = m_session.text(node.op);
    const std::string_view type = m_session.text(node.type);
    if (type.empty())
        return elided(op);
    if (isVariableHandle(op, type))
        return "variable";
    return fmt::format("{} · {}", elided(op, 20), elided(type, 28));
}

/// In the order of the nodes, which the layout keeps where it can.
void Folding::makeBoxes() {
    for (std::uint32_t row = 0; row < m_graph.nodes.size(); ++row) {
        const std::uint32_t scope = m_tree.scopeOfNode[row];
        std::uint32_t closed = kNoBox; // the outermost closed scope around the node
        for (std::uint32_t s = scope; s != 0; s = m_tree.scopes[s].parent)
            closed = m_open[s] ? closed : s;
        if (closed != kNoBox) {
            if (m_boxOfScope[closed] == kNoBox) {
                m_boxOfScope[closed] = static_cast<std::uint32_t>(m_out.boxes.size());
                const Scope& s = m_tree.scopes[closed];
                m_out.boxes.push_back({BoxKind::Scope,
                                       closed,
                                       m_clusterOfScope[s.parent],
                                       0,
                                       s.isRun,
                                       false,
                                       elided(s.name),
                                       countText(s.nodeCount),
                                       {},
                                       {}});
            }
            m_out.boxOfNode[row] = m_boxOfScope[closed];
            ++m_out.boxes[m_boxOfScope[closed]].nodeCount;
        } else if (m_isSide[row]) {
            m_out.sideNodes.push_back(row);
        } else {
            m_out.boxOfNode[row] = static_cast<std::uint32_t>(m_out.boxes.size());
            m_out.boxes.push_back({BoxKind::Node,
                                   row,
                                   m_clusterOfScope[scope],
                                   1,
                                   false,
                                   roleOfOp(m_session.text(m_graph.nodes[row].op)) == NodeRole::Input,
                                   elided(nameOf(row)),
                                   nodeSubtitle(m_graph.nodes[row]),
                                   {},
                                   {}});
        }
    }
}

void Folding::addOutput(std::size_t place, std::string title, const session::GraphEdge& edge) {
    const auto box = static_cast<std::uint32_t>(m_out.boxes.size());
    const std::string_view type = m_session.text(edge.type);
    m_out.boxes.push_back({BoxKind::Output,
                           static_cast<std::uint32_t>(place),
                           kNoCluster,
                           0,
                           false,
                           false,
                           std::move(title),
                           elided(type),
                           {},
                           {}});
    if (edge.from < m_graph.nodes.size())
        m_uses.push_back({edge.from, edge.output, box, kNoBox, edge.control, edge.type});
    else
        m_external[box].emplace_back(m_session.text(edge.external));
}

void Folding::makeOutputs() {
    std::vector<const session::GraphEdge*> results;
    for (const session::GraphEdge& edge : m_graph.outputs) {
        if (!edge.control)
            results.push_back(&edge);
    }
    if (results.size() <= kMostOutputs) {
        for (std::size_t i = 0; i < results.size(); ++i)
            addOutput(i, results.size() == 1 ? "result" : fmt::format("result {}", i), *results[i]);
        return;
    }
    const auto box = static_cast<std::uint32_t>(m_out.boxes.size());
    m_out.boxes.push_back({BoxKind::Output,
                           0,
                           kNoCluster,
                           0,
                           false,
                           false,
                           formatPlural(static_cast<std::int64_t>(results.size()), "result", "results"),
                           {},
                           {},
                           {}});
    for (const session::GraphEdge* edge : results) {
        if (edge->from < m_graph.nodes.size())
            m_uses.push_back({edge->from, edge->output, box, kNoBox, false, edge->type});
    }
}

void Folding::collectUses() {
    for (std::uint32_t row = 0; row < m_graph.nodes.size(); ++row) {
        const session::GraphNode& node = m_graph.nodes[row];
        const std::uint32_t box = m_out.boxOfNode[row];
        if (box == kNoBox)
            continue;
        for (std::uint32_t i = 0; i < node.inputCount; ++i) {
            const session::GraphEdge& edge = m_graph.inputs[node.firstInput + i];
            if (edge.from < m_graph.nodes.size())
                m_uses.push_back({edge.from, edge.output, box, row, edge.control, edge.type});
            else if (!edge.control)
                m_external[box].emplace_back(m_session.text(edge.external));
        }
    }
}

/// All uses of one value. Few readers: lines, merged with what already joins the two boxes; many: pills.
void Folding::connectValue(std::span<const Use> uses) {
    const std::uint32_t node = uses.front().node;
    const std::uint32_t from = m_out.boxOfNode[node];
    if (from == kNoBox) {
        for (const Use& use : uses) {
            if (!use.control)
                m_sides[use.toBox].push_back(node);
        }
        return;
    }
    std::vector<std::uint32_t> readers;
    for (const Use& use : uses) {
        if (use.toBox != from)
            readers.push_back(use.toBox);
    }
    std::ranges::sort(readers);
    readers.erase(std::ranges::unique(readers).begin(), readers.end());
    if (readers.size() > kManyReaders) {
        for (const std::uint32_t reader : readers)
            m_popular[reader].push_back(node);
        m_out.boxes[from].right.push_back(
            {PillKind::Readers, fmt::format("{} readers", readers.size()), {node}});
        return;
    }
    for (const Use& use : uses) {
        if (use.toBox == from)
            continue;
        const auto [it, isNew] = m_edges.try_emplace({from, use.toBox, use.control},
                                                     static_cast<std::uint32_t>(m_out.edges.size()));
        if (isNew)
            m_out.edges.push_back({from, use.toBox, 0, use.control, use.type});
        FoldedEdge& edge = m_out.edges[it->second];
        if (edge.type != use.type)
            edge.type = {};
        ++edge.count;
    }
}

void Folding::connect() {
    std::ranges::stable_sort(m_uses, {}, &Use::value);
    for (auto begin = m_uses.begin(); begin != m_uses.end();) {
        const auto end =
            std::find_if(begin, m_uses.end(), [&](const Use& u) { return u.value() != begin->value(); });
        connectValue({begin, end});
        begin = end;
    }
    // Several popular values of one box share a pill.
    for (FoldedBox& box : m_out.boxes) {
        if (box.right.size() < 2)
            continue;
        Pill merged{PillKind::Readers, fmt::format("{} shared values", box.right.size()), {}};
        for (const Pill& pill : box.right)
            merged.nodes.insert(merged.nodes.end(), pill.nodes.begin(), pill.nodes.end());
        box.right = {std::move(merged)};
    }
}

/// A read or an identity goes by the name of what it passes on: "dense/kernel/read" of "dense/kernel" is
/// "kernel".
std::string_view Folding::sideName(std::uint32_t node) const {
    const session::GraphNode& row = m_graph.nodes[node];
    for (std::uint32_t i = 0; i < row.inputCount; ++i) {
        const session::GraphEdge& edge = m_graph.inputs[row.firstInput + i];
        if (!edge.control && edge.from < m_graph.nodes.size())
            return nameOf(edge.from);
    }
    return nameOf(node);
}

void Folding::addSidePills() {
    const auto unique = [](std::vector<std::uint32_t>& nodes) {
        std::ranges::sort(nodes);
        nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    };
    const auto add = [&](std::uint32_t box, PillKind kind, std::vector<std::uint32_t> nodes,
                         const char* plural) {
        if (nodes.empty())
            return;
        std::string text = nodes.size() == 1 ? elided(sideName(nodes.front()), 18)
                                             : fmt::format("{} {}", nodes.size(), plural);
        m_out.boxes[box].left.push_back({kind, std::move(text), std::move(nodes)});
    };
    for (auto& [box, nodes] : m_sides) {
        unique(nodes);
        std::vector<std::uint32_t> weights, constants;
        for (const std::uint32_t node : nodes) {
            const bool isWeight = roleOfOp(m_session.text(m_graph.nodes[node].op)) == NodeRole::Weight;
            (isWeight ? weights : constants).push_back(node);
        }
        add(box, PillKind::Weights, std::move(weights), "weights");
        add(box, PillKind::Constants, std::move(constants), "constants");
    }
    for (auto& [box, nodes] : m_popular) {
        unique(nodes);
        add(box, PillKind::Values, nodes, "shared values");
    }
    for (const auto& [box, names] : m_external) {
        std::string text =
            names.size() == 1 ? elided(names.front(), 18) : fmt::format("{} from outside", names.size());
        m_out.boxes[box].left.push_back({PillKind::External, std::move(text), {}});
    }
}

std::size_t boxesWithAllOpen(const session::Session& session, const session::Graph& graph) {
    const std::vector<bool> isSide = findSideNodes(session, graph);
    return static_cast<std::size_t>(std::ranges::count(isSide, false)) +
           std::min(graph.outputs.size(), kMostOutputs);
}

} // namespace

bool opensFolded(const session::Session& session, const session::Graph& graph, std::size_t mostBoxes) {
    return boxesWithAllOpen(session, graph) > mostBoxes;
}

OpenScopes initiallyOpen(const session::Session& session, const session::Graph& graph, const ScopeTree& tree,
                         std::size_t mostBoxes) {
    if (!opensFolded(session, graph, mostBoxes))
        return OpenScopes(tree.scopes.size(), true);
    OpenScopes open(tree.scopes.size(), false);
    open[0] = true;
    const std::size_t enough = std::min(kFewBoxes, mostBoxes);
    const auto size = [&](std::uint32_t s) {
        return tree.scopes[s].nodes.size() + tree.scopes[s].scopes.size();
    };
    std::size_t boxes = size(0);
    std::vector<std::uint32_t> closed = tree.scopes[0].scopes;
    for (;;) {
        auto best = closed.end();
        for (auto it = closed.begin(); it != closed.end(); ++it) {
            // A lone scope says nothing: it opens whatever is in it.
            if (tree.scopes[*it].isRun)
                continue; // equal ones stay folded until somebody wants to see them
            const bool fits = boxes - 1 + size(*it) <= (boxes == 1 ? mostBoxes : enough);
            if (fits && (best == closed.end() || tree.scopes[*it].nodeCount > tree.scopes[*best].nodeCount))
                best = it;
        }
        if (best == closed.end() || boxes >= enough / 2)
            return open;
        const std::uint32_t scope = *best;
        closed.erase(best);
        open[scope] = true;
        boxes += size(scope) - 1;
        closed.insert(closed.end(), tree.scopes[scope].scopes.begin(), tree.scopes[scope].scopes.end());
    }
}

FoldedGraph foldGraph(const session::Session& session, const session::Graph& graph, const ScopeTree& tree,
                      const OpenScopes& open, bool foldSides) {
    RETRACESCOPE_CHECK(open.size() == tree.scopes.size() && tree.scopeOfNode.size() == graph.nodes.size());
    return Folding(session, graph, tree, open, foldSides).run();
}

double estimatedTextWidth(std::string_view text, TextRole role) {
    const auto letters =
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    constexpr double kTitle = 8.2, kSmall = 6.7; // bold 12 and plain 11 pixels, measured over node names
    return static_cast<double>(letters) * (role == TextRole::Title ? kTitle : kSmall);
}

double pillWidth(const Pill& pill, const TextWidth& width) {
    return width(pill.text, TextRole::Pill) + 16;
}

BoxGraph sizeBoxes(const FoldedGraph& folded, const TextWidth& width) {
    constexpr double kInset = 12;
    constexpr double kLeast = 72;
    const auto room = [&](const std::vector<Pill>& pills) {
        double widest = 0;
        for (const Pill& pill : pills)
            widest = std::max(widest, pillWidth(pill, width) + kPillGap);
        return widest;
    };
    BoxGraph out;
    for (const FoldedBox& box : folded.boxes) {
        LayoutBox& sized = out.boxes.emplace_back();
        const double text =
            std::max(width(box.title, TextRole::Title), width(box.subtitle, TextRole::Subtitle));
        sized.width =
            std::max(kLeast, text + 2 * kInset + (box.kind == BoxKind::Scope ? 2 * kExpanderWidth : 0));
        sized.height = std::max(kBoxHeight,
                                static_cast<double>(std::max(box.left.size(), box.right.size())) * kPillStep);
        sized.left = room(box.left);
        sized.right = room(box.right);
        sized.cluster = box.cluster;
    }
    for (const FoldedEdge& edge : folded.edges)
        out.edges.push_back({edge.from, edge.to});
    for (const FoldedCluster& cluster : folded.clusters) {
        const double title =
            width(cluster.title, TextRole::Title) + width(cluster.subtitle, TextRole::Subtitle);
        out.clusters.push_back({cluster.parent, kClusterHeader, title + 60});
    }
    return out;
}

} // namespace retracescope::layout
