#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <retracescope/engine/gpu/activity_decoder.h>

namespace retracescope::test {

/// Builds a buffer of activity records, field by field.
class ActivityBuffer {
public:
    explicit ActivityBuffer(std::uint32_t apiVersion) : m_apiVersion(apiVersion) {}

    /// A record of the kind's size, all zero but its kind.
    ActivityBuffer& record(std::uint32_t kind);
    /// Sets a field of the last record.
    ActivityBuffer& u32(std::size_t offset, std::uint32_t value);
    ActivityBuffer& u64(std::size_t offset, std::uint64_t value);

    /// A kernel of 100 ns whose name is the `name`-th of names().
    ActivityBuffer& kernel(std::uint64_t startNs, std::uint32_t stream, std::uint64_t name);

    std::span<const std::uint8_t> bytes() const { return m_bytes; }
    std::vector<std::uint8_t>& storage() { return m_bytes; }
    /// Where each record begins.
    const std::vector<std::size_t>& offsets() const { return m_offsets; }

private:
    std::uint32_t m_apiVersion;
    std::vector<std::uint8_t> m_bytes;
    std::vector<std::size_t> m_offsets;
};

/// Names by made-up addresses 1, 2, ...; other addresses have none.
std::string_view testName(std::uint64_t address);

} // namespace retracescope::test
