#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/base/ids.h>

namespace retracescope::session {

using StringId = Id<struct StringTag>;

/// Every text of a session, once. Id 0 is the empty text. Views stay valid as long as the pool lives.
/// One that was moved from may only be assigned to or destroyed.
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
    /// Of the table from texts to ids: open addressing, since a node per text costs an import more than all
    /// else.
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t id = StringId::kNone; ///< none: free
    };

    /// Where `text` is, or where it belongs.
    std::size_t slotOf(std::string_view text, std::uint32_t hash) const;
    void grow();
    std::string_view store(std::string_view text);

    std::vector<std::unique_ptr<char[]>> m_blocks;
    std::size_t m_used = 0;
    std::size_t m_capacity = 0;
    std::vector<std::string_view> m_texts;
    std::vector<Slot> m_slots; ///< a power of two, at most half used
};

} // namespace retracescope::session
