#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/program_run.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::ProgramRun;
using test::runRscope;

namespace {

/// Names in the list of examples that was built; empty without examples.
QStringList exampleNames() {
    QFile list(RETRACESCOPE_BIN_DIR "/examples/examples.txt");
    QStringList names;
    if (list.open(QIODevice::ReadOnly)) {
        for (const QByteArray& line : list.readAll().split('\n')) {
            if (!line.isEmpty())
                names << line.split('\t').first();
        }
    }
    return names;
}

} // namespace

class ExampleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsWhatWasBuiltAndNothingElse() {
        const QTemporaryDir folder;
        const ProgramRun run = runRscope(folder.path(), {"example", "--list"});
        const QStringList names = exampleNames();
        QVERIFY(!names.isEmpty());
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.out.count('\n'), names.size() + 1);
        for (const QString& name : names)
            QVERIFY2(run.out.contains(name.toUtf8()), qPrintable(name));
    }

    void everyExampleRecordsASessionThatOpens() {
        qputenv("RETRACESCOPE_SMALL_EXAMPLES", "1"); // those that take long take less
        const QTemporaryDir folder;
        for (const QString& name : exampleNames()) {
            const ProgramRun run = runRscope(folder.path(), {"example", name, "-o", name + ".retrace"});
            QVERIFY2(run.exitCode == 0, qPrintable(name + ": " + run.error));
            const ProgramRun info = runRscope(folder.path(), {"explain", name + ".retrace"});
            QVERIFY2(info.exitCode == 0, qPrintable(name + ": " + info.error));
            QVERIFY2(info.out.contains("first_call"), qPrintable(name));
        }
    }

    void aPlaceThatCannotBeWrittenIsSaidBeforeTheExampleRuns() {
        const QStringList names = exampleNames();
        QVERIFY(!names.isEmpty());
        const QTemporaryDir folder;
        QFile letter(folder.filePath("letter.txt"));
        QVERIFY(letter.open(QIODevice::WriteOnly));
        letter.write("dear reader");
        letter.close();
        const QString noSession = "it exists and is no session; choose another place";
        for (const auto& [place, why] :
             {std::pair<QString, QString>("no/such/folder/x.retrace", "No such file or directory"),
              std::pair<QString, QString>("letter.txt", noSession),
              std::pair<QString, QString>(".", noSession)}) {
            const ProgramRun run = runRscope(folder.path(), {"example", names.front(), "-o", place});
            QCOMPARE(QString(run.error), "rscope: cannot write " + place + ": " + why + "\n");
            QCOMPARE(QString(run.out), QString());
            QCOMPARE(run.exitCode, 1);
        }
        QVERIFY(letter.open(QIODevice::ReadOnly));
        QCOMPARE(letter.readAll(), QByteArray("dear reader"));
    }

    void anUnknownExampleIsWrongUse() {
        const QStringList names = exampleNames();
        QVERIFY(!names.isEmpty());
        const QTemporaryDir folder;
        const ProgramRun run = runRscope(folder.path(), {"example", names.front() + "x"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY(run.error.contains("did you mean"));
    }
};

RETRACESCOPE_TEST(ExampleTest);

#include "example_test.moc"
