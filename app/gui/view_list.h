#pragma once

#include <vector>

#include <QString>
#include <QStringList>

#include "views/shared/view.h"

namespace retracescope::gui {

enum class Perspective { Overview, Timeline, Graph };
inline constexpr int kPerspectiveCount = 3;

/// One line of the list of views.
struct ViewEntry {
    Perspective perspective;
    QString id;
    views::View* (*make)(views::ViewState& state);
};

/// Every view of the program, in the order of its tabs. A new view is one line here.
const std::vector<ViewEntry>& viewList();

QStringList viewIds();
QStringList perspectiveNames(); ///< "overview", "timeline", "graph"

} // namespace retracescope::gui
