#include "app/gui/history.h"

namespace retracescope::gui {

namespace {

constexpr std::size_t kMostSteps = 200;

} // namespace

void History::visit(const Place& place) {
    if (!m_places.empty()) {
        if (m_places[m_present] == place)
            return;
        m_places.resize(m_present + 1);
    }
    m_places.push_back(place);
    if (m_places.size() > kMostSteps)
        m_places.erase(m_places.begin());
    m_present = m_places.size() - 1;
}

void History::clear() {
    m_places.clear();
    m_present = 0;
}

std::optional<Place> History::back() {
    if (!canGoBack())
        return std::nullopt;
    return m_places[--m_present];
}

std::optional<Place> History::forward() {
    if (!canGoForward())
        return std::nullopt;
    return m_places[++m_present];
}

} // namespace retracescope::gui
