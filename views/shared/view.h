#pragma once

#include <QPixmap>
#include <QString>
#include <QWidget>

#include "views/shared/view_state.h"

namespace retracescope::views {

/// One dockable view. Thin: reads the shared state, asks models or layouts, paints.
class View : public QWidget {
    Q_OBJECT

public:
    /// `id` names files and settings ("timeline"); `title` is what the tab shows.
    View(ViewState& state, QString id, QString title, QWidget* parent = nullptr);

    const QString& id() const { return m_id; }
    const QString& title() const { return m_title; }

    /// The view as a picture at `scale` device pixels per pixel, for export and --screenshot.
    virtual QPixmap picture(qreal scale = 1.0);

    /// True once everything that the view shows of the present state is there (no job of its own is running).
    virtual bool isSettled() const { return true; }

    /// Ctrl+F: gives the focus to the view's find box; false if it has none.
    virtual bool focusFind() { return false; }

protected:
    ViewState& state() const { return m_state; }

private:
    ViewState& m_state;
    QString m_id;
    QString m_title;
};

} // namespace retracescope::views
