#include <retracescope/engine/ir/embedded.h>

#include <algorithm>

namespace retracescope::ir {

const tensor::Tensor* embeddedValue(const Graph& graph, NodeId node) {
    if (graph.node(node).op == Op::Constant)
        return &graph.constantOf(node);
    if (graph.node(node).op != Op::Placeholder)
        return nullptr;
    const auto capture = std::ranges::find(graph.captures(), node, &Capture::node);
    if (capture == graph.captures().end() || tensor::holdsResources(capture->value.dtype()) ||
        capture->value.elements() > kEmbeddedElements)
        return nullptr;
    return &capture->value;
}

} // namespace retracescope::ir
