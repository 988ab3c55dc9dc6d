#include "app/gui/session_facts.h"

#include <charconv>
#include <optional>

#include <QCoreApplication>

#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("SessionFacts", text);
}

std::optional<std::int64_t> number(const session::Session& session, std::string_view key) {
    const std::string_view text = session.fact("recording", key);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || text.empty())
        return std::nullopt;
    return value;
}

} // namespace

QString eventsSentence(const session::Session& session) {
    const QString events =
        views::pluralText(static_cast<std::int64_t>(session.eventCount()), tr("event"), tr("events"));
    if (const auto dropped = number(session, "dropped"))
        return tr("%1, %2 dropped").arg(events, views::countText(*dropped));
    return events;
}

QString recordingCostSentence(const session::Session& session) {
    if (!session.imported.format.empty())
        return tr("Imported: %1").arg(views::toQString(session.imported.format));
    const auto cost = number(session, "overhead_ns");
    if (!cost)
        return tr("Recording cost not recorded");
    return tr("Recording cost %1 (%2)")
        .arg(views::durationText(*cost), views::shareText(*cost, session.endNs - session.originNs));
}

QString openingWarning(const session::Session& session) {
    QStringList sentences;
    const std::int64_t length = session.endNs - session.originNs;
    if (!session.closedProperly)
        sentences += tr("The recorded program was killed. Everything up to %1 is shown.")
                         .arg(views::durationText(length));
    if (const auto dropped = number(session, "dropped"); dropped && *dropped > 0)
        sentences += tr("%1 dropped while recording. Counts are lower bounds.")
                         .arg(views::pluralText(*dropped, tr("event was"), tr("events were")));
    for (const std::string& warning : session.imported.warnings) {
        QString text = views::toQString(warning);
        if (!text.isEmpty())
            text[0] = text[0].toUpper();
        sentences += text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
    }
    if (sentences.size() > 2) {
        const int more = static_cast<int>(sentences.size()) - 2;
        sentences = sentences.mid(0, 2);
        sentences += tr("And %1 more.").arg(more);
    }
    return sentences.join(QLatin1Char(' '));
}

} // namespace retracescope::gui
