#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <retracescope/engine/runtime/plan.h>
#include <retracescope/engine/trace/concrete_function.h>
#include <retracescope/types/intern_table.h>

namespace retracescope::trace {

/// Who serves calls of a known signature.
struct Served {
    const ConcreteFunction* concrete = nullptr;
    const runtime::Plan* plan = nullptr; ///< takes the tensors of every such call; null if that is not sure
    std::uint32_t leafCount = 0;         ///< tensors and variables among the arguments
};

/// From the words of a call's signature to the concrete function that serves it: the path of a hit. Readers
/// take no lock, allocate nothing and compare words: first with the two keys last used, then in a hash table.
/// A key holds one word per argument; the function writes keys under its lock, when the dispatch table has
/// answered.
class KeyTable {
public:
    /// Beyond this many keys, further ones are answered by the dispatch table alone.
    static constexpr std::size_t kMaxKeys = 1 << 16;

    KeyTable() { m_slots.store(newSlots(16)); }

    template <std::size_t count = std::dynamic_extent>
    [[gnu::always_inline]] const Served* find(std::span<const std::uint64_t, count> words) const noexcept {
        const std::uint32_t age = m_age.load(std::memory_order_acquire);
        const Key* first = m_recent[0].load(std::memory_order_acquire);
        if (first != nullptr && first->age == age && first->equals(words)) [[likely]]
            return &first->served;
        const Key* second = m_recent[1].load(std::memory_order_acquire);
        if (second != nullptr && second->age == age && second->equals(words))
            return &second->served;
        const Key* found = findSlow(words);
        if (found == nullptr)
            return nullptr;
        m_recent[1].store(first, std::memory_order_release);
        m_recent[0].store(found, std::memory_order_release);
        return &found->served;
    }

    /// Under the function's lock.
    void insert(std::span<const std::uint64_t> words, const Served& served);
    /// Forgets all keys; a reader under way may still be served by one. Under the function's lock.
    void clear();

private:
    /// Followed in memory by its words.
    struct Key {
        std::uint64_t hash = 0;
        Served served;
        std::uint32_t age = 0; ///< how often the table had been cleared when this was written
        std::uint32_t wordCount = 0;

        const std::uint64_t* words() const noexcept {
            return reinterpret_cast<const std::uint64_t*>(this + 1);
        }
        template <std::size_t count>
        [[gnu::always_inline]] bool equals(std::span<const std::uint64_t, count> other) const noexcept {
            if (other.size() != wordCount)
                return false;
            std::uint64_t differs = 0; // no branch per word: keys of one function mostly differ late
            for (std::size_t i = 0; i < other.size(); ++i)
                differs |= words()[i] ^ other[i];
            return differs == 0;
        }
    };
    struct FreeKey {
        void operator()(const Key* key) const { ::operator delete(const_cast<Key*>(key)); }
    };
    using KeyPointer = std::unique_ptr<const Key, FreeKey>;
    struct Slots {
        explicit Slots(std::size_t size) : keys(size) {}
        std::vector<std::atomic<const Key*>> keys; ///< a power of two, at most half used
    };

    static std::uint64_t hashOf(std::span<const std::uint64_t> words) noexcept {
        std::uint64_t hash = words.size();
        for (const std::uint64_t word : words)
            hash = types::mixBits(hash ^ word);
        return hash;
    }

    const Key* findSlow(std::span<const std::uint64_t> words) const noexcept {
        const std::uint64_t hash = hashOf(words);
        const Slots& table = *m_slots.load(std::memory_order_acquire);
        const std::size_t mask = table.keys.size() - 1;
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            const Key* key = table.keys[at].load(std::memory_order_acquire);
            if (key == nullptr || (key->hash == hash && key->equals(words)))
                return key;
        }
    }

    static KeyPointer newKey(const Key& facts, std::span<const std::uint64_t> words);
    Slots* newSlots(std::size_t size);
    static void place(Slots& table, const Key* key);

    mutable std::atomic<const Key*> m_recent[2]{nullptr, nullptr};
    std::atomic<std::uint32_t> m_age{0}; ///< keys of another age are no longer valid
    std::atomic<Slots*> m_slots{nullptr};
    std::size_t m_used = 0;
    std::vector<KeyPointer> m_keys; ///< all there ever were: readers hold no reference
    std::vector<std::unique_ptr<Slots>> m_tables;
};

} // namespace retracescope::trace
