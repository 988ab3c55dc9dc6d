#pragma once

#include <utility>
#include <vector>

#include <QString>

#include <retracescope/session/lane_index.h>

namespace retracescope::views {

/// What a session knows of a span, a kernel or an instant.
struct EventFacts {
    QString name; ///< "unnamed event" if it has none
    QString category;
    session::LaneId lane;
    std::int64_t startNs = 0;
    std::int64_t durationNs = session::kNotRecorded;    ///< not of instants
    std::vector<std::pair<QString, QString>> arguments; ///< key and value, long ones cut
};

EventFacts factsOf(const session::Session& session, const session::EventRef& event);

} // namespace retracescope::views
