#include <retracescope/engine/runtime/slab_layout.h>

#include <algorithm>

#include <retracescope/base/check.h>

namespace retracescope::runtime {

std::size_t SlabLayout::rounded(std::size_t bytes) {
    constexpr std::size_t kAlignment = 64;
    return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

std::size_t SlabLayout::place(std::size_t bytes) {
    bytes = rounded(bytes);
    m_alive += bytes;
    m_mostAlive = std::max(m_mostAlive, m_alive);
    if (const auto fit = m_bySize.lower_bound({bytes, 0}); fit != m_bySize.end()) {
        const auto [size, offset] = *fit;
        removeHole(m_holes.find(offset));
        if (size > bytes)
            addHole(offset + bytes, size - bytes);
        return offset;
    }
    // Nothing fits: grow, from a hole at the end if there is one.
    std::size_t offset = m_end;
    if (!m_holes.empty() && m_holes.rbegin()->first + m_holes.rbegin()->second == m_end) {
        offset = m_holes.rbegin()->first;
        removeHole(std::prev(m_holes.end()));
    }
    m_end = offset + bytes;
    return offset;
}

void SlabLayout::release(std::size_t offset, std::size_t bytes) {
    bytes = rounded(bytes);
    RETRACESCOPE_CHECK(m_alive >= bytes);
    m_alive -= bytes;
    auto next = m_holes.lower_bound(offset);
    if (next != m_holes.end() && next->first == offset + bytes) {
        bytes += next->second;
        removeHole(next);
        next = m_holes.lower_bound(offset);
    }
    if (next != m_holes.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == offset) {
            offset = before->first;
            bytes += before->second;
            removeHole(before);
        }
    }
    addHole(offset, bytes);
}

void SlabLayout::addHole(std::size_t offset, std::size_t bytes) {
    m_holes.emplace(offset, bytes);
    m_bySize.emplace(bytes, offset);
}

void SlabLayout::removeHole(std::map<std::size_t, std::size_t>::iterator hole) {
    m_bySize.erase({hole->second, hole->first});
    m_holes.erase(hole);
}

} // namespace retracescope::runtime
