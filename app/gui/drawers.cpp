#include "app/gui/drawers.h"

#include <algorithm>

#include <QKeyEvent>

namespace retracescope::gui {

namespace {

constexpr int kWidth = 368;
constexpr int kOpenView = 320; ///< of the view, that stays to be seen beside a drawer

} // namespace

Drawers::Drawers(QMainWindow& window) : QObject(&window), m_window(window) {
    window.installEventFilter(this);
}

void Drawers::add(QDockWidget* dock, Qt::DockWidgetArea side) {
    m_drawers.push_back({dock, side});
    dock->installEventFilter(this);
}

void Drawers::setOn(bool on) {
    const bool changes = on != m_on;
    m_on = on;
    for (const auto& [dock, side] : m_drawers) {
        if (on || changes)
            dock->hide();
        if (changes)
            dock->setFloating(false);
        dock->setAutoFillBackground(on); // the view is below
        if (on) {
            m_window.removeDockWidget(dock); // again, where a kept layout has brought it back
            dock->setFeatures(QDockWidget::DockWidgetClosable);
        } else if (changes) {
            dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                              QDockWidget::DockWidgetFloatable);
            m_window.addDockWidget(side, dock);
        }
    }
}

void Drawers::place() {
    place(Qt::LeftDockWidgetArea);
    place(Qt::RightDockWidgetArea);
}

/// Those open at one side share its height.
void Drawers::place(Qt::DockWidgetArea side) {
    std::vector<QDockWidget*> open;
    for (const Drawer& drawer : m_drawers) {
        if (drawer.side == side && !drawer.dock->isHidden())
            open.push_back(drawer.dock);
    }
    const QRect area = m_window.centralWidget()->geometry();
    const int width = std::min(kWidth, area.width() - kOpenView);
    const int left = side == Qt::LeftDockWidgetArea ? area.left() : area.right() + 1 - width;
    const int count = static_cast<int>(open.size());
    for (int i = 0; i < count; ++i) {
        const int top = area.height() * i / count;
        open[static_cast<std::size_t>(i)]->setGeometry(left, area.top() + top, width,
                                                       area.height() * (i + 1) / count - top);
        open[static_cast<std::size_t>(i)]->raise();
    }
}

bool Drawers::eventFilter(QObject* watched, QEvent* event) {
    if (!m_on)
        return QObject::eventFilter(watched, event);
    const bool isWindow = watched == &m_window;
    if (isWindow ? event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest
                 : event->type() == QEvent::Show || event->type() == QEvent::Hide)
        QMetaObject::invokeMethod(
            this, [this] { place(); }, Qt::QueuedConnection);
    if (!isWindow && event->type() == QEvent::Show)
        place();
    if (!isWindow && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        static_cast<QDockWidget*>(watched)->hide();
        m_window.centralWidget()->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace retracescope::gui
