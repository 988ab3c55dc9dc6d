#include "views/overview/trust.h"

#include <QCoreApplication>

#include "views/shared/numbers.h"
#include "views/shared/recording_facts.h"

namespace retracescope::views {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Trust", text);
}

void addCounts(std::vector<TrustLine>& lines, const session::Session& session) {
    const auto calls = static_cast<std::int64_t>(session.calls.size());
    const auto events = static_cast<std::int64_t>(session.eventCount());
    const QString seen =
        tr("%1 and %2 seen")
            .arg(pluralText(calls, tr("call"), tr("calls")), pluralText(events, tr("event"), tr("events")));
    if (const auto dropped = session::recordedNumber(session, "dropped"))
        lines.push_back({*dropped == 0 ? Trust::Good : Trust::Doubt,
                         *dropped == 0
                             ? tr("%1, none dropped").arg(seen)
                             : tr("%1, %2 dropped: counts are lower bounds").arg(seen, countText(*dropped))});
    else if (!session.closedProperly)
        lines.push_back({Trust::Doubt, tr("%1; how many were dropped is not known").arg(seen)});
    else
        lines.push_back({Trust::Limit, tr("%1; the file does not say whether some were dropped").arg(seen)});
}

QString costSentence(const session::RecordingCost& cost) {
    const QString share = costShareText(cost);
    if (!cost.isLarge())
        return tr("Recording cost %1 (%2), included in the figures shown").arg(durationText(cost.ns), share);
    return tr("Recording cost %1, %2 of the run: the times shown include it and are upper bounds")
        .arg(durationText(cost.ns), share);
}

void addSources(std::vector<TrustLine>& lines, const session::Session& session) {
    QStringList names;
    for (const session::Source& source : session.sources)
        names += placeText(session.text(source.path), 0);
    if (names.isEmpty()) {
        lines.push_back({Trust::Limit, tr("Source text not kept")});
        return;
    }
    const qsizetype more = names.size() - 3;
    QString text = names.mid(0, 3).join(QStringLiteral(", "));
    if (more > 0)
        text += tr(" and %1 more").arg(more);
    lines.push_back({Trust::Good, tr("Source text kept: %1").arg(text)});
}

} // namespace

std::vector<TrustLine> trustLines(const session::Session& session) {
    std::vector<TrustLine> lines;
    const std::int64_t length = session.endNs - session.originNs;
    if (!session.closedProperly)
        lines.push_back(
            {Trust::Doubt,
             tr("%1: everything up to %2 is here").arg(unclosedText(session.writer), durationText(length))});
    addCounts(lines, session);
    if (const auto cost = session::recordingCost(session))
        lines.push_back({cost->isLarge() ? Trust::Doubt : Trust::Good, costSentence(*cost)});
    else if (session.imported.format.empty())
        lines.push_back({Trust::Limit, tr("What recording cost was not recorded")});
    else
        lines.push_back(
            {Trust::Good, tr("Imported from %1: %2")
                              .arg(toQString(session.imported.format), toQString(session.imported.source))});
    if (const std::string_view engine = session.fact("machine", "engine"); !engine.empty())
        lines.push_back({Trust::Good, tr("Engine: %1").arg(toQString(engine))});
    for (const session::Fact& fact : session.facts) {
        if (fact.area == "not_recorded")
            lines.push_back({Trust::Limit, tr("%1: %2").arg(toQString(fact.key), toQString(fact.value))});
    }
    for (const std::string& warning : session.imported.warnings)
        lines.push_back({Trust::Doubt, toQString(warning)});
    for (const std::string& warning : session.warnings)
        lines.push_back({Trust::Doubt, toQString(warning)});
    addSources(lines, session);
    return lines;
}

} // namespace retracescope::views
