#include <retracescope/base/clock.h>

#include <mutex>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace retracescope {

namespace {

std::int64_t readClock(clockid_t id) noexcept {
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

bool hasInvariantCounter() noexcept {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
    return false;
#endif
}

} // namespace

const bool detail::kInvariantCounter = hasInvariantCounter();

namespace {

struct Anchor {
    std::uint64_t ticks;
    std::int64_t ns;
};

/// The tightest of several bracketed readings of both clocks.
Anchor readAnchor() noexcept {
    Anchor best{};
    std::uint64_t bestWidth = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::uint64_t before = ticks();
        const std::int64_t ns = monotonicNs();
        const std::uint64_t after = ticks();
        if (after - before < bestWidth) {
            bestWidth = after - before;
            best = {before + (after - before) / 2, ns};
        }
    }
    return best;
}

} // namespace

std::int64_t monotonicNs() noexcept {
    return readClock(CLOCK_MONOTONIC);
}

std::int64_t wallNs() noexcept {
    return readClock(CLOCK_REALTIME);
}

TickScale calibrateTicks() {
    if (!detail::kInvariantCounter)
        return {0, 0, 1.0};
    static std::mutex mutex;
    static Anchor first{};
    const std::lock_guard lock(mutex);
    if (first.ticks == 0)
        first = readAnchor();
    constexpr std::int64_t kLeastSpanNs = 2'000'000;
    Anchor now = readAnchor();
    while (now.ns - first.ns < kLeastSpanNs)
        now = readAnchor();
    return {now.ticks, now.ns,
            static_cast<double>(now.ns - first.ns) / static_cast<double>(now.ticks - first.ticks)};
}

} // namespace retracescope
