#include <filesystem>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <retracescope/session/file.h>

#include "tests/app/cli/program_run.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::ProgramRun;
using test::runRscope;
using test::sessionFolder;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

} // namespace

class WrongUseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysInOneLineWhatToDo_data() {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* arguments, const char* message) {
            QTest::newRow(arguments) << QString(arguments) << QString(message);
        };
        row("", "which verb? example, info, functions, signatures, events, explain, graph, report, import; "
                "'rscope --help' explains them");
        row("explian lesson.retrace", "no verb explian; did you mean explain?");
        row("frobnicate", "no verb frobnicate; 'rscope --help' lists them");
        row("lesson.retrace", "lesson.retrace is a file, not a verb; try 'rscope info lesson.retrace'");
        row("--frob", "no option --frob; 'rscope --help' lists what there is");
        row("info", "info: FILE is required; for instance 'rscope info run.retrace'");
        row("info leson.retrace", "info: no file leson.retrace; did you mean lesson.retrace?");
        row("info nowhere/at/all.retrace", "info: no file nowhere/at/all.retrace");
        row("info .", "info: . is a folder; name a file in it");
        row("info lesson.retrace --jsn", "info: no option --jsn; did you mean --json?");
        row("info lesson.retrace --frobnicate",
            "info: no option --frobnicate; 'rscope info --help' lists them");
        row("info lesson.retrace more",
            "info: more is one argument too many; for instance 'rscope info run.retrace'");
        row("explain lesson.retrace -f proces_data",
            "explain: no function proces_data; did you mean process_data? "
            "'rscope functions FILE' lists them");
        row("explain lesson.retrace -f qqqqqqqqqqqqq",
            "explain: no function qqqqqqqqqqqqq; 'rscope functions FILE' lists them");
        row("explain empty.retrace -f f", "explain: no function f: the file holds no traced functions");
        row("explain lesson.retrace -c x", "explain: no call x: calls are numbered from 1");
        for (const char* call : {"0", "-1", "4th", "1.5"})
            row(qPrintable(QString("explain lesson.retrace --call %1").arg(call)),
                qPrintable(QString("explain: no call %1: calls are numbered from 1").arg(call)));
        row("explain lesson.retrace --limit x",
            "explain: --limit should be a number, not x; for instance 'rscope explain "
            "run.retrace --function train_step'");
        row("events lesson.retrace --from abc",
            "events: --from should be a number, not abc; for instance 'rscope events run.retrace "
            "--kind call,miss --outcome traced --limit 20'");
        row("events lesson.retrace --kind cal",
            "events: no event kind cal; known are call, miss, span, kernel, counter, "
            "instant, mark, log");
        row("events lesson.retrace --outcome hat",
            "events: no outcome hat; known are hit, traced, eager, error, unknown");
        row("graph lesson.retrace process_data#9",
            "graph: no graph process_data#9; process_data has entries 1, 2, 3, 4");
        row("graph lesson.retrace process_data#x",
            "graph: process_data#x is no entry; write FUNCTION#1 for the first concrete function");
        row("graph lesson.retrace proces_data", "graph: no graph proces_data; did you mean process_data?");
        row("graph render.retrace wavelets", "graph: no graph wavelets; known are shade, blur");
        row("graph lesson.retrace", "graph: which graph? name a function, for instance process_data");
        row("graph empty.retrace f", "graph: no graphs are in this file");
        row("graph lesson.retrace process_data --format png",
            "graph: no graph format png; known are text, dot, svg, json");
        row("report lesson.retrace --format pdf", "report: no report format pdf; known are md, html, json");
        row("report lesson.retrace -o no/r.pdf",
            "report: no report format ends in .pdf; choose one with --format: md, html, json");
        row("graph lesson.retrace process_data -o no/g.png",
            "graph: no graph format ends in .png; choose one with --format: text, dot, svg, json");
        row("events lesson.retrace --limit -3", "events: --limit should be 0 (all) or more, not -3");
        row("explain lesson.retrace --limit=-1", "explain: --limit should be 0 (all) or more, not -1");
        row("events lesson.retrace --from 5 --to 1", "events: --from 5 is later than --to 1; exchange them");
        row("explain lesson.retrace -f process_data --call 99",
            "explain: no call 99: process_data has 5 calls");
        row("explain render.retrace --call 99", "explain: no call 99: no function has more than 6 calls");
        row("import lesson.retrace",
            "import: --output is required; for instance 'rscope import trace.json.gz -o "
            "trace.retrace'");
    }
    void saysInOneLineWhatToDo() {
        QFETCH(const QString, arguments);
        QFETCH(const QString, message);
        const ProgramRun run = runRscope(sessionFolder(), arguments.split(' ', Qt::SkipEmptyParts));
        QCOMPARE(QString(run.error), "rscope: " + message + "\n");
        QCOMPARE(QString(run.out), QString());
        QCOMPARE(run.exitCode, 2);
    }

    void aFunctionWithoutGraphsHasNone() {
        test::SessionBuilder builder;
        for (const char* name : {"bare", "f1", "f2", "f3", "f4", "f5", "f6"})
            builder.call(builder.function(name, "n"), test::literalArgument("n", "int", "1"));
        builder.session().entries[0].graph = {}; // which then belongs to nobody
        const QTemporaryDir folder;
        QVERIFY(session::writeSession(*builder.finish(), folder.filePath("s.retrace").toStdString()));
        for (const auto& [name, message] :
             {std::pair("bare", "no graph of bare was recorded"),
              std::pair("bare#1", "the graph of bare#1 was not recorded"),
              std::pair("nobody", "no graph nobody; known are f1, f2, f3, f4, f5 and 2 more")}) {
            const ProgramRun run = runRscope(folder.path(), {"graph", "s.retrace", name});
            QCOMPARE(QString(run.error), QString("rscope: graph: %1\n").arg(message));
            QCOMPARE(run.exitCode, 2);
        }
    }

    void neverOverwritesWhatItReads_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("report") << QStringList{"report", "s.retrace", "-o", "./s.retrace"};
        QTest::newRow("graph") << QStringList{"graph", "s.retrace", "process_data", "-o", "s.retrace"};
        QTest::newRow("import") << QStringList{"import", "s.retrace", "-o", "s.retrace"};
        QTest::newRow("symbolic link") << QStringList{"report", "s.retrace", "-o", "link"};
        QTest::newRow("hard link") << QStringList{"report", "hard", "-o", "s.retrace"};
        QTest::newRow("the second of two") << QStringList{"import", "other.retrace", "link", "-o", "hard"};
    }
    void neverOverwritesWhatItReads() {
        QFETCH(const QStringList, arguments);
        const QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
        for (const char* name : {"s.retrace", "other.retrace"})
            QVERIFY(QFile::copy(sessionFolder() + "/lesson.retrace", folder.filePath(name)));
        std::filesystem::create_symlink("s.retrace", path("link"));
        std::filesystem::create_hard_link(path("s.retrace"), path("hard"));
        const ProgramRun run = runRscope(folder.path(), arguments);
        QCOMPARE(QString(run.error),
                 "rscope: " + arguments.front() + ": -o names the file that is read; choose another place\n");
        QCOMPARE(run.exitCode, 2);
        QCOMPARE(contentOf(folder.filePath("s.retrace")), contentOf(sessionFolder() + "/lesson.retrace"));
        QVERIFY(std::filesystem::is_symlink(path("link")));
    }

    void importsOverNothingButSessions() {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(sessionFolder() + "/lesson.retrace", folder.filePath("lesson.retrace")));
        QVERIFY(QFile::copy(sessionFolder() + "/render.retrace", folder.filePath("old.retrace")));
        QFile letter(folder.filePath("letter.txt"));
        QVERIFY(letter.open(QIODevice::WriteOnly));
        letter.write("dear reader");
        letter.close();
        for (const char* place : {"letter.txt", ".", "/dev/null"}) {
            const ProgramRun run = runRscope(folder.path(), {"import", "lesson.retrace", "-o", place});
            QCOMPARE(QString(run.error),
                     QString("rscope: import: %1 exists and is no session; choose another "
                             "place\n")
                         .arg(place));
            QCOMPARE(run.exitCode, 2);
        }
        QCOMPARE(contentOf(letter.fileName()), QByteArray("dear reader"));
        QCOMPARE(runRscope(folder.path(), {"import", "lesson.retrace", "-o", "old.retrace"}).exitCode, 0);
        QVERIFY(runRscope(folder.path(), {"functions", "old.retrace"}).out.contains("process_data"));
    }

    void aFileThatCannotBeReadIsExitCodeOne_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QByteArray("hello, this is no session\n");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("sqlite start only") << QByteArray("SQLite format 3\0", 16);
        QTest::newRow("zeros") << QByteArray(4096, '\0');
        QFile lesson(sessionFolder() + "/lesson.retrace");
        QVERIFY(lesson.open(QIODevice::ReadOnly));
        QTest::newRow("half a session") << lesson.readAll().left(static_cast<int>(lesson.size() / 2));
    }
    void aFileThatCannotBeReadIsExitCodeOne() {
        QFETCH(const QByteArray, content);
        const QTemporaryDir folder;
        QFile file(folder.filePath("broken.retrace"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        for (const char* verb : {"info", "functions", "signatures", "events", "explain", "graph", "report"}) {
            const ProgramRun run = runRscope(folder.path(), {verb, "broken.retrace"});
            QCOMPARE(run.exitCode, 1);
            QCOMPARE(run.error.count('\n'), 1);
            QVERIFY2(run.error.contains("broken.retrace"), run.error.constData());
        }
    }

    void aFileThatCannotBeWrittenIsExitCodeOne() {
        for (const QStringList& arguments :
             {QStringList{"report", "lesson.retrace", "-o", "no/such/folder/r.md"},
              QStringList{"graph", "lesson.retrace", "process_data", "-o", "no/such/folder/g.txt"},
              QStringList{"import", "lesson.retrace", "-o", "no/such/folder/s.retrace"}}) {
            const ProgramRun run = runRscope(sessionFolder(), arguments);
            QCOMPARE(run.exitCode, 1);
            QCOMPARE(run.error.count('\n'), 1);
            QVERIFY2(run.error.contains("no/such/folder"), run.error.constData());
        }
    }
};

RETRACESCOPE_TEST(WrongUseTest);

#include "wrong_use_test.moc"
