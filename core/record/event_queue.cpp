#include <retracescope/record/event_queue.h>

#include <algorithm>

namespace retracescope::record {

namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::size_t kBlocksKept = 32;

} // namespace

void EventQueue::append(std::span<const std::byte> event, SharedGraph graph) {
    const Header header{static_cast<std::uint32_t>(event.size()), graph ? 1u : 0u};
    const std::size_t needed = sizeof header + event.size();
    const auto hasRoom = [&](const std::vector<std::byte>& block) {
        return block.capacity() - block.size() >= needed;
    };
    if (m_blocksUsed == 0 || !hasRoom(m_blocks[m_blocksUsed - 1])) {
        if (m_blocksUsed == m_blocks.size())
            m_blocks.emplace_back();
        m_blocks[m_blocksUsed].reserve(std::max(kBlockBytes, needed));
        ++m_blocksUsed;
    }
    std::vector<std::byte>& block = m_blocks[m_blocksUsed - 1];
    const std::size_t at = block.size();
    block.resize(at + needed);
    std::memcpy(block.data() + at, &header, sizeof header);
    std::copy(event.begin(), event.end(), block.data() + at + sizeof header);
    if (graph)
        m_graphs.push_back(std::move(graph));
}

void EventQueue::clear() {
    if (m_blocks.size() > kBlocksKept)
        m_blocks.resize(kBlocksKept);
    for (std::vector<std::byte>& block : m_blocks) {
        if (block.capacity() > kBlockBytes)
            block = {};
        block.clear();
    }
    m_blocksUsed = 0;
    m_graphs.clear();
}

} // namespace retracescope::record
