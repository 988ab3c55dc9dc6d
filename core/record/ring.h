#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <retracescope/engine/runtime/observer.h>

namespace retracescope::record {

/// Node times of one run, as they lie in a ring.
struct RingNodes {
    std::uint64_t begin = 0;
    runtime::EntryKey entry = 0;
    std::uint32_t count = 0;
    std::uint32_t shift = 0; ///< times are stored shifted right by so much
};

/// Events that found no room.
struct RingGap {
    std::uint64_t begin = 0; ///< of the first
    std::uint32_t count = 0;
};

/// A queue from one thread, the producer, to the drainer. Never blocks and never allocates: events that find
/// no room are counted, and a gap tells of them when there is room again. What costs the producer is that
/// the drainer's processor holds the memory it writes to: hence a hit, the usual call, takes a quarter of a
/// cache line, with its begin as the distance to the one before. All times are ticks.
class Ring {
    struct alignas(16) Slot {
        std::array<std::uint32_t, 4> words{};
    };
    enum Kind : std::uint32_t { kCall, kNodes, kGap };

public:
    static constexpr std::size_t kSlotBytes = sizeof(Slot);
    static constexpr std::size_t kHitSlots = 1;
    static constexpr std::size_t kCallSlots = 3; ///< any call but a short hit

    /// `capacity` in slots is a power of two. All memory is touched here, on the producer.
    explicit Ring(std::size_t capacity) : m_slots(std::make_unique<Slot[]>(capacity)), m_mask(capacity - 1) {}

    /// Producer. True if the ring has just become half full, so that the drainer should be woken.
    bool pushCall(const runtime::CallFacts& facts) noexcept {
        const auto fromLast = static_cast<std::int64_t>(facts.begin - m_lastBegin);
        const std::uint64_t duration = facts.end - facts.begin;
        const bool isShort = facts.outcome == runtime::CallOutcome::Hit && facts.entry != 0 &&
                             facts.traceTicks == 0 && static_cast<std::int32_t>(fromLast) == fromLast &&
                             static_cast<std::uint32_t>(duration) == duration;
        if (!reserve(isShort ? kHitSlots : kCallSlots)) [[unlikely]]
            return lose(1, facts.begin);
        if (m_lost != 0) [[unlikely]]
            putGap();
        if (isShort) [[likely]]
            put(static_cast<std::uint32_t>(fromLast), static_cast<std::uint32_t>(duration), facts.entry,
                facts.number);
        else
            putWhole(facts);
        m_lastBegin = facts.begin;
        return publish();
    }

    /// Producer. `boundaries` as Observer::onNodes() has them. What does not fit is lost, every node that
    /// ran.
    bool pushNodes(runtime::EntryKey entry, std::span<const std::uint64_t> boundaries) noexcept;

    /// Consumer: everything up to here can be drained.
    std::size_t published() const { return m_head.load(std::memory_order_acquire); }

    /// Consumer: calls `take` for all that was pushed up to `end`, a value of published(), with
    /// a runtime::CallFacts (function 0: the entry's), a RingNodes and a function from a node to its ticks,
    /// or a RingGap.
    template <class Take>
    void drainTo(std::size_t end, Take&& take);

    /// Consumer: forgets what is there.
    void discard() {
        drainTo(published(), [](const auto&...) {});
        m_droppedBefore = m_dropped.load(std::memory_order_relaxed);
    }

    /// Events that found no room since the last discard().
    std::uint64_t dropped() const { return m_dropped.load(std::memory_order_relaxed) - m_droppedBefore; }

private:
    static constexpr std::size_t kNodesPerSlot = 4;

    /// True if `slots` fit and, after a loss, a gap before them.
    bool reserve(std::size_t slots) noexcept {
        const std::size_t wanted = slots + (m_lost != 0 ? 2 : 0);
        if (m_next + wanted - m_cachedTail <= m_mask + 1) [[likely]]
            return true;
        m_cachedTail = m_tail.load(std::memory_order_acquire);
        return m_next + wanted - m_cachedTail <= m_mask + 1;
    }

    void put(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
        m_slots[m_next++ & m_mask] = {{a, b, c, d}};
    }
    /// The third word, where a hit has its entry, says that this is none.
    void putHeader(Kind kind, std::uint32_t a, std::uint32_t b) noexcept { put(a, b, 0, kind); }
    void put(std::uint64_t a, std::uint32_t c, std::uint32_t d) noexcept {
        put(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32), c, d);
    }
    void putWhole(const runtime::CallFacts& facts) noexcept;
    void putGap() noexcept;

    /// Returns false, what a push answers that needs no drainer.
    bool lose(std::uint32_t events, std::uint64_t now) noexcept;

    bool publish() noexcept {
        const std::size_t before = m_published;
        m_published = m_next;
        m_head.store(m_next, std::memory_order_release);
        const std::size_t half = (m_mask + 1) / 2;
        return before - m_cachedTail < half && m_next - m_cachedTail >= half;
    }

    static std::uint64_t wide(std::uint32_t low, std::uint32_t high) {
        return low | std::uint64_t{high} << 32;
    }

    std::unique_ptr<Slot[]> m_slots;
    std::size_t m_mask;

    // Written by the producer alone.
    alignas(64) std::size_t m_next = 0;
    std::size_t m_published = 0;
    std::size_t m_cachedTail = 0;
    std::uint64_t m_lastBegin = 0;
    std::uint32_t m_lost = 0; ///< since the last gap
    std::uint64_t m_lostFrom = 0;
    std::atomic<std::uint64_t> m_dropped{0};

    alignas(64) std::atomic<std::size_t> m_head{0};
    alignas(64) std::atomic<std::size_t> m_tail{0};
    std::uint64_t m_droppedBefore = 0; ///< the consumer's, as is the next
    std::uint64_t m_lastRead = 0;      ///< begin of the last call drained
};

template <class Take>
void Ring::drainTo(std::size_t end, Take&& take) {
    std::size_t at = m_tail.load(std::memory_order_relaxed);
    const auto words = [&](std::size_t i) -> const auto& { return m_slots[(at + i) & m_mask].words; };
    while (at != end) {
        const auto [a, b, c, d] = words(0);
        if (c != 0) {
            m_lastRead += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)});
            take(runtime::CallFacts{0, c, d, runtime::CallOutcome::Hit, m_lastRead, m_lastRead + b, 0});
            at += kHitSlots;
        } else if (d == kCall) {
            const auto& times = words(1);
            const auto& rest = words(2);
            m_lastRead = wide(times[0], times[1]);
            take(runtime::CallFacts{rest[0], rest[1], b, static_cast<runtime::CallOutcome>(a), m_lastRead,
                                    m_lastRead + wide(times[2], times[3]), wide(rest[2], rest[3])});
            at += kCallSlots;
        } else if (d == kNodes) {
            const auto& head = words(1);
            take(RingNodes{wide(head[0], head[1]), head[2], a, b}, [&](std::size_t node) {
                return std::uint64_t{words(2 + node / kNodesPerSlot)[node % kNodesPerSlot]} << b;
            });
            at += 2 + (a + kNodesPerSlot - 1) / kNodesPerSlot;
        } else {
            const auto& begin = words(1);
            take(RingGap{wide(begin[0], begin[1]), a});
            at += 2;
        }
    }
    m_tail.store(at, std::memory_order_release);
}

} // namespace retracescope::record
