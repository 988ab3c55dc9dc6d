#pragma once

#include <retracescope/diagnose/history.h>

namespace retracescope::diagnose {

/// The cached entry a miss came closest to.
struct Nearest {
    std::uint32_t competing =
        session::EntryId::kNone; ///< row in Miss::competing; kNone if there was no entry
    double distance = 0;
};

/// The entry whose blocking set weighs least (diagnosis.md 5.2). An entry that is gone costs nothing extra,
/// so that an equal key that was cleared or evicted is found; of equal ones a living entry comes first, then
/// the one hit most recently before the miss, then the one hit most often.
Nearest nearestEntry(const session::Session& session, const session::Index& index, const session::Miss& miss,
                     const History& history);

/// True for a difference that says that the entry is gone, not that a component differs.
bool saysGone(types::MissKind kind);

} // namespace retracescope::diagnose
