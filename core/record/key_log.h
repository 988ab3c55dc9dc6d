#pragma once

#include <cstdint>
#include <memory>

#include <retracescope/record/ring_file.h>

namespace retracescope::record {

/// Tells a reader of the ring file which number of the engine's each row of a table has. For the drainer.
class KeyLog {
public:
    KeyLog(std::shared_ptr<RingFile> file, RegionKind kind) : m_file(std::move(file)), m_kind(kind) {}

    /// The key of the next row.
    void add(std::uint32_t key) {
        if (!m_file)
            return;
        if (m_used == m_keys.size() && !grow())
            return;
        m_keys[m_used++] = key;
    }

private:
    bool grow() {
        constexpr std::size_t kKeys = 16 * 1024;
        const Region region = m_file->add(m_kind, kKeys * sizeof(std::uint32_t));
        if (region.header == nullptr) {
            m_file.reset(); // a gap would give later rows the wrong keys
            return false;
        }
        m_keys = {reinterpret_cast<std::uint32_t*>(region.bytes.data()), kKeys};
        m_used = 0;
        return true;
    }

    std::shared_ptr<RingFile> m_file;
    RegionKind m_kind;
    std::span<std::uint32_t> m_keys;
    std::size_t m_used = 0;
};

} // namespace retracescope::record
