#include <retracescope/session/recording_cost.h>

#include <charconv>

namespace retracescope::session {

std::optional<std::int64_t> recordedNumber(const Session& session, std::string_view key) {
    const std::string_view text = session.fact("recording", key);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && !text.empty() ? std::optional(value) : std::nullopt;
}

std::optional<RecordingCost> recordingCost(const Session& session) {
    const auto ns = recordedNumber(session, "overhead_ns");
    if (!ns)
        return std::nullopt;
    return RecordingCost{*ns, session.endNs - session.originNs};
}

} // namespace retracescope::session
