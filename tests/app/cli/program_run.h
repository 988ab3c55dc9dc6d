#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <retracescope/session/session.h>

namespace retracescope::test {

/// What a run of rscope gave.
struct ProgramRun {
    int exitCode = -1;
    QByteArray out;
    QByteArray error;
};

/// Runs the built rscope in `folder` with these arguments.
ProgramRun runRscope(const QString& folder, const QStringList& arguments);

/// A folder with session files: "lesson.retrace" (process_data), "render.retrace" (another program),
/// "failing.retrace" (a trace that fails twice), "empty.retrace". Lives as long as the test program.
const QString& sessionFolder();

/// The program of "render.retrace": lists, dicts, objects, dtypes and a loop count, with names of its own.
session::SessionPtr renderSession();

} // namespace retracescope::test
