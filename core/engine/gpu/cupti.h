#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <retracescope/base/result.h>
#include <retracescope/engine/gpu/shared_library.h>

namespace retracescope::gpu {

/// The functions of CUPTI, NVIDIA's profiling interface, that collecting activity takes. Every one returns 0
/// for success. Tests fill it with their own.
struct CuptiTable {
    using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords);
    using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                     std::size_t size, std::size_t validSize);

    int (*getVersion)(std::uint32_t* version) = nullptr;
    int (*getResultString)(int result, const char** text) = nullptr;
    int (*getTimestamp)(std::uint64_t* ns) = nullptr;
    int (*registerCallbacks)(BufferRequested requested, BufferCompleted completed) = nullptr;
    int (*enable)(int kind) = nullptr;
    int (*disable)(int kind) = nullptr;
    int (*flushAll)(std::uint32_t flag) = nullptr; ///< 0: complete buffers; 1: all
    int (*getNextRecord)(std::uint8_t* buffer, std::size_t validSize, void** record) = nullptr;
    int (*getNumDroppedRecords)(void* context, std::uint32_t stream, std::size_t* dropped) = nullptr;
};

struct Cupti {
    std::optional<SharedLibrary> library; ///< none if the table is a test's
    CuptiTable table;
    std::uint32_t apiVersion = 0;
};

/// Loads `path`, or CUPTI from where the system's loader looks and from the usual folder of the toolkit. The
/// error is one sentence for the user: kernels are not timed, and why. Also refused are versions whose
/// records activityRecordSize() does not know.
Result<Cupti> loadCupti(const char* path = nullptr);

} // namespace retracescope::gpu
