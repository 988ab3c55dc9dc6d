#pragma once

#include <retracescope/base/cancel.h>
#include <retracescope/session/session.h>
#include <retracescope/session/sqlite.h>
#include <retracescope/session/table_reader.h>

namespace retracescope::session {

/// Fills the event tables and the graphs from the file's chunks (FORMAT.md 4). A damaged chunk of events is
/// left out whole, one of graphs leaves blanks; Session::warnings tells of both, and Miss::call follows the
/// rows that remain. `rows` are those of the same file. Throws sqlite::DatabaseError if the database itself
/// is broken or what the streams hold does not fit into this machine's memory.
void readChunks(sqlite::Database& database, Session& session, const TableRows& rows, const Job& job);

} // namespace retracescope::session
