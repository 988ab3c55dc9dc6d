#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace retracescope::runtime {

/// Gives values places in one slab while they are alive: told of every value's begin and end in program
/// order, it puts each into the smallest hole that fits. Offsets are multiples of 64.
class SlabLayout {
public:
    /// Place for `bytes` from now until release().
    std::size_t place(std::size_t bytes);
    void release(std::size_t offset, std::size_t bytes);

    std::size_t slabBytes() const { return m_end; }
    /// The largest sum of values that were alive together: no layout needs less.
    std::size_t leastBytes() const { return m_mostAlive; }

    static std::size_t rounded(std::size_t bytes);

private:
    void addHole(std::size_t offset, std::size_t bytes);
    void removeHole(std::map<std::size_t, std::size_t>::iterator hole);

    std::map<std::size_t, std::size_t> m_holes;             ///< offset to bytes, never adjacent
    std::set<std::pair<std::size_t, std::size_t>> m_bySize; ///< the same as (bytes, offset)
    std::size_t m_end = 0;
    std::size_t m_alive = 0;
    std::size_t m_mostAlive = 0;
};

} // namespace retracescope::runtime
