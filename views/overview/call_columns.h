#pragma once

#include <bitset>
#include <vector>

#include "views/shared/time_uses.h"

namespace retracescope::views {

/// One column of a chart of calls: one call or, of more calls than columns, the longest of a few.
struct CallColumn {
    session::CallId longest;
    std::int64_t totalNs = 0;
    std::int64_t traceNs = 0;
    TimeUse tracing = TimeUse::Needed; ///< what the trace was for
    TimeUse rest = TimeUse::Execute;   ///< what the rest of the call was for
};

/// The calls of a function in call order.
struct CallColumns {
    std::vector<CallColumn> columns; ///< at most `most`
    std::size_t calls = 0;

    /// The column of the n-th call of the function, from 0; none while there are no columns.
    std::size_t columnOf(std::size_t call) const { return calls == 0 ? 0 : call * columns.size() / calls; }

    std::bitset<kTimeUses> uses() const; ///< that occur in a column
};

/// Reads all calls of the function. A cancelled job gives less.
CallColumns columnsOf(const diagnose::Diagnosis& diagnosis, session::FunctionId function, std::size_t most,
                      const Job& job = {});

} // namespace retracescope::views
