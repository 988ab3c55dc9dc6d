#include "app/gui/screenshot.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPainter>
#include <QSvgGenerator>
#include <QThread>

#include "app/gui/main_window.h"

namespace retracescope::gui {

namespace {

/// Layout of a large graph is the slowest thing a view does.
constexpr int kSettleMs = 20'000;

bool isSettled(MainWindow& window) {
    if (window.document().isOpening() || !window.state().jobs().isIdle())
        return false;
    const views::View* view = window.view(window.currentViewId());
    return view == nullptr || view->isSettled();
}

bool saveWindow(MainWindow& window, const QString& path) {
    waitUntilSettled(window, kSettleMs);
    return window.grab().save(path, "PNG");
}

} // namespace

bool waitUntilSettled(MainWindow& window, int timeoutMs) {
    QElapsedTimer timer;
    timer.start();
    // Twice in a row: a finished job may start the next one.
    for (int settled = 0; settled < 2;) {
        QApplication::processEvents(QEventLoop::AllEvents, 10);
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        settled = isSettled(window) ? settled + 1 : 0;
        if (timer.elapsed() > timeoutMs)
            return false;
        if (settled == 0)
            QThread::msleep(2);
    }
    return true;
}

bool savePicture(views::View& view, const QString& path) {
    if (!path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive))
        return view.picture(2.0).save(path, "PNG");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(view.size());
    generator.setViewBox(QRect(QPoint(0, 0), view.size()));
    generator.setTitle(view.title());
    QPainter painter(&generator);
    view.render(&painter);
    return painter.end();
}

QStringList takeScreenshots(MainWindow& window, const QString& target) {
    if (target.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
        QDir().mkpath(QFileInfo(target).absolutePath());
        return saveWindow(window, target) ? QStringList{target} : QStringList();
    }
    if (!QDir().mkpath(target))
        return {};
    QStringList written;
    if (window.state().session() == nullptr) {
        const QString path = target + QStringLiteral("/welcome.png");
        return saveWindow(window, path) ? QStringList{path} : QStringList();
    }
    for (const QString& id : viewIds()) {
        window.showView(id);
        const QString path = QStringLiteral("%1/%2.png").arg(target, id);
        if (!saveWindow(window, path))
            return {};
        written.push_back(path);
    }
    return written;
}

} // namespace retracescope::gui
