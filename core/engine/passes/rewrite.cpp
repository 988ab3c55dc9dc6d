#include <retracescope/engine/passes/rewrite.h>

#include <retracescope/base/check.h>

namespace retracescope::passes {

using ir::NodeId;

Rewrite::Rewrite(const ir::Graph& from)
    : m_from(from), m_to(from.blankCopy()), m_map(from.nodeCount(), ir::kNoNode) {}

void Rewrite::copy(NodeId old) {
    if (m_from.node(old).op == ir::Op::Result)
        return; // came along with its call or cond
    m_inputs.clear();
    for (const NodeId input : m_from.inputsOf(old)) {
        RETRACESCOPE_CHECK(m_map[input] != ir::kNoNode);
        m_inputs.push_back(m_map[input]);
    }
    const NodeId copied = m_to.appendCopy(m_from, old, m_inputs);
    m_map[old] = copied;
    const std::vector<NodeId> results = m_from.resultsOf(old);
    for (std::size_t i = 1; i < results.size(); ++i)
        m_map[results[i]] = copied + static_cast<NodeId>(i);
}

void Rewrite::copyRest() {
    for (NodeId node = 0; node < m_from.nodeCount(); ++node)
        if (m_map[node] == ir::kNoNode)
            copy(node);
}

ir::Graph Rewrite::finish() {
    std::vector<NodeId> outputs;
    for (const NodeId output : m_from.outputs())
        outputs.push_back(m_map[output]);
    m_to.setOutputs(outputs);
    return std::move(m_to);
}

} // namespace retracescope::passes
