#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <retracescope/base/result.h>

/// The file beside a session in which its recorder keeps what the session does not hold yet. It is mapped
/// into the recorded program: what was stored there outlives a program that is killed. It goes when the
/// recording is closed.
namespace retracescope::record {

inline constexpr std::uint32_t kRingFileVersion = 1;
inline constexpr std::size_t kRegionAlignment = 4096;

enum class RegionKind : std::uint32_t {
    Ring = 1,     ///< calls and node times of one thread
    Journal,      ///< everything that happens seldom
    FunctionKeys, ///< the engine's number of each function row, in order; 0 behind the last
    EntryKeys,    ///< the same of entries
};

/// At the start of each region; the regions lie one behind the other.
struct RegionHeader {
    std::uint64_t bytes = 0; ///< of the whole region, a multiple of kRegionAlignment
    RegionKind kind{};
    std::uint32_t thread = 0; ///< of a ring
    std::int64_t systemId = 0;
    char name[32] = {};
    alignas(64) std::atomic<std::uint64_t> head{
        0}; ///< written up to here: records of a ring, bytes of the journal
    alignas(64) std::atomic<std::uint64_t> tail{0}; ///< what lies before it may be overwritten
};
static_assert(sizeof(RegionHeader) <= kRegionAlignment);

/// A point known to both clocks.
struct ClockPoint {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
    double nsPerTick = 1;
};

/// The first kRegionAlignment bytes of the file.
struct RingFileHeader {
    char magic[8] = {'R', 'S', 'R', 'I', 'N', 'G', 'S', 0};
    std::uint32_t version = kRingFileVersion;
    std::int32_t process = 0;
    std::uint64_t recording = 0; ///< the session's meta "rings" begins with the same number
    std::atomic<std::uint32_t> newestPoint{0};
    ClockPoint points[2]; ///< the other one is being written
};
static_assert(sizeof(RingFileHeader) <= kRegionAlignment);

/// "run.retrace-rings" of "run.retrace".
std::filesystem::path ringFileOf(const std::filesystem::path& session);

/// Zeroed memory of a region behind its header. Lives as long as the file object.
struct Region {
    RegionHeader* header = nullptr;
    std::span<std::byte> bytes;
};

/// The writer's side. Regions may be added on any thread.
class RingFile {
public:
    /// Replaces the file. Fails where the place takes no such file; recording then goes on without it.
    static Result<std::shared_ptr<RingFile>> create(const std::filesystem::path& path,
                                                    std::uint64_t recording);
    ~RingFile();
    RingFile(const RingFile&) = delete;
    RingFile& operator=(const RingFile&) = delete;

    /// All its pages are there when it returns: writing to it needs no more of the disk. No header if the
    /// disk has no room. A region of that size that was given back is used again.
    Region add(RegionKind kind, std::size_t bytes);

    /// What the region held is in the session, and nobody writes to it any more.
    void giveBack(const Region& region);

    /// Owner's thread.
    void notePoint(const ClockPoint& point);

    std::uint64_t recording() const { return m_header->recording; }

    /// The file goes; what is mapped stays usable.
    void remove();

private:
    RingFile(std::filesystem::path path, int file) : m_path(std::move(path)), m_file(file) {}
    std::byte* grow(std::size_t bytes);

    std::filesystem::path m_path;
    int m_file;
    std::mutex m_mutex;
    std::size_t m_size = 0;
    std::vector<std::span<std::byte>> m_mappings;
    std::vector<Region> m_free;
    RingFileHeader* m_header = nullptr;
};

} // namespace retracescope::record
