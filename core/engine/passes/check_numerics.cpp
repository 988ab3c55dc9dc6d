#include <retracescope/engine/passes/check_numerics.h>

#include <vector>

#include <fmt/format.h>

#include <retracescope/engine/passes/rewrite.h>

namespace retracescope::passes {

using ir::NodeId;
using ir::Op;

namespace {

/// The results that get a check.
std::vector<bool> findUnchecked(const ir::Graph& graph) {
    std::vector<bool> unchecked(graph.nodeCount());
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const Op op = graph.node(node).op;
        const bool computes = ir::isInferred(op) || op == Op::HostCall;
        if (op == Op::CheckNumerics)
            unchecked[graph.inputsOf(node)[0]] = false;
        else if (computes)
            for (const NodeId result : graph.resultsOf(node))
                unchecked[result] = graph.typeOf(result) != types::TensorTypeId::None &&
                                    types::isFloating(types::dtypeOf(graph.typeOf(result)));
    }
    return unchecked;
}

} // namespace

ir::Graph checkNumerics(const ir::Graph& graph) {
    const std::vector<bool> unchecked = findUnchecked(graph);
    Rewrite rewrite(graph);
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        rewrite.copy(node);
        if (graph.node(node).op == Op::Result)
            continue;
        for (const NodeId result : graph.resultsOf(node)) {
            if (!unchecked[result])
                continue;
            const std::string text =
                fmt::format("the result of {} in '{}'", ir::opName(graph.node(node).op), graph.name());
            rewrite.replace(result, rewrite.to().append(Op::CheckNumerics, {rewrite.mapped(result)},
                                                        ir::Attributes().set(ir::Attribute::Text, text)));
        }
    }
    ir::Graph checked = rewrite.finish();
    for (std::size_t row = 0; row < checked.branches().size(); ++row)
        checked.replaceBranch(row,
                              std::make_shared<const ir::Graph>(checkNumerics(*checked.branches()[row])));
    return checked;
}

} // namespace retracescope::passes
