#pragma once

#include <cstdint>

/// Counts of what a steady program must not do, for tests and measurements that link tests_allocations.
namespace retracescope::tests {

/// False under sanitizers, whose own operator new must stay: then allocations() is always 0.
extern const bool kCountsAllocations;

/// How often this thread has asked operator new for memory.
std::uint64_t allocations() noexcept;

/// How many pages this thread has touched for the first time.
std::uint64_t pageFaults();

} // namespace retracescope::tests
