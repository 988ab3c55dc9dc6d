#pragma once

#include <vector>

#include <QDockWidget>
#include <QMainWindow>

namespace retracescope::gui {

/// In a narrow window the docks of the sides lie over the view as long as they are open, instead of leaving
/// it no room. They are the same docks: closed, moved back beside the view, and open again as before.
class Drawers : public QObject {
    Q_OBJECT

public:
    explicit Drawers(QMainWindow& window);

    void add(QDockWidget* dock, Qt::DockWidgetArea side);

    /// On: takes the docks out of the window's layout, closed. Off: puts them back, closed.
    void setOn(bool on);
    bool isOn() const { return m_on; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Drawer {
        QDockWidget* dock;
        Qt::DockWidgetArea side;
    };

    void place();
    void place(Qt::DockWidgetArea side);

    QMainWindow& m_window;
    std::vector<Drawer> m_drawers;
    bool m_on = false;
};

} // namespace retracescope::gui
