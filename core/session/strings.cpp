#include <retracescope/session/strings.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace retracescope::session {

namespace {

std::uint32_t hashOf(std::string_view text) {
    const std::uint64_t hash = std::hash<std::string_view>()(text);
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

} // namespace

StringPool::StringPool() : m_slots(64) {
    intern("");
}

StringId StringPool::intern(std::string_view text) {
    const std::uint32_t hash = hashOf(text);
    Slot& slot = m_slots[slotOf(text, hash)];
    if (slot.id != StringId::kNone)
        return StringId(slot.id);
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_texts.push_back(store(text));
    slot = {hash, id};
    if (2 * m_texts.size() > m_slots.size())
        grow();
    return StringId(id);
}

StringId StringPool::find(std::string_view text) const {
    return StringId(m_slots[slotOf(text, hashOf(text))].id);
}

std::size_t StringPool::slotOf(std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = m_slots[at];
        if (slot.id == StringId::kNone || (slot.hash == hash && m_texts[slot.id] == text))
            return at;
    }
}

void StringPool::grow() {
    std::vector<Slot> larger(2 * m_slots.size());
    const std::size_t mask = larger.size() - 1;
    for (const Slot& slot : m_slots) {
        if (slot.id == StringId::kNone)
            continue;
        std::size_t at = slot.hash & mask;
        while (larger[at].id != StringId::kNone)
            at = (at + 1) & mask;
        larger[at] = slot;
    }
    m_slots = std::move(larger);
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
