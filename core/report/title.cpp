#include <retracescope/report/title.h>

#include <fmt/format.h>

#include <retracescope/base/units.h>

namespace retracescope::report {

using namespace session;

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
        warnings.emplace_back("The recording was not closed: the program was killed or is still running. "
                              "Everything up to the last flush is here; how many events were dropped is not "
                              "known.");
    const std::string_view dropped = session.fact("recording", "dropped");
    if (!dropped.empty() && dropped != "0")
        warnings.push_back(fmt::format("{} events were dropped. Counts are lower bounds.", dropped));
    return warnings;
}

} // namespace retracescope::report
