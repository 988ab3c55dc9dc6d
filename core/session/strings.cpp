#include <retracescope/session/strings.h>

#include <algorithm>
#include <cstring>

namespace retracescope::session {

StringPool::StringPool() {
    intern("");
}

StringId StringPool::intern(std::string_view text) {
    const auto found = m_index.find(text);
    if (found != m_index.end())
        return StringId(found->second);
    const std::string_view kept = store(text);
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_texts.push_back(kept);
    m_index.emplace(kept, id);
    return StringId(id);
}

StringId StringPool::find(std::string_view text) const {
    const auto found = m_index.find(text);
    return found == m_index.end() ? StringId() : StringId(found->second);
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
