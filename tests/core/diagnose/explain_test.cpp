#include <QTest>

#include <retracescope/diagnose/overview.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using diagnose::Explanation;
using test::callsOf;
using test::request;
using test::SessionBuilder;
using types::MissKind;

namespace {

QString causeOf(const Explanation& explanation) {
    return QString::fromUtf8(types::missKindName(explanation.cause).data());
}

Session& withReason(SessionBuilder& builder, std::size_t miss, MissKind kind) {
    builder.session().misses[miss].otherKinds = {kind};
    return builder.session();
}

/// As an engine tells it whose cache was empty at every miss.
void emptyTheCacheOf(SessionBuilder& builder) {
    for (Miss& miss : builder.session().misses) {
        miss.entriesBefore = 0;
        miss.otherKinds = {MissKind::FirstCall};
    }
}

StackId stackAt(Session& session, std::uint32_t line) {
    session.stacks.push_back({{{session.strings.intern("main"), session.strings.intern("main.cpp"), line}}});
    return StackId(session.stacks.size() - 1);
}

} // namespace

class ExplainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The last miss of each row is explained.
    void namesCausePathValuesAndEdit_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QString>("difference");
        QTest::addColumn<QString>("edit");
        const auto row = [](const char* name, const char* calls, const char* cause, const char* difference,
                            const char* edit) {
            QTest::newRow(name) << QString(calls) << QString(cause) << QString(difference) << QString(edit);
        };
        row("first call", "x=tensor:float32[2]", "first_call", "", "");
        row("a new length", "x=tensor:float32[2]|x=tensor:float32[3]", "shape", "x.shape[0]: 2 -> 3",
            "input_signature");
        row("a new length beside a flag", "x=tensor:float32[2] n=bool:True|x=tensor:float32[3] n=bool:True",
            "shape", "x.shape[0]: 2 -> 3", "relax");
        row("the last, smaller batch",
            "x=tensor:float32[32]|x=tensor:float32[32]|x=tensor:float32[32]|x=tensor:float32[17]", "shape",
            "x.shape[0]: 32 -> 17", "drop_remainder");
        row("another number of axes", "x=tensor:float32[2]|x=tensor:float32[2,1]", "rank", "x.rank: 1 -> 2",
            "reshape_input");
        row("another dtype", "x=tensor:float32[2]|x=tensor:float64[2]", "dtype",
            "x.dtype: float32 -> float64", "cast_dtype");
        row("text is no number", "x=tensor:float32[]|x=tensor:string[]", "dtype",
            "x.dtype: float32 -> string", "accept");
        row("a counter", "n=int:1|n=int:2|n=int:3", "value", "n.value: 2 -> 3", "pass_array");
        row("a new text each time", "n=str:a|n=str:b|n=str:c|n=str:d|n=str:e", "value", "n.value: d -> e",
            "move_out");
        row("a number instead of a tensor", "x=tensor:float32[]|x=float:1.5", "type",
            "x.type: tensor -> float", "pass_array");
        row("nothing instead of a tensor", "x=tensor:float32[]|x=None:None", "type", "x.type: tensor -> None",
            "normalise_structure");
        row("a list instead of a tensor", "x=tensor:float32[3]|x=list:3", "type", "x.type: tensor -> list",
            "normalise_structure");
        row("a longer list", "xs=list:2|xs=list:3", "structure", "xs.len: 2 -> 3", "stack_list");
        row("other keys", "d=dict:{a}|d=dict:{a,b}", "structure", "d.keys: {a} -> {a,b}",
            "normalise_structure");
        row("a new object each time", "c=Point@1|c=Point@2|c=Point@3", "identity", "c.identity: 2 -> 3",
            "value_equality");
        row("one of two objects", "c=Point@1|c=Point@1|c=Point@2|c=Point@2", "identity", "c.identity: 1 -> 2",
            "reuse_object");
        row("a lambda", "c=lambda@1|c=lambda@2", "identity", "c.identity: 1 -> 2", "hoist");
        row("one variable twice", "v=alias:0|v=alias:1", "alias", "v.alias: 0 -> 1", "reuse_object");
        row("another device", "x=device:cpu|x=device:gpu", "placement", "x.device: cpu -> gpu",
            "same_context");
        row("another outer graph", "graph=ambient:none|graph=ambient:g", "context",
            "ambient.graph: none -> g", "same_context");
    }
    void namesCausePathValuesAndEdit() {
        QFETCH(const QString, calls);
        SessionBuilder builder;
        const auto diagnosis = diagnose::diagnose(callsOf(calls, builder));
        const Explanation& last = diagnosis->explanations.back();
        QTEST(causeOf(last), "cause");
        const auto& p = last.primary;
        const QString difference =
            p.path.empty() ? QString() : QString::fromStdString(p.path + ": " + p.before + " -> " + p.after);
        QTEST(difference, "difference");
        QTEST(QString::fromStdString(last.edit.kind), "edit");
        QVERIFY(!last.sentence.empty());
        QCOMPARE(last.edit.exists(), !last.edit.sentence.empty());
    }

    void anEntryThatIsGoneIsTheCauseIfItFits_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("edit");
        QTest::newRow("cleared") << static_cast<int>(MissKind::Cleared) << "remove_clear";
        QTest::newRow("evicted") << static_cast<int>(MissKind::Evicted) << "accept";
        QTest::newRow("dead") << static_cast<int>(MissKind::Dead) << "reuse_object";
    }
    void anEntryThatIsGoneIsTheCauseIfItFits() {
        QFETCH(const int, kind);
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2|n=int:3", builder);
        builder.listCompared(2)[0].differences = {{static_cast<MissKind>(kind), "", "", ""}};
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Explanation& last = diagnosis->explanations.back();
        QCOMPARE(static_cast<int>(last.cause),
                 kind); // not "value", although entry 2 differs in one component too
        QCOMPARE(last.nearest.value, 0u);
        QTEST(QString::fromStdString(last.edit.kind), "edit");
    }

    void anEntryThatIsGoneIsNoCauseIfItWouldNotHaveServed() {
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2", builder);
        auto& differences = builder.listCompared(1)[0].differences;
        differences.insert(differences.begin(), {MissKind::Cleared, "", "", ""});
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations.back()), "value");
    }

    void whatTheEngineSaysComesFirst_data() {
        QTest::addColumn<int>("kind");
        for (const MissKind kind :
             {MissKind::Phase, MissKind::FailedBefore, MissKind::Dead, MissKind::NewCallable})
            QTest::newRow(types::missKindName(kind).data()) << static_cast<int>(kind);
    }
    void whatTheEngineSaysComesFirst() {
        QFETCH(const int, kind);
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2", builder);
        withReason(builder, 1, static_cast<MissKind>(kind));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(static_cast<int>(diagnosis->explanations.back().cause), kind);
    }

    void aFunctionThatCallsItselfIsNoFirstCallInside() {
        SessionBuilder builder;
        callsOf("n=int:3|n=int:2|n=int:1", builder);
        emptyTheCacheOf(builder);
        for (std::size_t row = 0; row < 3; ++row) // the innermost trace ends first
            builder.session().entries[row].madeNs = 9'000'000'000 - static_cast<std::int64_t>(row);
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations[0]), "first_call");
        for (const std::size_t row : {std::size_t{1}, std::size_t{2}})
            QCOMPARE(causeOf(diagnosis->explanations[row]), "value");
        QCOMPARE(QString::fromStdString(diagnosis->explanations[2].sentence),
                 "n was 2, is 1: a host value is a part of the key. f calls itself: its outer trace was not "
                 "finished, so that no entry existed.");
        QCOMPARE(diagnosis->explanations[2].differences.size(), std::size_t{1});
    }

    void anOuterTraceThatFailsLaterIsUnderWayToo() {
        SessionBuilder builder;
        callsOf("n=int:3|n=int:2", builder);
        emptyTheCacheOf(builder);
        Session& session = builder.session();
        session.misses[0].entry = session.misses[1].entry = {};
        session.misses[0].exception = session.misses[1].exception = session.strings.intern("too deep");
        session.calls.durationNs[0] = 1'000'000'000;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations[1]), "value");
        QVERIFY(QString::fromStdString(diagnosis->explanations[1].sentence).contains("f calls itself"));
    }

    void afterAClearTheDifferenceToWhatWasClearedIsTheCause() {
        SessionBuilder builder;
        callsOf("x=tensor:float32[2]|x=tensor:float32[3]", builder);
        emptyTheCacheOf(builder);
        builder.session().entries[0].state = EntryState::Cleared;
        builder.session().entries[0].droppedNs = builder.session().misses[1].timeNs - 1;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations[1]), "shape");
        QCOMPARE(diagnosis->explanations[1].nearest.value, 0u);
        QVERIFY(QString::fromStdString(diagnosis->explanations[1].sentence)
                    .endsWith("The cache of f had been emptied."));
    }

    void afterFailuresAloneTheNextCallIsNoFirstOne() {
        SessionBuilder builder;
        callsOf("n=int:3|n=int:2", builder);
        emptyTheCacheOf(builder);
        Session& session = builder.session();
        session.misses[0].entry = {};
        session.misses[0].exception = session.strings.intern("[matmul] inner sizes differ");
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations[1]), "failed_before");
        QCOMPARE(QString::fromStdString(diagnosis->explanations[1].sentence),
                 "Every earlier trace of f failed and left no entry.");
    }

    void aTraceThatNoCallAskedForIsNoFirstCall() {
        SessionBuilder builder;
        callsOf("n=int:3", builder);
        builder.session().misses[0].callNumber = 0;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->explanations[0].sentence),
                 "Nothing of f had been traced before.");
        QCOMPARE(QString::fromStdString(diagnosis->findings[0].title), "First trace of f");
    }

    void saysSoWhenNothingDiffers() {
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2", builder);
        builder.listCompared(1)[0].differences.clear();
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations.back()), "not_explained");
        QVERIFY(!diagnosis->explanations.back().edit.exists());
        QVERIFY(!diagnosis->findings.front().expected);
    }

    void aColumnThatHardlyMovesCostsMoreThanOneThatAlwaysDoes() {
        // Entry 1 differs in the step and the length, entry 4 in the mode alone: counted it is nearer, yet
        // the mode never changed while the other two do all the time.
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x, step, mode");
        for (int i = 1; i <= 12; ++i)
            builder.call(f, request(QString("x=tensor:float32[%1] step=int:%1 mode=str:train").arg(i)));
        builder.call(f, request("x=tensor:float32[40] step=int:40 mode=str:eval"));
        builder.call(f, request("x=tensor:float32[40] step=int:40 mode=str:train"));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const Explanation& last = diagnosis->explanations.back();
        QCOMPARE(last.nearest.value, 11u); // the most recent of those with the same mode
        QCOMPARE(last.differences.size(), std::size_t{2});
        // And among the differences of one entry the one that hardly moves names the cause.
        QCOMPARE(QString::fromStdString(diagnosis->explanations[12].primary.path), "mode.value");
    }

    void equallyNearEntriesAreDecidedByTheMostRecentUse() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (const char* call : {"n=int:1", "n=int:2", "n=int:3", "n=int:1", "n=int:4"})
            builder.call(f, request(call));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->explanations.back().primary.before), "1");
    }

    void aWrapperMadeAgainIsNoFirstCall() {
        SessionBuilder builder;
        for (int i = 0; i < 4; ++i)
            builder.call(builder.function("head", "x", "probe.py", 31), request("x=tensor:float32[2]"));
        builder.call(builder.function("head", "x", "probe.py", 99), request("x=tensor:float32[2]"));
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(causeOf(diagnosis->explanations[0]), "first_call");
        QCOMPARE(causeOf(diagnosis->explanations[3]), "new_callable");
        QCOMPARE(QString::fromStdString(diagnosis->explanations[3].edit.kind), "hoist");
        QCOMPARE(causeOf(diagnosis->explanations[4]), "first_call"); // another line
        QCOMPARE(diagnosis->findings.front().avoidable.size(), std::size_t{3});
        QCOMPARE(diagnose::avoidableByFunction(*diagnosis),
                 (std::vector<std::int64_t>{0, 2'000'000, 2'000'000, 2'000'000, 0}));
    }

    void twoLayersOfOneLineAreNotMadeAgain() {
        SessionBuilder builder;
        const FunctionId a = builder.function("dense", "x", "net.cpp", 5);
        const FunctionId b = builder.function("dense", "x", "net.cpp", 5);
        for (int i = 0; i < 30; ++i) {
            builder.call(a, request("x=tensor:float32[2]"));
            builder.call(b, request("x=tensor:float32[2]"));
        }
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(QString::fromStdString(diagnosis->explanations[1].edit.kind), "accept");
        QVERIFY(diagnosis->nothingToFix);
    }

    void anInputSignatureOpensExactlyWhatMoves() {
        SessionBuilder builder;
        const auto diagnosis = diagnose::diagnose(callsOf(
            "x=tensor:float32[8,3] y=tensor:int32[5]|x=tensor:float32[9,3] y=tensor:int32[5]", builder));
        QString text;
        for (const auto& line : diagnosis->explanations.back().edit.lines)
            text += QString::fromStdString(line.sign + line.text + "\n");
        QCOMPARE(text, QString::fromUtf8(" rs::Function f(\"f\", {\"x\", \"n\"}, [](…) {\n"
                                         "-});\n"
                                         "+}, {.inputSignature = {{rs::TensorSpec{rs::DType::Float32, "
                                         "{rs::Shape::kUnknown, 3}, \"x\"}, "
                                         "rs::TensorSpec{rs::DType::Int32, {5}, \"y\"}}}});\n"));
    }

    void editsSpeakTheLanguageOfTheEngine_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QString>("line");
        QTest::newRow("own") << QByteArray("retracescope") << "+f(x, rs::constant(n));";
        QTest::newRow("TensorFlow") << QByteArray("tensorflow") << "+f(x, tf.constant(n))";
        QTest::newRow("JAX") << QByteArray("jax") << "+f(x, jnp.asarray(n))";
        QTest::newRow("PyTorch") << QByteArray("torch") << "+f(x, torch.tensor(n))";
    }
    void editsSpeakTheLanguageOfTheEngine() {
        QFETCH(const QByteArray, engine);
        SessionBuilder builder;
        callsOf("n=int:1|n=int:2|n=int:3", builder);
        builder.session().functions[0].engine = builder.session().strings.intern(engine.toStdString());
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const auto& line = diagnosis->explanations.back().edit.lines.back();
        QTEST(QString::fromStdString(line.sign + line.text), "line");
    }

    void aNumberBecomesATensorInTheBodyAndInTheCall_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("declared");
        QTest::newRow("int") << "int"
                             << "int";
        QTest::newRow("double") << "float"
                                << "double";
    }
    void aNumberBecomesATensorInTheBodyAndInTheCall() {
        QFETCH(const QString, type);
        QFETCH(const QString, declared);
        SessionBuilder builder;
        const auto diagnosis =
            diagnose::diagnose(callsOf(QString("n=%1:1|n=%1:2|n=%1:3").arg(type), builder));
        const diagnose::Edit& edit = diagnosis->explanations.back().edit;
        QString text = QString::fromStdString(edit.sentence) + "\n";
        for (const auto& line : edit.lines)
            text += QString::fromStdString(line.sign + line.text + "\n");
        QCOMPARE(text, QString::fromUtf8("Pass n as a tensor: make the parameter rs::Tensor and wrap the "
                                         "argument; cast it in the body where dtypes differ.\n"
                                         "-rs::Function f(\"f\", {\"x\", \"n\"}, [](…, %1 n) {\n"
                                         "+rs::Function f(\"f\", {\"x\", \"n\"}, [](…, rs::Tensor n) {\n"
                                         "-f(x, n);\n"
                                         "+f(x, rs::constant(n));\n")
                           .arg(declared));
    }

    void editsStandWhereTheyAreMade_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QString>("place");
        QTest::newRow("a number, at the call") << "n=int:1|n=int:2|n=int:3"
                                               << "main.cpp:40";
        QTest::newRow("a dtype, at the call") << "x=tensor:float32[2]|x=tensor:float64[2]"
                                              << "main.cpp:40";
        QTest::newRow("a dtype, at the call that has the other one")
            << "x=tensor:int32[2]|x=tensor:float32[2]"
            << "main.cpp:30";
        QTest::newRow("a signature, at the definition") << "x=tensor:float32[2]|x=tensor:float32[3]"
                                                        << "train.cpp:12";
    }
    void editsStandWhereTheyAreMade() {
        QFETCH(const QString, calls);
        SessionBuilder builder;
        callsOf(calls, builder);
        Session& session = builder.session();
        session.misses.front().stack = stackAt(session, 30);
        session.misses.back().stack = stackAt(session, 40);
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const diagnose::Edit& edit = diagnosis->explanations.back().edit;
        QTEST(QString::fromStdString(edit.file + ":" + std::to_string(edit.line)), "place");
    }

    void oneCallMayNeedNoCastAndAnotherFromTheSamePlaceOne() {
        SessionBuilder builder;
        callsOf("x=tensor:int32[2]|x=tensor:float32[2]|x=tensor:float64[2]", builder);
        Session& session = builder.session();
        session.misses[0].stack = stackAt(session, 30);
        session.misses[1].stack = session.misses[2].stack = stackAt(session, 40);
        const auto diagnosis = diagnose::diagnose(builder.finish());
        QCOMPARE(diagnosis->explanations[1].edit.line, 30U); // casts int32
        QCOMPARE(diagnosis->explanations[2].edit.line, 40U); // casts float64
    }
};

RETRACESCOPE_TEST(ExplainTest);

#include "explain_test.moc"
