#pragma once

#include <array>
#include <memory>
#include <optional>

#include <QFont>
#include <QRectF>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/layout/graph_fold.h>
#include <retracescope/layout/graphviz_layout.h>
#include <retracescope/session/session.h>

#include "views/graph/grid_index.h"

namespace retracescope::views {

/// Widths of letters, taken on the GUI thread so that a job can size boxes without touching fonts.
class LetterWidths {
public:
    LetterWidths();
    double operator()(std::string_view utf8, layout::TextRole role) const;

private:
    struct Table {
        std::array<double, 128> ascii{};
        double other = 0;
    };
    std::array<Table, 3> m_tables; // by TextRole
};

QFont fontOf(layout::TextRole role);

/// What to draw: a graph of the session and how it is folded.
struct SceneRequest {
    session::SessionPtr session;
    session::GraphId graph;
    session::EntryId entry; ///< whose graph it is; none for a callee or a graph without a function
    std::optional<layout::OpenScopes> open; ///< none: as a graph opens for the first time
    bool foldSides = true;
    bool foldEqual = true; ///< neighbours of equal structure to one box, where the graph opens folded
    layout::LayoutEngine engine = layout::LayoutEngine::Automatic;
};

/// A laid out graph, ready to paint. Made by a job, never changed afterwards.
struct GraphScene {
    session::SessionPtr session;
    session::GraphId id;
    session::EntryId entry;
    bool foldSides = true;
    layout::ScopeTree tree;
    layout::OpenScopes open;
    layout::FoldedGraph folded;
    layout::GraphLayout drawn;
    layout::LayoutEngine engine = layout::LayoutEngine::Layered;
    std::string note; ///< why the layout is not the one asked for
    GridIndex boxIndex, edgeIndex;
    /// Measured time of each box per call of the entry in ns; empty if no node times were recorded.
    std::vector<double> timeOfBox;
    std::vector<double> timeOfNode; ///< by row, same unit

    const session::Graph& graph() const { return (*session)[id]; }
    std::string_view text(session::StringId string) const { return session->text(string); }

    std::optional<std::uint32_t> boxAt(const layout::Point& point) const;
    std::optional<std::uint32_t> clusterAt(const layout::Point& point) const; ///< innermost
    /// The box that is or holds node `row`; none for a side node.
    std::optional<std::uint32_t> boxOf(std::uint32_t row) const;
    std::optional<std::uint32_t> boxOfScope(std::uint32_t scope) const;
    std::optional<std::uint32_t> clusterOfScope(std::uint32_t scope) const;

    /// "1 284 nodes, folded to 17 boxes"
    std::string summary() const;
};

using GraphScenePtr = std::shared_ptr<const GraphScene>;

/// The only error is kCancelled.
Result<GraphScenePtr> buildScene(const SceneRequest& request, const LetterWidths& widths, const Job& job);

inline QRectF toRect(const layout::Rect& r) {
    return {r.x, r.y, r.width, r.height};
}

} // namespace retracescope::views
