#pragma once

#include <QPixmap>
#include <QWidget>

#include "views/graph/graph_canvas.h"

namespace retracescope::views {

/// The whole graph in a corner of its canvas with the visible part marked; dragging moves that part.
class GraphMinimap : public QWidget {
    Q_OBJECT

public:
    GraphMinimap(ViewState& state, GraphCanvas& canvas);

    void sceneChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void place();
    QRectF mapArea() const;
    void moveTo(const QPointF& position);

    ViewState& m_state;
    GraphCanvas& m_canvas; // the parent
    double m_scale = 1;
};

} // namespace retracescope::views
