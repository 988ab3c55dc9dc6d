#include "app/gui/recent_sessions.h"

#include <algorithm>

#include <QCoreApplication>
#include <QFileInfo>
#include <QSettings>

#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

constexpr const char* kGroup = "recent";

void store(const std::vector<RecentSession>& sessions) {
    QSettings settings;
    settings.remove(QLatin1String(kGroup));
    settings.beginWriteArray(QLatin1String(kGroup));
    for (std::size_t i = 0; i < sessions.size() && i < kMostRecentSessions; ++i) {
        const RecentSession& session = sessions[i];
        settings.setArrayIndex(static_cast<int>(i));
        settings.setValue(QStringLiteral("path"), session.path);
        settings.setValue(QStringLiteral("opened"), session.opened);
        settings.setValue(QStringLiteral("examined"), session.examined);
        settings.setValue(QStringLiteral("calls"), QVariant::fromValue<qlonglong>(session.calls));
        settings.setValue(QStringLiteral("traces"), QVariant::fromValue<qlonglong>(session.traces));
        settings.setValue(QStringLiteral("avoidableNs"), QVariant::fromValue<qlonglong>(session.avoidableNs));
        settings.setValue(QStringLiteral("failedCalls"), QVariant::fromValue<qlonglong>(session.failedCalls));
        settings.setValue(QStringLiteral("nothingToFix"), session.nothingToFix);
        settings.setValue(QStringLiteral("knowsCalls"), session.knowsCalls);
        settings.setValue(QStringLiteral("source"), session.source);
    }
    settings.endArray();
}

} // namespace

bool RecentSession::exists() const {
    return QFileInfo::exists(path);
}

std::vector<RecentSession> recentSessions() {
    QSettings settings;
    std::vector<RecentSession> sessions;
    const int count = settings.beginReadArray(QLatin1String(kGroup));
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        RecentSession session;
        session.path = settings.value(QStringLiteral("path")).toString();
        session.opened = settings.value(QStringLiteral("opened")).toDateTime();
        session.examined = settings.value(QStringLiteral("examined")).toBool();
        session.calls = settings.value(QStringLiteral("calls")).toLongLong();
        session.traces = settings.value(QStringLiteral("traces")).toLongLong();
        session.avoidableNs = settings.value(QStringLiteral("avoidableNs")).toLongLong();
        session.failedCalls = settings.value(QStringLiteral("failedCalls")).toLongLong();
        session.nothingToFix = settings.value(QStringLiteral("nothingToFix")).toBool();
        session.knowsCalls = settings.value(QStringLiteral("knowsCalls")).toBool();
        session.source = settings.value(QStringLiteral("source")).toString();
        if (!session.path.isEmpty())
            sessions.push_back(session);
    }
    settings.endArray();
    return sessions;
}

void addRecentSession(RecentSession session) {
    std::vector<RecentSession> sessions = recentSessions();
    std::erase_if(sessions, [&](const RecentSession& other) { return other.path == session.path; });
    sessions.insert(sessions.begin(), std::move(session));
    store(sessions);
}

void removeRecentSession(const QString& path) {
    std::vector<RecentSession> sessions = recentSessions();
    std::erase_if(sessions, [&](const RecentSession& other) { return other.path == path; });
    store(sessions);
}

void clearRecentSessions() {
    store({});
}

RecentSession describeSession(const QString& path, const diagnose::Diagnosis& diagnosis) {
    RecentSession result;
    result.path = path;
    result.opened = QDateTime::currentDateTime();
    result.examined = true;
    result.calls = diagnosis.calls;
    result.traces = std::max<std::int64_t>(diagnosis.traces, 0);
    result.avoidableNs = diagnosis.time.avoidableNs;
    for (const session::FunctionSummary& function : diagnosis.functions)
        result.failedCalls += std::max<std::int64_t>(function.errors, 0);
    result.nothingToFix = diagnosis.nothingToFix;
    result.knowsCalls = diagnosis.calls > 0;
    const session::Session& session = *diagnosis.session;
    if (!session.imported.format.empty())
        result.source = QCoreApplication::translate("Recent", "imported, %1")
                            .arg(views::toQString(session.imported.format));
    else if (!session.functions.empty())
        result.source = views::toQString(session.text(session.functions.front().engine));
    return result;
}

} // namespace retracescope::gui
