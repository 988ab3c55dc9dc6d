#include <retracescope/session/strings.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace retracescope::session {

namespace {

constexpr std::size_t kFirstSlots = 1024;

std::uint32_t hashOf(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>()(text);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

} // namespace

StringPool::StringPool() : m_slots(kFirstSlots) {
    intern("");
}

std::size_t StringPool::slotOf(std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t at = hash & mask;
    while (m_slots[at].id != StringId::kNone && (m_slots[at].hash != hash || m_texts[m_slots[at].id] != text))
        at = (at + 1) & mask;
    return at;
}

void StringPool::grow() {
    std::vector<Slot> old(m_slots.size() * 2);
    old.swap(m_slots);
    const std::size_t mask = m_slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.id == StringId::kNone)
            continue;
        std::size_t at = slot.hash & mask;
        while (m_slots[at].id != StringId::kNone)
            at = (at + 1) & mask;
        m_slots[at] = slot;
    }
}

StringId StringPool::intern(std::string_view text) {
    const std::uint32_t hash = hashOf(text);
    const std::size_t at = slotOf(text, hash);
    if (m_slots[at].id != StringId::kNone)
        return StringId(m_slots[at].id);
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_texts.push_back(store(text));
    m_slots[at] = {hash, id};
    if (m_texts.size() * 2 > m_slots.size())
        grow();
    return StringId(id);
}

StringId StringPool::find(std::string_view text) const {
    return StringId(m_slots[slotOf(text, hashOf(text))].id);
}

std::string_view StringPool::store(std::string_view text) {
    constexpr std::size_t kBlock = 64 * 1024;
    if (text.size() > m_capacity - m_used) {
        m_capacity = std::max(kBlock, text.size());
        m_blocks.push_back(std::make_unique_for_overwrite<char[]>(m_capacity));
        m_used = 0;
    }
    if (text.empty())
        return {};
    char* start = m_blocks.back().get() + m_used;
    std::memcpy(start, text.data(), text.size());
    m_used += text.size();
    return {start, text.size()};
}

} // namespace retracescope::session
