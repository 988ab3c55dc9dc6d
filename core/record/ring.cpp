#include <retracescope/record/ring.h>

#include <algorithm>
#include <bit>

namespace retracescope::record {

void Ring::putWhole(const runtime::CallFacts& facts) noexcept {
    const std::uint64_t duration = facts.end - facts.begin;
    putHeader(kCall, static_cast<std::uint32_t>(facts.outcome), facts.number);
    put(facts.begin, static_cast<std::uint32_t>(duration), static_cast<std::uint32_t>(duration >> 32));
    put(facts.function, facts.entry, static_cast<std::uint32_t>(facts.traceTicks),
        static_cast<std::uint32_t>(facts.traceTicks >> 32));
}

bool Ring::pushNodes(runtime::EntryKey entry, std::span<const std::uint64_t> boundaries) noexcept {
    if (boundaries.size() < 2)
        return false;
    const std::size_t nodes = boundaries.size() - 1;
    const auto ticksOf = [&](std::size_t node) { return boundaries[node + 1] - boundaries[node]; };
    std::uint64_t longest = 0;
    std::uint32_t ran = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        longest = std::max(longest, ticksOf(i));
        ran += ticksOf(i) != 0;
    }
    if (!reserve(2 + (nodes + kNodesPerSlot - 1) / kNodesPerSlot))
        return lose(ran, boundaries.front());
    if (m_lost != 0)
        putGap();
    const int shift = std::max(0, static_cast<int>(std::bit_width(longest)) - 32);
    putHeader(kNodes, static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(shift));
    put(boundaries.front(), entry, 0);
    for (std::size_t from = 0; from < nodes; from += kNodesPerSlot) {
        std::array<std::uint32_t, kNodesPerSlot> times{};
        for (std::size_t i = from; i < std::min(nodes, from + kNodesPerSlot); ++i)
            if (ticksOf(i) != 0) // 0 says that nothing ran
                times[i - from] = static_cast<std::uint32_t>(std::max(ticksOf(i) >> shift, std::uint64_t{1}));
        put(times[0], times[1], times[2], times[3]);
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

void Ring::putGap() noexcept {
    putHeader(kGap, m_lost, 0);
    put(m_lostFrom, 0, 0);
    m_lost = 0;
}

} // namespace retracescope::record
