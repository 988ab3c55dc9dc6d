#include <QTest>

#include <retracescope/diagnose/advise.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Edit;
using test::callsOf;
using test::SessionBuilder;
using types::MissKind;

namespace {

/// The edit that follows from a difference of the last call to the entry made before it, in the engine named.
Edit adviceFor(const QString& calls, MissKind cause, const types::Difference& difference,
               const char* engine = "retracescope", const char* options = "",
               const diagnose::Place& call = {}) {
    SessionBuilder builder;
    callsOf(calls, builder);
    Session& session = builder.session();
    session.functions[0].engine = session.strings.intern(engine);
    session.functions[0].options = session.strings.intern(options);
    const Index index = buildIndex(session);
    const diagnose::Families families = diagnose::groupFamilies(session, index);
    const diagnose::History history(session, index, FunctionId(0U));
    diagnose::GraphLikeness likeness(session, index);
    diagnose::RecordedSources sources(session);
    return diagnose::suggestEdit(
        {session, index, FunctionId(0U), history, families.of(FunctionId(0U)), likeness, sources, call},
        cause, difference);
}

QString said(const Edit& edit) {
    return QString::fromStdString(edit.kind + ": " + edit.sentence);
}

} // namespace

class AdviseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sentencesSayWhatToDo_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<int>("cause");
        QTest::addColumn<QByteArray>("difference");
        QTest::addColumn<QString>("advice");
        const auto row = [](const char* calls, MissKind cause, const char* difference, const char* advice) {
            QTest::newRow(advice) << QString(calls) << static_cast<int>(cause) << QByteArray(difference)
                                  << QString(advice);
        };
        row("x=tensor:float32[2]|x=tensor:float32[3]", MissKind::Shape, "x.shape[0] 2 3",
            "input_signature: Open x axis 0 in the input signature.");
        row("x=tensor:float32[2] t=bool:True|x=tensor:float32[3] t=bool:True", MissKind::Shape,
            "x.shape[0] 2 3",
            "relax: Turn on reduce_retracing: x axis 0 opens at its second length, a third one hits.");
        row("x=tensor:float32[8]|x=tensor:float32[8]|x=tensor:float32[5]", MissKind::Shape, "x.shape[0] 8 5",
            "drop_remainder: One more trace for 5 rows is normal; drop or pad the remainder if it matters.");
        row("x=tensor:float32[2]|x=tensor:float32[2,1]", MissKind::Rank, "x.rank 1 2",
            "reshape_input: Give x the same number of axes in every call.");
        row("x=tensor:float64[]|x=tensor:float32[]|x=tensor:float32[]", MissKind::Dtype,
            "x.dtype float64 float32", "cast_dtype: Cast x to float32 before the call.");
        row("x=tensor:int32[]|x=tensor:int32[]|x=tensor:float32[]", MissKind::Dtype, "x.dtype int32 float32",
            "cast_dtype: Cast x to float32 before the call.");
        row("x=tensor:float32[]|x=tensor:string[]", MissKind::Dtype, "x.dtype float32 string",
            "accept: float32 and string cannot be cast into each other; one trace each is needed.");
        row("n=int:1|n=int:2", MissKind::Value, "n.value 1 2",
            "pass_array: Pass n as a tensor: make the parameter rs::Tensor and wrap the argument; cast it in "
            "the "
            "body where dtypes differ.");
        row("p=tuple:1 n=int:1|p=tuple:1 n=int:2", MissKind::Value, "xs[0].value 1 2",
            "accept: Two values, one trace each; no two graphs differ in it alone.");
        row("t=bool:True|t=bool:False", MissKind::Value, "t.value True False",
            "move_out: The graphs are equal: t does not belong among the arguments.");
        row("s=str:a|s=str:b|s=str:c|s=str:d|s=str:e", MissKind::Value, "s.value d e",
            "move_out: Keep s out of the traced function.");
        row("x=tensor:float32[]|x=None:None", MissKind::Type, "x.type tensor None",
            "normalise_structure: Pass a tensor for x in every call, not None.");
        row("x=tensor:float32[]|x=float:1.5", MissKind::Type, "x.type tensor float",
            "pass_array: Pass x as a tensor in every call.");
        row("x=int:1|x=float:1.5", MissKind::Type, "x.type int float",
            "pass_array: Pass x as a tensor in every call.");
        row("x=tensor:float32[]|x=list:2", MissKind::Type, "x.type tensor list",
            "normalise_structure: Pass x as tensor in every call.");
        row("x=tensor:float32[]", MissKind::Type, "x.name a none",
            "normalise_structure: Give x the same name in every call: a.");
        row("xs=list:1|xs=list:2", MissKind::Structure, "xs.len 1 2",
            "stack_list: Stack xs into one tensor whose length is an open axis.");
        row("n=int:1", MissKind::Structure, "args.len 1 2",
            "normalise_structure: Call with the same number of arguments, or pass them as one tensor.");
        row("d={a:int8[]}|d={b:int8[]}", MissKind::Structure, "d.keys a b",
            "normalise_structure: Give d the same keys in every call.");
        row("c=lambda@1|c=lambda@2", MissKind::Identity, "c.identity 1 2",
            "hoist: Make the function in c once and pass the same one.");
        row("c=Point@1|c=Point@1|c=Point@2", MissKind::Identity, "c.identity 1 2",
            "reuse_object: Pass the same object as c in every call.");
        row("c=Point@1|c=Point@2", MissKind::Identity, "c.identity 1 2",
            "value_equality: Give the class of c == and hash, or pass its numbers as tensors.");
        row("v=alias:0|v=alias:1", MissKind::Alias, "v.alias 0 1",
            "reuse_object: Pass the same variables as v in every call, or copy one.");
        row("x=device:cpu|x=device:gpu", MissKind::Placement, "x.device cpu gpu",
            "same_context: Call f with the device of x the same.");
        row("g=ambient:a|g=ambient:b", MissKind::Context, "ambient.g a b",
            "same_context: Call f with the g it is called in the same.");
        row("n=int:1", MissKind::Dead, " ",
            "reuse_object: Keep the object alive that the entry was traced with, or give its class a "
            "traceKey().");
        row("n=int:1", MissKind::Cleared, " ", "remove_clear: Remove the call that clears the cache of f.");
        row("n=int:1", MissKind::Evicted, " ",
            "accept: Raise the cache limit or call with fewer signatures.");
        row("n=int:1", MissKind::NewCallable, " ",
            "accept: f is made more than once; each object is traced once.");
        row("n=int:1", MissKind::FirstCall, " ", ": ");
    }
    void sentencesSayWhatToDo() {
        QFETCH(const QString, calls);
        QFETCH(const int, cause);
        QFETCH(const QByteArray, difference);
        const auto kind = static_cast<MissKind>(cause);
        const QList<QByteArray> words = difference.split(' ');
        const Edit edit = adviceFor(
            calls, kind,
            {kind, words.value(0).toStdString(), words.value(1).toStdString(), words.value(2).toStdString()});
        QTEST(said(edit), "advice");
        QCOMPARE(edit.against.at(0).path, words.value(0).toStdString());
        QCOMPARE(edit.against.at(0).kind, kind);
    }

    void enginesHaveOtherMeans_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QString>("advice");
        QTest::newRow("JAX")
            << QByteArray("jax")
            << "pad_or_bucket: Pad x axis 0 to a few lengths; every new length is a new trace.";
        QTest::newRow("PyTorch") << QByteArray("torch") << "input_signature: Mark x axis 0 as dynamic.";
        QTest::newRow("TensorFlow") << QByteArray("tensorflow")
                                    << "input_signature: Open x axis 0 in the input signature.";
    }
    void enginesHaveOtherMeans() {
        QFETCH(const QByteArray, engine);
        QTEST(said(adviceFor("x=tensor:float32[2]|x=tensor:float32[3]", MissKind::Shape,
                             {MissKind::Shape, "x.shape[0]", "2", "3"}, engine.constData())),
              "advice");
    }

    void aFunctionThatRelaxesIsNotToldToRelax() {
        const Edit edit =
            adviceFor("x=tensor:float32[2] t=bool:True|x=tensor:float32[3] t=bool:True", MissKind::Shape,
                      {MissKind::Shape, "x.shape[0]", "2", "3"}, "retracescope", "reduce_retracing=True");
        QCOMPARE(
            said(edit),
            "pad_or_bucket: Pad x axis 0 to a few lengths: relaxing is on, but the body needs a known one.");
        QCOMPARE(said(diagnose::relaxedTraceEdit({MissKind::Rank, "x.rank", "1", "2"})),
                 "accept: This trace is relaxed: from here on the number of axes of x may differ.");
    }

    void numbersThatChangeTheGraphAreLoops() {
        for (const auto& [values, advice] :
             {std::pair{3, "accept: Nothing to fix."},
              std::pair{
                  6, "structured_loop: n changes the graph itself: pass it as a tensor and loop in the graph "
                     "(rs::forRange, rs::whileLoop)."}}) {
            SessionBuilder builder;
            const FunctionId f = builder.function("f", "n", "train.cpp", 12);
            for (int n = 1; n <= values; ++n) {
                builder.graphSize(3 + n);
                builder.call(f, test::request(QString("n=int:%1").arg(n)));
            }
            const SessionPtr session = builder.finish();
            const Index index = buildIndex(*session);
            const diagnose::Families families = diagnose::groupFamilies(*session, index);
            const diagnose::History history(*session, index, f);
            diagnose::GraphLikeness likeness(*session, index);
            diagnose::RecordedSources sources(*session);
            QCOMPARE(said(diagnose::suggestEdit(
                         {*session, index, f, history, families.of(f), likeness, sources, {}},
                         MissKind::Value, {MissKind::Value, "n.value", "1", "2"})),
                     advice);
        }
    }

    void editsStandAtTheCallOrTheDefinition() {
        const diagnose::Place call{"main.cpp", 40};
        const types::Difference number{MissKind::Value, "n.value", "1", "2"};
        const types::Difference shape{MissKind::Shape, "x.shape[0]", "2", "3"};
        const char* calls = "x=tensor:float32[2] n=int:1|x=tensor:float32[3] n=int:2";
        const auto place = [](const Edit& edit) {
            return QString::fromStdString(edit.file + ":" + std::to_string(edit.line));
        };
        QCOMPARE(place(adviceFor(calls, MissKind::Value, number, "retracescope", "", call)), "main.cpp:40");
        QCOMPARE(place(adviceFor(calls, MissKind::Value, number)), "train.cpp:12"); // not known where else
        QCOMPARE(place(adviceFor(calls, MissKind::Shape, shape, "retracescope", "", call)), "train.cpp:12");
        QCOMPARE(place(adviceFor(calls, MissKind::Cleared, {}, "retracescope", "", call)), ":0");
    }

    void whatIsMadeAtTheCall() {
        Edit edit;
        for (const char* kind : {"pass_array", "cast_dtype", "stack_list", "reuse_object", "reshape_input",
                                 "normalise_structure", "pad_or_bucket", "drop_remainder", "same_context"}) {
            edit.kind = kind;
            QVERIFY2(diagnose::changesCall(edit), kind);
        }
        for (const char* kind : {"input_signature", "relax", "hoist", "accept", ""}) {
            edit.kind = kind;
            QVERIFY2(!diagnose::changesCall(edit), kind);
        }
    }

    void whatAnEditCoversToo() {
        Edit edit;
        edit.kind = "relax";
        QVERIFY(diagnose::coversToo(edit, MissKind::Shape) && diagnose::coversToo(edit, MissKind::Rank));
        QVERIFY(!diagnose::coversToo(edit, MissKind::Value));
        edit.kind = "input_signature";
        QVERIFY(diagnose::coversToo(edit, MissKind::Shape) && !diagnose::coversToo(edit, MissKind::Rank));
        edit.kind = "pass_array";
        QVERIFY(!diagnose::coversToo(edit, MissKind::Shape));
    }

    void aPartialBatchIsSmallerRarerAndTheFirstAxis_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<bool>("partial");
        const auto row = [](const char* name, const char* calls, const char* path, bool partial) {
            QTest::newRow(name) << QString(calls) << QByteArray(path) << partial;
        };
        row("twice as rare", "x=tensor:int8[8]|x=tensor:int8[8]|x=tensor:int8[5]", "x.shape[0]", true);
        row("as often", "x=tensor:int8[8]|x=tensor:int8[5]", "x.shape[0]", false);
        row("larger", "x=tensor:int8[5]|x=tensor:int8[5]|x=tensor:int8[8]", "x.shape[0]", false);
        row("another axis", "x=tensor:int8[1,8]|x=tensor:int8[1,8]|x=tensor:int8[1,5]", "x.shape[1]", false);
        row("three lengths", "x=tensor:int8[8]|x=tensor:int8[8]|x=tensor:int8[5]|x=tensor:int8[4]",
            "x.shape[0]", false);
    }
    void aPartialBatchIsSmallerRarerAndTheFirstAxis() {
        QFETCH(const QString, calls);
        QFETCH(const QByteArray, path);
        SessionBuilder builder;
        const SessionPtr session = callsOf(calls, builder);
        const diagnose::History history(*session, buildIndex(*session), FunctionId(0U));
        QTEST(diagnose::isPartialBatch(*history.column(path.constData())), "partial");
    }

    void dtypesThatCast() {
        QVERIFY(diagnose::castable({MissKind::Dtype, "x.dtype", "int32", "float64"}));
        QVERIFY(!diagnose::castable({MissKind::Dtype, "x.dtype", "int32", "string"}));
        QVERIFY(!diagnose::castable({MissKind::Dtype, "x.dtype", "bool", "int32"}));
    }
};

RETRACESCOPE_TEST(AdviseTest);

#include "advise_test.moc"
