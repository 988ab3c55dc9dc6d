#pragma once

#include <memory>
#include <string_view>

#include <retracescope/session/codec.h>
#include <retracescope/session/pyramid.h>
#include <retracescope/session/sqlite.h>

/// Table `pyramid` (FORMAT.md 5): the finest level of each long row, from which the coarser ones follow.
namespace retracescope::session {

/// Key in table `meta`: how many events the pyramid was built from.
inline constexpr std::string_view kPyramidEvents = "pyramid_events";

/// Builds the pyramid and writes it. Throws sqlite::DatabaseError.
void writePyramid(sqlite::Database& database, const Session& session, Codec codec, const Job& job);

/// What the file brings, or null if it has none. One that is damaged, or was built from another number of
/// events than `session` now holds, is left out with a warning in `session`.
std::shared_ptr<const StoredPyramid> readPyramid(sqlite::Database& database, std::int64_t builtFromEvents,
                                                 Session& session);

} // namespace retracescope::session
