#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <retracescope/session/session.h>

/// The tables of a session file (FORMAT.md 3) and how enumerators are spelled in them.
namespace retracescope::session {

/// "RTRC" in SQLite's header field.
inline constexpr std::int32_t kApplicationId = 0x52545243;
inline constexpr std::int64_t kVersionFactor = 1000; ///< user_version = major * 1000 + minor
inline constexpr std::size_t kChunkRows = 64 * 1024; ///< most rows a chunk may hold

/// CREATE TABLE statements of everything that our writer makes.
extern const char* const kCreateTables;

/// Of what only others write, our writer up to version 1.1 among them.
extern const char* const kCreateOtherTables;

/// True for tables that a reader passes over in silence: those that a user's additions will have (notes,
/// view_state), and the time pyramid that files of version 1.0 may hold.
bool isReservedTable(std::string_view name);

std::string_view entryStateName(EntryState state);
std::optional<EntryState> entryStateFromName(std::string_view name);
std::string_view laneKindName(LaneKind kind);
std::optional<LaneKind> laneKindFromName(std::string_view name);

} // namespace retracescope::session
