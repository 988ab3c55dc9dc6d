#include <QTest>

#include <retracescope/diagnose/overview.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Finding;
using test::literalArgument;
using test::SessionBuilder;
using test::tensorArgument;
using test::operator+;
using types::MissKind;

namespace {

const Finding* findingAt(const diagnose::Diagnosis& diagnosis, const std::string& path) {
    const auto it = std::ranges::find(diagnosis.findings, path, &Finding::path);
    return it == diagnosis.findings.end() ? nullptr : &*it;
}

/// Twelve steps of 32 rows, each with its number, the last with 17 rows.
SessionPtr trainingLoop() {
    SessionBuilder builder;
    const FunctionId f = builder.function("train_step", "x, step", "train.cpp", 40);
    for (int step = 1; step <= 12; ++step)
        builder.call(f, tensorArgument("x", "float32", {step == 12 ? 17 : 32, 8}) +
                            literalArgument("step", "int", std::to_string(step)));
    return builder.finish();
}

} // namespace

class FindingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTrainingLoopHasTwoReasons() {
        const auto diagnosis = diagnose::diagnose(trainingLoop());
        const Finding& step = diagnosis->findings.front();
        QCOMPARE(QString::fromStdString(step.path), "step.value");
        QCOMPARE(QString::fromStdString(step.title), "step is new in every call");
        QCOMPARE(step.misses.size(), std::size_t{10});
        QCOMPARE(step.avoidable.size(), std::size_t{10}); // the first call's trace is the one that stays
        QCOMPARE(step.costNs, 10 * 2'000'000);
        QCOMPARE(step.avoidableNs, step.costNs);
        QCOMPARE(step.distinctValues, 12);
        QCOMPARE(QString::fromStdString(step.edit.kind), "pass_array");
        QVERIFY(findingAt(*diagnosis, "x.shape[0]") != nullptr);
        QVERIFY(diagnosis->findings.back().expected);
        QCOMPARE(diagnosis->findings.back().cause, MissKind::FirstCall);
    }

    void relaxingKeepsOneTraceMore() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, flag");
        for (int rows = 2; rows <= 9; ++rows)
            builder.call(f, tensorArgument("x", "float32", {rows}) + literalArgument("flag", "bool", "True"));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding& finding = diagnosis->findings.front();
        QCOMPARE(QString::fromStdString(finding.edit.kind), "relax");
        QCOMPARE(finding.misses.size(), std::size_t{7});
        QCOMPARE(finding.avoidable.size(), std::size_t{6}); // [2] exactly, then [None]
    }

    void anEditThatIsNotEnoughSavesNothing() {
        SessionBuilder builder; // two dtypes of strings and numbers: no edit joins them
        const FunctionId f = builder.function("f", "x");
        for (const char* dtype : {"int32", "string"})
            builder.call(f, tensorArgument("x", dtype, {}));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QVERIFY(diagnosis->nothingToFix);
        QCOMPARE(diagnosis->time.avoidableNs, 0);
    }

    void objectsThatAreGoneCostTracesThatKeepingThemSaves() {
        SessionBuilder builder; // equal objects, each gone before the next call
        test::callsOf("c=Point@1 n=int:1|c=Point@2 n=int:1|c=Point@3 n=int:1|c=Point@4 n=int:2", builder);
        Session& session = builder.session();
        for (std::size_t row = 1; row < 3; ++row) {
            session.entries[row - 1].state = EntryState::Dead;
            session.entries[row - 1].droppedNs = session.misses[row].timeNs;
            session.misses[row].otherKinds = {MissKind::Dead};
        }
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding* gone = findingAt(*diagnosis, "c.identity");
        QVERIFY(gone != nullptr);
        QCOMPARE(gone->cause, MissKind::Dead);
        QCOMPARE(QString::fromStdString(gone->edit.kind), "reuse_object");
        QCOMPARE(gone->misses.size(), std::size_t{2});
        QCOMPARE(gone->avoidable, gone->misses);
        QCOMPARE(gone->avoidableNs, gone->costNs);
        QVERIFY(!diagnosis->nothingToFix);
    }

    void onlyDtypesThatCastAreSaved() {
        SessionBuilder builder;
        const FunctionId f = builder.function("double_it", "a");
        for (const char* dtype : {"int32", "float32", "string", "string"})
            builder.call(f, tensorArgument("a", dtype, {}));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(diagnosis->findings.size(), std::size_t{3});
        QCOMPARE(diagnosis->findings[0].avoidable.size(), std::size_t{1}); // int32 -> float32
        QCOMPARE(diagnosis->time.avoidableNs, 2'000'000);
        QVERIFY(diagnosis->findings[1].expected && diagnosis->findings[2].expected);
    }

    void aNumberBesideRelaxedLengthsSavesWhatRelaxingThenServes() {
        SessionBuilder
            builder; // (2, 1), (3, 2), (5, 3): with the number as a tensor [2], then [None], then a hit
        const FunctionId f = builder.function("f", "x, step");
        builder.session().functions[f.value].options =
            builder.session().strings.intern("reduce_retracing=True");
        for (const auto& [rows, step] : {std::pair{2, "1"}, std::pair{3, "2"}, std::pair{5, "3"}})
            builder.call(f, tensorArgument("x", "float32", {rows}) + literalArgument("step", "int", step));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        std::size_t avoidable = 0;
        for (const Finding& finding : diagnosis->findings)
            avoidable += finding.avoidable.size();
        QCOMPARE(avoidable, std::size_t{1});
    }

    void aRelaxedTraceThatAnotherEditRemovesIsSavedToo() {
        SessionBuilder builder; // (2, 1), (3, 2), (4, 2), (5, 3): the engine relaxed the third
        const FunctionId f = builder.function("f", "x, step");
        Session& session = builder.session();
        session.functions[f.value].options = session.strings.intern("reduce_retracing=True");
        for (const auto& [rows, step] :
             {std::pair{2, "1"}, std::pair{3, "2"}, std::pair{4, "2"}, std::pair{5, "3"}})
            builder.call(f, tensorArgument("x", "float32", {rows}) + literalArgument("step", "int", step));
        session.misses[2].widened = session.misses[2].request;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding* shape = findingAt(*diagnosis, "x.shape[0]");
        QVERIFY(shape != nullptr && !shape->expected);
        QCOMPARE(shape->avoidable.size(), std::size_t{1});
        QVERIFY(!shape->edit.exists());
        QVERIFY2(shape->detail.ends_with("1 of them hits once the other edits here are made."),
                 shape->detail.c_str());
        QCOMPARE(findingAt(*diagnosis, "step.value")->avoidable.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(diagnosis->subline),
                 "One edit removes 2 of 4 traces and saves 4.00 ms.");
    }

    void whatChangesTogetherNeedsBothEdits() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, k");
        for (int k = 1; k <= 6; ++k)
            builder.call(f, tensorArgument("x", "float32", {k + 1}) +
                                literalArgument("k", "int", std::to_string(k)));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding& finding = diagnosis->findings.front();
        QCOMPARE(QString::fromStdString(finding.edit.kind), "relax");
        QCOMPARE(finding.also.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(finding.also[0].kind), "pass_array");
        QCOMPARE(QString::fromStdString(finding.also[0].against.front().path), "k.value");
        QCOMPARE(finding.misses.size(), std::size_t{5});
        QCOMPARE(finding.avoidable.size(), std::size_t{4}); // [2] exactly, then [None]
        QCOMPARE(QString::fromStdString(diagnosis->subline),
                 "Two edits remove 4 of 6 traces and save 8.00 ms.");
        QVERIFY(diagnosis->explanations[0].also.empty());
        QCOMPARE(diagnosis->explanations[5].also.size(), std::size_t{1});
    }

    void functionsOfOneLineShareTheirFindings() {
        SessionBuilder builder;
        for (int object = 0; object < 2; ++object) {
            const FunctionId layer = builder.function("layer", "x", "net.cpp", 5);
            for (int call = 0; call < 20; ++call)
                builder.call(layer, tensorArgument("x", "float32", {call % 2 == 0 ? 3 : 8}));
        }
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding& finding = diagnosis->findings.front();
        QCOMPARE(QString::fromStdString(finding.path), "x.shape[0]");
        QCOMPARE(finding.misses.size(), std::size_t{2});
        QCOMPARE(finding.avoidable.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(finding.detail),
                 "layer (2 objects of one line): 40 calls, 4 traces, 36 hits. 2 traces have this cause.");
        QCOMPARE(QString::fromStdString(diagnosis->subline),
                 "One edit removes 2 of 4 traces and saves 4.00 ms.");
    }

    void lengthsThatOnlyAnOpenAxisMetAreNotCounted() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, n");
        for (const int rows : {2, 3, -1})
            builder.call(f, tensorArgument("x", "float32", {rows}) + literalArgument("n", "int", "1"));
        for (const int rows : {7, 8})
            builder.call(f, tensorArgument("x", "float32", {rows}) + literalArgument("n", "int", "1"));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(findingAt(*diagnosis, "x.shape[0]")->title),
                 "x axis 0 has at least two lengths");
    }

    void aRelaxedTraceIsExpected() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.call(f, tensorArgument("x", "float32", {3}));
        builder.session().misses[1].widened = builder.session().misses[1].request;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->explanations[1].edit.kind), "accept");
        QVERIFY(diagnosis->nothingToFix);
    }

    void flagsWhoseGraphsDifferAreExpected() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, training");
        const auto x = tensorArgument("x", "float32", {2});
        builder.graphSize(4);
        builder.call(f, x + literalArgument("training", "bool", "False"));
        builder.graphSize(9);
        builder.call(f, x + literalArgument("training", "bool", "True"));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding* flag = findingAt(*diagnosis, "training.value");
        QVERIFY(flag != nullptr && flag->expected);
        QCOMPARE(QString::fromStdString(flag->title), "training has two values and the graphs differ");
        QVERIFY(diagnosis->nothingToFix);
        QCOMPARE(QString::fromStdString(diagnosis->headline), "2 traces, all needed. 4.00 ms of 4.25 ms.");
    }

    void flagsWhoseGraphsAreEqualAreNoPartOfTheKey() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, verbose");
        for (const char* value : {"False", "True"})
            builder.call(f, tensorArgument("x", "float32", {2}) + literalArgument("verbose", "bool", value));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->findings.front().edit.kind), "move_out");
        QCOMPARE(diagnosis->findings.front().avoidable.size(), std::size_t{1});
    }

    void theDearestComesFirstAndExpectedOnesLast() {
        SessionBuilder builder;
        const FunctionId cheap = builder.function("cheap", "n");
        const FunctionId dear = builder.function("dear", "n");
        for (int i = 0; i < 5; ++i) {
            builder.call(cheap, literalArgument("n", "int", std::to_string(i)), 1'000'000);
            builder.call(dear, literalArgument("n", "int", std::to_string(i)), 9'000'000);
        }
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(diagnosis->findings.size(), std::size_t{4});
        QCOMPARE(diagnosis->findings[0].function, dear);
        QCOMPARE(diagnosis->findings[1].function, cheap);
        QVERIFY(!diagnosis->findings[1].expected);
        QVERIFY(diagnosis->findings[2].expected && diagnosis->findings[3].expected);
    }

    void findingsSumToTheAvoidableTimeOfTheRun() {
        for (const SessionPtr& session : {test::processDataSession(), trainingLoop()}) {
            const auto diagnosis = diagnose::diagnose(session);
            std::int64_t sum = 0;
            for (const Finding& finding : diagnosis->findings)
                sum += finding.avoidableNs;
            QCOMPARE(sum, diagnosis->time.avoidableNs);
        }
    }

    void failedTracesAreNoExpectedFirstCalls() {
        SessionBuilder builder;
        builder.call(builder.function("f", "x"), tensorArgument("x", "float32", {2}));
        builder.session().misses[0].exception =
            builder.session().strings.intern("[matmul] inner sizes differ");
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QVERIFY(!diagnosis->nothingToFix);
        QCOMPARE(QString::fromStdString(diagnosis->headline), "1 of 1 trace failed.");
        QVERIFY(QString::fromStdString(diagnosis->subline).contains("[matmul] inner sizes differ"));
    }

    void aTraceThatFailedIsNotSavedByAnyEdit_data() {
        QTest::addColumn<bool>("withdrawn");
        QTest::newRow("failed") << false;
        QTest::newRow("withdrawn") << true;
    }
    void aTraceThatFailedIsNotSavedByAnyEdit() {
        QFETCH(const bool, withdrawn);
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "b");
        for (const int rows : {2, 3, 4})
            builder.call(f, tensorArgument("b", "float32", {rows}));
        Session& session = builder.session();
        session.misses[2].withdrawn = withdrawn;
        if (!withdrawn)
            session.misses[2].exception = session.strings.intern("[matmul] inner sizes differ");
        session.misses[2].entry = {};
        session.calls.entry[2] = {};
        session.calls.outcome[2] = Outcome::Error;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QVERIFY(diagnosis->explanations[1].edit.exists());
        QVERIFY(!diagnosis->explanations[2].edit.exists());
        QVERIFY(QString::fromStdString(diagnosis->explanations[2].sentence)
                    .contains("The fix is in the body or the arguments"));
        QCOMPARE(diagnosis->time.avoidableNs, 2'000'000); // of call 2 alone
        QCOMPARE(diagnosis->time.neededNs, 2'000'000);    // of call 1
        QCOMPARE(diagnosis->time.failedNs, 2'100'000);    // call 3 and its trace
        QCOMPARE(QString::fromStdString(diagnosis->subline),
                 QString("One edit removes 1 of %1 traces and saves 2.00 ms. 1 of 3 calls of f failed.")
                     .arg(withdrawn ? 2 : 3));
    }

    void creatingCallsThatFailAreOneFinding() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        constexpr std::size_t kCalls = 3;
        for (std::size_t i = 0; i < kCalls; ++i)
            builder.call(f, tensorArgument("x", "float32", {static_cast<int>(i)}));
        Session& session = builder.session();
        for (std::size_t i = 0; i < kCalls; ++i) {
            session.misses[i].withdrawn = true;
            session.misses[i].entry = {};
            session.calls.outcome[i] = Outcome::Error;
            Miss second = session.misses[i];
            second.withdrawn = false;
            second.exception = session.strings.intern("variable is created on every call");
            second.otherKinds = {MissKind::Phase};
            session.misses.push_back(second);
        }
        session.entries.clear();
        for (std::size_t i = 0; i < kCalls; ++i)
            session.calls.entry[i] = {};
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(diagnosis->findings.size(), std::size_t{1});
        const Finding& finding = diagnosis->findings[0];
        QCOMPARE(finding.cause, MissKind::Phase);
        QCOMPARE(finding.misses.size(), 2 * kCalls);
        QCOMPARE(QString::fromStdString(finding.title),
                 "f failed while it was traced: variable is created on every call");
        QCOMPARE(QString::fromStdString(finding.detail),
                 "f: 3 calls, 3 traces, 0 hits. 3 traces have this cause.");
    }

    void oneEditForSeveralDifferencesIsSaidOnce() {
        SessionBuilder builder;
        const FunctionId f = builder.function("train", "x, y");
        for (const int rows : {8, 8, 8, 8, 6, 8, 8, 6}) // the rest of an epoch is smaller
            builder.call(f, tensorArgument("x", "float32", {rows, 4}) +
                                tensorArgument("y", "float32", {rows, 1}));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Finding& finding = diagnosis->findings.front();
        QCOMPARE(QString::fromStdString(finding.edit.kind), "drop_remainder");
        QCOMPARE(finding.edit.against.size(), std::size_t{2});
        QVERIFY(finding.also.empty());
        QCOMPARE(finding.avoidable.size(), std::size_t{1});
        QVERIFY(diagnosis->subline.starts_with("One edit removes"));
        QVERIFY(diagnosis->explanations.back().also.empty());
    }

    void functionsOfOneNameAreToldApart_data() {
        QTest::addColumn<int>("otherLine");
        QTest::addColumn<QString>("names");
        QTest::newRow("other place") << 20 << "f (a.cpp:10)|f (a.cpp:20)|g";
        QTest::newRow("same place") << 10 << "f (#1)|f (#2)|g";
    }
    void functionsOfOneNameAreToldApart() {
        QFETCH(const int, otherLine);
        QFETCH(const QString, names);
        SessionBuilder builder;
        builder.call(builder.function("f", "x", "src/a.cpp", 10), tensorArgument("x", "float32", {2}));
        builder.call(builder.function("f", "x", "src/a.cpp", static_cast<std::uint32_t>(otherLine)),
                     tensorArgument("x", "int32", {3}));
        builder.call(builder.function("g", "x", "src/a.cpp", 10), tensorArgument("x", "float32", {2}));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QStringList got;
        for (const std::string& name : diagnosis->names)
            got << QString::fromStdString(name);
        QCOMPARE(got.join('|'), names);
    }

    void aRunWithFailedCallsIsNotGreen() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        for (int i = 0; i < 3; ++i)
            builder.call(f, tensorArgument("x", "float32", {2}));
        builder.session().calls.outcome[2] = Outcome::Error;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QVERIFY(!diagnosis->nothingToFix);
        QCOMPARE(QString::fromStdString(diagnosis->subline),
                 "1 of 3 calls hit the cache. 1 of 3 calls of f failed.");
    }

    void aTraceThatFailedIsNamedBeforeOneThatOnlyCosts() {
        SessionBuilder builder;
        const FunctionId dear = builder.function("dear", "x");
        const FunctionId bad = builder.function("bad", "x");
        for (const int length : {2, 3})
            builder.call(dear, tensorArgument("x", "float32", {length}), 9'000'000);
        for (const int length : {2, 3})
            builder.call(bad, tensorArgument("x", "float32", {length}), 1'000'000);
        Session& session = builder.session();
        session.misses[1].entriesBefore = 0;
        session.misses[1].otherKinds = {MissKind::NotExplained};
        session.misses.back().exception = session.strings.intern("[matmul] inner sizes differ");
        session.misses.back().entry = {};
        session.calls.outcome.back() = Outcome::Error;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->headline), "1 of 4 traces failed.");
        QVERIFY2(diagnosis->subline.find("[matmul] inner sizes differ") != std::string::npos,
                 diagnosis->subline.c_str());
    }

    void anImportedFileTellsWhenButNotWhy() {
        SessionBuilder builder;
        const FunctionId f = builder.function("train_function", "");
        for (int i = 0; i < 3; ++i)
            builder.call(f, {});
        Session& session = builder.session();
        session.misses.clear();
        session.entries.clear();
        session.signatures.clear();
        for (std::size_t row = 0; row < session.calls.size(); ++row)
            session.calls.entry[row] = {};
        session.imported.format = "chrome trace";
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->headline), "1 of 3 calls traced.");
        QCOMPARE(QString::fromStdString(diagnosis->subline),
                 "This file tells when tracing happened, not why.");
        QVERIFY(!diagnosis->nothingToFix && !diagnosis->whyTold);
        QCOMPARE(diagnosis->time.neededNs, 2'000'000);
    }

    void aFileWithoutCallsSaysWhatItHolds() {
        Session session;
        session.imported.format = "graphdef";
        session.graphs.resize(3);
        const auto diagnosis = diagnose::diagnose(std::make_shared<const Session>(std::move(session)));
        QCOMPARE(QString::fromStdString(diagnosis->headline),
                 "No calls of traced functions are known from this file.");
        QVERIFY(QString::fromStdString(diagnosis->subline).startsWith("It holds 3 graphs."));
        QVERIFY(diagnosis->findings.empty());
    }

    void cancelledWorkGivesNothing() {
        const Job job;
        job.cancel.request();
        QVERIFY(diagnose::diagnose(trainingLoop(), job) == nullptr);
    }
};

RETRACESCOPE_TEST(FindingsTest);

#include "findings_test.moc"
