#include <retracescope/engine/ir/effects.h>

#include <algorithm>

namespace retracescope::ir {

namespace {

ResourceUse variableAt(const Graph& graph, NodeId handle, bool writes) {
    const auto capture = std::ranges::find(graph.captures(), handle, &Capture::node);
    if (capture != graph.captures().end())
        return {capture->value.target().get(), kNoNode, writes};
    return {nullptr, handle, writes};
}

void add(std::vector<ResourceUse>& uses, const ResourceUse& use) {
    const auto known =
        std::ranges::find_if(uses, [&](const ResourceUse& other) { return other.isSameVariable(use); });
    if (known == uses.end())
        uses.push_back(use);
    else
        known->writes |= use.writes;
}

/// What a graph that runs with `arguments` of `outer` touches, in terms of `outer`.
void addInner(const Graph& outer, const Graph& inner, std::span<const NodeId> arguments,
              std::vector<ResourceUse>& uses) {
    for (ResourceUse use : resourcesOf(inner)) {
        if (!use.captured) {
            const auto place = std::ranges::find(inner.inputs(), use.argument) - inner.inputs().begin();
            use = variableAt(outer, arguments[static_cast<std::size_t>(place)], use.writes);
        }
        add(uses, use);
    }
}

std::vector<ResourceUse> usesOf(const Graph& graph, NodeId id) {
    std::vector<ResourceUse> uses;
    const auto inputs = graph.inputsOf(id);
    switch (graph.node(id).op) {
    case Op::Call:
        addInner(graph, graph.calleeOf(id).graph(), inputs, uses);
        break;
    case Op::Cond:
    case Op::While:
        for (const Attribute branch : branchAttributes(graph.node(id).op))
            addInner(graph, graph.branchOf(id, branch), branchArguments(graph.node(id).op, inputs), uses);
        break;
    case Op::ReadVariable:
    case Op::AssignVariable:
    case Op::AssignAddVariable:
    case Op::AssignSubVariable:
        uses.push_back(variableAt(graph, inputs[0], graph.node(id).op != Op::ReadVariable));
        break;
    default:
        break;
    }
    return uses;
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
            for (const ResourceUse& use : usesOf(m_graph, id))
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

std::vector<ResourceUse> resourcesOf(const Graph& graph) {
    std::vector<ResourceUse> uses;
    for (NodeId id = 0; id < graph.nodeCount(); ++id) {
        for (const ResourceUse& use : usesOf(graph, id))
            add(uses, use);
    }
    return uses;
}

std::vector<ControlEdge> controlEdges(const Graph& graph) {
    return EdgeCollector(graph).collect();
}

} // namespace retracescope::ir
