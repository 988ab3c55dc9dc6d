#pragma once

#include <atomic>
#include <concepts>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace retracescope {

/// Which thread may change counts without locked instructions while there are others. It is the first that
/// counts, between two stores that say so, until a second thread comes to count: that one tells the owner to
/// stop, makes every core see it (membarrier), and waits until the owner is seen outside. From then on all
/// threads count locked, for as long as the process lives. Where the kernel has no membarrier, nobody owns.
class CountOwner {
public:
    /// True if the caller is the owner; it may then count with plain instructions until leave(). Never held
    /// for longer than a few instructions.
    [[gnu::always_inline]] static bool enter() noexcept {
        if (!t_isOwner) [[unlikely]]
            return !s_isShared.load(std::memory_order_acquire) && claimOrShare();
        s_isInside.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // the barrier of claimOrShare() does the rest
        if (!s_mustStop.load(std::memory_order_relaxed)) [[likely]]
            return true;
        return stop();
    }
    static void leave() noexcept { s_isInside.store(false, std::memory_order_release); }

    /// Whether two threads have counted.
    static bool isShared() noexcept { return s_isShared.load(std::memory_order_acquire); }

private:
    /// The first caller becomes the owner and is inside; any other ends ownership.
    static bool claimOrShare() noexcept;
    static bool claim() noexcept;
    /// The owner leaves for good. (Not marked as cold: what follows a count would be taken for cold, too.)
    [[gnu::noinline]] static bool stop() noexcept;

    static thread_local constinit bool t_isOwner;
    static constinit std::atomic<bool> s_isInside; ///< written by the owner alone
    static constinit std::atomic<bool> s_mustStop;
    static constinit std::atomic<bool> s_isShared; ///< the owner has stopped
};

/// Whether the process has only this thread (as std::shared_ptr asks). Once a second thread starts, false
/// before it runs.
inline bool isSingleThreaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

/// While it lives, the thread changes counts and places that several threads may change: asks once how it
/// may. For a few instructions only, in which nothing else counts. All who change one must do it in sections.
class CountSection {
public:
    [[gnu::always_inline]] CountSection() noexcept
        : m_isSingle(isSingleThreaded()), m_isPlain(m_isSingle || CountOwner::enter()) {}
    [[gnu::always_inline]] ~CountSection() {
        if (m_isPlain && !m_isSingle)
            CountOwner::leave();
    }
    CountSection(const CountSection&) = delete;
    CountSection& operator=(const CountSection&) = delete;

    /// The new count.
    template <std::unsigned_integral Count>
    [[gnu::always_inline]] Count add(std::atomic<Count>& count, Count more,
                                     std::memory_order order) noexcept {
        if (!m_isPlain) [[unlikely]]
            return static_cast<Count>(count.fetch_add(more, order) + more);
        const auto after = static_cast<Count>(count.load(std::memory_order_relaxed) + more);
        count.store(after, std::memory_order_relaxed);
        return after;
    }

    /// What was there before. Release and acquire, as counts that end.
    template <class T>
    [[gnu::always_inline]] T exchange(std::atomic<T>& place, T with) noexcept {
        if (!m_isPlain) [[unlikely]]
            return place.exchange(with, std::memory_order_acq_rel);
        const T before = place.load(std::memory_order_acquire);
        place.store(with, std::memory_order_release);
        return before;
    }

private:
    const bool m_isSingle;
    const bool m_isPlain;
};

/// Adds to a count that several threads may change; the new count.
template <std::unsigned_integral Count>
[[gnu::always_inline]] inline Count addTo(std::atomic<Count>& count, Count more,
                                          std::memory_order order) noexcept {
    return CountSection().add(count, more, order);
}

} // namespace retracescope
