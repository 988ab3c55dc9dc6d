#include <retracescope/record/device_activities.h>

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>

#include <fmt/format.h>

namespace retracescope::record {

using namespace session;

namespace {

std::string readableName(const std::string& linked) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(linked.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? text.get() : linked;
}

std::string_view copyDirection(std::uint32_t copyKind) {
    // By number in CUPTI's CUpti_ActivityMemcpyKind.
    static constexpr std::array<std::string_view, 11> kNames = {
        "unknown",          "host to device", "device to host",  "host to array",
        "array to host",    "array to array", "array to device", "device to array",
        "device to device", "host to host",   "peer to peer"};
    return copyKind < kNames.size() ? kNames[copyKind] : kNames[0];
}

/// Empty for what is no work of the device.
std::string nameOf(const gpu::Activity& activity) {
    switch (activity.kind) {
    case gpu::ActivityKind::Kernel:
    case gpu::ActivityKind::ConcurrentKernel:
        return activity.name.empty() ? "unnamed kernel" : readableName(activity.name);
    case gpu::ActivityKind::Memcpy:
        return fmt::format("copy {}", copyDirection(activity.detail));
    case gpu::ActivityKind::PeerMemcpy:
        return "copy between devices";
    case gpu::ActivityKind::Memset:
        return "set memory";
    case gpu::ActivityKind::GraphTrace:
        return fmt::format("CUDA graph {}", activity.graph);
    default:
        return {};
    }
}

} // namespace

std::size_t addDeviceActivities(Session& session, std::span<const gpu::Activity> activities,
                                std::int64_t toSessionNs) {
    std::map<std::string, LaneId> lanes;
    for (std::uint32_t i = 0; i < session.lanes.size(); ++i) {
        if (session.lanes[i].kind == LaneKind::Stream)
            lanes.emplace(session.text(session.lanes[i].name), LaneId(i));
    }
    std::size_t rows = 0;
    for (const gpu::Activity& activity : activities) {
        const std::string name = nameOf(activity);
        if (name.empty())
            continue;
        const std::string stream = fmt::format("GPU {} stream {}", activity.device, activity.stream);
        const auto [it, isNew] =
            lanes.try_emplace(stream, LaneId(static_cast<std::uint32_t>(session.lanes.size())));
        if (isNew) {
            Lane lane;
            lane.kind = LaneKind::Stream;
            lane.name = session.strings.intern(stream);
            session.lanes.push_back(lane);
        }
        KernelTable& t = session.kernels;
        t.startNs.push_back(activity.startNs + toSessionNs);
        t.durationNs.push_back(activity.endNs - activity.startNs);
        t.lane.push_back(it->second);
        t.name.push_back(session.strings.intern(name));
        t.entry.push_back({});
        t.node.push_back(Id<void>::kNone);
        ++rows;
    }
    return rows;
}

} // namespace retracescope::record
