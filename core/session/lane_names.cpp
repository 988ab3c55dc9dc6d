#include <retracescope/session/lane_names.h>

#include <map>
#include <set>
#include <tuple>

namespace retracescope::session {

namespace {

bool isMain(const Session& session, const Lane& lane) {
    const std::string_view thread = session.text(lane.threadId);
    // Sources without ids write 0 for both.
    return lane.kind == LaneKind::Thread && !thread.empty() && thread != "0" &&
           thread == session.text(lane.processId);
}

/// "name", or "name 3 (tid 1234)" if the number is not 0.
std::string numbered(const Session& session, const Lane& lane, std::string name, std::size_t number) {
    if (number == 0)
        return name;
    name += ' ' + std::to_string(number);
    const std::string_view thread = session.text(lane.threadId);
    return thread.empty() ? name : name + " (tid " + std::string(thread) + ')';
}

/// An id with a word before it; one that is a word itself speaks for itself.
std::string withWord(const char* word, std::string_view id) {
    const bool isNumber = id.find_first_not_of("0123456789") == std::string_view::npos;
    return isNumber ? word + (' ' + std::string(id)) : std::string(id);
}

std::string nameOfUnnamed(const Session& session, const Lane& lane) {
    const std::string_view thread = session.text(lane.threadId);
    return thread.empty() ? "unnamed" : withWord("thread", thread);
}

/// Lanes that are listed side by side.
using Place = std::tuple<std::string_view, std::string_view, LaneKind>;

Place placeOf(const Session& session, const Lane& lane) {
    return {session.text(lane.processId), session.text(lane.process), lane.kind};
}

void nameProcesses(const Session& session, std::vector<LaneName>& names) {
    std::map<std::string_view, std::set<std::string_view>> idsOfName;
    for (const Lane& lane : session.lanes)
        idsOfName[session.text(lane.process)].insert(session.text(lane.processId));
    for (std::size_t row = 0; row < names.size(); ++row) {
        const std::string_view name = session.text(session.lanes[row].process);
        const std::string id(session.text(session.lanes[row].processId));
        names[row].process = name;
        const bool isAlone = idsOfName[name].size() == 1;
        if (id.empty() || (isAlone && (!name.empty() || idsOfName.size() == 1)))
            continue;
        names[row].process = name.empty() ? withWord("process", id) : std::string(name) + " (pid " + id + ')';
    }
}

} // namespace

std::vector<LaneName> laneNames(const Session& session) {
    std::set<Place> withMain;
    std::map<std::pair<Place, std::string_view>, std::size_t> sameName;
    for (const Lane& lane : session.lanes) {
        if (isMain(session, lane))
            withMain.insert(placeOf(session, lane));
        ++sameName[{placeOf(session, lane), session.text(lane.name)}];
    }
    std::vector<LaneName> names(session.lanes.size());
    std::map<std::pair<Place, std::string_view>, std::size_t> numbers;
    for (std::size_t row = 0; row < names.size(); ++row) {
        const Lane& lane = session.lanes[row];
        const Place place = placeOf(session, lane);
        const std::string_view given = session.text(lane.name);
        const bool isNamed = !given.empty();
        if (!isNamed && isMain(session, lane))
            names[row].name = "main";
        else if (!isNamed && !withMain.contains(place))
            names[row].name = nameOfUnnamed(session, lane);
        else if (isNamed && sameName[{place, given}] == 1)
            names[row].name = given;
        else
            names[row].name =
                numbered(session, lane, isNamed ? std::string(given) : "worker", ++numbers[{place, given}]);
    }
    nameProcesses(session, names);
    return names;
}

} // namespace retracescope::session
