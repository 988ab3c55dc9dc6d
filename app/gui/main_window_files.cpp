// What the main window does with files: open, drop, recent list, example, pictures.
#include "app/gui/main_window.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QStyle>

#include "app/gui/example_run.h"
#include "app/gui/export_dialog.h"
#include "app/gui/recent_sessions.h"
#include "app/gui/screenshot.h"
#include "app/gui/welcome_page.h"
#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile())
            files.push_back(url.toLocalFile());
    }
    return files;
}

/// The platform's own palette tells: Qt 6.4 has no other way.
views::ThemeName systemTheme() {
    static const bool dark =
        QApplication::style()->standardPalette().color(QPalette::Window).lightness() < 128;
    return dark ? views::ThemeName::Dark : views::ThemeName::Light;
}

} // namespace

void MainWindow::openFiles(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    for (qsizetype i = paths.size() - 1; i > 0; --i) {
        RecentSession other;
        other.path = QFileInfo(paths[i]).absoluteFilePath();
        other.opened = QDateTime::currentDateTime();
        if (other.exists() && m_remembers)
            addRecentSession(other);
    }
    m_document.open(paths.front());
}

void MainWindow::chooseFile() {
    QSettings settings;
    const QString folder = settings.value(QStringLiteral("openFolder")).toString();
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a session or trace file"), folder,
        tr("Sessions and traces (*.retrace *.json *.gz *.zip *.pb);;Sessions (*.retrace);;All files (*)"));
    if (path.isEmpty())
        return;
    settings.setValue(QStringLiteral("openFolder"), QFileInfo(path).absolutePath());
    openFile(path);
}

void MainWindow::onFailed(const QString& path, const QString& sentence) {
    Q_UNUSED(path);
    m_banner->show(Banner::Kind::Error, sentence, tr("Open another file…"), [this] { chooseFile(); });
    m_welcome->refresh();
}

void MainWindow::fillRecentMenu(QMenu* menu) {
    menu->clear();
    int number = 1;
    for (const RecentSession& session : recentSessions()) {
        QAction* action =
            menu->addAction(QStringLiteral("&%1  %2").arg(number++).arg(QFileInfo(session.path).fileName()),
                            this, [this, path = session.path] { openFile(path); });
        action->setToolTip(session.path);
        action->setEnabled(session.exists());
    }
    if (menu->isEmpty())
        menu->addAction(tr("No session was opened yet"))->setEnabled(false);
}

void MainWindow::openExample(const QString& name) {
    m_state.jobs().run(
        tr("Running the example"), this, [name](const Job& job) { return runExample(name, job); },
        [this](const ExampleOutcome& outcome) {
            if (outcome.error.isEmpty())
                openFile(outcome.session);
            else
                m_banner->show(Banner::Kind::Error, outcome.error, {}, {});
        });
}

void MainWindow::exportReport() {
    ExportDialog dialog(m_state, m_document.path(), this);
    dialog.exec();
}

void MainWindow::exportPicture() {
    views::View* present = view(currentViewId());
    if (present == nullptr)
        return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save picture of the view"),
        QStringLiteral("%1-%2.png").arg(QFileInfo(m_document.path()).completeBaseName(), present->id()),
        tr("Picture (*.png);;Drawing (*.svg)"));
    if (!path.isEmpty() && !savePicture(*present, path))
        m_banner->show(Banner::Kind::Error, tr("Cannot write %1. Choose another place.").arg(path),
                       tr("Save again…"), [this] { exportPicture(); });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QStringList files = localFiles(event->mimeData());
    if (files.isEmpty())
        return;
    m_dropOverlay->showFor(files);
    event->acceptProposedAction();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
    m_dropOverlay->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
    m_dropOverlay->hide();
    const QStringList files = localFiles(event->mimeData());
    if (files.isEmpty())
        return;
    event->acceptProposedAction();
    openFiles(files);
}

void MainWindow::chooseTheme(ThemeChoice choice, bool remember) {
    views::ThemeName name = choice == ThemeChoice::Dark ? views::ThemeName::Dark : views::ThemeName::Light;
    if (choice == ThemeChoice::System)
        name = systemTheme();
    if (remember)
        QSettings().setValue(QStringLiteral("theme"), static_cast<int>(choice));
    for (QAction* action : m_themeActions->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(choice));
    m_state.setTheme(name);
}

} // namespace retracescope::gui
