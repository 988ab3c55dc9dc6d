#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/layout/graph_layout.h>

namespace retracescope::layout {

/// Long edges, not boxes, make Graphviz late: 30 layers of a training step can take minutes.
inline constexpr std::chrono::milliseconds kGraphvizLimit{2000};
inline constexpr std::size_t kGraphvizBoxes = 300;

struct GraphvizOptions {
    std::filesystem::path program; ///< `retracescope-layout`; empty = findLayoutProgram()
    std::chrono::milliseconds limit = kGraphvizLimit;
};

/// $RETRACESCOPE_LAYOUT, else beside the running program, else in `bin` or `libexec` next to its folder;
/// empty if there is none.
std::filesystem::path findLayoutProgram();

/// Runs Graphviz's dot in a process of its own, which is killed when the limit is over or `job` is cancelled:
/// dot has no way to stop, is not thread-safe, and may overflow its stack. Any thread may call. Errors:
/// kCancelled, too late, no such program, ended by a signal, an answer that does not fit.
Result<GraphLayout> layoutGraphviz(const BoxGraph& graph, const GraphvizOptions& options = {},
                                   const Job& job = {});

enum class LayoutEngine { Automatic, Graphviz, Layered };

struct ChosenLayout {
    GraphLayout layout;
    LayoutEngine engine = LayoutEngine::Layered; ///< who made it; never Automatic
    std::string note;                            ///< why it is not the one that was asked for; empty if it is
};

/// Graphviz up to kGraphvizBoxes boxes, our own layout above and whenever Graphviz is late, missing or fails.
/// The only error is kCancelled.
Result<ChosenLayout> layoutBoxes(const BoxGraph& graph, LayoutEngine engine,
                                 const GraphvizOptions& options = {}, const Job& job = {});

} // namespace retracescope::layout
