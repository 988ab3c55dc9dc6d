#include <retracescope/record/journal.h>

#include <algorithm>
#include <cstring>

#include <retracescope/record/event_bytes.h>

namespace retracescope::record {

Journal::Journal(const std::shared_ptr<RingFile>& file) : m_file(file) {
    if (m_file)
        m_region = m_file->add(RegionKind::Journal, kBytes);
}

bool Journal::append(std::span<const std::byte> event) {
    if (m_region.header == nullptr)
        return false;
    const auto size = static_cast<std::uint32_t>(event.size());
    const std::uint64_t head = position();
    const std::uint64_t tail = m_region.header->tail.load(std::memory_order_acquire);
    if (head + sizeof(size) + size - tail > m_region.bytes.size())
        return false;
    store(head, &size, sizeof(size));
    store(head + sizeof(size), event.data(), size);
    m_region.header->head.store(head + sizeof(size) + size, std::memory_order_release);
    return true;
}

void Journal::store(std::uint64_t at, const void* from, std::size_t size) {
    const std::size_t start = at % m_region.bytes.size();
    const std::size_t untilEnd = std::min(size, m_region.bytes.size() - start);
    std::memcpy(m_region.bytes.data() + start, from, untilEnd);
    std::memcpy(m_region.bytes.data(), static_cast<const std::byte*>(from) + untilEnd, size - untilEnd);
}

std::uint64_t Journal::position() const {
    return m_region.header == nullptr ? 0 : m_region.header->head.load(std::memory_order_acquire);
}

void Journal::release(std::uint64_t position) {
    if (m_region.header != nullptr)
        m_region.header->tail.store(position, std::memory_order_release);
}

std::vector<RareEvent> Journal::events(std::span<const std::byte> bytes, std::uint64_t from,
                                       std::uint64_t to) {
    std::vector<RareEvent> events;
    if (bytes.empty() || from > to || to - from > bytes.size())
        return events;
    const auto load = [&](std::uint64_t at, void* out, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            static_cast<std::byte*>(out)[i] = bytes[(at + i) % bytes.size()];
    };
    std::vector<std::byte> event;
    while (to - from > sizeof(std::uint32_t)) {
        std::uint32_t size = 0;
        load(from, &size, sizeof(size));
        from += sizeof(size);
        if (size > to - from)
            break;
        event.resize(size);
        load(from, event.data(), size);
        from += size;
        auto read = eventFrom(event);
        if (!read)
            break;
        events.push_back(std::move(*read));
    }
    return events;
}

} // namespace retracescope::record
