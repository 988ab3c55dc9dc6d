#include <retracescope/record/ring.h>

#include <algorithm>

namespace retracescope::record {

namespace {

/// Writes to every page what is there: of a mapped file, the first write to a page is the one that faults.
void touchPages(std::span<std::byte> bytes) {
    constexpr std::size_t kPage = 4096;
    for (std::size_t at = 0; at < bytes.size(); at += kPage) {
        volatile std::byte& first = bytes[at];
        first = static_cast<std::byte>(first);
    }
}

} // namespace

Ring::Ring(std::size_t capacity, std::shared_ptr<RingFile> file)
    : m_file(std::move(file)), m_capacity(capacity) {
    Region region;
    if (m_file)
        region = m_file->add(RegionKind::Ring, capacity * sizeof(RingRecord));
    if (region.header == nullptr) {
        m_ownMemory = std::make_unique<OwnMemory>();
        m_ownMemory->records = std::make_unique<RingRecord[]>(capacity);
        m_region = &m_ownMemory->header;
        m_records = m_ownMemory->records.get();
    } else {
        m_region = region.header;
        m_records = reinterpret_cast<RingRecord*>(region.bytes.data());
        touchPages(region.bytes);
    }
    m_slots.records = m_records;
    m_slots.mask = capacity - 1;
    m_slots.published = &m_region->head;
}

Ring::~Ring() {
    if (RegionHeader* header = region())
        m_file->giveBack(
            {header, {reinterpret_cast<std::byte*>(m_records), m_capacity * sizeof(RingRecord)}});
}

bool Ring::pushCall(const runtime::CallFacts& facts) noexcept {
    if (m_slots.take(facts))
        return false;
    const bool traced = facts.traceTicks != 0;
    if (!reserve(traced ? 2 : 1))
        return lose(1, facts.begin);
    if (m_lost != 0)
        putGap(facts.begin);
    if (traced)
        m_slots.put({facts.begin, packed(RecordKind::TraceTime, facts.traceTicks), 0, 0, 0, 0});
    m_slots.put(runtime::recordOf(facts));
    return publish();
}

bool Ring::pushNodes(std::uint32_t entry, std::span<const std::uint64_t> boundaries) noexcept {
    if (boundaries.size() < 2)
        return false;
    const std::size_t nodes = boundaries.size() - 1;
    const std::size_t records = (nodes + kNodesPerRecord - 1) / kNodesPerRecord;
    const auto ticksOf = [&](std::size_t node) { return boundaries[node + 1] - boundaries[node]; };
    std::uint64_t longest = 0;
    std::uint32_t ran = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        longest = std::max(longest, ticksOf(i));
        ran += ticksOf(i) != 0;
    }
    if (!reserve(1 + records))
        return lose(ran, boundaries.front());
    if (m_lost != 0)
        putGap(boundaries.front());
    const int shift = std::max(0, static_cast<int>(std::bit_width(longest)) - 32);
    m_slots.put({boundaries.front(), packed(RecordKind::Nodes, boundaries.back() - boundaries.front()), 0,
                 entry, static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(shift)});
    for (std::size_t from = 0; from < nodes; from += kNodesPerRecord) {
        std::array<std::uint32_t, kNodesPerRecord> times{};
        for (std::size_t i = from; i < std::min(nodes, from + kNodesPerRecord); ++i)
            if (ticksOf(i) != 0) // 0 says that nothing ran
                times[i - from] = static_cast<std::uint32_t>(std::max(ticksOf(i) >> shift, std::uint64_t{1}));
        m_slots.put(std::bit_cast<RingRecord>(times));
    }
    return publish();
}

bool Ring::reserve(std::size_t records) noexcept {
    const std::size_t end = m_slots.next + records + (m_lost != 0);
    if (end - m_tail <= m_capacity)
        return true;
    m_tail = m_region->tail.load(std::memory_order_acquire);
    return end - m_tail <= m_capacity;
}

/// Calls need nobody until the one that fills the half, and after it until the ring is full.
bool Ring::publish() noexcept {
    const std::size_t before = m_slots.published->load(std::memory_order_relaxed);
    m_slots.publish();
    const std::size_t half = m_capacity / 2;
    if (m_slots.next - m_tail >= half)
        m_tail = m_region->tail.load(std::memory_order_acquire);
    const bool isHalfFull = m_slots.next - m_tail >= half;
    m_slots.limit = m_tail + (isHalfFull ? m_capacity : half - 1);
    return isHalfFull && before - m_tail < half;
}

bool Ring::lose(std::uint32_t events, std::uint64_t now) noexcept {
    if (m_lost == 0)
        m_lostFrom = now;
    m_lost += events;
    m_dropped.store(m_dropped.load(std::memory_order_relaxed) + events, std::memory_order_relaxed);
    m_slots.limit = m_slots.next; // the next that fits has the gap before it
    return false;
}

void Ring::putGap(std::uint64_t now) noexcept {
    m_slots.put(
        {m_lostFrom, packed(RecordKind::Gap, now > m_lostFrom ? now - m_lostFrom : 0), 0, 0, m_lost, 0});
    m_lost = 0;
}

} // namespace retracescope::record
