#include <retracescope/engine/ir/effects.h>

#include <algorithm>

namespace retracescope::ir {

namespace {

/// The variable behind a handle, touched as `like` is.
ResourceUse variableAt(const Graph& graph, NodeId handle, ResourceUse like) {
    const auto capture = std::ranges::find(graph.captures(), handle, &Capture::node);
    const bool isCaptured = capture != graph.captures().end();
    like.captured = isCaptured ? capture->value.target().get() : nullptr;
    like.argument = isCaptured ? kNoNode : handle;
    return like;
}

void add(std::vector<ResourceUse>& uses, const ResourceUse& use) {
    const auto known =
        std::ranges::find_if(uses, [&](const ResourceUse& other) { return other.isSameVariable(use); });
    if (known == uses.end()) {
        uses.push_back(use);
        return;
    }
    known->reads |= use.reads;
    known->writes |= use.writes;
}

/// What a graph that runs with `arguments` of `outer` touches, in terms of `outer`.
void addInner(const Graph& outer, const Graph& inner, std::span<const NodeId> arguments,
              std::vector<ResourceUse>& uses) {
    for (ResourceUse use : resourcesOf(inner)) {
        if (!use.captured) {
            const auto place = std::ranges::find(inner.inputs(), use.argument) - inner.inputs().begin();
            if (place == std::ssize(inner.inputs()))
                continue; // made in there: nobody outside knows it
            use = variableAt(outer, arguments[static_cast<std::size_t>(place)], use);
        }
        add(uses, use);
    }
}

/// What happened to one variable so far.
struct History {
    ResourceUse variable;
    NodeId lastWrite = kNoNode;
    std::vector<NodeId> readsSince;
};

class EdgeCollector {
public:
    explicit EdgeCollector(const Graph& graph) : m_graph(graph) {}

    std::vector<ControlEdge> collect() {
        for (NodeId id = 0; id < m_graph.nodeCount(); ++id) {
            for (const ResourceUse& use : resourcesOf(m_graph, id))
                addUse(id, use);
            if (m_graph.effectOf(id) == Effect::Ordered) {
                addEdge(m_lastOrdered, id);
                m_lastOrdered = id;
            }
        }
        return std::move(m_edges);
    }

private:
    void addUse(NodeId id, const ResourceUse& use) {
        History& history = historyOf(use);
        addEdge(history.lastWrite, id);
        if (!use.writes) {
            history.readsSince.push_back(id);
            return;
        }
        for (const NodeId read : history.readsSince)
            addEdge(read, id);
        history.readsSince.clear();
        history.lastWrite = id;
    }

    History& historyOf(const ResourceUse& use) {
        for (History& history : m_histories) {
            if (history.variable.isSameVariable(use))
                return history;
        }
        return m_histories.emplace_back(History{use, kNoNode, {}});
    }

    /// An edge that a data edge or another control edge already makes is left out.
    void addEdge(NodeId from, NodeId to) {
        const bool isKnown = from == kNoNode || std::ranges::count(m_graph.inputsOf(to), from) > 0 ||
                             std::ranges::count(m_edges, ControlEdge{from, to}) > 0;
        if (!isKnown)
            m_edges.push_back({from, to});
    }

    const Graph& m_graph;
    std::vector<History> m_histories;
    NodeId m_lastOrdered = kNoNode;
    std::vector<ControlEdge> m_edges;
};

} // namespace

std::vector<ResourceUse> resourcesOf(const Graph& graph, NodeId node) {
    std::vector<ResourceUse> uses;
    const Op op = graph.node(node).op;
    const auto inputs = graph.inputsOf(node);
    for (const Graph* inner : graph.innerGraphsOf(node))
        addInner(graph, *inner, innerArguments(op, inputs), uses);
    if (opInfo(op).effect == Effect::Reads)
        uses.push_back(variableAt(graph, inputs[0], {.reads = true}));
    else if (opInfo(op).effect == Effect::Writes)
        uses.push_back(variableAt(graph, inputs[0], {.writes = true}));
    return uses;
}

std::vector<ResourceUse> resourcesOf(const Graph& graph) {
    std::vector<ResourceUse> uses;
    for (NodeId id = 0; id < graph.nodeCount(); ++id) {
        for (const ResourceUse& use : resourcesOf(graph, id))
            add(uses, use);
    }
    return uses;
}

std::vector<ControlEdge> controlEdges(const Graph& graph) {
    return EdgeCollector(graph).collect();
}

} // namespace retracescope::ir
