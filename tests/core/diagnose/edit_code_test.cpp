#include <QTest>

#include <retracescope/diagnose/edit_code.h>
#include <retracescope/retracescope.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

namespace rs = retracescope; // as programs name it
using namespace retracescope;
using namespace retracescope::session;
using diagnose::EditLine;
using diagnose::FunctionText;
using diagnose::SpecText;
using test::SessionBuilder;

namespace {

QString textOf(const std::vector<EditLine>& lines) {
    QStringList result;
    for (const EditLine& line : lines)
        result += QString::fromStdString(line.sign + line.text);
    return result.join('\n');
}

QString withoutBlanks(QString code) {
    return code.remove(' ').remove('\n');
}

/// All that an edit adds.
QString added(const std::vector<EditLine>& lines) {
    QString text;
    for (const EditLine& line : lines)
        text += line.sign == '+' ? QString::fromStdString(line.text) : QString();
    return text;
}

/// The text of code that compiles, apart from everything here, without blanks.
#define COMPILED(...)                                                                                        \
    [] {                                                                                                     \
        [[maybe_unused]] const auto code = [] { __VA_ARGS__ };                                               \
        return withoutBlanks(QStringLiteral(#__VA_ARGS__));                                                  \
    }()

/// A function "f" of train.cpp, line `line`, in a session that holds `source`; its call stands at `callLine`.
struct Program {
    Program(const QByteArray& source, std::uint32_t line, std::uint32_t callLine = 0,
            const std::string& parameters = "x, k", const std::string& name = "f",
            const std::string& file = "/src/train.cpp") {
        function = builder.function(name, parameters, file, line);
        builder.call(function, test::request("x=tensor:float32[2] k=int:1"));
        Session& mine = builder.session();
        if (!source.isEmpty())
            mine.sources.push_back(
                {mine.strings.intern("/src/train.cpp"), mine.strings.intern(source.toStdString())});
        call = {"/src/train.cpp", callLine};
    }

    FunctionText text() {
        session = builder.finish();
        index = buildIndex(*session);
        history.emplace(*session, index, function);
        sources.emplace(*session);
        return diagnose::functionText(*session, function, *history, *sources, call);
    }

    SessionBuilder builder;
    FunctionId function;
    diagnose::Place call;
    SessionPtr session;
    Index index;
    std::optional<diagnose::History> history;
    std::optional<diagnose::RecordedSources> sources;
};

FunctionText schematic(const std::string& parameters = "x, k", const std::string& name = "f") {
    return Program("", 1, 0, parameters, name).text();
}

FunctionText inEngine(FunctionText function, diagnose::Dialect dialect) {
    function.dialect = dialect;
    return function;
}

} // namespace

class EditCodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void identifiersAreMadeOfTheLettersOfAName_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QString>("identifier");
        QTest::newRow("as it is") << QByteArray("train_step2") << "train_step2";
        QTest::newRow("blanks and brackets") << QByteArray("my step (v2)") << "my_step_v2";
        QTest::newRow("a template") << QByteArray("std::vector<rs::Tensor>::map")
                                    << "std_vector_rs_Tensor_map";
        QTest::newRow("a keyword") << QByteArray("class") << "class_";
        QTest::newRow("a digit first") << QByteArray("2nd") << "_2nd";
        QTest::newRow("no letter of ASCII") << QByteArray("∑") << "function";
        QTest::newRow("its own underscore") << QByteArray("step_") << "step_";
        QTest::newRow("empty") << QByteArray("") << "function";
    }
    void identifiersAreMadeOfTheLettersOfAName() {
        QFETCH(const QByteArray, name);
        QTEST(QString::fromStdString(diagnose::identifierOf(name.toStdString(), "function")), "identifier");
    }

    void parametersAreNamesOnly() {
        const FunctionText function =
            schematic("x, d: dict[str, int] = {}, *rest, /, n=f(1, 2), *, flag: bool");
        QCOMPARE(function.parameters, (std::vector<std::string>{"x", "d", "*rest", "n", "flag"}));
    }

    void optionsAreAddedToTheProgramsOwnLine() {
        Program program("int main() {\n"
                        "    rs::Function step(\"f\", {\"x\", \"k\"},\n"
                        "                      [](rs::Tensor x, int k) {\n"
                        "                          return x * static_cast<float>(k);\n"
                        "                      });\n"
                        "}\n",
                        5);
        QCOMPARE(textOf(diagnose::relaxLines(program.text())),
                 " rs::Function step(\"f\", {\"x\", \"k\"},\n"
                 "-                  });\n"
                 "+                  }, {.reduceRetracing = true});");
    }

    void anAddedOptionCompiles() {
        Program program("rs::Function step(\"f\", {\"x\"}, [](rs::Tensor x) { return x; });", 1, 0, "x");
        const FunctionText function = program.text();
        QCOMPARE(withoutBlanks(added(diagnose::relaxLines(function))),
                 COMPILED(rs::Function step("f", {"x"}, [](rs::Tensor x) { return x; },
                                            {.reduceRetracing = true});));
        const SpecText spec{"x", "uint8", {-1, 3}};
        QCOMPARE(withoutBlanks(added(diagnose::inputSignatureLines(function, {spec}))),
                 COMPILED(rs::Function step("f", {"x"}, [](rs::Tensor x) { return x; },
                                            {.inputSignature = {{rs::TensorSpec{
                                                 rs::DType::UInt8, {rs::Shape::kUnknown, 3}, "x"}}}});));
    }

    void twoSpecsAndAnOptionThatIsThereCompile() {
        Program program(
            "rs::Function step(\"f\", {\"x\", \"y\"}, [](rs::Tensor x, rs::Tensor y) { return x + y; }, "
            "{.reduceRetracing = true});",
            1, 0, "x, y");
        const std::vector<SpecText> specs{{"x", "float64", {}}, {"y", "bool", {-1}}};
        QCOMPARE(withoutBlanks(added(diagnose::inputSignatureLines(program.text(), specs))),
                 COMPILED(rs::Function step(
                              "f", {"x", "y"}, [](rs::Tensor x, rs::Tensor y) { return x + y; },
                              {.reduceRetracing = true,
                               .inputSignature = {
                                   {rs::TensorSpec{rs::DType::Float64, {}, "x"},
                                    rs::TensorSpec{rs::DType::Bool, {rs::Shape::kUnknown}, "y"}}}});));
    }

    void optionsInAVariableAreSetThere() {
        Program program("rs::FunctionOptions options;\n"
                        "rs::Function step(\"f\", {\"x\"}, body, options);\n",
                        2);
        QCOMPARE(textOf(diagnose::relaxLines(program.text())),
                 "+options.reduceRetracing = true;\n"
                 " rs::Function step(\"f\", {\"x\"}, body, options);");
    }

    void whoPassesOptionsOnNamesTheirType() {
        Program program("layers.emplace_back(\"f\", names, [](rs::Tensor x) { return x; });\n", 97, 0, "x",
                        "f", "/usr/include/c++/12/bits/stl_construct.h");
        QCOMPARE(textOf(diagnose::relaxLines(program.text())),
                 "-layers.emplace_back(\"f\", names, [](rs::Tensor x) { return x; });\n"
                 "+layers.emplace_back(\"f\", names, [](rs::Tensor x) { return x; }, "
                 "rs::FunctionOptions{.reduceRetracing = true});");
    }

    void withoutSourceWhatIsNotKnownIsLeftOut() {
        QCOMPARE(textOf(diagnose::relaxLines(schematic("the x, class", "my step"))),
                 QString::fromUtf8(" rs::Function my_step(\"my step\", {\"the x\", \"class\"}, [](…) {\n"
                                   "-});\n"
                                   "+}, {.reduceRetracing = true});"));
        FunctionText relaxing = schematic("x");
        relaxing.options = "reduce_retracing=True";
        QCOMPARE(textOf(diagnose::inputSignatureLines(relaxing, {{"x", "int32", {}}})),
                 QString::fromUtf8(" rs::Function f(\"f\", {\"x\"}, [](…) {\n"
                                   "-}, {.reduceRetracing = true});\n"
                                   "+}, {.reduceRetracing = true, .inputSignature = "
                                   "{{rs::TensorSpec{rs::DType::Int32, {}, \"x\"}}}});"));
    }

    void otherEnginesAreWrittenInPython() {
        const FunctionText function = inEngine(schematic("x, k=2"), diagnose::Dialect::TensorFlow);
        QCOMPARE(textOf(diagnose::relaxLines(function)), "-@tf.function\n"
                                                         "+@tf.function(reduce_retracing=True)\n"
                                                         " def f(x, k=2):");
        FunctionText jit = function;
        jit.options = "jit_compile=True";
        QCOMPARE(textOf(diagnose::inputSignatureLines(jit, {{"x", "float32", {-1, 2}}})),
                 "-@tf.function(jit_compile=True)\n"
                 "+@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 2], tf.float32)])\n"
                 " def f(x, k=2):");
        QCOMPARE(textOf(diagnose::relaxLines(inEngine(function, diagnose::Dialect::Jax))), "");
        QCOMPARE(textOf(diagnose::openAxisLines(inEngine(function, diagnose::Dialect::Torch), "x", 1)),
                 "+torch._dynamo.mark_dynamic(x, 1)\n"
                 " f(x, k)");
        QCOMPARE(textOf(diagnose::openAxisLines(function, "x", 1)), "");
    }

    void theArgumentOfTheProgramsCallIsWrapped() {
        Program program("rs::Function step(\"f\", {\"x\", \"k\"}, body);\n"
                        "int main() {\n"
                        "    loss = step(batch(a, b), ++k);\n"
                        "}\n",
                        1, 3);
        QCOMPARE(textOf(diagnose::passArrayLines(program.text(), "k")),
                 "-loss = step(batch(a, b), ++k);\n"
                 "+loss = step(batch(a, b), rs::constant(++k));");
        QCOMPARE(textOf(diagnose::castLines(program.text(), "x", "int64")),
                 "-loss = step(batch(a, b), ++k);\n"
                 "+loss = step(rs::cast(batch(a, b), rs::DType::Int64), ++k);");
    }

    void aCallThatIsNotAloneOnItsLineIsWrittenWithParameters() {
        Program program("rs::Function step(\"f\", {\"x\", \"k\"}, body);\n"
                        "step(a, 1); step(b, 2);\n",
                        1, 2);
        QCOMPARE(textOf(diagnose::passArrayLines(program.text(), "k")), "-step(x, k);\n"
                                                                        "+step(x, rs::constant(k));");
    }

    void castsAndConstantsCompile() {
        const FunctionText function = schematic("x, k");
        const QString declarations = withoutBlanks("const auto f = [](auto...) {}; rs::Tensor x; int k = 1;");
        QCOMPARE(declarations + withoutBlanks(added(diagnose::castLines(function, "x", "float32"))),
                 COMPILED(const auto f = [](auto...) {}; rs::Tensor x; int k = 1;
                          f(rs::cast(x, rs::DType::Float32), k);));
        QCOMPARE(declarations + withoutBlanks(added(diagnose::passArrayLines(function, "k"))),
                 COMPILED(const auto f = [](auto...) {}; rs::Tensor x; int k = 1; f(x, rs::constant(k));));
    }

    void innerValuesAreReplacedWhereTheyCanBe_data() {
        QTest::addColumn<QString>("owner");
        QTest::addColumn<QString>("cast");
        QTest::newRow("of a dict") << "d['k']"
                                   << "+d[\"k\"] = rs::cast(d[\"k\"], rs::DType::Int32);\n f(d, xs, p);";
        QTest::newRow("of a list") << "xs[0]"
                                   << "+xs[0] = rs::cast(xs[0], rs::DType::Int32);\n f(d, xs, p);";
        QTest::newRow("of a tuple") << "p[0]"
                                    << "";
        QTest::newRow("of no parameter") << "args[1]"
                                         << "";
    }
    void innerValuesAreReplacedWhereTheyCanBe() {
        QFETCH(const QString, owner);
        FunctionText function = schematic("d, xs, p");
        function.tuples = {"p"};
        QTEST(textOf(diagnose::castLines(function, owner.toStdString(), "int32")), "cast");
        QCOMPARE(textOf(diagnose::passArrayLines(function, owner.toStdString())), ""); // another type
    }

    void innerValuesHaveTheNameThatTheProgramGivesThem() {
        Program program("rs::Function step(\"f\", {\"x\", \"k\"}, body);\n"
                        "    step(batch, 1);\n",
                        1, 2);
        QCOMPARE(textOf(diagnose::castLines(program.text(), "x[1]", "int32")),
                 "+batch[1] = rs::cast(batch[1], rs::DType::Int32);\n"
                 " step(batch, 1);");
    }

    void tuplesAreKnownFromTheRequests() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "p");
        builder.call(f, {{"p.type", types::ComponentKind::Type, "tuple"},
                         {"p.len", types::ComponentKind::Length, "0"}});
        const SessionPtr session = builder.finish();
        const Index index = buildIndex(*session);
        const diagnose::History history(*session, index, f);
        diagnose::RecordedSources sources(*session);
        QCOMPARE(diagnose::functionText(*session, f, history, sources, {}).tuples,
                 std::vector<std::string>{"p"});
    }

    void aParameterBecomesATensor() {
        Program program("rs::Function step(\n"
                        "    \"f\", {\"x\", \"k\"}, [&](rs::Tensor x, const std::int64_t steps) {\n"
                        "        return x;\n"
                        "    });\n",
                        4);
        QCOMPARE(textOf(diagnose::tensorParameterLines(program.text(), "k", "int")),
                 "-\"f\", {\"x\", \"k\"}, [&](rs::Tensor x, const std::int64_t steps) {\n"
                 "+\"f\", {\"x\", \"k\"}, [&](rs::Tensor x, rs::Tensor steps) {");
        QCOMPARE(textOf(diagnose::tensorParameterLines(schematic(), "k", "float")),
                 QString::fromUtf8("-rs::Function f(\"f\", {\"x\", \"k\"}, [](…, double k) {\n"
                                   "+rs::Function f(\"f\", {\"x\", \"k\"}, [](…, rs::Tensor k) {"));
        QCOMPARE(textOf(diagnose::tensorParameterLines(schematic(), "xs[0]", "int")), "");
        Program named("rs::Function step(\"f\", {\"x\", \"k\"}, body);\n", 1);
        QCOMPARE(textOf(diagnose::tensorParameterLines(named.text(), "k", "int")), "");
    }

    void aWrapperIsMadeOnce() {
        Program program("    for (;;) {\n"
                        "        rs::Function loss(\"f\", {\"x\"}, body);\n"
                        "    }\n",
                        2);
        QCOMPARE(textOf(diagnose::hoistLines(program.text())),
                 "-rs::Function loss(\"f\", {\"x\"}, body);\n"
                 "+static rs::Function loss(\"f\", {\"x\"}, body);");
        QCOMPARE(textOf(diagnose::hoistLines(schematic("x"))),
                 QString::fromUtf8("-rs::Function f(\"f\", {\"x\"}, [](…) {\n"
                                   "+static rs::Function f(\"f\", {\"x\"}, [](…) {"));
        for (const char* capturing :
             {"rs::Function f(\"f\", {\"x\"}, [k](rs::Tensor x) { return x * k; });\n",
              "rs::Function f(\"f\", {\"x\"}, [&](rs::Tensor x) { return x; });\n",
              "for (;;) { rs::Function f(\"f\", {\"x\"}, body); }\n"}) {
            Program other(capturing, 1);
            QCOMPARE(textOf(diagnose::hoistLines(other.text())), "");
        }
        Program plain("rs::Function f(\"f\", {\"x\"}, [](rs::Tensor x) { return x; });\n", 1);
        QCOMPARE(textOf(diagnose::hoistLines(plain.text())),
                 "-rs::Function f(\"f\", {\"x\"}, [](rs::Tensor x) { return x; });\n"
                 "+static rs::Function f(\"f\", {\"x\"}, [](rs::Tensor x) { return x; });");
        Program emplaced("slot.emplace(\"f\", names, body);\n", 1);
        QCOMPARE(textOf(diagnose::hoistLines(emplaced.text())), "");
        QVERIFY(textOf(diagnose::hoistLines(inEngine(schematic("x"), diagnose::Dialect::TensorFlow)))
                    .startsWith("-    @tf.function\n"));
        for (const auto dialect : {diagnose::Dialect::Jax, diagnose::Dialect::Torch}) {
            const QString lines = textOf(diagnose::hoistLines(inEngine(schematic("x"), dialect)));
            QVERIFY(lines.startsWith("-    f = ") && lines.contains("\n+f = "));
        }
    }

    void aDeclaredVariableIsTheNameOfTheFunction_data() {
        QTest::addColumn<QByteArray>("definition");
        QTest::addColumn<QString>("variable");
        QTest::newRow("a declaration") << QByteArray("rs::Function trainStep(\"f\", b);") << "trainStep";
        QTest::newRow("with its signature")
            << QByteArray("const rs::Function<rs::Tensor(int)> trainStep{\"f\", b};") << "trainStep";
        QTest::newRow("assigned") << QByteArray("auto trainStep = rs::Function(\"f\", b);") << "trainStep";
        QTest::newRow("a temporary") << QByteArray("run(rs::Function(\"f\", b));") << "f";
        QTest::newRow("a method") << QByteArray("slot.emplace(\"f\", b);") << "f";
    }
    void aDeclaredVariableIsTheNameOfTheFunction() {
        QFETCH(const QByteArray, definition);
        QTEST(QString::fromStdString(Program(definition, 1).text().variable), "variable");
    }

    void listsAreStackedWhereThereIsAnOp() {
        const FunctionText function = schematic("xs");
        QCOMPARE(textOf(diagnose::stackLines(function, "xs")), "");
        QCOMPARE(textOf(diagnose::stackLines(inEngine(function, diagnose::Dialect::Jax), "xs")),
                 "-f(xs)\n+f(jnp.stack(xs))");
    }

    void equalityIsThatOfTheLanguage() {
        QCOMPARE(textOf(diagnose::valueEqualityLines(diagnose::Dialect::Retracescope, "Point")),
                 " struct Point {\n+    bool operator==(const Point&) const = default;");
        QCOMPARE(textOf(diagnose::valueEqualityLines(diagnose::Dialect::Jax, "Point")),
                 "+@dataclasses.dataclass(frozen=True)\n class Point:");
    }

    void enginesAreTakenApart() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        const auto as = [&](const char* engine) {
            builder.session().functions[0].engine = builder.session().strings.intern(engine);
            return diagnose::dialectOf(builder.session(), f);
        };
        QCOMPARE(as("retracescope"), diagnose::Dialect::Retracescope);
        QCOMPARE(as("jax"), diagnose::Dialect::Jax);
        QCOMPARE(as("pytorch"), diagnose::Dialect::Torch);
        QCOMPARE(as("torch"), diagnose::Dialect::Torch);
        QCOMPARE(as("tensorflow"), diagnose::Dialect::TensorFlow);
    }
};

RETRACESCOPE_TEST(EditCodeTest);

#include "edit_code_test.moc"
