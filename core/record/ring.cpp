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
    : m_file(std::move(file)), m_mask(capacity - 1) {
    Region region;
    if (m_file)
        region = m_file->add(RegionKind::Ring, capacity * sizeof(RingRecord));
    if (region.header == nullptr) {
        m_ownMemory = std::make_unique<OwnMemory>();
        m_ownMemory->slots = std::make_unique<RingRecord[]>(capacity);
        m_region = &m_ownMemory->header;
        m_slots = m_ownMemory->slots.get();
        return;
    }
    m_region = region.header;
    m_slots = reinterpret_cast<RingRecord*>(region.bytes.data());
    touchPages(region.bytes);
}

Ring::~Ring() {
    if (RegionHeader* header = region())
        m_file->giveBack(
            {header, {reinterpret_cast<std::byte*>(m_slots), (m_mask + 1) * sizeof(RingRecord)}});
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
    put({boundaries.front(), RingRecord::pack(RecordKind::Nodes, boundaries.back() - boundaries.front()), 0,
         entry, static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(shift)});
    for (std::size_t from = 0; from < nodes; from += kNodesPerRecord) {
        std::array<std::uint32_t, kNodesPerRecord> times{};
        for (std::size_t i = from; i < std::min(nodes, from + kNodesPerRecord); ++i)
            if (ticksOf(i) != 0) // 0 says that nothing ran
                times[i - from] = static_cast<std::uint32_t>(std::max(ticksOf(i) >> shift, std::uint64_t{1}));
        put(std::bit_cast<RingRecord>(times));
    }
    return publish();
}

bool Ring::lose(std::uint32_t events, std::uint64_t now) noexcept {
    if (m_lost == 0)
        m_lostFrom = now;
    m_lost += events;
    m_dropped.store(m_dropped.load(std::memory_order_relaxed) + events, std::memory_order_relaxed);
    return false;
}

void Ring::putGap(std::uint64_t now) noexcept {
    put({m_lostFrom, RingRecord::pack(RecordKind::Gap, now > m_lostFrom ? now - m_lostFrom : 0), 0, 0, m_lost,
         0});
    m_lost = 0;
}

} // namespace retracescope::record
