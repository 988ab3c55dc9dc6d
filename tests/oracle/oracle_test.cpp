// Replays the project's own copy of what TensorFlow was recorded to do.
#include <QDir>
#include <QTest>

#include "tests/oracle/bodies.h"
#include "tests/oracle/deviations.h"
#include "tests/oracle/python_def.h"
#include "tests/oracle/suite.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using oracle::Json;

namespace {

const QString kRecorded = QStringLiteral(RETRACESCOPE_SOURCE_DIR "/tests/oracle/recorded");

std::vector<Json> allScenarios() {
    std::vector<Json> result;
    const QStringList files = QDir(kRecorded).entryList({QStringLiteral("*.json")});
    for (const QString& file : files)
        for (Json& scenario : oracle::readScenarios((kRecorded + QLatin1Char('/') + file).toStdString()))
            result.push_back(std::move(scenario));
    return result;
}

const Json& scenario(const std::string& id) {
    static const std::vector<Json> all = allScenarios();
    return *std::ranges::find_if(all, [&](const Json& one) { return one.at("id") == id; });
}

std::string problemOf(const Json& scenario) {
    const oracle::Outcome outcome = oracle::replay(scenario, trace::Policy::tensorflow());
    return outcome.kind == oracle::Outcome::Kind::Passed ? "none" : outcome.detail;
}

/// "x x+ /y *z **k =": parameters with a mark for their kind, '+' for a default.
std::string parametersText(const std::vector<std::string>& source, const std::string& label = "g") {
    std::string text;
    for (const trace::ParameterName& parameter : oracle::parametersOf(source, label)) {
        static constexpr std::array kMarks{"/", "", "*", "=", "**"};
        text += (text.empty() ? "" : " ") + std::string(kMarks[static_cast<std::size_t>(parameter.kind)]) +
                parameter.name + (parameter.defaultValue ? "+" : "");
    }
    return text;
}

std::string literalText(const char* text) {
    trace::AliasNumbers aliases;
    return types::toText(trace::typeOfValue(oracle::pythonLiteral(text), aliases));
}

} // namespace

class OracleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEngineDoesWhatWasRecorded_data() {
        QTest::addColumn<QString>("policy");
        QTest::newRow("tensorflow") << "tensorflow";
        QTest::newRow("own") << "own";
    }

    void theEngineDoesWhatWasRecorded() {
        QFETCH(QString, policy);
        const oracle::Tally tally =
            oracle::run(allScenarios(), policy.toStdString(), RETRACESCOPE_DEVIATIONS);
        for (const std::string& line : tally.lines) {
            QVERIFY2(line.find(" FAILED: ") == std::string::npos, line.c_str());
            QVERIFY2(line.find("not listed") == std::string::npos, line.c_str());
        }
        QCOMPARE(tally.failed, 0);
        const auto listed = oracle::readDeviations(RETRACESCOPE_DEVIATIONS, policy.toStdString());
        QCOMPARE(tally.deviations, static_cast<int>(listed.size()));
        QVERIFY(policy == "own" || listed.size() < 10); // to the letter, but for few decisions
        const auto skipped = oracle::readSkipped(RETRACESCOPE_DEVIATIONS);
        QCOMPARE(tally.skipped, static_cast<int>(skipped.size()));
        for (const auto& [id, deviation] : listed)
            QVERIFY2(!deviation.reason.empty(), id.c_str());
        for (const auto& [id, reason] : skipped)
            QVERIFY2(!reason.empty(), id.c_str());
    }

    // What record_random.py recorded: nobody chose these calls. Under the engine's own policy each may differ
    // by the rules that policy has, and with TensorFlow's rules in their place it does not.
    void theEngineDoesWhatWasRecordedAtRandom_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("scenarios");
        for (const char* policy : {"tensorflow", "own"}) {
            QTest::addRow("sequences, %s", policy) << "sequences.json" << policy << 60;
            QTest::addRow("casts, %s", policy) << "casts.json" << policy << 1127;
        }
    }

    void theEngineDoesWhatWasRecordedAtRandom() {
        QFETCH(QString, file);
        QFETCH(QString, policy);
        QFETCH(int, scenarios);
        const oracle::Tally tally = oracle::run(
            oracle::readScenarios(RETRACESCOPE_SOURCE_DIR "/tests/oracle/random/" + file.toStdString()),
            policy.toStdString(), RETRACESCOPE_DEVIATIONS);
        for (const std::string& line : tally.lines)
            QVERIFY2(line.find(" FAILED: ") == std::string::npos, line.c_str());
        QCOMPARE(tally.passed + tally.deviations, scenarios);
        QVERIFY(policy == "own" || tally.deviations == 0);
    }

    void soManyStepsAreCompared() {
        std::map<std::string, int> compared;
        for (const Json& one : allScenarios()) {
            const oracle::Outcome outcome = oracle::replay(one, trace::Policy::tensorflow());
            compared[oracle::bodyOf(one.at("id")) != nullptr ? "with a body" : "from the notation"] +=
                outcome.compared;
        }
        QCOMPARE(compared["from the notation"], 838);
        QCOMPARE(compared["with a body"], 725);
    }

    void structsAndEnumeratorsNeedNoBody() {
        Json structs = scenario("N031");
        structs["id"] = "X3";
        QCOMPARE(problemOf(structs), std::string("none"));
        structs["steps"][1]["outcome"] = "trace";
        const std::string problem = problemOf(structs);
        QVERIFY2(problem.starts_with("step 2: call g: outcome: expected 'trace', got 'hit'"),
                 problem.c_str());
        Json enumerators = scenario("O31");
        enumerators["id"] = "X4";
        QCOMPARE(problemOf(enumerators),
                 std::string("needs a body, and there is none: an argument of kind enum")); // a number
        enumerators["steps"].get_ref<Json::array_t&>().resize(3);
        QCOMPARE(problemOf(enumerators), std::string("none"));
    }

    void datasetsNeedNoBody() {
        for (const char* id : {"N148", "O65"}) {
            Json unseen = scenario(id);
            unseen["id"] = "X5";
            QCOMPARE(problemOf(unseen), std::string("none"));
            Json& spec = unseen["steps"][2]["args"][0]["spec"];
            spec = "(" + spec.get<std::string>() +
                   ", {'x': TensorSpec(shape=<unknown>, dtype=tf.string, name='s')})";
            const std::string problem = problemOf(unseen);
            QVERIFY2(problem.starts_with("step "), problem.c_str()); // the third traces for another reason
            spec = "RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)";
            QVERIFY(problemOf(unseen).starts_with(
                "needs a body, and there is none: an argument of kind dataset"));
        }
    }

    void whatHasNoBodyIsSkippedAndCounted() {
        Json unseen = scenario("O89");
        unseen["id"] = "X2";
        const oracle::Tally tally = oracle::run({unseen}, "tensorflow", RETRACESCOPE_DEVIATIONS);
        QCOMPARE(tally.skipped, 1);
        QCOMPARE(tally.lines[0],
                 std::string(
                     "X2 skipped: needs a body, and there is none: an argument of kind object, not listed"));
    }

    void anotherFactIsNoticed_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* name, const char* id, const char* pointer, const char* value,
                            const char* problem) {
            QTest::newRow(name) << id << pointer << value << problem;
        };
        row("outcome", "O22", "/steps/1/outcome", "\"trace\"",
            "step 2: call g: outcome: expected 'trace', got 'hit'");
        row("cf", "O55", "/steps/2/cf", "0", "step 3: call g: serving function: expected '0', got '1'");
        row("count", "O55", "/steps/2/count", "3", "step 3: call g: cache size: expected '3', got '2'");
        row("warning", "O151", "/steps/4/warnings/0/calls", "6",
            "step 5: call g: warnings: expected '5 of 6;', got '5 of 5;'");
        row("no warning", "O151", "/steps/4/warnings", "[]",
            "step 5: call g: warnings: expected '', got '5 of 5;'");
        row("request", "O22", "/steps/1/request", "\"(x: Literal[1])\"",
            "step 2: call g: type looked up: expected '(x: Literal[1])', got '(x: Literal[True])'");
        row("signature", "O44", "/concrete/0/signature", "\"(args_0: Literal[1], *, x: Literal[2]) -> X\"",
            "signature 0 of g: expected '(args_0: Literal[1], *, x: Literal[2])', got '(args_0: Literal[1], "
            "/, *, "
            "x: Literal[2])'");
        row("kind of error", "O50", "/steps/0/error/fragment",
            "\"Binding inputs failed due to `Can not cast\"",
            "step 1: call g: error: expected 'cast', got 'binding");
        row("output", "O89", "/steps/0/output/value", "2",
            "step 1: call g: output: element 0 is 1, expected 2");
        row("what was said", "O160", "/steps/1/said/0", "\"body 2\"",
            "step 2: call g: said: expected 'body 2', got 'body 1'");
        row("body runs", "O89", "/steps/3/bodies", "3", "step 4: call g: body runs: expected '3', got '2'");
        row("lookups inside", "O125", "/steps/1/events/0/outcome", "\"trace\"",
            "step 2: call outer: lookups: expected 'inner trace 0 graph; outer trace 0 eager; ', got 'inner "
            "hit 0");
        row("observation", "O133", "/steps/0/value", "2",
            "step 1: check : distinct concrete functions: expected 2, got 1");
        row("captures", "O115", "/concrete/0/captures", "[]", "captures of 0 of g: expected '0', got '1'");
        row("a graph's inputs", "N226", "/steps/0/inputs", "1",
            "step 1: graph : inputs: expected '1', got '2'");
        row("direct call", "O145", "/steps/1/output/value", "3.0",
            "step 2: concrete_call g: output: element 0 is 2");
        row("options", "O55", "/options", "{}", "step 3: call g: outcome: expected 'hit', got 'trace'");
        row("default", "O28", "/source/0", "\"def g(x, k=1): return x\"",
            "step 2: call g: outcome: expected 'hit', got 'trace'");
    }

    void anotherFactIsNoticed() {
        QFETCH(QString, id);
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, problem);
        Json changed = scenario(id.toStdString());
        QCOMPARE(problemOf(changed), std::string("none"));
        changed[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        const std::string got = problemOf(changed);
        QVERIFY2(got.starts_with(problem.toStdString()), got.c_str());
    }

    void readsTheParametersOfADefLine() {
        QCOMPARE(parametersText({"def g(a, /, b: int=1, *args: x[1, 2], c, d='(', **kw) -> f: return a"}),
                 std::string("/a b+ *args =c =d+ **kw"));
        QCOMPARE(parametersText({"def g(x, *, y=None): return x"}), std::string("x =y+"));
        QCOMPARE(parametersText({"def other(z): pass", "def g(", "    x,", "    y=(1, 2)):", "  pass"}),
                 std::string("x y+"));
        QCOMPARE(parametersText({"def g(x): pass", "def g(y): pass"}, "g#2"), std::string("y"));
        QCOMPARE(parametersText({"def g(x): pass"}, "g#2"), std::string("x")); // one text for equal functions
        QVERIFY_EXCEPTION_THROWN(parametersText({"def h(x): pass"}), std::runtime_error);
        QVERIFY_EXCEPTION_THROWN(parametersText({"def g(x=make()): pass"}), std::runtime_error);
    }

    void readsPythonLiterals() {
        QCOMPARE(literalText("-2.5e-3"), std::string("Literal[-0.0025]"));
        QCOMPARE(literalText("3j"), std::string("Literal[3j]"));
        QCOMPARE(literalText("1_000"), std::string("Literal[1000]"));
        QCOMPARE(literalText("(1,)"), std::string("Tuple[Literal[1]]"));
        QCOMPARE(literalText("(1)"), std::string("Literal[1]"));
        QCOMPARE(literalText("[b'a', \"it's\", None, False]"),
                 std::string("List[Literal[b'a'], Literal[\"it's\"], Literal[None], Literal[False]]"));
        QCOMPARE(literalText("{'k': {2: []}}"), std::string("Dict[['k', Dict[[2, List[]]]]]"));
        QVERIFY_EXCEPTION_THROWN(literalText("1 + 1"), std::runtime_error);
    }

    void whatAPolicyDecidesIsNamedByItsRule() {
        Json unseen = scenario("O22");
        unseen["id"] = "X1";
        const oracle::Tally tally = oracle::run({unseen}, "own", RETRACESCOPE_DEVIATIONS);
        QCOMPARE(tally.deviations, 1);
        QVERIFY2(tally.lines[0].starts_with("X1 deviation: by literals, not listed: step 2"),
                 tally.lines[0].c_str());
        unseen["steps"][0]["outcome"] = "hit"; // no rule makes it so
        QCOMPARE(oracle::run({unseen}, "own", RETRACESCOPE_DEVIATIONS).failed, 1);
        Json listed = scenario("O55");
        listed["id"] = "O22"; // agrees, though deviations.md says it does not
        QCOMPARE(oracle::run({listed}, "own", RETRACESCOPE_DEVIATIONS).failed, 1);
    }
};

RETRACESCOPE_TEST(OracleTest);

#include "oracle_test.moc"
