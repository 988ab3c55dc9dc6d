#include "views/timeline/lane_colours.h"

namespace retracescope::views {

using session::EventKind;

namespace {

/// Categories by their distance (CIELAB) from the phases', the kernels' and the copies' colours, far ones
/// first. Left out: those nearer than 19 in a theme (orange and brown are like tracing, light blue like
/// executing, cyan like a kernel), and grey, which stands for what has no name.
constexpr std::array<std::size_t, 4> kTurns{2, 3, 6, 0};
constexpr std::size_t kNameless = 7;

} // namespace

QColor colourOfFunction(session::FunctionId function, const Theme& theme) {
    return theme.categories[kTurns[function.value % kTurns.size()]];
}

QColor colourOf(const session::Session& session, const session::EventCategory& category, const Theme& theme) {
    const std::string_view kind = session.text(category.category);
    const std::string_view name = session.text(category.name);
    if (category.kind == EventKind::Kernel) {
        const bool moves =
            name.find("emcpy") != std::string_view::npos || name.find("emset") != std::string_view::npos;
        return moves ? theme.warning.fill : theme.kernel.fill;
    }
    if (category.kind == EventKind::Call)
        return colourOfFunction(category.function, theme);
    if (kind == "trace" || kind == "tracing" || kind == "body")
        return theme.miss.fill;
    if (isOptimising(kind))
        return theme.optimise;
    if (kind == "execute")
        return theme.execute.fill;
    return theme
        .categories[name.empty() ? kNameless : kTurns[std::hash<std::string_view>()(name) % kTurns.size()]];
}

QColor colourOfPhase(Phase phase, const Theme& theme) {
    switch (phase) {
    case Phase::Trace:
        return theme.miss.fill;
    case Phase::Optimise:
        return theme.optimise;
    case Phase::FirstRun:
        return theme.firstRun;
    case Phase::Failed:
        return theme.error.fill;
    case Phase::Untold:
        return theme.expected.fill;
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
