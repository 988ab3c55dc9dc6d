#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <retracescope/base/ids.h>

namespace retracescope::session {

using StringId = Id<struct StringTag>;

/// Every text of a session, once. Id 0 is the empty text. Views stay valid as long as the pool lives.
class StringPool {
public:
    StringPool();
    StringPool(StringPool&&) noexcept = default;
    StringPool& operator=(StringPool&&) noexcept = default;

    StringId intern(std::string_view text);

    /// The id of `text` if it is in the pool, else an invalid one.
    StringId find(std::string_view text) const;

    /// An invalid id reads as "".
    std::string_view operator[](StringId id) const {
        return id.value < m_texts.size() ? m_texts[id.value] : std::string_view();
    }

    std::size_t size() const { return m_texts.size(); }

private:
    std::string_view store(std::string_view text);

    std::vector<std::unique_ptr<char[]>> m_blocks;
    std::size_t m_used = 0;
    std::size_t m_capacity = 0;
    std::vector<std::string_view> m_texts;
    std::unordered_map<std::string_view, std::uint32_t> m_index;
};

} // namespace retracescope::session
