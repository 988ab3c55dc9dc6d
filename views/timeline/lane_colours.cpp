#include "views/timeline/lane_colours.h"

namespace retracescope::views {

using session::EventKind;

namespace {

/// Categories that no phase's colour comes near: orange and brown are left to tracing, grey to what has no
/// name.
constexpr std::array<std::size_t, 5> kTurns{4, 2, 3, 6, 0};
constexpr std::size_t kNameless = 7;

QColor colourOf(const session::Session& session, const session::EventCategory& category, const Theme& theme) {
    const std::string_view kind = session.text(category.category);
    const std::string_view name = session.text(category.name);
    if (category.kind == EventKind::Kernel) {
        const bool moves =
            name.find("emcpy") != std::string_view::npos || name.find("emset") != std::string_view::npos;
        return moves ? theme.warning.fill : theme.kernel.fill;
    }
    if (category.kind == EventKind::Call)
        return theme.categories[kTurns[category.function.value % kTurns.size()]];
    if (kind == "trace" || kind == "tracing")
        return theme.miss.fill;
    if (kind == "optimise")
        return theme.optimise;
    if (kind == "execute")
        return theme.execute.fill;
    return theme
        .categories[name.empty() ? kNameless : kTurns[std::hash<std::string_view>()(name) % kTurns.size()]];
}

} // namespace

QColor colourOfPhase(Phase phase, const Theme& theme) {
    switch (phase) {
    case Phase::Trace:
        return theme.miss.fill;
    case Phase::Optimise:
        return theme.optimise;
    case Phase::FirstRun:
        return theme.firstRun;
    case Phase::Execute:
        break;
    }
    return theme.execute.fill;
}

QColor mixedColour(const QColor& under, const QColor& over, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {mix(under.red(), over.red()), mix(under.green(), over.green()), mix(under.blue(), over.blue())};
}

LaneColours::LaneColours(const TimelineModel& model, const Theme& theme) {
    for (std::size_t p = 0; p < kPhases; ++p)
        m_phases[p] = colourOfPhase(static_cast<Phase>(p), theme).rgb();
    for (const session::EventCategory& category : model.pyramid.index.categories)
        m_categories.push_back(colourOf(model.session(), category, theme).rgb());
}

} // namespace retracescope::views
