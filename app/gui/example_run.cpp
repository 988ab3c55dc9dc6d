#include "app/gui/example_run.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcess>
#include <QStandardPaths>

#include <retracescope/base/example_programs.h>

namespace retracescope::gui {

namespace {

constexpr int kPollMs = 50;

QString tr(const char* text) {
    return QCoreApplication::translate("Example", text);
}

} // namespace

ExampleOutcome runExample(QString name, const Job& job) {
    const auto examples = readExamples(examplesFolder());
    if (!examples)
        return {{}, QString::fromStdString(examples.error().message)};
    if (name.isEmpty() && !examples->empty())
        name = QString::fromStdString(examples->front().name);
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation);
    QDir().mkpath(folder);
    const QString session = QStringLiteral("%1/%2.retrace").arg(folder, name);
    job.report(0.2, name.toStdString());
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QString::fromStdString((examplesFolder() / name.toStdString()).string()), {session});
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
