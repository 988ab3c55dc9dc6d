#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <retracescope/session/file.h>

#include "tests/app/cli/program_run.h"
#include "tests/support/golden_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::ProgramRun;
using test::runRscope;
using test::sessionFolder;

namespace {

QString mismatch(const QByteArray& text, const QString& name) {
    return QString::fromStdString(
        test::goldenMismatch(text.toStdString(), ("cli/" + name + ".txt").toStdString()));
}

} // namespace

class VerbsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void printsForPeople_data() {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* name, const char* arguments) {
            QTest::newRow(name) << QString(arguments).split(' ');
        };
        for (const char* file : {"lesson", "render", "failing", "empty"}) {
            for (const char* verb : {"info", "functions", "signatures", "explain", "events"})
                QTest::newRow(qPrintable(QString("%1_%2").arg(verb, file)))
                    << QStringList{verb, QString(file) + ".retrace"};
        }
        row("events_filtered",
            "events render.retrace --kind call,miss --function blur --outcome traced --limit 2");
        row("events_range", "events lesson.retrace --from 0.002 --to 0.005");
        row("explain_call", "explain lesson.retrace -f process_data -c 4");
        row("explain_all", "explain render.retrace -f blur -c 6 --all");
        row("explain_hit", "explain lesson.retrace --call 3");
        row("signatures_listing", "signatures render.retrace -f blur --listing");
        row("graph_text", "graph lesson.retrace process_data#2");
        row("graph_dot", "graph lesson.retrace process_data --format dot");
        row("report_md", "report render.retrace");
        row("help", "--help");
        for (const char* verb :
             {"example", "info", "functions", "signatures", "events", "explain", "graph", "report", "import"})
            QTest::newRow(qPrintable(QString("help_%1").arg(verb))) << QStringList{verb, "--help"};
    }
    void printsForPeople() {
        QFETCH(const QStringList, arguments);
        const ProgramRun run = runRscope(sessionFolder(), arguments);
        QCOMPARE(QString(run.error), QString());
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(mismatch(run.out, QTest::currentDataTag()), QString());
        QVERIFY2(!run.out.contains('\x1b'), "no colour unless on a terminal");
        for (const QByteArray& line : run.out.split('\n'))
            QVERIFY2(!line.endsWith(' '), line.constData());
    }

    void whatCountsSaysHowFarItCanBeTrusted() {
        QTemporaryDir folder;
        test::SessionBuilder builder;
        builder.call(builder.function("f", "n"), test::literalArgument("n", "int", "1"));
        builder.session().facts = {{"recording", "dropped", "12"}, {"recording", "overhead_ns", "400000"}};
        QVERIFY(session::writeSession(*builder.finish(), folder.filePath("lossy.retrace").toStdString()));
        for (const char* verb : {"info", "functions", "signatures", "events", "explain", "report"}) {
            for (const char* format : {"", "--json"}) {
                QStringList arguments{verb, "lossy.retrace", format};
                arguments.removeAll("");
                const ProgramRun run = runRscope(folder.path(), arguments);
                QCOMPARE(run.exitCode, 0);
                QVERIFY2(run.out.contains("12 events were dropped"), qPrintable(arguments.join(' ')));
                QVERIFY2(run.out.contains("Recording itself took 400 µs of 2.10 ms: times are inflated."),
                         qPrintable(run.out));
            }
        }
        for (const QStringList& arguments :
             {QStringList{"explain", "lossy.retrace"}, QStringList{"events", "lossy.retrace"},
              QStringList{"events", "lossy.retrace", "--kind", "log"},
              QStringList{"graph", "lossy.retrace", "f"}})
            QVERIFY2(runRscope(folder.path(), arguments).out.contains("Warning: 12 events were dropped"),
                     qPrintable(arguments.join(' ')));
        // What other programs read holds nothing else.
        const QByteArray dot =
            runRscope(folder.path(), {"graph", "lossy.retrace", "f", "--format", "dot"}).out;
        QVERIFY(!dot.contains("Warning"));
    }

    void theVersionNamesTheFileFormatToo() {
        const ProgramRun run = runRscope(sessionFolder(), {"--version"});
        QCOMPARE(run.exitCode, 0);
        QVERIFY(QString(run.out).contains(
            QRegularExpression("^rscope \\d+\\.\\d+\\.\\d+, session files \\d+\\.\\d+\n$")));
    }

    void writesReportsInEveryFormat_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("html") << "r.html" << QByteArray("<!DOCTYPE html>");
        QTest::newRow("markdown") << "r.md" << QByteArray("# shade and 1 other function");
        QTest::newRow("json") << "r.json" << QByteArray("{\n \"format\": \"retracescope\"");
    }
    void writesReportsInEveryFormat() {
        QFETCH(const QString, name);
        QFETCH(const QByteArray, start);
        const QTemporaryDir folder;
        const QString path = folder.filePath(name);
        const ProgramRun run = runRscope(sessionFolder(), {"report", "render.retrace", "-o", path});
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(QString(run.out), "wrote " + path + "\n");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith(start));
    }

    void aGraphIsWrittenAsItsNameEnds_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("start");
        const QByteArray text("process_data");
        const QByteArray json("{\n \"graph\"");
        QTest::newRow("svg") << QStringList{"g.svg"} << QByteArray("<svg");
        QTest::newRow("capitals") << QStringList{"g.SVG"} << QByteArray("<svg");
        QTest::newRow("dot") << QStringList{"g.dot"} << QByteArray("digraph");
        QTest::newRow("gv") << QStringList{"g.gv"} << QByteArray("digraph");
        QTest::newRow("json") << QStringList{"g.json"} << json;
        QTest::newRow("txt") << QStringList{"g.txt"} << text;
        QTest::newRow("no ending") << QStringList{"g"} << text;
        QTest::newRow("--format is stronger") << QStringList{"g.svg", "--format", "text"} << text;
        QTest::newRow("--json is stronger") << QStringList{"g.pdf", "--json"} << json;
    }
    void aGraphIsWrittenAsItsNameEnds() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, start);
        const QTemporaryDir folder;
        const QString path = folder.filePath(arguments.front());
        const ProgramRun run =
            runRscope(sessionFolder(),
                      QStringList{"graph", "lesson.retrace", "process_data", "-o", path} + arguments.mid(1));
        QCOMPARE(QString(run.error), QString());
        QCOMPARE(QString(run.out), "wrote " + path + "\n");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray content = file.readAll();
        QVERIFY2(content.startsWith(start), content.left(80).constData());
    }

    void aDashIsTheStandardOutput() {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(sessionFolder() + "/lesson.retrace", folder.filePath("s.retrace")));
        for (const QStringList& arguments :
             {QStringList{"report", "s.retrace"}, QStringList{"graph", "s.retrace", "process_data"}}) {
            const ProgramRun plain = runRscope(folder.path(), arguments);
            const ProgramRun dash = runRscope(folder.path(), arguments + QStringList{"-o", "-"});
            QCOMPARE(dash.exitCode, 0);
            QVERIFY(!plain.out.isEmpty());
            QCOMPARE(dash.out, plain.out);
        }
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("s.retrace"));
    }

    void everyVerbsHelpEndsWithAnExampleOfIt() {
        const QByteArray verbs = runRscope(sessionFolder(), {"--help"}).out;
        QRegularExpression name("^  (\\w+) +\\S", QRegularExpression::MultilineOption);
        const QString section = QString(verbs).section(QRegularExpression("Verbs?:|Subcommands:"), 1);
        QStringList seen;
        for (auto match = name.globalMatch(section); match.hasNext();) {
            const QString verb = match.next().captured(1);
            seen << verb;
            const QString help = runRscope(sessionFolder(), {verb, "--help"}).out;
            QVERIFY2(help.section("Example:\n", 1).trimmed().startsWith("rscope " + verb + " "),
                     qPrintable(verb));
        }
        QCOMPARE(seen.size(), 9);
    }

    void drawsAGraphAsSvg() {
        const ProgramRun run =
            runRscope(sessionFolder(), {"graph", "render.retrace", "blur", "--format", "svg"});
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.out.contains("<svg"));
        QVERIFY(run.out.contains("node_3"));
    }

    void importedSessionsOpenAgain() {
        const QTemporaryDir folder;
        const QString both = folder.filePath("both.retrace");
        const ProgramRun import =
            runRscope(sessionFolder(), {"import", "lesson.retrace", "render.retrace", "-o", both});
        QCOMPARE(QString(import.error), QString());
        const QByteArray functions = runRscope(folder.path(), {"functions", "both.retrace"}).out;
        for (const char* name : {"process_data", "shade", "blur"})
            QVERIFY2(functions.contains(name), name);
        // Every miss reads as it did in its own file.
        const QByteArray merged = runRscope(folder.path(), {"explain", "both.retrace", "-f", "blur"}).out;
        const QByteArray own = runRscope(sessionFolder(), {"explain", "render.retrace", "-f", "blur"}).out;
        QVERIFY(own.count("\n\n") > 3);
        QCOMPARE(merged.mid(merged.indexOf("\n\n")), own.mid(own.indexOf("\n\n")));
    }

    void aReaderThatHasSeenEnoughIsNoFailure() {
        QProcess shell;
        shell.setWorkingDirectory(sessionFolder());
        const QString rscope = RETRACESCOPE_BIN_DIR "/rscope";
        shell.start("bash",
                    {"-c", "set -o pipefail; for i in 1 2 3; do '" + rscope +
                               "' report render.retrace --format json | head -1 >/dev/null || exit 9; done"});
        QVERIFY(shell.waitForFinished(60'000));
        QCOMPARE(QString(shell.readAllStandardError()), QString());
        QCOMPARE(shell.exitCode(), 0);
    }

    void aFullDiskIsAFailure() {
        if (!QFile::exists("/dev/full"))
            QSKIP("no /dev/full here");
        QProcess shell;
        shell.setWorkingDirectory(sessionFolder());
        shell.start("bash", {"-c", "'" RETRACESCOPE_BIN_DIR "/rscope' report render.retrace >/dev/full"});
        QVERIFY(shell.waitForFinished(60'000));
        QCOMPARE(shell.exitCode(), 1);
        QVERIFY(shell.readAllStandardError().startsWith("rscope: cannot write"));
    }
};

RETRACESCOPE_TEST(VerbsTest);

#include "verbs_test.moc"
