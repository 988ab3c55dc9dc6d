#include "views/shared/recording_facts.h"

#include <charconv>

#include <QCoreApplication>

#include "views/shared/numbers.h"

namespace retracescope::views {

std::optional<std::int64_t> recordedNumber(const session::Session& session, std::string_view key) {
    const std::string_view text = session.fact("recording", key);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && !text.empty() ? std::optional(value) : std::nullopt;
}

QString unclosedText(session::WriterState writer) {
    switch (writer) {
    case session::WriterState::Running:
        return QCoreApplication::translate("Numbers", "The recording is still running");
    case session::WriterState::Gone:
        return QCoreApplication::translate("Numbers",
                                           "The recording was not closed (the program ended early)");
    case session::WriterState::Unknown:
        break;
    }
    return QCoreApplication::translate("Numbers",
                                       "The recording was not closed (the program was killed or still runs)");
}

QString costShareText(const RecordingCost& cost) {
    return cost.ns > cost.lengthNs ? QCoreApplication::translate("Numbers", "over 100 %")
                                   : shareText(cost.ns, cost.lengthNs);
}

std::optional<RecordingCost> recordingCost(const session::Session& session) {
    const auto ns = recordedNumber(session, "overhead_ns");
    if (!ns)
        return std::nullopt;
    return RecordingCost{*ns, session.endNs - session.originNs};
}

} // namespace retracescope::views
