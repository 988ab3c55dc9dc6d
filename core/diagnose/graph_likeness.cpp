#include <retracescope/diagnose/graph_likeness.h>

#include <functional>
#include <map>
#include <string>

namespace retracescope::diagnose {

using namespace session;

namespace {

void mix(std::uint64_t& hash, std::uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
}

std::uint64_t hashText(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

/// All components but the one at `path`, as one text.
std::string keyWithout(const Signature& signature, std::string_view path) {
    std::string key;
    for (const types::Component& component : signature.components) {
        if (component.path == path)
            continue;
        key.append(component.path).append("=").append(component.value).append("\n");
    }
    return key;
}

} // namespace

Likeness GraphLikeness::acrossComponent(FunctionId function, std::string_view path) {
    std::map<std::string, Hash> firstOfKey;
    Likeness result = Likeness::Unknown;
    for (const EntryId row : m_index.entriesOfFunction[function.value]) {
        const Entry& entry = m_session[row];
        if (!entry.signature.isValid() || !entry.graph.isValid())
            continue;
        const Hash hash = hashOf(entry.graph);
        const auto [it, isFirst] = firstOfKey.emplace(keyWithout(m_session[entry.signature], path), hash);
        if (isFirst)
            continue;
        if (hash.ops != it->second.ops)
            return Likeness::Differ;
        const Likeness pair = hash.full == it->second.full ? Likeness::Same : Likeness::Constants;
        result = std::max(result, pair);
    }
    return result;
}

GraphLikeness::Hash GraphLikeness::hashOf(GraphId id) {
    if (const auto known = m_hashes.find(id); known != m_hashes.end())
        return known->second;
    const Graph& graph = m_session[id];
    m_hashes[id] = {}; // what a recursive call of this very graph counts as
    Hash hash;
    for (const GraphNode& node : graph.nodes) {
        mix(hash.ops, hashText(m_session.text(node.op)));
        mix(hash.ops, hashText(m_session.text(node.type)));
        for (std::uint32_t i = 0; i < node.inputCount; ++i) {
            const GraphEdge& edge = graph.inputs[node.firstInput + i];
            mix(hash.ops, (std::uint64_t{edge.from} << 32) | (edge.output << 1) | (edge.control ? 1 : 0));
        }
        for (std::uint32_t i = 0; i < node.attributeCount; ++i) {
            const GraphAttribute& attribute = graph.attributes[node.firstAttribute + i];
            mix(hash.full, hashText(m_session.text(attribute.name)));
            mix(hash.full, hashText(m_session.text(attribute.value)));
        }
        for (std::uint32_t i = 0; i < node.calleeCount; ++i) {
            const GraphCallee& callee = graph.callees[node.firstCallee + i];
            const Hash inner = callee.graph.isValid() ? hashOf(callee.graph)
                                                      : Hash{hashText(m_session.text(callee.name)), 0};
            mix(hash.ops, inner.ops);
            mix(hash.full, inner.full);
        }
    }
    for (const GraphEdge& output : graph.outputs)
        mix(hash.ops, (std::uint64_t{output.from} << 32) | output.output);
    mix(hash.full, hash.ops);
    m_hashes[id] = hash;
    return hash;
}

} // namespace retracescope::diagnose
