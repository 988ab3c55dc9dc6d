#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include <QPainter>
#include <QString>
#include <QTransform>

#include <retracescope/layout/graph_path.h>

#include "views/graph/graph_scene.h"
#include "views/shared/theme.h"

namespace retracescope::views {

enum class GraphColour { Nothing, Time, Family, Dtype };

/// What stands out in the picture of one scene; indexes are boxes.
struct GraphEmphasis {
    std::optional<std::uint32_t> selected;
    std::optional<std::uint32_t> hovered;
    std::optional<std::uint32_t> hoveredEdge;
    std::unordered_map<std::uint32_t, int> matches; ///< box -> how many nodes in it match the search
    std::optional<std::uint32_t> currentMatch;
    std::vector<bool> kept;          ///< boxes that are not dimmed; empty = all
    std::vector<std::uint32_t> path; ///< boxes whose lines from one to the next are bold
};

/// One entry of the legend for the present colouring.
struct LegendEntry {
    QColor colour;
    QString text;
};

/// Paints a GraphScene. Knows no widget: the canvas, the minimap and the export use it alike.
class GraphPainter {
public:
    GraphPainter(const GraphScene& scene, const Theme& theme, GraphColour colour);

    /// Paints what of the scene falls into `area` (scene coordinates) at the painter's transform of scale
    /// `scale`. Below kTextScale there is no text, below kPlainScale lines are straight and edges are not
    /// smoothed.
    void paint(QPainter& painter, const QRectF& area, double scale, const GraphEmphasis& emphasis) const;

    std::vector<LegendEntry> legend() const;
    double slowestNs() const { return m_slowestNs; }
    QColor fillOf(std::uint32_t box) const;

    static constexpr double kTextScale = 0.45;
    static constexpr double kPlainScale = 0.25;

private:
    QColor clusterFill() const;
    QRectF titleOf(std::size_t cluster) const;
    void paintClusters(QPainter& painter, const QRectF& area, double scale) const;
    void paintClusterTitles(QPainter& painter, const QRectF& area) const;
    void paintEdges(QPainter& painter, const layout::Rect& area, double scale,
                    const GraphEmphasis& emphasis) const;
    void paintEdge(QPainter& painter, std::uint32_t edge, double scale, bool strong, bool dim) const;
    void paintTypes(QPainter& painter, const layout::Rect& area, const GraphEmphasis& emphasis) const;
    void paintBox(QPainter& painter, std::uint32_t box, double scale, const GraphEmphasis& emphasis) const;
    void paintTitles(QPainter& painter, std::uint32_t box, const QColor& ink, const QColor& second) const;
    void paintPills(QPainter& painter, const std::vector<layout::Pill>& pills, const QRectF& box,
                    bool left) const;
    void paintBadge(QPainter& painter, const QRectF& box, int matches) const;
    bool isStrong(std::uint32_t edge, const GraphEmphasis& emphasis) const;

    const GraphScene& m_scene;
    const Theme& m_theme;
    GraphColour m_colour;
    std::vector<QColor> m_fills; // per box
    std::vector<LegendEntry> m_legend;
    double m_slowestNs = 0;
};

/// Colours of the dtypes in a scene, most frequent first; the view's legend and tooltips read it too.
QString dtypeOf(std::string_view type);

QPainterPath pathOf(const layout::Curve& curve);

} // namespace retracescope::views
