#pragma once

#include <atomic>
#include <concepts>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace retracescope {

/// Whether the process has only this thread, so that counting needs no locked instruction (as std::shared_ptr
/// counts). Once a second thread starts, false before it runs.
inline bool isSingleThreaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

/// Adds to a count that several threads may change; the new count.
template <std::unsigned_integral Count>
Count addTo(std::atomic<Count>& count, Count more, std::memory_order order) noexcept {
    if (!isSingleThreaded())
        return static_cast<Count>(count.fetch_add(more, order) + more);
    const auto after = static_cast<Count>(count.load(std::memory_order_relaxed) + more);
    count.store(after, std::memory_order_relaxed);
    return after;
}

} // namespace retracescope
