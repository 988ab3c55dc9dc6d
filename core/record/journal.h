#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <retracescope/record/rare_events.h>
#include <retracescope/record/ring_file.h>

namespace retracescope::record {

/// Keeps the rare events in the ring file until they are in the session. Positions count bytes from the start
/// of the recording; the caller sees to it that one thread appends at a time.
class Journal {
public:
    static constexpr std::size_t kBytes = 2 * 1024 * 1024;

    /// Without a file, or if it has no room, nothing is kept.
    explicit Journal(const std::shared_ptr<RingFile>& file);

    /// Bytes of event_bytes.h. False if there is no room until release(): what the event tells is lost if the
    /// program is killed before it is in the session.
    bool append(std::span<const std::byte> event);

    /// Everything before it has been appended.
    std::uint64_t position() const;

    /// Events before `position` are in the session.
    void release(std::uint64_t position);

    /// For a reader: the events from `from` to `to` of the bytes of a journal; stops at what is damaged.
    static std::vector<RareEvent> events(std::span<const std::byte> bytes, std::uint64_t from,
                                         std::uint64_t to);

private:
    void store(std::uint64_t at, const void* from, std::size_t size);

    std::shared_ptr<RingFile> m_file;
    Region m_region;
};

} // namespace retracescope::record
