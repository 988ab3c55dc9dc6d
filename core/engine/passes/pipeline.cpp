#include <retracescope/engine/passes/pipeline.h>

#include <algorithm>
#include <array>

#include <retracescope/base/clock.h>
#include <retracescope/engine/ir/verify.h>
#include <retracescope/engine/passes/remove_dead_nodes.h>

namespace retracescope::passes {

namespace {

struct Pass {
    std::string_view name;
    ir::Graph (*run)(ir::Graph graph, const Options& options);
};

/// Equal nodes are one from the start (ir::Graph), so there is no pass for common subexpressions.
constexpr std::array kPasses{
    Pass{"fold_constants",
         [](ir::Graph graph, const Options& options) {
             return options.evaluate ? foldConstants(std::move(graph), options.evaluate) : std::move(graph);
         }},
    Pass{"remove_dead_nodes",
         [](ir::Graph graph, const Options&) { return removeDeadNodes(std::move(graph)); }},
};

} // namespace

ir::Graph runPipeline(ir::Graph graph, const Options& options) {
    if (options.dump)
        options.dump("traced", graph);
    for (std::size_t row = 0; row < graph.branches().size(); ++row)
        graph.replaceBranch(row,
                            std::make_shared<const ir::Graph>(runPipeline(*graph.branches()[row], options)));
    for (const Pass& pass : kPasses) {
        if (std::ranges::count(options.off, pass.name) > 0)
            continue;
        const std::uint64_t begin = ticks();
        graph = pass.run(std::move(graph), options);
        if (options.report)
            options.report(pass.name, begin, ticks());
#if defined(RETRACESCOPE_VERIFY_PASSES)
        ir::verify(graph);
#endif
        if (options.dump)
            options.dump(pass.name, graph);
    }
    return graph;
}

std::vector<std::string_view> passNames() {
    std::vector<std::string_view> names;
    std::ranges::transform(kPasses, std::back_inserter(names), &Pass::name);
    return names;
}

} // namespace retracescope::passes
