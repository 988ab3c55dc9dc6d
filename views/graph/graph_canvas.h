#pragma once

#include <QPoint>
#include <QPointF>
#include <QWidget>

#include "views/graph/graph_painter.h"
#include "views/graph/graph_scene.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// The picture of a graph with zoom, pan, hover and keys. Tells what the user wants; the view decides.
class GraphCanvas : public QWidget {
    Q_OBJECT

public:
    explicit GraphCanvas(ViewState& state, QWidget* parent = nullptr);

    const GraphScenePtr& scene() const { return m_scene; }

    /// Shows another scene. With an `anchor` the scene's point `sceneAt` comes to lie at `widgetAt`;
    /// otherwise its top is shown.
    struct Anchor {
        QPointF sceneAt;
        QPointF widgetAt;
    };
    void setScene(GraphScenePtr scene, std::optional<Anchor> anchor);
    void setColour(GraphColour colour);
    GraphColour colour() const { return m_colour; }
    void setNotice(const QString& notice); ///< shown in the middle while there is no scene

    void selectBox(std::optional<std::uint32_t> box);
    std::optional<std::uint32_t> selectedBox() const { return m_emphasis.selected; }
    void setMatches(std::unordered_map<std::uint32_t, int> matches, std::optional<std::uint32_t> current);
    const GraphEmphasis& emphasis() const { return m_emphasis; }
    void showPath(const layout::BoxPaths& paths); ///< until another box is selected

    void fitAll();
    void showTop();
    void zoomBy(double factor, const QPointF& about);
    void zoomTo(double scale);
    double scale() const { return m_scale; }
    void reveal(std::uint32_t box); ///< scrolls only if it is out of sight
    void centreOn(std::uint32_t box);
    void centreAt(const QPointF& scene);

    QPointF toWidget(const QPointF& scene) const { return scene * m_scale + m_offset; }
    QPointF toScene(const QPointF& widget) const { return (widget - m_offset) / m_scale; }
    QRectF visibleArea() const;
    QRectF boxOnWidget(std::uint32_t box) const;

    /// The whole graph at `scale`, for export.
    QImage image(double scale) const;

    QSize minimumSizeHint() const override { return {240, 200}; }

Q_SIGNALS:
    void boxPressed(std::uint32_t box);
    void emptyPressed();
    void toggleWanted(std::uint32_t scope); ///< expand or collapse
    void allBelowWanted(std::uint32_t scope, bool open);
    void parentWanted(std::uint32_t box); ///< collapse the scope around
    void pathWanted();                    ///< starts or ends at the selected box
    void findWanted();
    void escapePressed();
    void menuWanted(const QPoint& globalAt);
    void viewChanged(); ///< zoom or place

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    void panBy(const QPointF& pixels);
    void setView(double scale, const QPointF& offset);
    void hoverAt(const QPointF& position);
    std::optional<std::uint32_t> scopeToToggleAt(const QPointF& position) const;
    std::optional<std::uint32_t> edgeNear(const QPointF& scene) const;
    bool moveSelection(int key, bool chooseAmongSeveral);
    std::optional<std::uint32_t> neighbour(std::uint32_t box, int key, bool another);
    void keepConnected(bool upstream);
    bool handleScopeKey(int key);
    QString tooltipAt(const QPointF& position) const;
    void paintLegend(QPainter& painter) const;

    ViewState& m_state;
    GraphScenePtr m_scene;
    std::unique_ptr<GraphPainter> m_painter;
    GraphColour m_colour = GraphColour::Nothing;
    GraphEmphasis m_emphasis;
    QString m_notice;
    double m_scale = 1;
    QPointF m_offset;
    bool m_fitted = false; ///< follows the size of the widget until the user moves
    bool m_topShown = false;
    std::optional<QPointF> m_pressedAt;
    bool m_dragging = false;
    QPointF m_lastAt;
    std::size_t m_choice = 0; ///< which of several neighbours the arrow keys take
};

} // namespace retracescope::views
