#include "app/gui/session_facts.h"

#include <QCoreApplication>

#include "views/shared/numbers.h"
#include "views/shared/recording_facts.h"

namespace retracescope::gui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("SessionFacts", text);
}

} // namespace

QString eventsSentence(const session::Session& session) {
    const QString events =
        views::pluralText(static_cast<std::int64_t>(session.eventCount()), tr("event"), tr("events"));
    if (const auto dropped = session::recordedNumber(session, "dropped"))
        return tr("%1, %2 dropped").arg(events, views::countText(*dropped));
    return events;
}

QString recordingCostSentence(const session::Session& session) {
    if (!session.imported.format.empty())
        return tr("Imported: %1").arg(views::toQString(session.imported.format));
    const auto cost = session::recordingCost(session);
    if (!cost)
        return tr("Recording cost not recorded");
    const QString text =
        tr("Recording cost %1 (%2)").arg(views::durationText(cost->ns), views::costShareText(*cost));
    return cost->isLarge() ? tr("%1: times are inflated").arg(text) : text;
}

QString openingWarning(const session::Session& session) {
    QStringList sentences;
    const std::int64_t length = session.endNs - session.originNs;
    if (!session.closedProperly)
        sentences += tr("%1. Everything up to %2 is shown; how many events were dropped is not known.")
                         .arg(views::unclosedText(session.writer), views::durationText(length));
    if (const auto dropped = session::recordedNumber(session, "dropped"); dropped && *dropped > 0)
        sentences += tr("%1 dropped while recording. Counts are lower bounds.")
                         .arg(views::pluralText(*dropped, tr("event was"), tr("events were")));
    std::vector<std::string> warnings = session.imported.warnings;
    warnings.insert(warnings.end(), session.warnings.begin(), session.warnings.end());
    for (const std::string& warning : warnings) {
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
