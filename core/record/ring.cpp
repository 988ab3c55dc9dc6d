#include <retracescope/record/ring.h>

#include <algorithm>

namespace retracescope::record {

bool Ring::pushNodes(std::uint32_t entry, std::span<const std::uint64_t> boundaries) noexcept {
    if (boundaries.size() < 2)
        return false;
    const std::size_t nodes = boundaries.size() - 1;
    const std::size_t records = (nodes + kNodesPerRecord - 1) / kNodesPerRecord;
    if (records + 2 > m_mask || !reserve(1 + records, boundaries.front()))
        return false;
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < nodes; ++i)
        longest = std::max(longest, boundaries[i + 1] - boundaries[i]);
    const int shift = std::max(0, static_cast<int>(std::bit_width(longest)) - 32);
    put({boundaries.front(), RingRecord::pack(RecordKind::Nodes, boundaries.back() - boundaries.front()), 0,
         entry, static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(shift)});
    for (std::size_t from = 0; from < nodes; from += kNodesPerRecord) {
        std::array<std::uint32_t, kNodesPerRecord> times{};
        for (std::size_t i = from; i < std::min(nodes, from + kNodesPerRecord); ++i)
            times[i - from] = static_cast<std::uint32_t>((boundaries[i + 1] - boundaries[i]) >> shift);
        put(std::bit_cast<RingRecord>(times));
    }
    return publish();
}

bool Ring::lose(std::uint64_t now) noexcept {
    if (m_lost == 0)
        m_lostFrom = now;
    ++m_lost;
    m_dropped.store(m_dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
}

void Ring::putGap(std::uint64_t now) noexcept {
    put({m_lostFrom, RingRecord::pack(RecordKind::Gap, now > m_lostFrom ? now - m_lostFrom : 0), 0, 0, m_lost,
         0});
    m_lost = 0;
}

} // namespace retracescope::record
