#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// How CUPTI lays its activity records out in a buffer: one after the other, each beginning with its kind as
/// 32 bits. Field offsets have not changed since CUDA 12.2; records have grown at their end. Sizes and
/// offsets were measured from the headers that NVIDIA ships with each version, 12.2 to 13.5.
namespace retracescope::gpu {

/// Kinds that are decoded; the numbers are CUPTI's.
enum class ActivityKind : std::uint32_t {
    Memcpy = 1,
    Memset = 2,
    Kernel = 3, ///< kernels one at a time
    DriverApi = 4,
    RuntimeApi = 5,
    ConcurrentKernel = 10,
    Overhead = 17,
    PeerMemcpy = 22,
    Synchronization = 38,
    ExternalCorrelation = 39,
    Memory = 49,
    GraphTrace = 51,
};

/// True if the record sizes of this API version (cuptiGetVersion) were measured. 20 to 28 are CUDA 12.2
/// to 12.9, from CUDA 13 on it reads major minor patch, as 130001; patches of a minor version share their
/// layout.
bool knowsApiVersion(std::uint32_t apiVersion);

/// "20 to 28 and 130000 to 130599", for messages.
std::string knownApiVersions();

/// Bytes of a record of this kind, 0 if the kind is not known. `apiVersion` is one that knowsApiVersion().
std::size_t activityRecordSize(std::uint32_t kind, std::uint32_t apiVersion);

/// All kinds with a known size, for tests.
std::span<const std::uint32_t> sizedKinds();

} // namespace retracescope::gpu
