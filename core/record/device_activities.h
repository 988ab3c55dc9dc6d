#pragma once

#include <span>

#include <retracescope/engine/gpu/activity_decoder.h>
#include <retracescope/session/session.h>

namespace retracescope::record {

/// Appends what the GPU did (kernels, copies, sets, whole CUDA graphs) to the session's kernels, one lane per
/// stream of a device, named "GPU 0 stream 7". `toSessionNs` is added to CUPTI's times. Other activities (API
/// calls, overhead, synchronization) are no work of the device and stay out. Returns the number of rows.
std::size_t addDeviceActivities(session::Session& session, std::span<const gpu::Activity> activities,
                                std::int64_t toSessionNs);

} // namespace retracescope::record
