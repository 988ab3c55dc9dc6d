#pragma once

#include <cstdint>
#include <mutex>

/// What all functions share while they trace.
namespace retracescope::trace {

/// One for all functions: a trace may call any other function, so that locks of their own could wait for each
/// other.
std::recursive_mutex& tracingLock();

/// Ticks spent in the finished traces of this thread; those inside another are part of it, not counted twice.
std::uint64_t& tracingTicks();

} // namespace retracescope::trace
