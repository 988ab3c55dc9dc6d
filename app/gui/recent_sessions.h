#pragma once

#include <optional>
#include <vector>

#include <QDateTime>
#include <QString>

#include <retracescope/diagnose/overview.h>

namespace retracescope::gui {

/// The list of recent sessions, newest first, kept in the settings with what the Welcome page says about
/// each.
struct RecentSession {
    QString path;
    QDateTime opened;
    bool examined = false; ///< false: listed, but not opened yet; the numbers below are not known
    std::int64_t calls = 0;
    std::int64_t traces = 0;
    std::int64_t avoidableNs = 0;
    std::int64_t failedCalls = 0;
    bool nothingToFix = false; ///< the diagnosis says so; false where it cannot know
    bool knowsCalls = false;   ///< false for imported files without function calls
    QString source;            ///< "TensorFlow 2.16", "imported, chrome"

    bool exists() const;
};

inline constexpr int kMostRecentSessions = 9;

std::vector<RecentSession> recentSessions();

/// Puts it on top; a session of the same path leaves.
void addRecentSession(RecentSession session);
void removeRecentSession(const QString& path);
void clearRecentSessions();

/// What the list keeps of an opened session.
RecentSession describeSession(const QString& path, const diagnose::Diagnosis& diagnosis);

} // namespace retracescope::gui
