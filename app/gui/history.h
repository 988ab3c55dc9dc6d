#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "views/shared/selection.h"

namespace retracescope::gui {

/// A place in the program that Back returns to.
struct Place {
    QString viewId;
    views::Selection selection;

    bool operator==(const Place&) const = default;
};

/// Back and forward: up to 200 steps; equal neighbours merge.
class History {
public:
    void visit(const Place& place); ///< forgets what lies ahead
    void clear();

    bool canGoBack() const { return m_present > 0; }
    bool canGoForward() const { return m_present + 1 < m_places.size(); }
    std::optional<Place> back();
    std::optional<Place> forward();

private:
    std::vector<Place> m_places;
    std::size_t m_present = 0; ///< index into m_places; 0 while it is empty
};

} // namespace retracescope::gui
