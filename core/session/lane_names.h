#pragma once

#include <string>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::session {

/// What a lane is called where lanes are listed.
struct LaneName {
    std::string name;    ///< told apart from the other lanes of its kind in its process
    std::string process; ///< told apart from the other processes; empty where only one process has lanes,
                         ///< without name
};

/// By LaneId. A thread without a name is "main" if its id is that of the process, else "worker 3 (tid 1234)",
/// counted in the order of lanes, or "thread 1234" where it is not known which is the main one. Equal names
/// get a number too.
std::vector<LaneName> laneNames(const Session& session);

} // namespace retracescope::session
