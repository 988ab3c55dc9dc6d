#pragma once

#include <QScrollBar>
#include <QTimer>
#include <QWidget>

#include "views/shared/view_state.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_target.h"

namespace retracescope::views {

/// The timeline's picture with everything the mouse and the keys do to it.
class TimelineCanvas : public QWidget {
    Q_OBJECT

public:
    explicit TimelineCanvas(ViewState& state, QWidget* parent = nullptr);

    void setModel(TimelineModelPtr model);
    const TimelineModelPtr& model() const { return m_model; }
    void setNotice(const QString& notice); ///< shown while there is no model

    const layout::TimeScale& scale() const { return m_scale; }
    void showRange(double beginNs, double endNs);
    void showAll();
    void foldGroup(std::size_t group, bool folded);
    bool isFolded(std::size_t group) const { return m_display.foldedGroups[group]; }
    void openLane(std::size_t lane, bool open); ///< shows all rows, however many
    void pinLane(std::size_t lane, bool pinned);
    void hideLane(std::size_t lane, bool hidden);
    void hideInstead(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& hidden);
    void showHiddenLanes();
    void moveLane(std::size_t lane, int by); ///< within its group, past hidden ones
    void undo();                             ///< of what was folded, opened, pinned, hidden, moved
    void redo();
    const LaneDisplay& display() const { return m_display; }
    void stepTrace(int by); ///< selects the next (1) or previous (-1) trace after the selection or the middle

    TimelineFrame frame() const;
    const LaneStack& stack() const { return m_stack; }

    QSize minimumSizeHint() const override { return {420, 220}; }

Q_SIGNALS:
    void viewChanged();

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

private:
    enum class Drag { None, Pan, Range, RangeBegin, RangeEnd, Minimap, Lane };

    static constexpr double kPanStep = 0.12; ///< of the width, for a key or a notch

    // timeline_canvas_lanes.cpp
    void change(LaneDisplay display);
    void dragLane(double y);
    std::optional<std::size_t> presentLane() const;
    bool handleLaneKey(int key);

    // timeline_canvas.cpp
    void setScale(const layout::TimeScale& scale);
    void relayout();
    void zoomBy(double factor, double x);
    void panBy(double pixels);
    void scrollBy(int pixels);
    double areaWidth() const;

    // timeline_canvas_mouse.cpp
    Drag dragFor(const QMouseEvent& event) const;
    void dragTo(const QPointF& at);
    void selectRangeTo(double x);
    void moveMinimap(double x);
    void click(const QPointF& at);
    void showTip();

    // timeline_canvas_selection.cpp
    void onSelection();
    void revealCall(session::CallId call);
    void revealEvent(const session::EventRef& event);
    void revealTime(double start, double end);
    bool stepEvent(int key);
    void revealLane(std::size_t lane);
    void fitSelection();
    void rangeFromSelection();
    void stepCall(int by);
    void stepFunction(int by);

    // timeline_canvas_keys.cpp
    bool handleLetter(int key, bool shift);
    void escape();

    ViewState& m_state;
    TimelineModelPtr m_model;
    TimelinePainter m_painter;
    LaneStack m_stack;
    LaneDisplay m_display;
    std::vector<LaneDisplay> m_undo, m_redo;
    std::optional<std::size_t> m_draggedLane;
    LaneDisplay m_beforeDrag;
    layout::TimeScale m_scale;
    QScrollBar* m_bar;
    QString m_notice;
    QTimer m_tipTimer;
    QPointF m_hoverAt;
    Drag m_drag = Drag::None;
    bool m_moved = false;
    QPointF m_pressAt, m_lastAt;
    double m_rangeAnchorNs = 0;
    double m_minimapGrip = 0; ///< from the box's left side to the pointer, ns
    bool m_selecting = false; ///< the change of selection is our own
};

} // namespace retracescope::views
