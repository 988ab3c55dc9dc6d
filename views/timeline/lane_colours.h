#pragma once

#include <array>
#include <vector>

#include <QColor>

#include "views/shared/theme.h"
#include "views/timeline/timeline_model.h"

namespace retracescope::views {

/// Of an event on a thread's or stream's lane.
QColor colourOf(const session::Session& session, const session::EventCategory& category, const Theme& theme);

/// Of the calls of a function on a thread's lane.
QColor colourOfFunction(session::FunctionId function, const Theme& theme);
QColor colourOfPhase(Phase phase, const Theme& theme);

/// `share` of `over` on `under`.
QColor mixedColour(const QColor& under, const QColor& over, double share);

/// Fill colours of a model's bars in one theme.
class LaneColours {
public:
    LaneColours() = default;
    LaneColours(const TimelineModel& model, const Theme& theme);

    /// `category` is a Phase on a function's lane, a row of the lane index elsewhere.
    QRgb of(TimelineLaneKind kind, session::CategoryId category) const {
        return kind == TimelineLaneKind::Function ? m_phases[category.value] : m_categories[category.value];
    }

private:
    std::array<QRgb, kPhases> m_phases{};
    std::vector<QRgb> m_categories;
};

} // namespace retracescope::views
