#include <retracescope/diagnose/function_names.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;

namespace {

/// Names those that share `name` by their places where no two share one, else by number.
void tellApart(const Session& session, const std::string& name, const std::vector<FunctionId>& functions,
               std::vector<std::string>& names) {
    std::vector<std::string> places;
    for (const FunctionId function : functions) {
        const Place place = definitionPlace(session, function);
        places.push_back(place.line > 0 ? shortPlace(place.file, place.line) : std::string());
    }
    const std::set<std::string> distinct(places.begin(), places.end());
    const bool byPlace = distinct.size() == functions.size() && !distinct.contains("");
    for (std::size_t i = 0; i < functions.size(); ++i)
        names[functions[i].value] =
            byPlace ? fmt::format("{} ({})", name, places[i]) : fmt::format("{} (#{})", name, i + 1);
}

} // namespace

std::vector<std::string> functionNames(const Session& session) {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::vector<FunctionId>> byName;
    for (std::size_t row = 0; row < session.functions.size(); ++row) {
        names.push_back(nameOf(session, FunctionId(row)));
        byName[names.back()].push_back(FunctionId(row));
    }
    for (const auto& [name, functions] : byName) {
        if (functions.size() > 1)
            tellApart(session, name, functions, names);
    }
    return names;
}

} // namespace retracescope::diagnose
