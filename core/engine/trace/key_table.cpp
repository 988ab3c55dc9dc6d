#include <retracescope/engine/trace/key_table.h>

#include <algorithm>
#include <new>

namespace retracescope::trace {

void KeyTable::insert(std::span<const std::uint64_t> words, const Served& served) {
    if (m_keys.size() >= kMaxKeys || findSlow(words) != nullptr)
        return;
    m_keys.push_back(newKey({hashOf(words), served, m_age, static_cast<std::uint32_t>(words.size())}, words));
    Slots* table = m_slots.load(std::memory_order_relaxed);
    if (2 * (m_used + 1) > table->keys.size()) {
        Slots* larger = newSlots(2 * table->keys.size());
        for (const auto& slot : table->keys)
            if (const Key* key = slot.load(std::memory_order_relaxed))
                place(*larger, key);
        m_slots.store(larger, std::memory_order_release);
        table = larger;
    }
    ++m_used;
    place(*table, m_keys.back().get());
}

void KeyTable::clear() {
    m_used = 0;
    m_age.fetch_add(1, std::memory_order_release);
    m_slots.store(newSlots(16), std::memory_order_release);
    m_recent[0].store(nullptr, std::memory_order_release);
    m_recent[1].store(nullptr, std::memory_order_release);
}

KeyTable::KeyPointer KeyTable::newKey(const Key& facts, std::span<const std::uint64_t> words) {
    void* memory = ::operator new(sizeof(Key) + words.size_bytes());
    std::ranges::copy(words, reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(memory) + sizeof(Key)));
    return KeyPointer(new (memory) Key(facts));
}

KeyTable::Slots* KeyTable::newSlots(std::size_t size) {
    m_tables.push_back(std::make_unique<Slots>(size));
    return m_tables.back().get();
}

void KeyTable::place(Slots& table, const Key* key) {
    const std::size_t mask = table.keys.size() - 1;
    std::size_t at = key->hash & mask;
    while (table.keys[at].load(std::memory_order_relaxed) != nullptr)
        at = (at + 1) & mask;
    table.keys[at].store(key, std::memory_order_release);
}

} // namespace retracescope::trace
