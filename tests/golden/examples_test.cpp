// Runs every example program of examples.txt and compares what it prints, and what its session says, with the
// golden texts in tests/golden/examples. With RETRACESCOPE_UPDATE_GOLDEN set, writes them instead.
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <retracescope/retracescope.h>
#include <retracescope/session/file.h>
#include <retracescope/session/query.h>

#include "tests/golden/session_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

const QString kPrograms = QStringLiteral(RETRACESCOPE_BIN_DIR "/examples/");
const QString kGolden = QStringLiteral(RETRACESCOPE_SOURCE_DIR "/tests/golden/examples/");

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void compareWithGolden(const QString& name, const QString& actual) {
    const QString path = kGolden + name;
    if (qEnvironmentVariableIsSet("RETRACESCOPE_UPDATE_GOLDEN")) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(actual.toUtf8());
        return;
    }
    QCOMPARE(actual.split(QLatin1Char('\n')), contentOf(path).split(QLatin1Char('\n')));
}

} // namespace

class ExamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void printAndRecordWhatTheGoldenTextsSay_data() {
        QTest::addColumn<QString>("program");
        const QStringList lines = contentOf(kPrograms + QStringLiteral("examples.txt"))
                                      .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY(!lines.isEmpty());
        for (const QString& line : lines) {
            const QStringList parts = line.split(QLatin1Char('\t'));
            QCOMPARE(parts.size(), 2);
            QVERIFY2(parts[1].endsWith(QLatin1Char('.')), qPrintable(line)); // a whole sentence
            QTest::newRow(parts[0].toUtf8().constData()) << parts[0];
        }
    }

    void printAndRecordWhatTheGoldenTextsSay() {
        QFETCH(QString, program);
        const QTemporaryDir folder;
        QProcess process;
        process.setWorkingDirectory(folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("RETRACESCOPE_SMALL_EXAMPLES"), QStringLiteral("1"));
        process.setProcessEnvironment(environment);
        process.start(kPrograms + program, {});
        QVERIFY2(process.waitForFinished(), qPrintable(process.errorString()));
        QCOMPARE(process.exitCode(), 0);
        compareWithGolden(program + QStringLiteral(".txt"),
                          QString::fromUtf8(process.readAllStandardOutput()));

        const auto session =
            session::readSession(folder.filePath(program + QStringLiteral(".retrace")).toStdString());
        QVERIFY2(session.ok(), session.ok() ? "" : session.error().message.c_str());
        QVERIFY((*session)->closedProperly);
        compareWithGolden(program + QStringLiteral(".events.txt"),
                          QString::fromStdString(test::eventText(**session)));
    }

    /// Other functions, arguments and calls than any example: the session says what the program counted.
    void anotherProgramIsRecordedAsTruly() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("other.retrace")).toStdString();
        std::size_t traces = 0;
        {
            const Recorder recorder(path);
            FunctionOptions relaxing;
            relaxing.reduceRetracing = true;
            Function attend(
                "attend", {"query", "keys", {"scale", 1.0}},
                [](Tensor query, std::vector<Tensor> keys, double scale) {
                    Tensor total = zerosLike(query);
                    for (const Tensor& key : keys)
                        total = total + query * key * scale;
                    return std::map<std::string, Tensor>{{"total", total}, {"size", reduceSum(total)}};
                },
                relaxing);
            const auto vector = [](std::int64_t length) { return ones({length}); };
            attend(vector(2), {vector(2)}, 1.0);
            attend(arg("keys", std::vector<Tensor>{vector(2)}), arg("query", vector(2)));
            attend(vector(3), {vector(3)}, 1.0);
            attend(vector(9), {vector(9)}, 1.0);
            attend(vector(9), {vector(9), vector(9)}, 1.0);
            attend(vector(9), {vector(9)}, 0.5);
            try {
                attend(vector(4), {vector(5)}, 0.25);
            } catch (const UsageError&) {
            }
            traces = attend.traceCount();
            QCOMPARE(attend.tracingCount(), std::size_t{4});
        }
        const auto session = session::readSession(path);
        QVERIFY(session.ok());
        const auto summary = session::summarizeFunctions(**session, session::buildIndex(**session));
        QCOMPARE(summary.size(), std::size_t{1});
        QCOMPARE(summary[0].calls, 7);
        QCOMPARE(summary[0].hits, 2);
        QCOMPARE(summary[0].errors, 1);
        QCOMPARE(static_cast<std::size_t>(summary[0].traces), traces);
        compareWithGolden(QStringLiteral("another_program.events.txt"),
                          QString::fromStdString(test::eventText(**session)));
    }
};

RETRACESCOPE_TEST(ExamplesTest);

#include "examples_test.moc"
