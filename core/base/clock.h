#pragma once

#include <cstdint>

namespace retracescope {

/// Nanoseconds of CLOCK_MONOTONIC.
std::int64_t monotonicNs() noexcept;

/// Nanoseconds since 1970 of CLOCK_REALTIME.
std::int64_t wallNs() noexcept;

namespace detail {
extern const bool kInvariantCounter; ///< whether the time-stamp counter is steady
} // namespace detail

/// The cheapest steady counter of this machine: the time-stamp counter where it is invariant, else
/// monotonicNs(). One read costs about 10 ns on the machines it was measured on.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    if (detail::kInvariantCounter) [[likely]]
        return __builtin_ia32_rdtsc();
#endif
    return static_cast<std::uint64_t>(monotonicNs());
}

/// A point known on both clocks, and the rate between them.
struct TickScale {
    std::uint64_t anchorTicks = 0;
    std::int64_t anchorNs = 0;
    double nsPerTick = 1.0;

    std::int64_t toNs(std::uint64_t t) const {
        return anchorNs + static_cast<std::int64_t>(
                              static_cast<double>(static_cast<std::int64_t>(t - anchorTicks)) * nsPerTick);
    }
};

/// Calibrates ticks() against monotonicNs(); the first call takes about 2 ms, later ones refine the rate for
/// free.
TickScale calibrateTicks();

} // namespace retracescope
