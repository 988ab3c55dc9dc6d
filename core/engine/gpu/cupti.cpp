#include <retracescope/engine/gpu/cupti.h>

#include <fmt/format.h>

#include <retracescope/engine/gpu/activity_layout.h>
#include <retracescope/engine/gpu/function_table.h>

namespace retracescope::gpu {

namespace {

Error notTimed(std::string_view why) {
    return {fmt::format("kernels on the GPU are not timed: {}", why)};
}

} // namespace

Result<Cupti> loadCupti(const char* path) {
    auto library = path ? SharedLibrary::open({path})
                        : SharedLibrary::open({"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                               "/usr/local/cuda/lib64/libcupti.so",
                                               "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"});
    if (!library)
        return notTimed(fmt::format("there is no CUPTI on this machine ({})", library.error().message));
    Cupti cupti;
    CuptiTable& table = cupti.table;
    const std::string missing =
        fillTable(*library, {{"cuptiGetVersion", &table.getVersion},
                             {"cuptiGetResultString", &table.getResultString},
                             {"cuptiGetTimestamp", &table.getTimestamp},
                             {"cuptiActivityRegisterCallbacks", &table.registerCallbacks},
                             {"cuptiActivityEnable", &table.enable},
                             {"cuptiActivityDisable", &table.disable},
                             {"cuptiActivityFlushAll", &table.flushAll},
                             {"cuptiActivityGetNextRecord", &table.getNextRecord},
                             {"cuptiActivityGetNumDroppedRecords", &table.getNumDroppedRecords}});
    if (!missing.empty())
        return notTimed(fmt::format("{} has no function {}; install CUPTI of CUDA 12.2 or newer",
                                    library->name(), missing));
    if (table.getVersion(&cupti.apiVersion) != 0)
        return notTimed(fmt::format("{} does not tell its version", library->name()));
    if (!knowsApiVersion(cupti.apiVersion))
        return notTimed(
            fmt::format("{} has API version {}, and records are known of {}; install a CUPTI among these",
                        library->name(), cupti.apiVersion, knownApiVersions()));
    cupti.library = std::move(*library);
    return cupti;
}

} // namespace retracescope::gpu
