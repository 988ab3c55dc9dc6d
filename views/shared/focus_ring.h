#pragma once

#include <QPointer>
#include <QWidget>

#include "views/shared/view_state.h"

namespace retracescope::views {

/// The 2 px accent ring, 2 px off, round whatever has the keyboard focus in its window. Shown from
/// the first Tab or shortcut on, hidden while the mouse is used.
class FocusRing : public QWidget {
    Q_OBJECT

public:
    FocusRing(ViewState& state, QWidget* window);

    QWidget* target() const { return m_target; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow(QWidget* focus);
    void place();

    ViewState& m_state;
    QPointer<QWidget> m_target;
    bool m_keyboard = false;
};

} // namespace retracescope::views
