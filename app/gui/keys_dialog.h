#pragma once

#include <QAction>
#include <QList>
#include <QWidget>

namespace retracescope::gui {

/// The list of all keys (Ctrl+/): those of the menus and those of the views.
void showKeys(const QList<QAction*>& actions, QWidget* parent);

void showAbout(QWidget* parent);

} // namespace retracescope::gui
