#include "tests/core/engine/gpu/activity_buffer.h"

#include <array>
#include <cstring>

#include <retracescope/base/check.h>

namespace retracescope::test {

ActivityBuffer& ActivityBuffer::record(std::uint32_t kind) {
    m_offsets.push_back(m_bytes.size());
    m_bytes.resize(m_bytes.size() + gpu::activityRecordSize(kind, m_apiVersion));
    return u32(0, kind);
}

ActivityBuffer& ActivityBuffer::u32(std::size_t offset, std::uint32_t value) {
    RETRACESCOPE_CHECK(m_offsets.back() + offset + sizeof value <= m_bytes.size());
    std::memcpy(m_bytes.data() + m_offsets.back() + offset, &value, sizeof value);
    return *this;
}

ActivityBuffer& ActivityBuffer::u64(std::size_t offset, std::uint64_t value) {
    RETRACESCOPE_CHECK(m_offsets.back() + offset + sizeof value <= m_bytes.size());
    std::memcpy(m_bytes.data() + m_offsets.back() + offset, &value, sizeof value);
    return *this;
}

ActivityBuffer& ActivityBuffer::kernel(std::uint64_t startNs, std::uint32_t stream, std::uint64_t name) {
    return record(10)
        .u64(16, startNs)
        .u64(24, startNs + 100)
        .u32(40, 0)
        .u32(44, 1)
        .u32(48, stream)
        .u32(92, 77)
        .u64(104, name);
}

std::string_view testName(std::uint64_t address) {
    static constexpr std::array<std::string_view, 3> kNames = {"", "_Z4reluPfi", "gemm"};
    return address < kNames.size() ? kNames[address] : std::string_view();
}

} // namespace retracescope::test
