#include <cstddef>
#include <cstdint>

#include <retracescope/engine/gpu/activity_decoder.h>

/// Any bytes as a buffer of activity records; the first one chooses the API version.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace retracescope::gpu;
    constexpr std::uint32_t kVersions[] = {20, 21,     22,     23,     24,     26,
                                           28, 130001, 130101, 130301, 130401, 130500};
    if (size < 1)
        return 0;
    std::vector<Activity> activities;
    decodeActivities(
        {data + 1, size - 1}, kVersions[data[0] % std::size(kVersions)], {},
        [](std::uint64_t) { return std::string_view(); }, activities);
    return 0;
}
