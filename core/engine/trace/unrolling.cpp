#include <retracescope/engine/trace/unrolling.h>

#include <map>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/warning_handler.h>

namespace retracescope::trace {

std::string toText(const UnrollWarning& warning) {
    return fmt::format("the trace of '{}' has {} nodes of one line{}: a C++ loop is unrolled while tracing; "
                       "loop with While, For or whileLoop to have one body in the graph",
                       warning.function, warning.nodes, placeText(warning.file, warning.line));
}

UnrollHandler setUnrollHandler(UnrollHandler handler) {
    return WarningHandler<UnrollWarning>::set(std::move(handler));
}

void tell(const UnrollWarning& warning) {
    WarningHandler<UnrollWarning>::tell(warning);
}

std::optional<UnrollWarning> findUnrolled(const std::string& function, const ir::Graph& graph) {
    std::optional<UnrollWarning> found;
    const auto offer = [&](const std::optional<UnrollWarning>& other) {
        if (other && (!found || other->nodes > found->nodes))
            found = other;
    };
    std::map<ir::SourceId, std::size_t> nodesOf;
    for (ir::NodeId node = 0; node < graph.nodeCount() && graph.nodeCount() >= kUnrolledNodes; ++node) {
        const ir::SourceLine* source = graph.sourceOf(node);
        if (source == nullptr)
            continue;
        const std::size_t nodes = ++nodesOf[graph.node(node).source];
        if (nodes >= kUnrolledNodes)
            offer(UnrollWarning{function, source->file, source->line, nodes});
    }
    for (const auto& branch : graph.branches())
        offer(findUnrolled(function, *branch));
    return found;
}

} // namespace retracescope::trace
