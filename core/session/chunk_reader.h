#pragma once

#include <retracescope/base/cancel.h>
#include <retracescope/session/session.h>
#include <retracescope/session/sqlite.h>

namespace retracescope::session {

/// Fills the event tables from the file's chunks (FORMAT.md 4). A damaged chunk is left out whole and told in
/// Session::warnings, and Miss::call follows the rows that remain. `fileStrings` as readTables fills it.
/// Throws sqlite::DatabaseError if the database itself is broken or the events do not fit into this machine's
/// memory.
void readChunks(sqlite::Database& database, Session& session, const std::vector<StringId>& fileStrings,
                const Job& job);

} // namespace retracescope::session
