#pragma once

#include <string>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/layout/graph_fold.h>
#include <retracescope/layout/graphviz_layout.h>

namespace retracescope::report {

/// A picture of the graph that stands alone: folded as the graph view opens it, laid out, light colours, no
/// fonts or styles from outside. The only error is kCancelled.
Result<std::string> graphSvg(const session::Session& session, const session::Graph& graph,
                             layout::LayoutEngine engine = layout::LayoutEngine::Automatic,
                             const Job& job = {});

/// The same from a folded graph and its layout.
std::string graphSvg(const session::Session& session, const layout::FoldedGraph& folded,
                     const layout::GraphLayout& drawn, std::string_view title);

} // namespace retracescope::report
