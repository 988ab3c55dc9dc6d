#include "app/gui/example_run.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>

namespace retracescope::gui {

namespace {

constexpr int kPollMs = 50;

QString tr(const char* text) {
    return QCoreApplication::translate("Example", text);
}

/// The name of the first example: the list has "name<TAB>description" lines.
QString firstExample(const QString& binFolder) {
    QFile list(binFolder + QStringLiteral("/examples/examples.txt"));
    if (!list.open(QIODevice::ReadOnly))
        return {};
    return QString::fromUtf8(list.readLine()).section(QLatin1Char('\t'), 0, 0).trimmed();
}

} // namespace

ExampleOutcome runExample(const QString& binFolder, const Job& job) {
    const QString name = firstExample(binFolder);
    if (name.isEmpty())
        return {
            {},
            tr("The example programs are not beside the program, in %1/examples. Build the target examples.")
                .arg(binFolder)};
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation);
    QDir().mkpath(folder);
    const QString session = QStringLiteral("%1/%2.retrace").arg(folder, name);
    job.report(0.2, name.toStdString());
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("%1/examples/%2").arg(binFolder, name),
                  {session}); // its one argument is the output
    while (!process.waitForFinished(kPollMs)) {
        if (process.state() == QProcess::NotRunning)
            return {{}, tr("The example could not be started: %1.").arg(process.errorString())};
        if (job.cancel.requested()) {
            process.kill();
            process.waitForFinished();
            return {};
        }
    }
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
        const QString output = QString::fromUtf8(process.readAll()).trimmed();
        return {{}, tr("The example %1 failed: %2.").arg(name, output.section(QLatin1Char('\n'), -1))};
    }
    return {session, {}};
}

} // namespace retracescope::gui
