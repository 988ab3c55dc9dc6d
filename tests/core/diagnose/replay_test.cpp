#include <random>

#include <QTest>

#include <retracescope/diagnose/replay.h>
#include <retracescope/types/dispatch_table.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Edit;
using diagnose::Replay;
using test::callsOf;
using test::SessionBuilder;
using types::MissKind;

namespace {

/// "cast_dtype x.dtype dtype": an edit's kind, the path and the miss kind that it is made against. A last
/// word is the value before.
Edit editFrom(const QString& text) {
    Edit edit;
    edit.kind = text.section(' ', 0, 0).toStdString();
    edit.against.emplace_back();
    edit.against.back().path = text.section(' ', 1, 1).toStdString();
    edit.against.back().kind = *types::missKindFromName(text.section(' ', 2, 2).toStdString());
    edit.against.back().before = text.section(' ', 3, 3).toStdString();
    return edit;
}

/// One letter for each miss: t = traced, s = served.
QString played(const Session& session, Replay& replay) {
    QString text;
    for (const Miss& miss : session.misses)
        replay.learn(miss);
    for (const Miss& miss : session.misses)
        text += replay.isServed(miss) ? 's' : 't';
    return text;
}

QString played(const Session& session, const QString& edits) {
    Replay replay(session);
    for (const QString& edit : edits.split(';', Qt::SkipEmptyParts))
        replay.addEdit(editFrom(edit.trimmed()));
    return played(session, replay);
}

} // namespace

class ReplayTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void editsServeExactlyWhatTheyMakeAlike_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QString>("edits");
        QTest::addColumn<QString>("answers");
        const auto row = [](const char* name, const char* calls, const char* edits, const char* answers) {
            QTest::newRow(name) << QString(calls) << QString(edits) << QString(answers);
        };
        row("no edit", "n=int:1|n=int:2", "", "tt");
        row("a number as a tensor", "n=int:1|n=int:2|n=int:3", "pass_array n.value value", "tss");
        row("a number as a tensor, not another type", "n=int:1|n=float:2.5", "pass_array n.value value",
            "tt");
        row("one of two that change", "n=int:1 m=int:1|n=int:2 m=int:1|n=int:3 m=int:2",
            "pass_array n.value value", "tst");
        row("both of two that change", "n=int:1 m=int:1|n=int:2 m=int:2",
            "pass_array n.value value; pass_array m.value value", "ts");
        row("an opened axis", "x=tensor:float32[2,3]|x=tensor:float32[5,3]|x=tensor:float32[5,4]",
            "input_signature x.shape[0] shape", "tst");
        row("padded lengths",
            "x=tensor:float32[5]|x=tensor:float32[8]|x=tensor:float32[9]|x=tensor:float32[16]",
            "pad_or_bucket x.shape[0] shape", "tsts");
        row("numbers cast, texts do not",
            "x=tensor:int32[]|x=tensor:float32[]|x=tensor:string[]|x=tensor:string[2]",
            "cast_dtype x.dtype dtype", "tstt");
        row("a cast leaves the shape", "x=tensor:int32[2]|x=tensor:float32[3]", "cast_dtype x.dtype dtype",
            "tt");
        row("unit axes dropped", "x=tensor:float32[3]|x=tensor:float32[3,1]|x=tensor:float32[1,3]",
            "reshape_input x.rank rank", "tss");
        row("other elements stay", "x=tensor:float32[3]|x=tensor:float32[3,2]|x=tensor:float32[]",
            "reshape_input x.rank rank", "ttt");
        row("a reshape leaves the dtype", "x=tensor:float32[3]|x=tensor:int32[3,1]",
            "reshape_input x.rank rank", "tt");
        row("a stacked list", "xs=[float32[2];float32[2]]|xs=[float32[2]]|xs=[float32[3]]",
            "stack_list xs.len structure", "tst");
        row("a list of unlike tensors cannot be stacked",
            "xs=[float32[2];float32[3]]|xs=[float32[2];float32[3];float32[2]]", "stack_list xs.len structure",
            "tt");
        row("the same keys", "d={a:float32[2]}|d={b:float32[2]}|d={a:float32[2];b:float32[2]}",
            "normalise_structure d.keys structure", "tss");
        row("the same keys, not the same dtypes",
            "d={a:float32[2]}|d={a:int32[2];b:float32[2]}|d={b:float32[3]}",
            "normalise_structure d.keys structure", "ttt");
        row("a tensor for None", "x=tensor:float32[2]|x=None:None|x=tensor:float32[3]",
            "normalise_structure x.type type tensor", "tst");
        row("a number as the tensor it is elsewhere", "x=tensor:float32[]|x=float:1.5|x=tensor:float32[2]",
            "pass_array x.type type tensor", "tst");
        row("numbers of two types as tensors", "x=int:1|x=float:1.5", "pass_array x.type type int", "ts");
        row("an object that no longer counts", "c=Point@1|c=Point@2", "value_equality c.identity identity",
            "ts");
        row("the same context", "graph=ambient:none|graph=ambient:g", "same_context ambient.graph context",
            "ts");
        row("relaxing keeps the first two", "x=tensor:float32[2]|x=tensor:float32[3]|x=tensor:float32[4]",
            "relax x.shape[0] shape", "tts");
        row("relaxing opens one axis after the other",
            "x=tensor:float32[2,3]|x=tensor:float32[2,4]|x=tensor:float32[5,4]|x=tensor:float32[6,6]",
            "relax x.shape[1] shape", "ttts");
        row("relaxing opens the rank", "x=tensor:float32[]|x=tensor:float32[2]|x=tensor:float32[2,2]",
            "relax x.rank rank", "tts");
        row("relaxing joins no numbers", "x=tensor:float32[2] n=int:1|x=tensor:float32[3] n=int:2",
            "relax x.shape[0] shape", "tt");
        row("relaxing and a number as a tensor",
            "x=tensor:float32[2] n=int:1|x=tensor:float32[3] n=int:2|x=tensor:float32[4] n=int:3",
            "relax x.shape[0] shape; pass_array n.value value", "tts");
        row("what was asked with an open axis serves its lengths",
            "x=tensor:float32[None] n=int:1|x=tensor:float32[4] n=int:2", "pass_array n.value value", "ts");
        row("a length does not serve an open axis",
            "x=tensor:float32[4] n=int:1|x=tensor:float32[None] n=int:2", "pass_array n.value value", "tt");
    }
    void editsServeExactlyWhatTheyMakeAlike() {
        QFETCH(const QString, calls);
        QFETCH(const QString, edits);
        SessionBuilder builder;
        const SessionPtr session = callsOf(calls, builder);
        QCOMPARE(session->misses.size(), static_cast<std::size_t>(calls.split('|').size()));
        QTEST(played(*session, edits), "answers");
    }

    void functionsOfOneLineShareACacheOnceHoisted() {
        SessionBuilder builder;
        for (const char* call : {"x=tensor:float32[2]", "x=tensor:float32[2]", "x=tensor:float32[3]"})
            builder.call(builder.function("f", "x"), test::request(call));
        const SessionPtr session = builder.finish();
        QCOMPARE(played(*session, "pass_array x.value value"), "ttt");
        QCOMPARE(played(*session, "hoist - new_callable"), "tst");
        QCOMPARE(played(*session, "hoist - new_callable; input_signature x.shape[0] shape"), "tss");
    }

    void whatWasClearedServesNoLonger() {
        SessionBuilder builder;
        const SessionPtr session = callsOf("n=int:1|n=int:2|n=int:3", builder);
        Session& mine = builder.session();
        mine.entries[0].state = EntryState::Cleared;
        mine.entries[0].droppedNs = mine.misses[1].timeNs + 1;
        QCOMPARE(played(*session, "pass_array n.value value"), "tst");
        QCOMPARE(played(*session, "pass_array n.value value; remove_clear - cleared"), "tss");
        mine.entries[0].state = EntryState::Evicted;
        QCOMPARE(played(*session, "pass_array n.value value; remove_clear - cleared"), "tst");
        mine.entries[0].state = EntryState::Dead;
        QCOMPARE(played(*session, "pass_array n.value value; reuse_object - dead"), "tss");
    }

    void failedTracesServeNobodyAndAreNotServed() {
        SessionBuilder builder;
        const SessionPtr session = callsOf("n=int:1|n=int:2|n=int:3", builder);
        builder.session().misses[0].exception = builder.session().strings.intern("no");
        QCOMPARE(played(*session, "pass_array n.value value"), "tts");
        builder.session().misses[2].withdrawn = true;
        QCOMPARE(played(*session, "pass_array n.value value"), "ttt");
    }

    void theSecondTraceOfACreatingCallGoesWithItsFirst() {
        SessionBuilder builder;
        const SessionPtr session = callsOf("n=int:1|n=int:2|n=int:3|n=int:4", builder);
        builder.session().misses[1].otherKinds = builder.session().misses[3].otherKinds = {MissKind::Phase};
        QCOMPARE(played(*session, "pass_array n.value value"), "ttss");
    }

    /// Against the cache of our own engine, which relaxes types rather than components.
    void relaxingIsThatOfTheEngine() {
        std::mt19937 random(7);
        for (int round = 0; round < test::rounds(500); ++round) {
            SessionBuilder builder;
            const FunctionId f = builder.function("f", "x, n");
            types::DispatchTable table;
            std::vector<types::FunctionType> traces;
            QString expected;
            Session& session = builder.session();
            const int calls = 3 + static_cast<int>(random() % 10);
            for (int call = 0; call < calls; ++call) {
                std::vector<std::int64_t> axes;
                while (axes.size() < 3 && random() % 3 != 0)
                    axes.push_back(1 + static_cast<std::int64_t>(random() % 3));
                types::FunctionType type;
                type.parameters.push_back(
                    {"x", types::ParameterKind::PositionalOrKeyword, false,
                     types::tensorSpec(types::tensorType(types::DType::Float32, types::Shape(axes)))});
                type.parameters.push_back(
                    {"n", types::ParameterKind::PositionalOrKeyword, false,
                     types::literalType(types::Literal(static_cast<std::int64_t>(random() % 2)))});
                if (table.dispatch({}, type)) {
                    expected += 's';
                } else {
                    expected += 't';
                    traces.push_back(types::relaxed(type, traces));
                    table.add({}, traces.back(), static_cast<std::uint32_t>(traces.size()));
                }
                Miss miss;
                miss.function = f;
                miss.request = SignatureId(session.signatures.size());
                miss.timeNs = call;
                session.signatures.push_back({types::components(type, {}), {}});
                session.misses.push_back(miss);
            }
            Replay replay(session);
            replay.relaxAxes();
            QCOMPARE(played(session, replay), expected);
        }
    }
};

RETRACESCOPE_TEST(ReplayTest);

#include "replay_test.moc"
