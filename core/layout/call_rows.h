#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::layout {

/// A call of one function as far as its row depends on it.
struct CallSpan {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    session::LaneId thread;
};

/// The row of each call: one inside another of its thread (a recursion) lies below it; calls of different
/// threads are not inside each other however they overlap, and never share a row while both run. Takes calls
/// by start, if equal the longer first; uses the lowest rows that are free.
std::vector<std::size_t> callRows(std::span<const CallSpan> calls);

} // namespace retracescope::layout
