#include <QTest>

#include <retracescope/diagnose/advise.h>
#include <retracescope/diagnose/finding_words.h>
#include <retracescope/diagnose/words.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Finding;
using test::callsOf;
using test::SessionBuilder;
using types::MissKind;

namespace {

/// The title of a finding of all misses but the first of these calls.
QString titleOf(SessionBuilder& builder, const QString& calls, MissKind cause, const char* path,
                const diagnose::Edit& edit = {}, std::size_t functionsOfLine = 1) {
    const SessionPtr session = callsOf(calls, builder);
    const Index index = buildIndex(*session);
    Finding finding;
    finding.function = FunctionId(0U);
    finding.cause = cause;
    finding.path = path;
    finding.edit = edit;
    finding.misses.emplace_back(session->misses.size() - 1);
    const diagnose::History history(*session, index, finding.function);
    return QString::fromStdString(diagnose::titleOf(
        *session, finding, diagnose::nameOf(*session, finding.function), history, functionsOfLine));
}

diagnose::Edit editOf(const char* kind, std::string_view sentence = "") {
    diagnose::Edit edit;
    edit.kind = kind;
    edit.sentence = sentence;
    return edit;
}

} // namespace

class FindingWordsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void titlesNameWhatChangedAndHow_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<int>("cause");
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QString>("title");
        const auto row = [](const char* calls, MissKind cause, const char* path, const char* title) {
            QTest::newRow(title) << QString(calls) << static_cast<int>(cause) << QByteArray(path)
                                 << QString::fromUtf8(title);
        };
        row("x=tensor:float32[2]|x=tensor:float32[3]", MissKind::Shape, "x.shape[0]",
            "x axis 0 has two lengths: 2 and 3");
        row("x=tensor:float32[9]|x=tensor:float32[3]|x=tensor:float32[5]|x=tensor:float32[11]",
            MissKind::Shape, "x.shape[0]", "x axis 0 has four lengths from 3 to 11");
        row("x=tensor:float32[8]|x=tensor:float32[8]|x=tensor:float32[8]|x=tensor:float32[5]",
            MissKind::Shape, "x.shape[0]", "x axis 0 is 5 in 1 of 4 calls, else 8");
        row("x=tensor:float32[2]|x=tensor:float32[None]|x=tensor:float32[7]", MissKind::Shape, "x.shape[0]",
            "x axis 0 has at least one length");
        row("x=tensor:float32[None] n=int:1|x=tensor:float32[4] n=int:2|x=tensor:float32[5] n=int:2",
            MissKind::Shape, "x.shape[0]", "x axis 0 has two lengths: 4 and 5");
        row("n=int:1|n=int:2|n=int:3|n=int:4", MissKind::Value, "n.value", "n is new in every call");
        row("n=int:1|n=int:2|n=int:1", MissKind::Value, "n.value", "n has two values: 1 and 2");
        row("n=int:1|n=int:2|n=int:3|n=int:4|n=int:1", MissKind::Value, "n.value", "n has four values");
        row("x=tensor:int32[]|x=tensor:float32[]|x=tensor:float32[]", MissKind::Dtype, "x.dtype",
            "x arrives as int32 in 1 of 3 calls");
        row("x=tensor:int32[]|x=tensor:float32[]|x=tensor:int8[]|x=tensor:int16[]", MissKind::Dtype,
            "x.dtype", "x arrives in four dtypes: int32, float32, int8, …");
        row("c=Point@1|c=Point@2", MissKind::Identity, "c.identity", "c is one of two objects");
        row("x=tensor:float32[]|x=int:3", MissKind::Type, "x.type", "x arrives as tensor and int");
        row("x=tensor:float32[]|x=tensor:float32[2]", MissKind::Rank, "x.rank",
            "The number of axes of x differs between calls: 0 and 1");
        row("d={a:float32[]}|d={b:float32[]}", MissKind::Structure, "d.keys",
            "The keys of d differ between calls: {a} and {b}");
        row("d={a:int8[]}|d={b:int8[]}|d={c:int8[]}|d={e:int8[]}", MissKind::Structure, "d.keys",
            "The keys of d have four values");
        row("xs=list:1|xs=list:2|xs=list:3|xs=list:4", MissKind::Structure, "xs.len",
            "The length of xs has four values");
        row("graph=ambient:none|graph=ambient:g", MissKind::Context, "ambient.graph",
            "The graph it is called in differs between calls: none and g");
        row("n=int:1", MissKind::FirstCall, "", "First call of f");
        row("n=int:1", MissKind::Phase, "", "f creates variables on its first call");
        row("n=int:1", MissKind::Cleared, "", "The cache of f was cleared while it was in use");
        row("n=int:1", MissKind::Evicted, "", "Entries of f were evicted and asked for again");
        row("n=int:1", MissKind::Dead, "", "Objects that entries of f were made for are gone");
        row("n=int:1", MissKind::FailedBefore, "", "Earlier traces of f failed and left no entry");
        row("n=int:1", MissKind::NotExplained, "", "Misses of f that could not be explained");
        row("n=int:1", MissKind::Value, "m.value", "m differs");
        row("n=int:1", MissKind::Structure, "m.keys", "The keys of m differ");
    }
    void titlesNameWhatChangedAndHow() {
        QFETCH(const QString, calls);
        QFETCH(const int, cause);
        QFETCH(const QByteArray, path);
        SessionBuilder builder;
        QTEST(titleOf(builder, calls, static_cast<MissKind>(cause), path.constData()), "title");
    }

    void titlesFollowTheEdit() {
        SessionBuilder flags;
        QCOMPARE(titleOf(flags, "t=bool:True|t=bool:False", MissKind::Value, "t.value",
                         editOf("accept", diagnose::kNothingToFix)),
                 "t has two values and the graphs differ");
        SessionBuilder objects;
        QCOMPARE(titleOf(objects, "c=Point@1|c=Point@2", MissKind::Identity, "c.identity",
                         editOf("value_equality")),
                 "c is a new object in each call");
        SessionBuilder wrappers;
        QCOMPARE(titleOf(wrappers, "n=int:1", MissKind::NewCallable, "callable identity", {}, 6),
                 "f is made 6 times in train.cpp, line 12");
    }

    void whatFailedOrWasWithdrawnSaysSo() {
        SessionBuilder builder;
        callsOf("n=int:1", builder);
        Session& session = builder.session();
        Finding finding;
        finding.function = FunctionId(0U);
        finding.cause = MissKind::FirstCall;
        finding.misses.emplace_back(0U);
        const Index index = buildIndex(session);
        const diagnose::History history(session, index, finding.function);
        session.misses[0].withdrawn = true;
        QCOMPARE(QString::fromStdString(diagnose::titleOf(session, finding, "f", history, 1)),
                 "The first trace of f was withdrawn, since its call failed");
        session.misses[0].exception = session.strings.intern(std::string(170, 'e') + "\nin main");
        QCOMPARE(QString::fromStdString(diagnose::titleOf(session, finding, "f", history, 1)),
                 QString::fromUtf8("f failed while it was traced: ") + QString(159, 'e') +
                     QString::fromUtf8("…"));
    }

    void longValuesAreCut() {
        SessionBuilder builder;
        const QString title = titleOf(builder, QString("s=str:%1|s=str:b|s=str:b").arg(QString(90, 'a')),
                                      MissKind::Value, "s.value");
        QCOMPARE(title, "s has two values: " + QString(39, 'a') + QString::fromUtf8("… and b"));
    }

    void detailsCountCallsTracesAndHits() {
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2", builder);
        Finding finding;
        finding.function = FunctionId(0U);
        finding.misses.emplace_back(1U);
        finding.traces = 1;
        finding.edit = editOf("pass_array");
        const auto detail = [&](const diagnose::FamilySummary& counts) {
            return QString::fromStdString(diagnose::detailOf(finding, "f", counts));
        };
        QCOMPARE(detail({1, 1, 1, 0}), "f: 1 call, 1 trace, 0 hits. 1 trace has this cause.");
        finding.misses.emplace_back(0U);
        finding.traces = 2;
        QCOMPARE(detail({4, 9, 2, 1}),
                 "f (4 objects of one line): 9 calls, 2 traces, 1 hit. 2 traces have this cause.");
        finding.avoidable = finding.misses;
        QCOMPARE(detail({1, 2, 2, 0}), "f: 2 calls, 2 traces, 0 hits. 2 traces have this cause.");
        finding.edit = {};
        QCOMPARE(detail({1, 2, 2, 0}),
                 "f: 2 calls, 2 traces, 0 hits. 2 traces have this cause. 2 of them hit "
                 "once the other edits here are made.");
        finding.avoidable.pop_back();
        QVERIFY(detail({1, 2, 2, 0}).endsWith(" 1 of them hits once the other edits here are made."));
    }
};

RETRACESCOPE_TEST(FindingWordsTest);

#include "finding_words_test.moc"
