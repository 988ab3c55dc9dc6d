#include "views/timeline/timeline_canvas.h"

#include <QKeyEvent>

namespace retracescope::views {

namespace {

constexpr double kKeyZoom = 1.5;

} // namespace

/// Peels one layer: the range, then the selection.
void TimelineCanvas::escape() {
    if (m_state.selection().range)
        m_state.selectRange(std::nullopt);
    else
        m_state.clearSelection();
    update();
}

bool TimelineCanvas::handleLetter(int key, bool shift) {
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1 / kKeyZoom, m_scale.width / 2);
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoomBy(kKeyZoom, m_scale.width / 2);
        return true;
    case Qt::Key_A:
        panBy(-m_scale.width * kPanStep);
        return true;
    case Qt::Key_D:
        panBy(m_scale.width * kPanStep);
        return true;
    case Qt::Key_F:
        fitSelection();
        return true;
    case Qt::Key_R:
        rangeFromSelection();
        return true;
    case Qt::Key_N:
        stepTrace(shift ? -1 : 1);
        return true;
    case Qt::Key_G:
        m_state.requestView(QStringLiteral("graph"));
        return true;
    default:
        return false;
    }
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
    const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    if (!m_model || (event->modifiers() & Qt::AltModifier) != 0)
        return QWidget::keyPressEvent(event);
    if (event->matches(QKeySequence::Undo))
        return undo();
    if (event->matches(QKeySequence::Redo))
        return redo();
    if (!control && (handleLetter(event->key(), shift) || handleLaneKey(event->key())))
        return;
    const int arrow = event->key() == Qt::Key_Comma    ? int(Qt::Key_Left)
                      : event->key() == Qt::Key_Period ? int(Qt::Key_Right)
                                                       : event->key();
    const bool isArrow =
        arrow == Qt::Key_Left || arrow == Qt::Key_Right || arrow == Qt::Key_Up || arrow == Qt::Key_Down;
    if (!control && isArrow && stepEvent(arrow))
        return;
    switch (event->key()) {
    case Qt::Key_Home:
    case Qt::Key_0:
        if (!control)
            return showAll();
        break;
    case Qt::Key_Left:
    case Qt::Key_Comma:
        return stepCall(-1);
    case Qt::Key_Right:
    case Qt::Key_Period:
        return stepCall(1);
    case Qt::Key_Up:
        return control ? stepFunction(-1) : scrollBy(-kBarStep);
    case Qt::Key_Down:
        return control ? stepFunction(1) : scrollBy(kBarStep);
    case Qt::Key_PageUp:
        if (!control)
            return scrollBy(-m_bar->pageStep());
        break;
    case Qt::Key_PageDown:
        if (!control)
            return scrollBy(m_bar->pageStep());
        break;
    case Qt::Key_Escape:
        return escape();
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

} // namespace retracescope::views
