#include <retracescope/engine/passes/rewrite.h>

#include <retracescope/base/check.h>

namespace retracescope::passes {

using ir::NodeId;

Rewrite::Rewrite(const ir::Graph& from)
    : m_from(from), m_to(from.blankCopy()), m_map(from.nodeCount(), ir::kNoNode) {}

void Rewrite::copy(NodeId old) {
    if (m_from.node(old).op == ir::Op::Result)
        return; // came along with its call or cond
    std::vector<NodeId> inputs;
    for (const NodeId input : m_from.inputsOf(old)) {
        CHECK(m_map[input] != ir::kNoNode);
        inputs.push_back(m_map[input]);
    }
    const NodeId copied = m_to.appendCopy(m_from, old, inputs);
    m_map[old] = copied;
    for (NodeId further = 1; further < m_from.node(old).resultCount; ++further)
        m_map[old + further] = copied + further;
}

ir::Graph Rewrite::finish() {
    std::vector<NodeId> outputs;
    for (const NodeId output : m_from.outputs())
        outputs.push_back(m_map[output]);
    m_to.setOutputs(outputs);
    return std::move(m_to);
}

} // namespace retracescope::passes
