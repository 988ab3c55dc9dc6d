#include <retracescope/engine/gpu/activity_decoder.h>

#include <cstring>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::gpu {

namespace {

/// A record inside its bounds. Reading behind its end is our own bug: offsets are smaller than the smallest
/// size.
class Record {
public:
    explicit Record(std::span<const std::uint8_t> bytes) : m_bytes(bytes) {}

    template <class T>
    T at(std::size_t offset) const {
        RETRACESCOPE_CHECK(offset + sizeof(T) <= m_bytes.size());
        T value;
        std::memcpy(&value, m_bytes.data() + offset, sizeof value);
        return value;
    }
    std::uint32_t u32(std::size_t offset) const { return at<std::uint32_t>(offset); }
    std::uint64_t u64(std::size_t offset) const { return at<std::uint64_t>(offset); }

private:
    std::span<const std::uint8_t> m_bytes;
};

void setTimes(Activity& activity, const Record& record, std::size_t offset) {
    activity.startNs = record.at<std::int64_t>(offset);
    activity.endNs = record.at<std::int64_t>(offset + 8);
}

void setPlace(Activity& activity, const Record& record, std::size_t offset) {
    activity.device = record.u32(offset);
    activity.context = record.u32(offset + 4);
    activity.stream = record.u32(offset + 8);
}

/// False for a kind that carries nothing for a timeline.
bool fill(Activity& activity, const Record& record, const NameOfAddress& nameOfAddress) {
    switch (activity.kind) {
    case ActivityKind::Kernel:
    case ActivityKind::ConcurrentKernel:
        setTimes(activity, record, 16);
        setPlace(activity, record, 40);
        activity.correlation = record.u32(92);
        activity.name = nameOfAddress(record.u64(104));
        activity.graphNode = record.u64(144);
        activity.graph = record.u32(156);
        return true;
    case ActivityKind::Memcpy:
        setTimes(activity, record, 16);
        setPlace(activity, record, 32);
        activity.correlation = record.u32(44);
        activity.bytes = record.u64(8);
        activity.detail = record.at<std::uint8_t>(4);
        activity.graphNode = record.u64(64);
        return true;
    case ActivityKind::PeerMemcpy:
        setTimes(activity, record, 16);
        setPlace(activity, record, 32);
        activity.correlation = record.u32(60);
        activity.bytes = record.u64(8);
        activity.detail = record.at<std::uint8_t>(4);
        return true;
    case ActivityKind::Memset:
        setTimes(activity, record, 16);
        setPlace(activity, record, 32);
        activity.correlation = record.u32(44);
        activity.bytes = record.u64(8);
        return true;
    case ActivityKind::DriverApi:
    case ActivityKind::RuntimeApi:
        setTimes(activity, record, 8);
        activity.detail = record.u32(4);
        activity.correlation = record.u32(32);
        return true;
    case ActivityKind::Overhead:
        setTimes(activity, record, 24);
        activity.detail = record.u32(4);
        return true;
    case ActivityKind::Synchronization:
        setTimes(activity, record, 8);
        activity.detail = record.u32(4);
        activity.correlation = record.u32(24);
        activity.context = record.u32(28);
        activity.stream = record.u32(32);
        return true;
    case ActivityKind::GraphTrace:
        activity.correlation = record.u32(4);
        setTimes(activity, record, 8);
        activity.device = record.u32(24);
        activity.graph = record.u32(28);
        activity.context = record.u32(32);
        activity.stream = record.u32(36);
        return true;
    case ActivityKind::Memory:
        activity.detail = record.u32(4);
        activity.correlation = record.u32(12);
        activity.bytes = record.u64(24);
        activity.startNs = activity.endNs = record.at<std::int64_t>(32);
        setPlace(activity, record, 52);
        return true;
    case ActivityKind::ExternalCorrelation:
        activity.externalId = record.u64(8);
        activity.correlation = record.u32(16);
        return true;
    }
    return false;
}

/// Counts and refuses what cannot be a time.
bool believable(const Activity& activity, const TimeWindow& window, DecodeReport& report) {
    if (activity.kind == ActivityKind::ExternalCorrelation)
        return true; // has no time
    if (activity.startNs == 0 || activity.endNs == 0)
        ++report.withoutTimes;
    else if (activity.endNs < activity.startNs)
        ++report.endsBeforeStart;
    else if (activity.startNs < window.firstNs || activity.endNs > window.lastNs)
        ++report.outsideWindow;
    else
        return true;
    return false;
}

} // namespace

std::string_view nameInThisProcess(std::uint64_t address) {
    const auto* text = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(address));
    return text ? std::string_view(text) : std::string_view();
}

DecodeReport decodeActivities(std::span<const std::uint8_t> buffer, std::uint32_t apiVersion,
                              const TimeWindow& window, const NameOfAddress& nameOfAddress,
                              std::vector<Activity>& activities) {
    if (!knowsApiVersion(apiVersion))
        throw UsageError(fmt::format("[decodeActivities] CUPTI API version {} is not known; known are {}",
                                     apiVersion, knownApiVersions()));
    DecodeReport report;
    while (!buffer.empty()) {
        if (buffer.size() < sizeof(std::uint32_t)) {
            report.bytesLeft = buffer.size();
            break;
        }
        const std::uint32_t kind = Record(buffer).u32(0);
        const std::size_t bytes = activityRecordSize(kind, apiVersion);
        if (bytes == 0 || bytes > buffer.size()) {
            report.bytesLeft = buffer.size();
            report.stoppedAtKind = bytes == 0 ? kind : 0;
            break;
        }
        Activity activity;
        activity.kind = static_cast<ActivityKind>(kind);
        if (!fill(activity, Record(buffer.first(bytes)), nameOfAddress))
            ++report.skipped[kind];
        else if (believable(activity, window, report)) {
            ++report.decoded;
            activities.push_back(std::move(activity));
        }
        buffer = buffer.subspan(bytes);
    }
    return report;
}

} // namespace retracescope::gpu
