#pragma once

#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/importers/begin_end.h>
#include <retracescope/session/session.h>

namespace retracescope::importers {

/// Adds the spans to the session's table, ordered by start, longer first, then place in the file. A span that
/// overlaps an open one of its lane only in part goes whole to the first row where it is beside or inside
/// what is open there; nothing is cut. Intervals are closed on the left and open on the right. False if the
/// job was cancelled.
bool addSpans(std::vector<ImportedSpan> spans, session::Session& session, const Job& job);

} // namespace retracescope::importers
