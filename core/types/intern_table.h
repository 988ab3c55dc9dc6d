#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <retracescope/base/check.h>

namespace retracescope::types {

/// Spreads the bits of a hash or a key over a word; used for every table in this folder.
constexpr std::uint64_t mixBits(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    return x ^ (x >> 32);
}

/// Gives equal values one small number, for the life of the table. Nothing is ever removed or moved, so
/// readers (both "value of this id" and "id of this value") take no lock; only the first sight of a value
/// does. Ids start at 1.
template <class Value>
class InternTable {
public:
    InternTable() { m_index.store(newIndex(kFirstIndexSize), std::memory_order_release); }
    InternTable(const InternTable&) = delete;
    InternTable& operator=(const InternTable&) = delete;
    ~InternTable() {
        for (std::size_t chunk = 0; chunk < kChunks; ++chunk)
            delete[] m_chunks[chunk].load(std::memory_order_relaxed);
    }

    /// The id of the value for which `equals(value)` holds; if there is none, of `make()`, which is then
    /// kept. Equal values must come with equal hashes.
    template <class Equals, class Make>
    std::uint32_t intern(std::uint64_t hash, const Equals& equals, const Make& make) {
        if (const std::uint32_t id = find(*m_index.load(std::memory_order_acquire), hash, equals); id != 0)
            return id;
        const std::lock_guard lock(m_writing);
        Index* index = m_index.load(std::memory_order_relaxed);
        if (const std::uint32_t id = find(*index, hash, equals); id != 0)
            return id;
        if (2 * (m_count + 1) > index->ids.size())
            index = grow();
        const std::uint32_t id = ++m_count;
        Slot& slot = cell(id);
        slot.hash = hash;
        slot.value = make();
        insert(*index, hash, id);
        return id;
    }

    /// `id` must have come from intern().
    const Value& operator[](std::uint32_t id) const {
        const Place place = placeOf(id);
        return m_chunks[place.chunk].load(std::memory_order_acquire)[place.offset].value;
    }

private:
    static constexpr std::size_t kFirstIndexSize = 256;
    static constexpr int kFirstChunkBits = 6;
    static constexpr std::size_t kChunks = 32 - kFirstChunkBits;

    struct Slot {
        std::uint64_t hash = 0;
        Value value{};
    };
    struct Index {
        explicit Index(std::size_t size) : ids(size) {}
        std::vector<std::atomic<std::uint32_t>> ids; ///< ids, 0 = free; size is a power of two
    };

    /// Chunk c holds 64 * 2^c cells, so that no cell ever moves.
    struct Place {
        std::size_t chunk;
        std::size_t size; ///< of the chunk
        std::size_t offset;
    };
    static Place placeOf(std::uint32_t id) {
        const std::uint32_t shifted = id + (1U << kFirstChunkBits);
        const auto chunk = static_cast<std::size_t>(std::bit_width(shifted) - 1 - kFirstChunkBits);
        RETRACESCOPE_CHECK(id != 0 && chunk < kChunks);
        const std::size_t size = std::size_t{1} << (chunk + kFirstChunkBits);
        return {chunk, size, shifted - size};
    }

    Slot& cell(std::uint32_t id) const {
        const Place place = placeOf(id);
        Slot* cells = m_chunks[place.chunk].load(std::memory_order_acquire);
        if (cells == nullptr) {
            cells = new Slot[place.size];
            m_chunks[place.chunk].store(cells, std::memory_order_release);
        }
        return cells[place.offset];
    }

    template <class Equals>
    std::uint32_t find(const Index& index, std::uint64_t hash, const Equals& equals) const {
        const std::size_t mask = index.ids.size() - 1;
        for (std::size_t at = mixBits(hash) & mask;; at = (at + 1) & mask) {
            const std::uint32_t id = index.ids[at].load(std::memory_order_acquire);
            if (id == 0)
                return 0;
            const Slot& slot = cell(id);
            if (slot.hash == hash && equals(slot.value))
                return id;
        }
    }

    static void insert(Index& index, std::uint64_t hash, std::uint32_t id) {
        const std::size_t mask = index.ids.size() - 1;
        std::size_t at = mixBits(hash) & mask;
        while (index.ids[at].load(std::memory_order_relaxed) != 0)
            at = (at + 1) & mask;
        index.ids[at].store(id, std::memory_order_release);
    }

    Index* newIndex(std::size_t size) {
        m_indexes.push_back(std::make_unique<Index>(size));
        return m_indexes.back().get();
    }

    /// Old indexes stay, since a reader may be inside one; together they are as large as the newest.
    Index* grow() {
        Index* larger = newIndex(2 * m_indexes.back()->ids.size());
        for (std::uint32_t id = 1; id <= m_count; ++id)
            insert(*larger, cell(id).hash, id);
        m_index.store(larger, std::memory_order_release);
        return larger;
    }

    std::mutex m_writing;
    std::uint32_t m_count = 0;
    std::atomic<Index*> m_index{nullptr};
    std::vector<std::unique_ptr<Index>> m_indexes;
    mutable std::array<std::atomic<Slot*>, kChunks> m_chunks{};
};

} // namespace retracescope::types
