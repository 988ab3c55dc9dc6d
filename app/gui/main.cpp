// retracescope: the desktop program.
#include <cstdio>

#include <QApplication>
#include <QSettings>
#include <QTimer>

#include <retracescope/open/open_any.h>

#include "app/gui/main_window.h"
#include "app/gui/screenshot.h"

namespace retracescope::gui {

namespace {

constexpr int kCouldNot = 1;
constexpr int kWrongUse = 2;
/// A picture must not wait for ever; the largest sessions open well within this time.
constexpr int kOpenMs = 300'000;

int say(const QString& text, FILE* where, int code) {
    std::fputs(qUtf8Printable(text), where);
    std::fputs("\n", where);
    return code;
}

void applyOptions(MainWindow& window, const Options& options) {
    if (options.size)
        window.resize(*options.size);
    if (options.theme)
        window.chooseTheme(*options.theme == views::ThemeName::Dark ? ThemeChoice::Dark : ThemeChoice::Light,
                           false);
    else
        window.chooseTheme(static_cast<ThemeChoice>(QSettings().value(QStringLiteral("theme"), 0).toInt()),
                           false);
}

/// What --select and --perspective ask for, once the file is open. False if there is no such function, entry
/// or call.
bool showAsked(MainWindow& window, const Options& options) {
    if (options.select && !window.select(*options.select))
        return false;
    const qsizetype perspective = perspectiveNames().indexOf(options.perspective);
    if (perspective >= 0)
        window.showPerspective(static_cast<Perspective>(perspective));
    else if (!options.perspective.isEmpty())
        window.showView(options.perspective);
    return true;
}

int takePictures(MainWindow& window, const Options& options) {
    QString failure;
    QObject::connect(&window.document(), &Document::failed, &window,
                     [&failure](const QString&, const QString& sentence) { failure = sentence; });
    window.openFiles(options.files);
    window.show();
    if (!waitUntilSettled(window, kOpenMs))
        return say(QStringLiteral("retracescope: the file was not open after 5 minutes"), stderr, kCouldNot);
    if (!failure.isEmpty())
        return say(QStringLiteral("retracescope: ") + failure, stderr, kCouldNot);
    if (!showAsked(window, options))
        return say(QStringLiteral("retracescope: nothing in the session is named by --select"), stderr,
                   kCouldNot);
    const QStringList written = takeScreenshots(window, options.screenshot);
    if (written.isEmpty())
        return say(
            QStringLiteral("retracescope: cannot write %1; choose another place").arg(options.screenshot),
            stderr, kCouldNot);
    return say(written.join(QLatin1Char('\n')), stdout, 0);
}

/// What the platform says about its environment is nobody's business who takes pictures; the rest is.
void dropPlatformTalk(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (message.startsWith(QLatin1String("QStandardPaths:")) ||
        message.startsWith(QLatin1String("This plugin does not support")))
        return;
    std::fputs(qUtf8Printable(qFormatLogMessage(type, context, message)), stderr);
    std::fputs("\n", stderr);
}

int run(const Options& options) {
    MainWindow window(openAny);
    window.setRemembers(options.screenshot.isEmpty());
    applyOptions(window, options);
    if (!options.screenshot.isEmpty())
        return takePictures(window, options);
    QObject::connect(
        &window.document(), &Document::opened, &window, [&window, options, first = true]() mutable {
            if (first && !showAsked(window, options))
                say(QStringLiteral("retracescope: nothing in the session is named by --select"), stderr, 0);
            first = false;
        });
    window.show();
    if (!options.files.isEmpty())
        QTimer::singleShot(0, &window, [&window, files = options.files] { window.openFiles(files); });
    return QApplication::exec();
}

} // namespace

} // namespace retracescope::gui

int main(int argc, char** argv) {
    using namespace retracescope;
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments.push_back(QString::fromLocal8Bit(argv[i]));
    const auto options = gui::parseOptions(arguments);
    if (!options)
        return gui::say(QStringLiteral("retracescope: ") + QString::fromStdString(options.error().message),
                        stderr, gui::kWrongUse);
    if (options->showHelp)
        return gui::say(gui::helpText().trimmed(), stdout, 0);
    if (options->showVersion)
        return gui::say(QStringLiteral("retracescope " RETRACESCOPE_VERSION), stdout, 0);
    const bool noDisplay = qEnvironmentVariableIsEmpty("DISPLAY") &&
                           qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
                           qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
    if (noDisplay && options->screenshot.isEmpty())
        return gui::say(
            QStringLiteral("retracescope: there is no display; set DISPLAY, or use --screenshot DIR"), stderr,
            gui::kCouldNot);
    if (noDisplay)
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!options->screenshot.isEmpty())
        qInstallMessageHandler(gui::dropPlatformTalk);
    const QApplication app(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("retracescope"));
    QApplication::setApplicationName(QStringLiteral("retracescope"));
    QApplication::setApplicationVersion(QStringLiteral(RETRACESCOPE_VERSION));
    return gui::run(*options);
}
