#pragma once

#include <vector>

#include <retracescope/session/query.h>

/// What misses were compared with. A session stores it only where it does not follow from the keys and from
/// when entries came and went (FORMAT.md, table misses).
namespace retracescope::session {

/// The entries that a miss was compared with, in the engine's order: those that it lists in
/// Miss::competing, else those that existed, by number.
std::vector<EntryId> comparedWith(const Session& session, const Index& index, const Miss& miss);

/// What kept the entry from serving the miss: as the miss lists it, else where the keys differ. Nothing where
/// a key was not recorded.
std::vector<types::Difference> differencesTo(const Session& session, const Miss& miss, EntryId entry);

} // namespace retracescope::session
