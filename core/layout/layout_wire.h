#pragma once

#include <string>
#include <string_view>

#include <retracescope/base/result.h>
#include <retracescope/layout/graph_layout.h>

/// The text that goes to and from the `retracescope-layout` program: one record per line, numbers in decimal,
/// a last line `end` so that a cut-off answer is noticed.
///
///   question: retracescope-boxes 1            answer: retracescope-positions 1
///             cluster PARENT HEADER MINWIDTH          bounds WIDTH HEIGHT
///             box CLUSTER WIDTH HEIGHT LEFT RIGHT     cluster X Y WIDTH HEIGHT
///             edge FROM TO                            box X Y WIDTH HEIGHT
///             end                                     edge COUNT X Y X Y ...
///                                                     end
namespace retracescope::layout {

std::string writeBoxGraph(const BoxGraph& graph);
Result<BoxGraph> readBoxGraph(std::string_view text); ///< a graph it returns is well formed

std::string writeGraphLayout(const GraphLayout& layout);

/// Also an error if the answer does not fit `question`: other counts, or numbers that are no finite
/// positions.
Result<GraphLayout> readGraphLayout(std::string_view text, const BoxGraph& question);

} // namespace retracescope::layout
