#include "views/shared/focus_ring.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>

namespace retracescope::views {

namespace {

constexpr int kOffset = 4; // 2 px of ring, 2 px off

} // namespace

FocusRing::FocusRing(ViewState& state, QWidget* window) : QWidget(window), m_state(state) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
    qApp->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusRing::follow(QWidget* focus) {
    if (m_target != nullptr)
        m_target->removeEventFilter(this);
    m_target =
        focus != nullptr && focus->window() == parentWidget() && focus != parentWidget() ? focus : nullptr;
    if (m_target != nullptr)
        m_target->installEventFilter(this);
    place();
}

void FocusRing::place() {
    const bool shown = m_keyboard && m_target != nullptr && m_target->isVisible();
    setVisible(shown);
    if (!shown)
        return;
    const QRect inWindow(m_target->mapTo(parentWidget(), QPoint(0, 0)), m_target->size());
    setGeometry(inWindow.adjusted(-kOffset, -kOffset, kOffset, kOffset).intersected(parentWidget()->rect()));
    raise();
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::KeyPress: {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (!m_keyboard && (key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_F6)) {
            m_keyboard = true;
            place();
        }
        break;
    }
    case QEvent::MouseButtonPress:
        if (m_keyboard) {
            m_keyboard = false;
            place();
        }
        break;
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
        if (watched == m_target)
            place();
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void FocusRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_state.theme().accent, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
}

} // namespace retracescope::views
