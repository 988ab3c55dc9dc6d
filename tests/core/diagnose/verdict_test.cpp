#include <QTest>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/overview.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::DiagnosisPtr;
using test::SessionBuilder;
using types::MissKind;

namespace {

DiagnosisPtr verdictOn(const QString& calls) {
    SessionBuilder builder;
    return diagnose::diagnose(test::callsOf(calls, builder));
}

QString headline(const DiagnosisPtr& diagnosis) {
    return QString::fromStdString(diagnosis->headline);
}

QString subline(const DiagnosisPtr& diagnosis) {
    return QString::fromStdString(diagnosis->subline);
}

} // namespace

/// A call of SessionBuilder traces 2 ms, executes 0.1 ms and is followed by 0.05 ms of nothing.
class VerdictTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatEditsSaveIsTheCost() {
        const auto diagnosis = verdictOn("n=int:1|n=int:2|n=int:3");
        QCOMPARE(headline(diagnosis), "Retracing costs 4.00 ms of 6.40 ms (62 %).");
        QCOMPARE(subline(diagnosis), "One edit removes 2 of 3 traces and saves 4.00 ms.");
        QVERIFY(!diagnosis->nothingToFix);
    }

    void editsOfSeveralFindingsAreCountedOnce() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, y, n", "f.cpp", 1);
        for (const char* call :
             {"x=tensor:int8[2,3] n=int:1", "x=tensor:int8[4,3] n=int:1", "x=tensor:int8[4,5] n=int:1",
              "x=tensor:int8[6,7] n=int:1", "x=tensor:int8[6,7] n=int:2"})
            builder.call(f, test::request(call));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        // Relaxing for two axes is one edit, the number the other.
        QVERIFY2(subline(diagnosis).startsWith("Two edits remove "), diagnosis->subline.c_str());
    }

    void whatIsNeededIsGreen() {
        const auto diagnosis = verdictOn("n=int:1|n=int:1");
        QCOMPARE(headline(diagnosis), "1 trace, and it is needed. 2.00 ms of 2.25 ms.");
        QCOMPARE(subline(diagnosis), "1 of 2 calls hit the cache.");
        QVERIFY(diagnosis->nothingToFix);
    }

    void severalNeededTraces() {
        const auto diagnosis = verdictOn("x=tensor:string[]|x=tensor:int8[]");
        QCOMPARE(headline(diagnosis), "2 traces, all needed. 4.00 ms of 4.25 ms.");
    }

    void aCacheFilledBefore() {
        SessionBuilder builder;
        test::callsOf("n=int:1|n=int:1", builder);
        Session& session = builder.session();
        session.misses.clear();
        session.calls.outcome.assign(2, Outcome::Hit);
        session.calls.traceNs.assign(2, 0);
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(headline(diagnosis), "2 calls, no traces.");
        QCOMPARE(subline(diagnosis),
                 "Every call was served from a cache that was filled before the recording.");
        QVERIFY(diagnosis->nothingToFix);
    }

    void failuresAreNamedFirst() {
        SessionBuilder builder;
        test::callsOf("n=int:1|n=int:2", builder);
        Session& session = builder.session();
        session.misses[1].exception = session.strings.intern("[add] no");
        session.misses[1].entry = {};
        session.calls.outcome[1] = Outcome::Error;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(headline(diagnosis), "1 of 2 traces failed.");
        QCOMPARE(subline(diagnosis), "f failed while it was traced: [add] no. 1 of 2 calls of f failed.");
        QVERIFY(!diagnosis->nothingToFix);
    }

    void failuresOfSeveralFunctionsAreSummedUp() {
        SessionBuilder builder;
        for (const char* name : {"f", "g"}) {
            builder.call(builder.function(name, "n"), test::request("n=int:1"));
            builder.session().calls.outcome.back() = Outcome::Error;
        }
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QVERIFY(subline(diagnosis).endsWith(" 2 of 2 calls of two functions failed."));
    }

    void whatNoEditHelpsSaysSo() {
        SessionBuilder builder;
        test::callsOf("n=int:1|n=int:2", builder);
        builder.session().misses[1].competing.push_back({EntryId(0u), {}, {}}); // compared, nothing found
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(headline(diagnosis),
                 "Tracing takes 4.00 ms of 4.25 ms; no edit is known that saves any of it.");
        QCOMPARE(subline(diagnosis), "Misses of f that could not be explained.");
    }

    void aRecordingWithoutCalls() {
        SessionBuilder builder;
        builder.session().graphs.resize(2);
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(headline(diagnosis), "No traced function was called.");
        QCOMPARE(subline(diagnosis), "The recording is 0 ns long and holds 2 graphs.");
    }

    void causesAndSavingsByFunction() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "n", "f.cpp", 1);
        const FunctionId g = builder.function("g", "n", "g.cpp", 1);
        for (const char* call : {"n=int:1", "n=int:2", "n=int:3"})
            builder.call(f, test::request(call));
        builder.call(g, test::request("n=int:1"));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(diagnose::causesOf(*diagnosis, f), (std::vector<std::pair<MissKind, std::int64_t>>{
                                                        {MissKind::FirstCall, 1}, {MissKind::Value, 2}}));
        QCOMPARE(diagnose::avoidableByFunction(*diagnosis), (std::vector<std::int64_t>{4'000'000, 0}));
    }
};

RETRACESCOPE_TEST(VerdictTest);

#include "verdict_test.moc"
