#pragma once

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/main_window.h"
#include "app/gui/screenshot.h"
#include "tests/support/session_builder.h"

namespace retracescope::test {

/// Settings of its own for each test, away from the user's.
struct CleanSettings {
    CleanSettings() {
        QCoreApplication::setOrganizationName(QStringLiteral("retracescope-test"));
        QCoreApplication::setApplicationName(QStringLiteral("retracescope-test"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
        QSettings().clear();
        qputenv("XDG_DATA_HOME", folder.path().toUtf8());
    }

    QTemporaryDir folder;
};

/// A window in which every path opens the process_data session.
inline gui::Document::Opener opensProcessData() {
    return [](const std::filesystem::path&, const Job&) -> Result<session::SessionPtr> {
        return processDataSession();
    };
}

inline bool openIn(gui::MainWindow& window, const QString& path = QStringLiteral("process_data.retrace")) {
    window.show();
    window.openFile(path);
    return gui::waitUntilSettled(window, 10'000) && window.state().session() != nullptr;
}

} // namespace retracescope::test
