#include <retracescope/report/title.h>

#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/report/tables.h>
#include <retracescope/session/recording_cost.h>

namespace retracescope::report {

using namespace session;

namespace {

std::string_view unclosedWarning(WriterState writer) {
    switch (writer) {
    case WriterState::Running:
        return "The recording is still running: what came in the last tenth of a second before the file was "
               "opened, and later, is not here. How many events were dropped is not known yet.";
    case WriterState::Gone:
        return "The recording was not closed: the program ended early. Everything up to the last flush is "
               "here; how many events were dropped is not known.";
    case WriterState::Unknown:
        break;
    }
    return "The recording was not closed: the program was killed or is still running. Everything up to the "
           "last flush is here; how many events were dropped is not known.";
}

} // namespace

std::string reportTitle(const Session& session) {
    if (!session.imported.source.empty())
        return session.imported.source;
    if (session.functions.empty())
        return "Session without functions";
    const std::string first(session.text(session.functions.front().name));
    const auto others = static_cast<std::int64_t>(session.functions.size()) - 1;
    if (others == 0)
        return first;
    return fmt::format("{} and {}", first, formatPlural(others, "other function", "other functions"));
}

std::vector<std::string> warningsOf(const Session& session) {
    std::vector<std::string> warnings = session.imported.warnings;
    warnings.insert(warnings.end(), session.warnings.begin(), session.warnings.end());
    if (!session.closedProperly)
        warnings.emplace_back(unclosedWarning(session.writer));
    if (const auto dropped = recordedNumber(session, "dropped"); dropped && *dropped > 0)
        warnings.push_back(fmt::format("{} dropped. Counts are lower bounds.",
                                       formatPlural(*dropped, "event was", "events were")));
    if (const auto cost = recordingCost(session); cost && cost->isLarge())
        warnings.push_back(fmt::format("Recording itself took {} of {}: times are inflated.",
                                       formatDuration(cost->ns), formatDuration(cost->lengthNs)));
    return warnings;
}

std::string warningLines(const Session& session) {
    std::string lines;
    for (const std::string& warning : warningsOf(session))
        lines += fmt::format("Warning: {}\n", printable(warning));
    return lines;
}

} // namespace retracescope::report
