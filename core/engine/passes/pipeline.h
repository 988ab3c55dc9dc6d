#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/passes/fold_constants.h>

namespace retracescope::passes {

struct Options {
    Evaluate evaluate;            ///< how constants are computed; without it none are folded
    std::vector<std::string> off; ///< names of passes to leave out
    /// Told after each pass: its name (static text) and when it began and ended, in base/clock.h ticks.
    std::function<void(std::string_view pass, std::uint64_t begin, std::uint64_t end)> report;
    /// Shown the graph after each pass, and first as it came ("traced").
    std::function<void(std::string_view pass, const ir::Graph& graph)> dump;
};

/// Runs every pass in order, on the graph's branches first. The result computes the same outputs and has the
/// same effects in the same order; every node keeps the source line and name of the one it came from.
ir::Graph runPipeline(ir::Graph graph, const Options& options);

/// Their names in order.
std::vector<std::string_view> passNames();

} // namespace retracescope::passes
