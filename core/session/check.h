#pragma once

#include <retracescope/base/result.h>
#include <retracescope/session/columns.h>
#include <retracescope/session/session.h>

namespace retracescope::session {

/// Done if every id leads to a row, every slice lies in its list and every value is allowed, so that nothing
/// that looks at the session has to ask again. The error names the first place that is wrong.
Status checkSession(const Session& session);

/// The same for the tables of low volume alone: everything but the event tables.
Status checkTables(const Session& session);

/// The same for the rows [from, end) of one event table.
template <class Table>
Status checkRows(const Session& session, const Table& table, std::size_t from);

} // namespace retracescope::session
