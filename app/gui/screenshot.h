#pragma once

#include <QString>

#include "views/shared/view.h"

namespace retracescope::gui {

class MainWindow;

/// Saves the view alone; SVG if the name ends so, else PNG at twice the size. False if it cannot be written.
bool savePicture(views::View& view, const QString& path);

/// --screenshot: one picture of the window per view into the folder `target`, or, if it ends in .png, one of
/// the view in front. Waits until each view has settled. Returns the paths written; empty if one could not be
/// written.
QStringList takeScreenshots(MainWindow& window, const QString& target);

/// Waits until nothing is being opened or computed, at most `timeoutMs`; false if it was not enough.
bool waitUntilSettled(MainWindow& window, int timeoutMs);

} // namespace retracescope::gui
