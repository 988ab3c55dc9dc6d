#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <retracescope/engine/runtime/observer.h>
#include <retracescope/record/ring_file.h>

namespace retracescope::record {

enum class RecordKind : std::uint8_t {
    Call,      ///< a finished call
    TraceTime, ///< time spent tracing inside the call whose record follows
    Nodes,     ///< header of `count` node times, followed by their records
    Gap,       ///< `count` events found no room
};

/// One slot of a ring: 32 bytes, ids only. Times are ticks.
struct RingRecord {
    static constexpr int kKindShift = 56; ///< durations of 2^56 ticks are a year

    std::uint64_t begin = 0;
    std::uint64_t durationAndKind = 0;
    std::uint32_t function = 0;
    std::uint32_t entry = 0;
    std::uint32_t number = 0; ///< call number, or count
    std::uint32_t detail = 0; ///< outcome of a call, shift of node times

    static std::uint64_t pack(RecordKind kind, std::uint64_t duration) {
        constexpr std::uint64_t kMost = (std::uint64_t{1} << kKindShift) - 1;
        return (duration < kMost ? duration : kMost) | static_cast<std::uint64_t>(kind) << kKindShift;
    }
    RecordKind kind() const { return static_cast<RecordKind>(durationAndKind >> kKindShift); }
    std::uint64_t duration() const { return durationAndKind & ((std::uint64_t{1} << kKindShift) - 1); }
};
static_assert(sizeof(RingRecord) == 32);

/// A queue from one thread, the producer, to the drainer. Never blocks and never allocates: events that find
/// no room are counted, and a Gap record tells when there is room again.
class Ring {
public:
    static constexpr std::uint32_t kNodesPerRecord = sizeof(RingRecord) / sizeof(std::uint32_t);

    /// `capacity` is a power of two. All memory is touched here, on the producer. With a file the slots lie
    /// in it, if it has room.
    explicit Ring(std::size_t capacity, std::shared_ptr<RingFile> file = nullptr);
    ~Ring();
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    /// Of the file; null if the slots lie in the process's own memory.
    RegionHeader* region() const { return m_ownMemory ? nullptr : m_region; }

    /// Producer. True if the ring has just become half full, so that the drainer should be woken.
    [[gnu::always_inline]] bool pushCall(const runtime::CallFacts& facts) noexcept {
        const bool traced = facts.traceTicks != 0;
        if (!reserve(traced ? 2 : 1)) [[unlikely]]
            return lose(1, facts.begin);
        if (m_lost != 0) [[unlikely]]
            putGap(facts.begin);
        if (traced)
            put({facts.begin, RingRecord::pack(RecordKind::TraceTime, facts.traceTicks), 0, 0, 0, 0});
        put({facts.begin, RingRecord::pack(RecordKind::Call, facts.end - facts.begin), facts.function,
             facts.entry, facts.number, static_cast<std::uint32_t>(facts.outcome)});
        return publish();
    }

    /// Producer. One header and eight node times a record. What does not fit is lost, every node that ran.
    bool pushNodes(std::uint32_t entry, std::span<const std::uint64_t> boundaries) noexcept;

    /// Consumer: everything up to here can be drained.
    std::size_t published() const { return m_region->head.load(std::memory_order_acquire); }

    /// Consumer: calls `take(record, following)` for all records from the last drainTo() up to `end`, a value
    /// of published(); `following(i)` is slot i behind a Nodes header. The records stay until release().
    template <class Take>
    void drainTo(std::size_t end, Take&& take);

    /// Consumer: up to here drainTo() has given out everything.
    std::size_t drained() const { return m_drained; }

    /// Consumer: what was drained is safe elsewhere; its room is free again.
    void release() { m_region->tail.store(m_drained, std::memory_order_release); }

    /// Consumer: forgets what is there.
    void discard() {
        m_drained = published();
        release();
    }

    /// Consumer: as full as the producer may let it become before it should be emptied.
    bool isHalfFull() const {
        return published() - m_region->tail.load(std::memory_order_relaxed) >= (m_mask + 1) / 2;
    }

    /// Events that found no room.
    std::uint64_t dropped() const { return m_dropped.load(std::memory_order_relaxed); }

private:
    /// True if `slots` fit and, after a loss, a gap record before them.
    bool reserve(std::size_t slots) noexcept {
        const std::size_t wanted = slots + (m_lost != 0);
        if (m_next + wanted - m_cachedTail <= m_mask + 1) [[likely]]
            return true;
        m_cachedTail = m_region->tail.load(std::memory_order_acquire);
        return m_next + wanted - m_cachedTail <= m_mask + 1;
    }

    /// Returns false, what a push answers that needs no drainer.
    bool lose(std::uint32_t events, std::uint64_t now) noexcept;
    void putGap(std::uint64_t now) noexcept;
    void put(const RingRecord& record) noexcept { m_slots[m_next++ & m_mask] = record; }

    bool publish() noexcept {
        const std::size_t before = m_published;
        m_published = m_next;
        m_region->head.store(m_next, std::memory_order_release);
        const std::size_t half = (m_mask + 1) / 2;
        return before - m_cachedTail < half && m_next - m_cachedTail >= half;
    }

    struct OwnMemory {
        RegionHeader header;
        std::unique_ptr<RingRecord[]> slots;
    };

    std::shared_ptr<RingFile> m_file; ///< keeps the memory below
    std::unique_ptr<OwnMemory> m_ownMemory;
    RegionHeader* m_region = nullptr; ///< head is written by the producer, tail by the consumer
    RingRecord* m_slots = nullptr;
    std::size_t m_mask;

    // Written by the producer alone.
    alignas(64) std::size_t m_next = 0;
    std::size_t m_published = 0;
    std::size_t m_cachedTail = 0;
    std::uint32_t m_lost = 0; ///< since the last gap record
    std::uint64_t m_lostFrom = 0;
    std::atomic<std::uint64_t> m_dropped{0};

    alignas(64) std::size_t m_drained = 0; ///< the consumer's
};

template <class Take>
void Ring::drainTo(std::size_t end, Take&& take) {
    std::size_t& at = m_drained;
    while (at != end) {
        const RingRecord& record = m_slots[at & m_mask];
        const std::size_t following =
            record.kind() == RecordKind::Nodes ? (record.number + kNodesPerRecord - 1) / kNodesPerRecord : 0;
        take(record, [&](std::size_t i) -> const RingRecord& { return m_slots[(at + 1 + i) & m_mask]; });
        at += 1 + following;
    }
}

} // namespace retracescope::record
