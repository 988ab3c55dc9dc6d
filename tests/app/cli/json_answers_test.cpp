#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <retracescope/diagnose/overview.h>

#include "tests/app/cli/program_run.h"
#include "tests/core/importers/small_files.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::ProgramRun;
using test::runRscope;
using test::sessionFolder;

namespace {

QJsonObject answerOf(const QStringList& arguments) {
    const ProgramRun run = runRscope(sessionFolder(), arguments);
    if (run.exitCode != 0 || !run.error.isEmpty())
        qFatal("%s", run.error.constData());
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(run.out, &error);
    if (!document.isObject())
        qFatal("%s", qPrintable(error.errorString()));
    return document.object();
}

QStringList keysOf(const QJsonValue& value) {
    return value.toObject().keys(); // sorted
}

QStringList sorted(const char* keys) {
    QStringList list = QString(keys).split(' ');
    list.sort();
    return list;
}

QJsonObject first(const QJsonObject& answer, const char* list) {
    return answer[list].toArray().first().toObject();
}

} // namespace

/// The keys are a contract: resources/manual/json.md.
class JsonAnswersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysAreThoseOfTheContract() {
        const QJsonObject info = answerOf({"info", "lesson.retrace", "--json"});
        QCOMPARE(keysOf(info),
                 sorted("format opens closed still_recording functions signatures entries graphs calls hits "
                        "traces events "
                        "misses counter_samples instants marks log_lines "
                        "spans kernels lanes duration_ns time headline subline warnings facts"));
        QCOMPARE(keysOf(info["time"]),
                 sorted("total_ns calls_ns avoidable_ns needed_ns execute_ns failed_ns outside_ns"));
        const QJsonObject functions = answerOf({"functions", "lesson.retrace", "--json"});
        QCOMPARE(keysOf(functions), sorted("functions warnings"));
        QCOMPARE(keysOf(first(functions, "functions")),
                 sorted("name label calls hits traces failed_traces body_runs errors concrete_functions "
                        "trace_ns causes"));
        const QJsonObject signatures = answerOf({"signatures", "lesson.retrace", "--json"});
        QCOMPARE(keysOf(signatures), sorted("signatures warnings"));
        QCOMPARE(
            keysOf(first(signatures, "signatures")),
            sorted(
                "function entry name signature output listing components calls hits trace_ns nodes captures "
                "relaxed state"));
        QCOMPARE(keysOf(first(signatures, "signatures")["components"].toArray().first()),
                 sorted("path value open"));
        const QJsonObject events = answerOf({"events", "lesson.retrace", "--json"});
        QCOMPARE(keysOf(events), sorted("events matching warnings"));
        QCOMPARE(keysOf(first(events, "events")),
                 sorted("time_ns kind lane name function call outcome entry duration_ns value text"));
        const QJsonObject graph =
            answerOf({"graph", "lesson.retrace", "process_data", "--json"})["graph"].toObject();
        QCOMPARE(keysOf(graph), sorted("name library nodes outputs"));
        QCOMPARE(keysOf(graph["nodes"].toArray().last()),
                 sorted("name op type device file line inputs attributes calls"));
        const QJsonObject report = answerOf({"report", "lesson.retrace", "--json"});
        QCOMPARE(keysOf(first(report, "findings")),
                 sorted("function cause argument title detail traces avoidable_traces cost_ns avoidable_ns "
                        "values expected edit also"));
    }

    void filesOfOtherToolsAnswerWithTheirKeys_data() {
        QTest::addColumn<int>("row");
        int row = 0;
        for (const test::SmallFile& file : test::allSmallFiles())
            QTest::newRow(file.name.c_str()) << row++;
    }
    void filesOfOtherToolsAnswerWithTheirKeys() {
        QFETCH(const int, row);
        const test::SmallFile sample = test::allSmallFiles()[static_cast<std::size_t>(row)];
        const QTemporaryDir folder;
        const QString name = QString::fromStdString(sample.name);
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(sample.bytes));
        file.close();
        const ProgramRun run = runRscope(folder.path(), {"info", name, "--json"});
        const QJsonObject answer = QJsonDocument::fromJson(run.out).object();
        if (sample.answer.empty()) {
            QCOMPARE(run.exitCode, 1);
            QCOMPARE(keysOf(answer), sorted("opens why"));
            QCOMPARE(answer["opens"], QJsonValue(false));
            QCOMPARE(QString(run.error), "rscope: " + answer["why"].toString() + "\n");
            return;
        }
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.error, QByteArray());
        QCOMPARE(answer["opens"], QJsonValue(true));
        if (answer["format"].toString() == "graphdef") {
            QCOMPARE(keysOf(answer), sorted("format opens warnings graph"));
            QCOMPARE(keysOf(answer["graph"]),
                     sorted("nodes distinct_ops ops data_edges control_edges dangling_inputs functions "
                            "function_nodes function_ops function_data_edges function_control_edges"));
        } else {
            const bool hasCalls = sample.bytes.find("tf_function_call") != std::string::npos;
            QCOMPARE(keysOf(answer),
                     sorted(hasCalls ? "format opens warnings functions calls hits traces timeline"
                                     : "format opens warnings timeline"));
            QCOMPARE(
                keysOf(answer["timeline"]),
                sorted(
                    "events by_phase by_kind skipped processes lanes_with_events lanes_with_spans first_ns "
                    "last_ns duration_ns spans begin_end_pairs"));
        }
        QVERIFY(answer["warnings"].isArray());
    }

    void examplesAreListedByNameAndDescription() {
        const QJsonObject answer = answerOf({"example", "--list", "--json"});
        QCOMPARE(keysOf(answer), sorted("examples"));
        QVERIFY(!answer["examples"].toArray().isEmpty());
        for (const QJsonValue& example : answer["examples"].toArray()) {
            QCOMPARE(keysOf(example), sorted("name description"));
            QVERIFY(!example["name"].toString().isEmpty() && !example["description"].toString().isEmpty());
        }
        const QTemporaryDir folder;
        const QString name = answer["examples"][0]["name"].toString();
        const QString path = folder.filePath("s.retrace");
        const QJsonObject recorded{{"example", name}, {"output", path}};
        QCOMPARE(answerOf({"example", name, "-o", path, "--json"}), recorded);
    }

    void explainHasTheKeysOfTheContract() {
        const QJsonArray misses = answerOf({"explain", "lesson.retrace", "--json"})["misses"].toArray();
        QCOMPARE(misses.size(), 4);
        for (const QJsonValue& miss : misses)
            QCOMPARE(keysOf(miss),
                     sorted("function call cause argument before after differences compared compared_total "
                            "trace_ns failure withdrawn edit also"));
        const QJsonObject shape = misses[2].toObject();
        QCOMPARE(keysOf(shape["differences"].toArray().first()), sorted("path before after"));
        QCOMPARE(keysOf(shape["compared"].toArray().first()), sorted("entry differences"));
        QCOMPARE(keysOf(shape["edit"]), sorted("kind sentence lines file line"));
    }

    void explainTellsEachMissOfTheLesson() {
        const QJsonArray misses = answerOf({"explain", "lesson.retrace", "--json"})["misses"].toArray();
        const QJsonObject firstCall = misses[0].toObject();
        QCOMPARE(firstCall["cause"].toString(), "first_call");
        for (const char* key : {"argument", "before", "after", "edit"})
            QVERIFY2(firstCall[key].isNull(), key);
        QVERIFY(firstCall["differences"].toArray().isEmpty());
        const QJsonObject shape = misses[2].toObject();
        QCOMPARE(shape["function"].toString(), "process_data");
        QCOMPARE(shape["call"].toInt(), 4);
        QCOMPARE(shape["cause"].toString(), "shape");
        QCOMPARE(shape["argument"].toString(), "x.shape[0]");
        QCOMPARE(shape["before"].toString(), "2");
        QCOMPARE(shape["after"].toString(), "3");
        QCOMPARE(shape["trace_ns"].toInt(), 2'000'000);
        QCOMPARE(shape["compared"].toArray().size(), 2);
        QCOMPARE(shape["compared"][1]["entry"].toInt(), 2);
        QCOMPARE(shape["compared"][1]["differences"].toArray().size(), 2);
    }

    void functionsCountWhatHappened() {
        const QJsonObject lesson = first(answerOf({"functions", "lesson.retrace", "--json"}), "functions");
        QCOMPARE(lesson["calls"].toInt(), 5);
        QCOMPARE(lesson["hits"].toInt(), 1);
        QCOMPARE(lesson["traces"].toInt(), 4);
        QCOMPARE(lesson["concrete_functions"].toInt(), 4);
        QCOMPARE(lesson["trace_ns"].toInt(), 8'000'000);
        const QJsonObject causes{{"first_call", 1}, {"shape", 1}, {"dtype", 1}, {"value", 1}};
        QCOMPARE(lesson["causes"].toObject(), causes);
        const QJsonObject failing = first(answerOf({"functions", "failing.retrace", "--json"}), "functions");
        QCOMPARE(failing["errors"].toInt(), 2);
        QCOMPARE(failing["concrete_functions"].toInt(), 0);
        QCOMPARE(failing["traces"].toInt(), 2);
    }

    void ofAnImportedFileTracesAreWhatItCountsAndTheRestIsNull() {
        QFile file(sessionFolder() + "/tensorflow.json");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            R"([{"ph":"X","name":"step","ts":1,"dur":40,"args":{"tf_function_call":"traced-xla","tracing_count":"2"}},
                       {"ph":"X","name":"step","ts":50,"dur":5,"args":{"tf_function_call":"notTraced-xla","tracing_count":"2"}},
                       {"ph":"X","name":"now","ts":60,"dur":5,"args":{"tf_function_call":"eager"}}])");
        file.close();
        const QJsonObject info = answerOf({"info", "tensorflow.json", "--json"});
        QCOMPARE(info["calls"].toInt(), 3);
        QCOMPARE(info["hits"].toInt(), 1);
        QCOMPARE(info["traces"].toInt(), 2);
        const QJsonArray functions =
            answerOf({"functions", "tensorflow.json", "--json"})["functions"].toArray();
        QCOMPARE(functions[0]["traces"].toInt(), 2);
        QVERIFY(functions[1]["traces"].isNull());
        for (const char* key : {"failed_traces", "errors", "concrete_functions", "trace_ns"})
            QVERIFY2(functions[0][key].isNull(), key);
        const QJsonObject why = answerOf({"explain", "tensorflow.json", "--json"});
        QVERIFY(why["misses"].toArray().isEmpty());
        QCOMPARE(why["unexplained"].toArray(), (QJsonArray{QJsonObject{{"function", "step"}, {"call", 1}}}));
        const QJsonObject time = answerOf({"report", "tensorflow.json", "--json"})["time"].toObject();
        QVERIFY(time["needed_ns"].isNull() && time["execute_ns"].isNull());
        QCOMPARE(time["calls_ns"].toInt(), 50'000);
    }

    void ofAFileWithoutCallsTheReportClaimsNone() {
        QFile file(sessionFolder() + "/spans.json");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"([{"ph":"X","name":"a","ts":1,"dur":40}])");
        file.close();
        const QJsonObject report = answerOf({"report", "spans.json", "--json"});
        for (const char* key : {"calls", "hits", "traces"})
            QVERIFY2(report[key].isNull(), key);
        const QJsonObject time = report["time"].toObject();
        QCOMPARE(time.size(), 7);
        for (const QString& key : time.keys())
            QVERIFY2(time[key].isNull(), qPrintable(key));
        QCOMPARE(report["spans"].toInt(), 1);
        QCOMPARE(report["duration_ns"].toInt(), 40'000);
        // A recording of Retracescope knows that nothing was called.
        QCOMPARE(answerOf({"report", "empty.retrace", "--json"})["calls"], QJsonValue(0));
    }

    void everyNumberIsTheOneOnTheScreen() {
        const auto diagnosis = diagnose::diagnose(test::renderSession());
        const QJsonObject report = answerOf({"report", "render.retrace", "--json"});
        QCOMPARE(report["headline"].toString().toStdString(), diagnosis->headline);
        QCOMPARE(report["time"]["avoidable_ns"].toInteger(), diagnosis->time.avoidableNs);
        QCOMPARE(report["findings"].toArray().size(), static_cast<int>(diagnosis->findings.size()));
        for (int i = 0; i < report["findings"].toArray().size(); ++i) {
            const auto& finding = diagnosis->findings[static_cast<std::size_t>(i)];
            QCOMPARE(report["findings"][i]["title"].toString().toStdString(), finding.title);
            QCOMPARE(report["findings"][i]["cost_ns"].toInteger(), finding.costNs);
        }
    }

    void anUnknownTimeIsNullNeverMinusOne() {
        const QByteArray out = runRscope(sessionFolder(), {"report", "failing.retrace", "--json"}).out;
        QVERIFY(!out.contains(": -1"));
    }

    void theManualNamesEveryKey() {
        QFile manual(RETRACESCOPE_SOURCE_DIR "/resources/manual/json.md");
        QVERIFY(manual.open(QIODevice::ReadOnly));
        const QByteArray text = manual.readAll();
        QStringList missing;
        const auto collect = [&](const auto& self, const QJsonValue& value, const QString& parent) -> void {
            for (const QJsonValue& element : value.toArray())
                self(self, element, parent);
            const QJsonObject object = value.toObject();
            for (auto it = object.begin(); it != object.end(); ++it) {
                static const QStringList open{"causes",   "facts",   "attributes",
                                              "by_phase", "by_kind", "skipped"}; // keys of the run
                const bool isOpen = open.contains(parent);
                if (!isOpen && !text.contains('`' + it.key().toUtf8() + '`'))
                    missing << it.key();
                if (!isOpen)
                    self(self, it.value(), it.key());
            }
        };
        for (const test::SmallFile& sample :
             {test::smallChromeFiles().front(), test::smallGraphDefs().front()}) {
            const QString name = QString::fromStdString(sample.name);
            QFile file(sessionFolder() + "/" + name);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(sample.bytes));
            file.close();
            collect(collect, answerOf({"info", name, "--json"}), {});
        }
        for (const QStringList& arguments :
             {QStringList{"report", "render.retrace", "--json"},
              QStringList{"events", "render.retrace", "--json"},
              QStringList{"graph", "render.retrace", "blur", "--json"},
              QStringList{"import", "render.retrace", "-o", sessionFolder() + "/again.retrace", "--json"}})
            collect(collect, answerOf(arguments), {});
        missing.removeDuplicates();
        QCOMPARE(missing, QStringList());
    }
};

RETRACESCOPE_TEST(JsonAnswersTest);

#include "json_answers_test.moc"
