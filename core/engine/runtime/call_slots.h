#pragma once

#include <atomic>
#include <cstdint>

#include <retracescope/engine/runtime/observer.h>

namespace retracescope::runtime {

/// One slot: a finished call, or whatever else its observer keeps between calls. Times are ticks.
struct CallRecord {
    std::uint64_t begin = 0;
    std::uint64_t duration = 0; ///< of a call below 2^56 ticks, which are a year
    FunctionKey function = 0;
    EntryKey entry = 0;
    std::uint32_t number = 0;
    std::uint32_t detail = 0; ///< of a call, its CallOutcome
};
static_assert(sizeof(CallRecord) == 32);

/// Clocks of two cores may differ by a little: a call never ends before it began.
inline CallRecord recordOf(const CallFacts& call) noexcept {
    return {call.begin,  call.end > call.begin ? call.end - call.begin : 0, call.function, call.entry,
            call.number, static_cast<std::uint32_t>(call.outcome)};
}

/// Room that an observer lends a thread, so that a call is told by writing it down. The thread alone changes
/// it, in the observer's functions too; others see the records that are published.
struct CallSlots {
    CallRecord* records = nullptr;
    std::uint64_t mask = 0;  ///< position p lies in records[p & mask]
    std::uint64_t next = 0;  ///< position of the next record
    std::uint64_t limit = 0; ///< from this position on the observer is asked: Observer::onCall()
    std::atomic<std::uint64_t>* published = nullptr; ///< records before this position are complete
    std::uint32_t generation = 0;                    ///< of the installation that they are lent for

    [[gnu::always_inline]] void put(const CallRecord& record) noexcept { records[next++ & mask] = record; }
    [[gnu::always_inline]] void publish() noexcept { published->store(next, std::memory_order_release); }

    /// False if the observer must be asked.
    [[gnu::always_inline]] bool take(const CallFacts& call) noexcept {
        if (next >= limit || call.traceTicks != 0) [[unlikely]]
            return false;
        put(recordOf(call));
        publish();
        return true;
    }
};

namespace detail {
extern thread_local constinit CallSlots* lentSlots;
} // namespace detail

/// For observers: what the present thread has from now on. They must outlive the thread or the next
/// lendSlots(); null takes them back.
inline void lendSlots(CallSlots* lent) noexcept {
    detail::lentSlots = lent;
}

/// Tells who listens of a finished call.
[[gnu::always_inline]] inline void tellCall(const Installation& listening, const CallFacts& call) noexcept {
    CallSlots* const lent = detail::lentSlots;
    if (lent == nullptr || lent->generation != listening.generation || !lent->take(call)) [[unlikely]]
        listening.observer->onCall(call);
}

} // namespace retracescope::runtime
