#include <QTest>

#include <retracescope/base/check.h>
#include <retracescope/types/binding.h>
#include <retracescope/types/dispatch_table.h>

#include "tests/core/types/type_text.h"
#include "tests/support/test_main.h"

using namespace retracescope::types;
using retracescope::test::type;

namespace {

using Kind = ParameterKind;

FunctionType call(const QStringList& arguments) {
    FunctionType result;
    for (int i = 0; i < arguments.size(); ++i)
        result.parameters.push_back({std::string(1, static_cast<char>('a' + i)), Kind::PositionalOrKeyword,
                                     false, type(arguments[i].toStdString())});
    return result;
}

std::string bound(const std::vector<Parameter>& declared, int positional,
                  const std::vector<std::string_view>& named) {
    std::string text;
    for (const BoundArgument& argument : bindArguments("f", declared, positional, named))
        text += (text.empty() ? "" : " ") + argument.parameter.name + "=" +
                (argument.source == BoundArgument::kDefault ? "default" : std::to_string(argument.source));
    return text;
}

std::string errorOf(auto&& work) {
    try {
        work();
    } catch (const retracescope::UsageError& error) {
        return error.what();
    }
    return "no error";
}

const std::vector<Parameter> kFoo{{"foo", Kind::PositionalOrKeyword, false, TypeId::None},
                                  {"bar", Kind::PositionalOrKeyword, true, TypeId::None},
                                  {"baz", Kind::PositionalOrKeyword, true, TypeId::None}};

} // namespace

class FunctionTypeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void relaxesDimensionByDimension_data() {
        QTest::addColumn<QStringList>("calls");
        QTest::addColumn<QStringList>("outcomes"); // what was traced, or "hit"
        const auto row = [](const char* name, const QStringList& calls, const QStringList& outcomes) {
            QTest::addRow("%s", name) << calls << outcomes;
        };
        row("second shape", {"f32[2]", "f32[3]", "f32[4]", "f32[2]"}, {"f32[2]", "f32[?]", "hit", "hit"});
        row("per dimension", {"f32[1,2]", "f32[2,2]", "f32[3,2]", "f32[2,1]", "f32[7,9]"},
            {"f32[1,2]", "f32[?,2]", "hit", "f32[?,?]", "hit"});
        row("rank", {"f32[2]", "f32[2,2]", "f32[]", "f32[5]"}, {"f32[2]", "f32*", "hit", "hit"});
        row("dtypes apart", {"f32[2]", "i32[3]", "i32[4]", "f32[9]", "i32[9]", "f32[8]"},
            {"f32[2]", "i32[3]", "i32[?]", "f32[?]", "hit", "hit"});
        row("literals start exact",
            {"f32[3] & 1", "f32[4] & 2", "f32[5] & 2", "f32[6] & 1", "f32[7] & 1", "f32[9] & 3"},
            {"f32[3] & 1", "f32[4] & 2", "f32[?] & 2", "f32[?] & 1", "hit", "f32[9] & 3"});
        row("two arguments", {"f32[2] & f32[5]", "f32[3] & f32[5]", "f32[3] & f32[6]", "f32[4] & f32[7]"},
            {"f32[2] & f32[5]", "f32[?] & f32[5]", "f32[?] & f32[?]", "hit"});
        row("keys", {"{a:f32[1]}", "{b:f32[1]}", "{c:f32[1]}", "{a:f32[2]}", "{a:f32[3]}", "{a:f32[4]}"},
            {"{a:f32[1]}", "{b:f32[1]}", "{c:f32[1]}", "{a:f32[?]}", "hit", "hit"});
        row("other arity is left out", {"f32[2]", "f32[2] & f32[2]", "f32[3]"}, // O52 without its IndexError
            {"f32[2]", "f32[2] & f32[2]", "f32[?]"});
        row("variables", {"var f32[2]@0", "var f32[3]@0", "var f32[4]@0"},
            {"var f32[2]@0", "var f32[?]@0", "hit"});
    }

    void relaxesDimensionByDimension() {
        QFETCH(QStringList, calls);
        QFETCH(QStringList, outcomes);
        DispatchTable table;
        std::vector<FunctionType> traces;
        for (int i = 0; i < calls.size(); ++i) {
            const FunctionType request = call(calls[i].split(" & "));
            if (table.dispatch({}, request)) {
                QCOMPARE(QString("hit"), outcomes[i]);
                continue;
            }
            const FunctionType traced = relaxed(request, traces);
            QCOMPARE(toText(traced), toText(call(outcomes[i].split(" & "))));
            traces.push_back(traced);
            table.add({}, traced, static_cast<std::uint32_t>(i));
        }
    }

    void bindsEqualCallsEqually() { // O46
        QCOMPARE(bound(kFoo, 1, {"baz"}), std::string("foo=0 bar=default baz=1"));
        QCOMPARE(bound(kFoo, 0, {"foo"}), std::string("foo=0 bar=default baz=default"));
        QCOMPARE(bound(kFoo, 1, {"baz", "bar"}), std::string("foo=0 bar=2 baz=1"));
        QCOMPARE(bound(kFoo, 3, {}), std::string("foo=0 bar=1 baz=2"));
    }

    void unbundlesVariadicArguments() {
        const std::vector<Parameter> declared{{"x", Kind::PositionalOrKeyword, false, TypeId::None},
                                              {"args", Kind::VarPositional, false, TypeId::None},
                                              {"kw", Kind::VarKeyword, false, TypeId::None}};
        QCOMPARE(bound(declared, 3, {"z", "b"}), std::string("x=0 args_0=1 args_1=2 b=4 z=3"));
        QVERIFY(bindArguments("f", declared, 2, {})[0].parameter.kind == Kind::PositionalOnly);
        const std::vector<std::string_view> collide{"a$", "a%"};
        QVERIFY(errorOf([&] { bindArguments("f", declared, 1, collide); }).find("sanitization") !=
                std::string::npos);
        QCOMPARE(sanitizedName("42"), std::string("arg_42"));
        QCOMPARE(sanitizedName("_42"), std::string("arg__42"));
        QCOMPARE(sanitizedName("a%$#"), std::string("a___"));
    }

    void refusesCallsThatDoNotFit() { // O50
        const auto error = [](int positional, const std::vector<std::string_view>& named) {
            return errorOf([&] { bindArguments("f", kFoo, positional, named); });
        };
        QCOMPARE(error(0, {}),
                 std::string(
                     "[f] missing a required argument: 'foo'; the parameters are (foo, bar=..., baz=...)"));
        QCOMPARE(error(4, {}),
                 std::string("[f] expected at most 3 positional arguments, got 4; the parameters are "
                             "(foo, bar=..., baz=...)"));
        QCOMPARE(error(1, {"qux"}),
                 std::string("[f] got an unexpected named argument 'qux'; the parameters are "
                             "(foo, bar=..., baz=...)"));
        QCOMPARE(error(1, {"foo"}), std::string("[f] multiple values for argument 'foo'; the parameters are "
                                                "(foo, bar=..., baz=...)"));
    }

    void validatesInputSignatures() {
        const std::vector<TypeId> defaults{TypeId::None, type("1"), type("true")};
        const auto constrained = [&](const std::vector<TypeId>& specs) {
            return constrainedParameters("f", kFoo, specs, defaults);
        };
        const auto parameters = constrained({type("f32[?]")});
        QCOMPARE(parameters.size(), std::size_t{3});
        QVERIFY(parameters[0].parameter.type == type("f32[?]") && parameters[1].parameter.type == type("1"));
        QVERIFY(errorOf([&] { constrained({}); }).find("missing a spec for 'foo'") != std::string::npos);
        const std::vector<TypeId> four(4, type("f32[]"));
        QVERIFY(errorOf([&] { constrained(four); }).find("1 specs too many") != std::string::npos);
        QVERIFY(errorOf([&] { constrained({type("var f32[]@0")}); }).find("variables") != std::string::npos);
        QVERIFY(errorOf([&] { constrained({type("[f32[],1]")}); }).find("tensor specs") != std::string::npos);
        QCOMPARE(errorOf([&] { constrained({type("[f32[],f32[2]]")}); }), std::string("no error"));
    }

    void anInputSignatureReachesVariadicParameters() {
        const std::vector<Parameter> declared{{"x", Kind::PositionalOrKeyword, false, TypeId::None},
                                              {"args", Kind::VarPositional, false, TypeId::None},
                                              {"c", Kind::KeywordOnly, true, TypeId::None},
                                              {"kw", Kind::VarKeyword, false, TypeId::None}};
        const std::vector<TypeId> defaults{TypeId::None, TypeId::None, type("true"), TypeId::None};
        std::string text;
        for (const auto& [parameter, owner] :
             constrainedParameters("f", declared, std::vector<TypeId>(3, type("i32[]")), defaults))
            text += parameter.name + " of " + declared[static_cast<std::size_t>(owner)].name + " " +
                    std::string(parameterKindName(parameter.kind)) + "\n";
        QCOMPARE(text, std::string("x of x POSITIONAL_ONLY\nargs_0 of args POSITIONAL_ONLY\n"
                                   "args_1 of args POSITIONAL_ONLY\nc of c KEYWORD_ONLY\n"));
    }

    void refusesParametersInAnOrderNoCallCouldFit() {
        const auto error = [](std::vector<Parameter> declared) {
            return errorOf([&] { checkParameters("f", declared); });
        };
        const Parameter plain{"x", Kind::PositionalOrKeyword, false, TypeId::None};
        QCOMPARE(error(kFoo), std::string("no error"));
        QCOMPARE(error({plain, plain}),
                 std::string("[f] parameter 'x' stands there twice; the parameters are (x, x)"));
        QVERIFY(error({{"a", Kind::VarPositional}, plain}).find("cannot follow 'a' (VAR_POSITIONAL)") !=
                std::string::npos);
        QVERIFY(error({plain, {"a", Kind::PositionalOnly}}).find("cannot follow") != std::string::npos);
        QVERIFY(error({{"k", Kind::VarKeyword}, {"l", Kind::VarKeyword}}).find("cannot follow") !=
                std::string::npos);
        QVERIFY(error({{"d", Kind::PositionalOrKeyword, true}, plain}).find("needs a default value") !=
                std::string::npos);
        QCOMPARE(error({{"d", Kind::KeywordOnly, true}, {"e", Kind::KeywordOnly}}), std::string("no error"));
    }

    void relaxesAcrossAritiesAsTensorFlowDoes() {
        const auto relax = [](const char* request, const char* earlier) {
            const std::vector traces{call(QString(earlier).split(" & "))};
            return toText(relaxed(call(QString(request).split(" & ")), traces, RelaxRule::AsTensorFlow));
        };
        // The longer trace's further parameters are left out ...
        QCOMPARE(relax("f32[3]", "f32[2] & f32[2]"), toText(call({"f32[?]"})));
        // ... a shorter one takes no part if one of its parameters does not fit ...
        QCOMPARE(relax("i32[2] & f32[2]", "f32[2]"), toText(call({"i32[2]", "f32[2]"})));
        // ... and is an error if all of them do.
        QVERIFY_EXCEPTION_THROWN(relax("f32[2] & f32[2]", "f32[2]"), RelaxError);
    }

    void castErrorsNameBothTypesAndThePlace() {
        QVERIFY(!castProblem(type("f32[3]"), type("f32[?]:y")).has_value());
        QCOMPARE(castProblem(type("i32[3]"), type("f32[?]")).value_or(""),
                 std::string("expected TensorSpec(shape=(None,), dtype=tf.float32, name=None), got "
                             "TensorSpec(shape=(3,), dtype=tf.int32, name=None)"));
        QCOMPARE(castProblem(type("{k:[1,2]}"), type("{k:[1,3]}")).value_or(""),
                 std::string("at ['k']: at [1]: expected Literal[3], got Literal[2]"));
        QVERIFY(castProblem(type("[1]"), type("(1)")).has_value());
        QVERIFY(castProblem(type("[1]"), type("[1,1]")).has_value());
    }

    void writesComponentsWithTheContractsPaths() {
        FunctionType request = call({"f32[2,?]", "true", "{k:[f32*]}"});
        std::string text;
        for (const Component& component : components(request, {FunctionContext::Scope::NoCreation}))
            text += component.path + "=" + component.value + (component.open ? "(open)" : "") + "\n";
        QCOMPARE(text, std::string(
                           "a.type=tensor\na.dtype=float32\na.rank=2\na.shape[0]=2\na.shape[1]=None(open)\n"
                           "b.type=bool\nb.value=True\n"
                           "c.type=dict\nc.keys='k'\nc['k'].type=list\nc['k'].len=1\nc['k'][0].type=tensor\n"
                           "c['k'][0].dtype=float32\nc['k'][0].rank=None(open)\n"
                           "ambient.scope=no_variable_creation\n"));
        text.clear();
        for (const Component& component : components(call({"ds((f32[2],i32[]))", "it(f32[])"}), {}))
            text += component.path + "=" + component.value + "\n";
        QCOMPARE(text, std::string("a.type=dataset\na.element.type=tuple\na.element.len=2\n"
                                   "a.element[0].type=tensor\na.element[0].dtype=float32\n"
                                   "a.element[0].rank=1\na.element[0].shape[0]=2\n"
                                   "a.element[1].type=tensor\na.element[1].dtype=int32\na.element[1].rank=0\n"
                                   "b.type=iterator\nb.element.type=tensor\nb.element.dtype=float32\n"
                                   "b.element.rank=0\n"));
    }

    void aDatasetDiffersWhereItsElementsDo() {
        const auto differences = [](const char* request, const char* stored) {
            return blockingDifferences(components(call({request}), {}), components(call({stored}), {}));
        };
        QCOMPARE(differences("ds(f32[3])", "ds(f32[2])"),
                 (std::vector<Difference>{{MissKind::Shape, "a.element.shape[0]", "2", "3"}}));
        QCOMPARE(differences("ds(f32[3])", "ds(f32[?])"), std::vector<Difference>());
        QCOMPARE(differences("it(f32[3])", "ds(f32[2])"),
                 (std::vector<Difference>{{MissKind::Type, "a.type", "dataset", "iterator"}}));
    }

    void anotherNumberOfVariadicArgumentsIsOneDifference() {
        FunctionType one;
        one.parameters.push_back({"args_0", Kind::PositionalOnly, false, type("f32[2]")});
        FunctionType two = one;
        two.parameters.push_back({"args_1", Kind::PositionalOnly, false, type("f32[2]")});
        const auto found = blockingDifferences(components(two, {}), components(one, {}));
        QCOMPARE(found, (std::vector<Difference>{{MissKind::Structure, "args.len", "1", "2"}}));
    }

    void printsListingsAsTensorFlowDoes() {
        FunctionType traced = call({"f32[?,4]", "3"});
        traced.output = type("f32[?,4]");
        QCOMPARE(toListing(traced),
                 std::string(
                     "Input Parameters:\n"
                     "  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None, 4), dtype=tf.float32, name=None)\n"
                     "  b (POSITIONAL_OR_KEYWORD): Literal[3]\n"
                     "Output Type:\n"
                     "  TensorSpec(shape=(None, 4), dtype=tf.float32, name=None)\n"
                     "Captures:\n"
                     "  None\n"));
        FunctionType kinds = call({"1", "2", "3", "4"});
        kinds.parameters[0].kind = Kind::PositionalOnly;
        kinds.parameters[2].kind = kinds.parameters[3].kind = Kind::KeywordOnly;
        QCOMPARE(toText(kinds),
                 std::string("(a: Literal[1], /, b: Literal[2], *, c: Literal[3], d: Literal[4])"));
        kinds.parameters.resize(1);
        QCOMPARE(toText(kinds), std::string("(a: Literal[1], /)"));
        QCOMPARE(toText(traced),
                 std::string("(a: TensorSpec(shape=(None, 4), dtype=tf.float32, name=None), "
                             "b: Literal[3]) -> TensorSpec(shape=(None, 4), dtype=tf.float32, "
                             "name=None)"));
    }
};

RETRACESCOPE_TEST(FunctionTypeTest);

#include "function_type_test.moc"
