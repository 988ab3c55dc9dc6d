#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/engine/gpu/activity_layout.h>

namespace retracescope::gpu {

inline constexpr std::uint32_t kNoId = 0xffffffffU; ///< CUPTI's "none" of contexts and streams

/// One thing that a GPU did, or that was done for it. Which fields mean something depends on the kind; the
/// others are 0.
struct Activity {
    ActivityKind kind = ActivityKind::ConcurrentKernel;
    std::int64_t startNs = 0; ///< on CUPTI's clock (the system's real time unless a callback replaced it)
    std::int64_t endNs = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation =
        0; ///< joins with the launch; of an external correlation: what it joins to externalId
    std::uint64_t externalId = 0;
    std::uint64_t bytes = 0; ///< of copies, sets, allocations
    std::uint32_t detail =
        0; ///< copy kind, synchronization type, overhead kind, function of the API, memory operation
    std::uint64_t graphNode = 0; ///< of a kernel or copy that a CUDA graph launched
    std::uint32_t graph = 0;
    std::string name; ///< of kernels, as linked (mangled)
};

/// What became of a buffer. Nothing is lost in silence: what is not in the activities is counted here.
struct DecodeReport {
    std::size_t decoded = 0;
    std::map<std::uint32_t, std::size_t>
        skipped;                  ///< kind -> records of a known size that carry nothing for a timeline
    std::size_t withoutTimes = 0; ///< start and end 0: the device's buffer was exhausted
    std::size_t endsBeforeStart = 0;
    std::size_t outsideWindow = 0;
    std::size_t bytesLeft = 0; ///< behind the record at which decoding had to stop; 0 if all was read
    std::uint32_t stoppedAtKind =
        0; ///< the unknown kind that stopped it; 0 if the last record was cut off, or none
};

/// The time in which records are believed.
struct TimeWindow {
    std::int64_t firstNs = std::numeric_limits<std::int64_t>::min();
    std::int64_t lastNs = std::numeric_limits<std::int64_t>::max();
};

/// Turns the address that a kernel's record holds into the kernel's name. In the process that recorded it the
/// address is that of a C string; anywhere else it means nothing.
using NameOfAddress = std::function<std::string_view(std::uint64_t)>;

/// Reads the address in this process.
std::string_view nameInThisProcess(std::uint64_t address);

/// Appends what the records of `buffer` (its valid bytes) say to `activities`, in their order. Reads no byte
/// outside the buffer, whatever it holds; a record of unknown kind, whose size nobody knows, ends the
/// decoding. Throws UsageError for an API version that knowsApiVersion() does not know.
DecodeReport decodeActivities(std::span<const std::uint8_t> buffer, std::uint32_t apiVersion,
                              const TimeWindow& window, const NameOfAddress& nameOfAddress,
                              std::vector<Activity>& activities);

} // namespace retracescope::gpu
