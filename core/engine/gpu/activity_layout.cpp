#include <retracescope/engine/gpu/activity_layout.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace retracescope::gpu {

namespace {

constexpr std::uint32_t kFirstApi = 20;     // CUDA 12.2
constexpr std::uint32_t kLastSmallApi = 28; // CUDA 12.9 update 1
constexpr std::uint32_t kFirstDatedApi = 130000;
constexpr std::uint32_t kLastDatedApi = 130599;

struct SizeFrom {
    std::uint32_t kind;
    std::uint32_t apiVersion; ///< the first with this size
    std::uint32_t bytes;
};

/// By kind, then by version.
constexpr std::array kSizes = {
    SizeFrom{1, 20, 88},       // memcpy
    SizeFrom{1, 26, 96},       //
    SizeFrom{1, 130400, 112},  //
    SizeFrom{2, 20, 88},       // memset
    SizeFrom{2, 130400, 104},  //
    SizeFrom{3, 20, 208},      // kernel
    SizeFrom{3, 130000, 216},  //
    SizeFrom{3, 130100, 224},  //
    SizeFrom{3, 130300, 232},  //
    SizeFrom{3, 130400, 248},  //
    SizeFrom{4, 20, 40},       // driver API
    SizeFrom{5, 20, 40},       // runtime API
    SizeFrom{8, 20, 184},      // device
    SizeFrom{8, 130200, 192},  //
    SizeFrom{9, 20, 16},       // context
    SizeFrom{9, 22, 24},       //
    SizeFrom{9, 23, 32},       //
    SizeFrom{9, 130100, 40},   //
    SizeFrom{10, 20, 208},     // concurrent kernel
    SizeFrom{10, 130000, 216}, //
    SizeFrom{10, 130100, 224}, //
    SizeFrom{10, 130300, 232}, //
    SizeFrom{10, 130400, 248}, //
    SizeFrom{11, 20, 32},      // name
    SizeFrom{12, 20, 56},      // marker
    SizeFrom{13, 20, 32},      // marker data
    SizeFrom{13, 130000, 40},  //
    SizeFrom{17, 20, 40},      // overhead
    SizeFrom{17, 21, 48},      //
    SizeFrom{17, 22, 56},      //
    SizeFrom{20, 20, 40},      // environment
    SizeFrom{22, 20, 96},      // peer memcpy
    SizeFrom{25, 20, 64},      // unified memory counter
    SizeFrom{25, 26, 104},     //
    SizeFrom{26, 20, 32},      // function
    SizeFrom{27, 20, 24},      // module
    SizeFrom{28, 20, 24},      // device attribute
    SizeFrom{36, 20, 24},      // CUDA event
    SizeFrom{36, 26, 56},      //
    SizeFrom{36, 130500, 80},  //
    SizeFrom{37, 20, 24},      // stream
    SizeFrom{38, 20, 40},      // synchronization
    SizeFrom{38, 26, 56},      //
    SizeFrom{39, 20, 24},      // external correlation
    SizeFrom{48, 20, 40},      // internal launch API
    SizeFrom{49, 20, 120},     // memory
    SizeFrom{49, 24, 128},     //
    SizeFrom{50, 20, 72},      // memory pool
    SizeFrom{50, 130000, 80},  //
    SizeFrom{51, 20, 48},      // graph trace
    SizeFrom{51, 21, 56},      //
    SizeFrom{52, 20, 64},      // JIT
    SizeFrom{52, 22, 72},      //
};

constexpr std::size_t countKinds() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kSizes.size(); ++i)
        count += i == 0 || kSizes[i].kind != kSizes[i - 1].kind;
    return count;
}

constexpr auto kKinds = [] {
    std::array<std::uint32_t, countKinds()> kinds{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
        if (i == 0 || kSizes[i].kind != kSizes[i - 1].kind)
            kinds[count++] = kSizes[i].kind;
    }
    return kinds;
}();

} // namespace

bool knowsApiVersion(std::uint32_t apiVersion) {
    return (apiVersion >= kFirstApi && apiVersion <= kLastSmallApi) ||
           (apiVersion >= kFirstDatedApi && apiVersion <= kLastDatedApi);
}

std::string knownApiVersions() {
    return fmt::format("{} to {} and {} to {}", kFirstApi, kLastSmallApi, kFirstDatedApi, kLastDatedApi);
}

std::size_t activityRecordSize(std::uint32_t kind, std::uint32_t apiVersion) {
    std::size_t bytes = 0;
    for (const SizeFrom& size : kSizes) {
        if (size.kind == kind && size.apiVersion <= apiVersion)
            bytes = size.bytes;
    }
    return bytes;
}

std::span<const std::uint32_t> sizedKinds() {
    return kKinds;
}

} // namespace retracescope::gpu
