#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/engine/runtime/observer.h>
#include <retracescope/record/ring_file.h>

namespace retracescope::record {

enum class RecordKind : std::uint8_t {
    Call,      ///< a finished call
    TraceTime, ///< time spent tracing inside the call whose record follows
    Nodes,     ///< header of `count` node times, followed by their records
    Gap,       ///< `count` events found no room
};

/// One slot of a ring: a call as the engine writes it, or another kind in the same words. The kind is the top
/// byte of the duration; `number` is a count and `detail` the shift of node times where it says so above.
using RingRecord = runtime::CallRecord;

namespace detail {
inline constexpr int kKindShift = 56;
inline constexpr std::uint64_t kLongest = (std::uint64_t{1} << kKindShift) - 1;
} // namespace detail

inline std::uint64_t packed(RecordKind kind, std::uint64_t duration) {
    return std::min(duration, detail::kLongest) | static_cast<std::uint64_t>(kind) << detail::kKindShift;
}
inline RecordKind kindOf(const RingRecord& record) {
    return static_cast<RecordKind>(record.duration >> detail::kKindShift);
}
inline std::uint64_t durationOf(const RingRecord& record) {
    return record.duration & detail::kLongest;
}

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

    /// Producer: where calls go without a word to the ring, as far as there is room.
    runtime::CallSlots& callSlots() noexcept { return m_slots; }

    /// Producer. True if the ring has become half full, so that the drainer should be woken.
    bool pushCall(const runtime::CallFacts& facts) noexcept;

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
        return published() - m_region->tail.load(std::memory_order_relaxed) >= m_capacity / 2;
    }

    /// Events that found no room.
    std::uint64_t dropped() const { return m_dropped.load(std::memory_order_relaxed); }

private:
    const RingRecord& recordAt(std::size_t position) const { return m_records[position & (m_capacity - 1)]; }
    /// True if that many records fit and, after a loss, a gap record before them.
    bool reserve(std::size_t records) noexcept;
    /// Returns false, what a push answers that needs no drainer.
    bool lose(std::uint32_t events, std::uint64_t now) noexcept;
    void putGap(std::uint64_t now) noexcept;
    bool publish() noexcept;

    struct OwnMemory {
        RegionHeader header;
        std::unique_ptr<RingRecord[]> records;
    };

    std::shared_ptr<RingFile> m_file; ///< keeps the memory below
    std::unique_ptr<OwnMemory> m_ownMemory;
    RegionHeader* m_region = nullptr; ///< head is written by the producer, tail by the consumer
    RingRecord* m_records = nullptr;
    const std::size_t m_capacity;

    // Written by the producer alone, and not looked at by the consumer: each look would cost the producer
    // more than a call does.
    alignas(64) runtime::CallSlots m_slots;
    std::size_t m_tail = 0;   ///< the consumer's, when it was last looked at
    std::uint32_t m_lost = 0; ///< since the last gap record
    std::uint64_t m_lostFrom = 0;

    alignas(64) std::atomic<std::uint64_t> m_dropped{0};

    alignas(64) std::size_t m_drained = 0; ///< the consumer's
};

template <class Take>
void Ring::drainTo(std::size_t end, Take&& take) {
    std::size_t& at = m_drained;
    while (at != end) {
        const RingRecord& record = recordAt(at);
        const std::size_t following =
            kindOf(record) == RecordKind::Nodes ? (record.number + kNodesPerRecord - 1) / kNodesPerRecord : 0;
        take(record, [&](std::size_t i) -> const RingRecord& { return recordAt(at + 1 + i); });
        at += 1 + following;
    }
}

} // namespace retracescope::record
