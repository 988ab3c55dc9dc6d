#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace retracescope::record {

/// The session's rows by the engine's keys. What was asked for lately is found without a search: a key stands
/// in each record of a ring.
template <class Id>
class RowsByKey {
public:
    bool contains(std::uint32_t key) const { return m_all.contains(key); }
    /// No id if there is none.
    Id find(std::uint32_t key) {
        Recent& recent = m_recent[key % m_recent.size()];
        if (recent.id.isValid() && recent.key == key)
            return recent.id;
        const auto it = m_all.find(key);
        if (it == m_all.end())
            return Id();
        recent = {key, it->second};
        return it->second;
    }
    /// The first of a key stays.
    void add(std::uint32_t key, Id id) { m_all.emplace(key, id); }

private:
    struct Recent {
        std::uint32_t key = 0;
        Id id;
    };
    std::unordered_map<std::uint32_t, Id> m_all;
    std::array<Recent, 256> m_recent;
};

} // namespace retracescope::record
