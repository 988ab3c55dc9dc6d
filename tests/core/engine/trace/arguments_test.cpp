// How arguments are bound, typed and cast.
#include <array>
#include <functional>
#include <limits>
#include <thread>
#include <utility>

#include <cstdint>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;
using trace::HostArray;

namespace {

std::string signatureOf(const auto& function) {
    const std::string all = function.signatures(false);
    return all.substr(0, all.find(" ->"));
}

FunctionOptions constrained(std::vector<Value> specs, Policy policy = {}) {
    FunctionOptions options;
    options.inputSignature = std::move(specs);
    options.policy = policy;
    return options;
}

TensorSpec spec(DType dtype, const Shape& shape) {
    return {dtype, shape, ""};
}

} // namespace

class ArgumentsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRestTakesAnyNumberOfArguments() {
        Function f("total", {"first", "rest"}, [](Tensor first, Rest<Tensor> rest) {
            for (const Tensor& one : rest)
                first = first + one;
            return first;
        });
        const Tensor x = constant(1.0f);
        QCOMPARE(f(x).scalar<float>(), 1.0f);
        QCOMPARE(f(x, x, x).scalar<float>(), 3.0f);
        QCOMPARE(f(x, x, x).scalar<float>(), 3.0f);
        QCOMPARE(f.tracingCount(), std::size_t{2});
        QCOMPARE(f.concreteFunctions()[1]->type().parameters[2].name, std::string("rest_1"));
        QCOMPARE(signatureOf(f),
                 std::string("(first: TensorSpec(shape=(), dtype=tf.float32, name=None), /)"));
        QVERIFY(
            errorOf<BindingError>([&] { f(); }).starts_with("[total] missing a required argument: 'first'"));
    }

    void aNamedRestTakesOtherNamesInAnyOrder() {
        Function f("options", {"x", "named"}, [](Tensor x, NamedRest<double> named) {
            for (const auto& [name, factor] : named)
                x = x * factor;
            return x;
        });
        const Tensor x = constant(1.0f);
        QCOMPARE(f(x, arg("b", 2.0), arg("a", 3.0)).scalar<float>(), 6.0f);
        QCOMPARE(f(x, arg("a", 3.0), arg("b", 2.0)).scalar<float>(), 6.0f);
        QCOMPARE(f.tracingCount(), std::size_t{1});
        QCOMPARE(signatureOf(f), std::string("(x: TensorSpec(shape=(), dtype=tf.float32, name=None), *, a: "
                                             "Literal[3.0], b: Literal[2.0])"));
    }

    void parametersBehindARestAreNamedOnly() {
        Function f("scaled", {"parts", {"by", 2}}, [](Rest<Tensor> parts, int by) { return parts[0] * by; });
        QCOMPARE(f(constant(3.0f)).scalar<float>(), 6.0f);
        QCOMPARE(f(constant(3.0f), arg("by", 4)).scalar<float>(), 12.0f);
    }

    void kindsOfParametersCanBeAskedFor() {
        Function f("kinds", {positionalOnly("a"), "b", namedOnly({"c", 1})},
                   [](int a, int b, int c) { return constant(100 * a + 10 * b + c); });
        QCOMPARE(f(1, arg("b", 2)).scalar<int>(), 121);
        QCOMPARE(f(1, 2, arg("c", 3)).scalar<int>(), 123);
        QCOMPARE(signatureOf(f), std::string("(a: Literal[1], /, b: Literal[2], *, c: Literal[1])"));
        QVERIFY(errorOf<BindingError>([&] { f(arg("a", 1), arg("b", 2)); }) != "no error");
        QVERIFY(errorOf([] {
                    Function("wrong", {namedOnly("a"), "b"}, [](int, int) { return constant(1); });
                }).starts_with("[wrong] parameter 'b' (POSITIONAL_OR_KEYWORD) cannot follow 'a'"));
    }

    void anInputSignatureReachesTheRest() {
        Function f(
            "all", {"x", "rest"}, [](Tensor x, Rest<Tensor> rest) { return x + rest[0] + rest[1]; },
            constrained(std::vector<Value>(3, spec(DType::Float32, {}))));
        QCOMPARE(f(1.0, 2, constant(3.0f)).scalar<float>(), 6.0f);
        QCOMPARE(f.concrete().type().parameters.size(), std::size_t{3});
        QVERIFY(errorOf<BindingError>([&] { f(1.0, 2.0); }).find("'rest_1'") != std::string::npos);
    }

    void hostMemoryIsTypedAsATensor() {
        int runs = 0;
        Function f("host", {"x"}, [&](Tensor x) {
            ++runs;
            return reduceSum(x);
        });
        std::vector<float> values{1.0f, 2.0f};
        QCOMPARE(f(std::span(values)).scalar<float>(), 3.0f);
        values[0] = 10.0f;
        QCOMPARE(f(std::span(values)).scalar<float>(), 12.0f); // read again, no trace
        QCOMPARE(f(constant({1.0f, 1.0f})).scalar<float>(), 2.0f);
        QCOMPARE(runs, 1);
    }

    void structsAreTypedByTheirCppTypeOrTheirName() {
        const auto point = [](std::uint64_t identity) {
            return Value(Value::Struct{"P", identity, {{"x", constant(1.0f)}, {"y", 2}}});
        };
        const auto traces = [&](const Policy& policy) {
            FunctionOptions options;
            options.policy = policy;
            Function f(
                "structs", {"p"}, [](Value p) { return p.as<Value::Struct>()->fields[0].second; }, options);
            f(point(1));
            f(point(1));
            f(point(2));
            return f.tracingCount();
        };
        QCOMPARE(traces({}), std::size_t{2});
        QCOMPARE(traces(Policy::tensorflow()), std::size_t{1});
    }

    void theBodySeesADictInTheOrderOfTheCall() {
        std::string seen;
        Function f("dicts", {"d"}, [&](Value d) {
            for (const auto& [key, item] : d.as<Value::Dict>()->items)
                seen += types::toText(key);
            return d;
        });
        const Tensor one = constant(1.0f);
        const Tensor two = constant(2.0f);
        const auto first = f(Value(Value::Dict{{{"z", one}, {"a", two}}}));
        const auto second = f(Value(Value::Dict{{{"a", one}, {"z", two}}}));
        QCOMPARE(seen, std::string("'z''a'"));
        QCOMPARE(first.as<Value::Dict>()->items[0].second.as<Tensor>()->scalar<float>(), 1.0f);  // z
        QCOMPARE(second.as<Value::Dict>()->items[0].second.as<Tensor>()->scalar<float>(), 2.0f); // z
        QCOMPARE(f.concreteFunctions()[0]->graph().nameOf(0), std::string("d_a")); // inputs in order of keys
    }

    void equalNumbersShareATraceUnderTensorFlowsPolicyOnly() {
        const auto results = [](const Policy& policy) {
            FunctionOptions options;
            options.policy = policy;
            Function f(
                "shared", {"x"}, [](Value x) { return x; }, options);
            std::string text;
            for (const Value& value : {Value(1), Value(true), Value(1.0), Value(2)})
                text += std::string(dtypeName(f(value).as<Tensor>()->dtype())) + " ";
            return text + std::to_string(f.tracingCount());
        };
        QCOMPARE(results({}), std::string("int32 bool float32 int32 4"));
        QCOMPARE(results(Policy::tensorflow()), std::string("int32 int32 int32 int32 2"));
    }

    void hostValuesBecomeTheDemandedTensor_data() {
        QTest::addColumn<QString>("own");
        QTest::addColumn<QString>("tensorflow");
        const auto row = [](const char* name, const char* own, const char* tensorflow) {
            QTest::newRow(name) << own << tensorflow;
        };
        // for each: int32, int8, float32, bool
        row("2", "2 2 2 -", "2 2 2 -");
        row("300", "300 - 300 -", "300 44 300 -");
        row("2.5", "- - 2.5 -", "- - 2.5 -");
        row("1e300", "- - - -", "- - inf -");
        row("true", "- - - true", "1 - 1 true");
        row("[1, 2]", "[1, 2] [1, 2] [1, 2] -", "[1, 2] [1, 2] [1, 2] -");
        row("array of 2.5", "- - [2.5] -", "[2] [2] [2.5] [true]");
        row("array of 300", "[300] - [300] -", "[300] [44] [300] [true]");
        row("list of a float32 tensor 2.5", "- - [2.5] -", "[2] [2] [2.5] [true]");
        row("float32 tensor 2.5", "- - 2.5 -", "- - 2.5 -");
        row("text", "- - - -", "- - - -");
        row("none", "- - - -", "- - - -");
        row("ragged", "- - - -", "- - - -");
    }

    void hostValuesBecomeTheDemandedTensor() {
        const std::map<std::string, Value> values{
            {"2", 2},
            {"300", 300},
            {"2.5", 2.5},
            {"1e300", 1e300},
            {"true", true},
            {"[1, 2]", std::vector<int>{1, 2}},
            {"array of 2.5", HostArray{constant({2.5})}},
            {"array of 300", HostArray{constant({300})}},
            {"list of a float32 tensor 2.5", std::vector<Tensor>{constant(2.5f)}},
            {"float32 tensor 2.5", constant(2.5f)},
            {"text", "2"},
            {"none", Value()},
            {"ragged", std::vector<std::vector<int>>{{1}, {1, 2}}}};
        const auto result = [&](const Policy& policy) {
            std::string text;
            for (const DType dtype : {DType::Int32, DType::Int8, DType::Float32, DType::Bool}) {
                Function f(
                    "casts", {"x"}, [](Tensor x) { return x; },
                    constrained({spec(dtype, Shape::unknownRank())}, policy));
                try {
                    text += (text.empty() ? "" : " ") + valueText(f(values.at(QTest::currentDataTag())));
                } catch (const CastError& error) {
                    text += " -";
                    if (!std::string_view(error.what()).starts_with("[casts] argument 'x': expected "))
                        return std::string(error.what());
                }
            }
            return text.starts_with(' ') ? text.substr(1) : text;
        };
        QTEST(QString::fromStdString(result({})), "own");
        QTEST(QString::fromStdString(result(Policy::tensorflow())), "tensorflow");
    }

    void aLiteralUnderASignatureTakesEqualValuesOnly() {
        const auto takes = [](const Value& given, const Policy& policy) {
            Function f(
                "literal", {"x", {"k", 2}}, [](Tensor x, int k) { return x * k; },
                constrained({spec(DType::Float32, {})}, policy));
            return errorOf<CastError>([&] { f(1.0, given); }) == "no error";
        };
        QVERIFY(takes(2, {}));
        QVERIFY(takes(constant(2), {}));
        QVERIFY(takes(HostArray{constant(2)}, {}));
        QVERIFY(!takes(2.0, {}));
        QVERIFY(!takes(constant({2, 2}), {}));
        QVERIFY(!takes(3, {}));
        QVERIFY(takes(2.0, Policy::tensorflow()));
        QVERIFY(takes(constant(2.0f), Policy::tensorflow()));
        QVERIFY(!takes(constant(3), Policy::tensorflow()));
        QVERIFY(!takes("2", Policy::tensorflow()));
    }

    void castErrorsNameThePlaceInside() {
        Function f(
            "nested", {"xs"}, [](std::vector<Tensor> xs) { return xs[0]; },
            constrained({std::vector<Value>(2, spec(DType::Float32, {}))}));
        QVERIFY(
            errorOf<CastError>([&] {
                f(std::vector<Tensor>{constant(1.0f), constant(1)});
            })
                .starts_with("[nested] argument 'xs': [1]: expected TensorSpec(shape=(), dtype=tf.float32, "
                             "name=None), got TensorSpec(shape=(), dtype=tf.int32, "));
        QVERIFY(errorOf<CastError>([&] { f(std::vector<Tensor>{constant(1.0f)}); }) != "no error");
    }

    void whatTheCallableDoesNotTakeIsSaid() {
        Function scale("scale", {"x", "factor"}, [](Tensor x, int factor) { return x * factor; });
        QVERIFY(
            errorOf([&] { scale(constant(1.0f), constant(2)); })
                .starts_with("[scale] argument 'factor': the callable's parameter expects an integer, got "
                             "TensorSpec(shape=(), "
                             "dtype=tf.int32, name=None); give the parameter the type of what is passed"));
        QVERIFY(errorOf([&] { scale(3, 2); }).find("expects a tensor, got Literal[3]") != std::string::npos);
        const std::string missing = errorOf([&] { scale(constant(1.0f)); });
        QVERIFY2(missing.starts_with("[scale] missing a required argument: 'factor'"), missing.c_str());
        QVERIFY2(missing.find(" (arguments_test.cpp:") != std::string::npos, missing.c_str());
    }

    void emptyTensorsAreRefusedWhereTheyAreUsed() {
        const Tensor empty;
        const std::string expected = "[tensor] expected a tensor, got an empty one";
        const std::vector<std::pair<std::string, std::function<void()>>> ops{
            {"[mul]", [&] { empty * 0.1f; }},
            {"[reduce_sum]", [&] { reduceSum(empty); }},
            {"[concat]", [&] {
                 concat({empty, constant({1.0f})});
             }}};
        for (const auto& [op, call] : ops) {
            const std::string error = errorOf(call);
            QVERIFY2(error.starts_with(op + " expected a tensor, got an empty one"), error.c_str());
            QVERIFY2(error.find("(arguments_test.cpp:") != std::string::npos, error.c_str());
        }
        QVERIFY(errorOf([&] { empty.shape(); }).starts_with(expected));
        QVERIFY(errorOf([&] { empty.dtype(); }).starts_with(expected));
        Function f("f", {"x"}, [](Tensor x) { return x + 1.0f; });
        QVERIFY(errorOf([&] { f(empty); }).find("expected a tensor, got an empty one") != std::string::npos);
        QCOMPARE(valueText(empty), std::string("empty"));
        std::string symbolic;
        Function g("g", {"x"}, [&](Tensor x) {
            symbolic = valueText(x);
            return x;
        });
        g(constant({1.0f, 2.0f}));
        QCOMPARE(symbolic, std::string("float32[2] symbolic"));
    }

    void argumentsStayAsTheyAre() {
        Function f("f", {"x", "parts", "scale"}, [](Tensor x, std::vector<Tensor> parts, Variable scale) {
            x = x * scale;
            parts.push_back(x);
            scale = Variable();
            return parts.back();
        });
        const Tensor x = constant(3.0f);
        const std::vector<Tensor> parts{x};
        const Variable two(constant(2.0f));
        QCOMPARE(f(x, parts, two).scalar<float>(), 6.0f);
        QCOMPARE(x.scalar<float>(), 3.0f);
        QCOMPARE(parts.size(), std::size_t{1});
        QVERIFY(parts[0].isSame(x));
        QCOMPARE(two.read().scalar<float>(), 2.0f);
    }

    // So that a debugger steps from the call into the body.
    void aBodyRunsInsideTheCall() {
        std::thread::id thread;
        bool isInside = false;
        bool wasInside = false;
        Function f("f", {"x"}, [&](Tensor x) {
            thread = std::this_thread::get_id();
            wasInside = isInside;
            return x;
        });
        isInside = true;
        f(constant(1.0f));
        isInside = false;
        QVERIFY(wasInside);
        QVERIFY(thread == std::this_thread::get_id());
    }

    void mixedDictKeysFollowThePolicy() {
        const Value::Dict mixed{{{types::Literal(1), Value(1)}, {types::Literal("k"), Value(2)}}};
        const Value::Dict sortable{{{types::Literal(2.5), Value(1)}, {types::Literal(true), Value(2)}}};
        for (const bool refuses : {false, true}) {
            FunctionOptions options;
            options.policy.refusesMixedKeys = refuses;
            Function f(
                "f", {"x"}, [](const Value&) { return constant(1); }, options);
            f(Value(sortable));
            const std::string error = errorOf([&] { f(Value(mixed)); });
            QCOMPARE(
                error.find("[f] argument 'x': expected dict keys of one kind that can be sorted, got 'k' "
                           "beside 1") != std::string::npos,
                refuses);
            QCOMPARE(f.tracingCount(), refuses ? 1U : 2U);
        }
    }

    void relaxingAcrossAritiesFollowsThePolicy() {
        const auto trace = [](const Policy& policy) {
            FunctionOptions options;
            options.reduceRetracing = true;
            options.policy = policy;
            Function f(
                "many", {"parts"}, [](Rest<Tensor> parts) { return parts[0]; }, options);
            f(ones({2}));
            f(ones({3}), ones({3}));
            return f.tracingCount();
        };
        QCOMPARE(trace({}), std::size_t{2});
        QVERIFY(errorOf<RelaxError>([&] {
                    trace(Policy::tensorflow());
                }).starts_with("[many] expected at most 1 arguments as in the earlier"));
    }

    void hostValuesUnderAnInputSignatureAreConvertedAtEveryCall() {
        Function<Value(Value)> f(
            "f", {"x"}, [](Value x) { return Value(*x.as<Tensor>() + 1.0f); },
            constrained({spec(DType::Float32, Shape::unknownRank())}, Policy::tensorflow()));
        const auto call = [&](const Value& given) { return f(given).as<Tensor>()->values<float>().back(); };
        const Variable v(constant(5.0f));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(call(1.5), 2.5f);
            QCOMPARE(call(HostArray{constant({1, 2})}), 3.0f);
            QCOMPARE(call(v), 6.0f);
            QCOMPARE(call(constant(7.0f)), 8.0f);
        }
        QCOMPARE(f.traceCount(), std::size_t{1});
    }

    void aCallIsTheSameWhicheverWayItIsWritten() {
        Function f("f", {"x", {"r", 0.1}, {"k", 1}},
                   [](Tensor x, float r, std::int8_t k) { return x * r + static_cast<float>(k); });
        const Variable v(constant(1.0f));
        f(v, 0.1f, std::int8_t{1});
        f(v);
        f(v, 0.1);
        f(arg("x", v), arg("r", 0.1));
        f(constant(1.0f), arg("k", 1));
        QCOMPARE(f.traceCount(), std::size_t{1});
        QCOMPARE(f(v, arg("r", 2)).scalar<float>(), 3.0f); // a whole number for a float
        QCOMPARE(f(v, 2.0f, std::int8_t{1}).scalar<float>(), 3.0f);
        QCOMPARE(f.traceCount(), std::size_t{2});
        QCOMPARE(f.concrete(v).type(), f.concrete(constant(1.0f)).type());
        VERIFY_CONTAINS(errorOf([&] { f(v, arg("k", 300)); }),
                        "[f] argument 'k': expected a whole number of 8 bits, got 300 (arguments_test.cpp:");
        Function letter("letter", {{"c", 'a'}, {"u", 1}},
                        [](char c, std::uint32_t u) { return constant(c + static_cast<int>(u)); });
        QCOMPARE(letter(arg("u", 2)).scalar<std::int32_t>(), 'a' + 2);
        VERIFY_CONTAINS(errorOf([&] { letter(arg("u", -1)); }),
                        "a whole number of 32 bits without a sign, got -1");

        Function wide("wide", {{"s", std::int64_t{0}}, {"u", std::uint64_t{0}}, {"r", 0.0f}},
                      [](std::int64_t s, std::uint64_t u, float r) {
                          return constant(static_cast<float>(s) + static_cast<float>(u) + r);
                      });
        constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 63;
        const std::string tooLarge =
            "expected a whole number up to 2^63 - 1, got 9223372036854775808; pass a "
            "larger one as a tensor (arguments_test.cpp:";
        VERIFY_CONTAINS(errorOf([&] { wide(arg("u", -1)); }),
                        "a whole number of 64 bits without a sign, got -1");
        VERIFY_CONTAINS(errorOf([&] { wide(0, -1, 0.0f); }),
                        "a whole number of 64 bits without a sign, got -1");
        VERIFY_CONTAINS(errorOf([&] { wide(arg("s", kTooLarge)); }), tooLarge);
        VERIFY_CONTAINS(errorOf([&] { wide(kTooLarge, 0, 0.0f); }), tooLarge);
        VERIFY_CONTAINS(errorOf([&] { wide(0, kTooLarge, 0.0f); }), tooLarge);
        for (const std::string& message :
             {errorOf([&] { wide(0, 0, 1e300); }), errorOf([&] { wide(arg("r", 1e300)); })})
            VERIFY_CONTAINS(message,
                            "expected a floating number of 32 bits, got 1e+300 (arguments_test.cpp:");
        QCOMPARE(wide(0, kTooLarge - 1, std::numeric_limits<double>::infinity()).scalar<float>(),
                 std::numeric_limits<float>::infinity());
        Function any("any", {"v"}, [](const Value&) { return constant(1.0f); });
        VERIFY_CONTAINS(errorOf([&] { any(kTooLarge); }), tooLarge);
        VERIFY_CONTAINS(errorOf([] { Function g("f", {""}, [](Tensor x) { return x; }); }),
                        "[f] parameter '' has no name");
        Function most("most", {"u"}, [](std::uint64_t u) { return constant(u == kTooLarge - 1); });
        for (int i = 0; i < 2; ++i)
            QVERIFY(most(kTooLarge - 1).scalar<bool>());
        Function all("all", {"xs"}, [](Rest<Tensor> xs) { return xs[0] + xs[1]; });
        QCOMPARE(all(v, constant(2.0f)).scalar<float>(), 3.0f);
    }

    void aWrongDefinitionNamesItsLine() {
        const auto two = [](Tensor x, Tensor y) { return x + y; };
        VERIFY_CONTAINS(errorOf([&] { Function("f", {"x", "x"}, two); }), "(arguments_test.cpp:");
        VERIFY_CONTAINS(errorOf([&] { Function("f", {{"x", 1}, "y"}, two); }), "(arguments_test.cpp:");
        VERIFY_CONTAINS(errorOf([&] {
                            Function("f", {"x", "y"}, two, constrained({spec(DType::Float32, Shape{})}));
                        }),
                        "(arguments_test.cpp:");
    }

    void callablesMayPromiseNotToThrow() {
        Function f("f", {"x"}, [](Tensor x) noexcept { return x + 1.0f; });
        QCOMPARE(f(constant(1.0f)).scalar<float>(), 2.0f);
    }

    void spansOfFixedSizeAreArrays() {
        const std::array<float, 3> numbers{1, 2, 3};
        Function<Tensor(Value)> f("f", {"x"}, [](Value x) { return reduceSum(*x.as<Tensor>()); });
        QCOMPARE(f(Value(std::span<const float, 3>(numbers))).scalar<float>(), 6.0f);
    }

    void anEmptyVariableIsRefusedBeforeItIsUsed() {
        const Variable none;
        Function f("f", {"v"}, [](Variable v) { return v + 1.0f; });
        Function g("g", {"x"}, [](Tensor x) { return x + 1.0f; });
        for (const auto& use : std::vector<std::function<void()>>{
                 [&] { none.read(); }, [&] { none.assign(1.0f); }, [&] { none * 2.0f; }, [&] { none.name(); },
                 [&] { f(none); }, [&] { g(none); }, [&] { g(arg("x", none)); }})
            VERIFY_CONTAINS(errorOf(use), "[variable] expected a variable, got an empty Variable");
    }

    void structuresAreToldApartWhereverTheirPartsLie() {
        using Numbers = std::vector<int>;
        using Named = std::map<std::string, int>;
        Function f("f", {"a", "b", "s", "t", "m"},
                   [](Numbers a, Numbers b, std::string s, std::string t, Named m) {
                       std::string text = s + "|" + t;
                       for (const Numbers& numbers : {a, b}) {
                           text += "|";
                           for (const int number : numbers)
                               text += std::to_string(number);
                       }
                       for (const auto& [key, number] : m)
                           text += "|" + key + std::to_string(number);
                       return constant(text);
                   });
        const auto call = [&](Numbers a, Numbers b, std::string s, std::string t, Named m) {
            return f(a, b, s, t, m).scalar<std::string>();
        };
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(call({1}, {2, 3}, "ab", "c", {{"k", 1}}), std::string("ab|c|1|23|k1"));
            QCOMPARE(call({1, 2}, {3}, "ab", "c", {{"k", 1}}), std::string("ab|c|12|3|k1"));
            QCOMPARE(call({1, 2, 3}, {}, "ab", "c", {{"k", 1}}), std::string("ab|c|123||k1"));
            QCOMPARE(call({1}, {2, 3}, "a", "bc", {{"k", 1}}), std::string("a|bc|1|23|k1"));
            QCOMPARE(call({1}, {2, 3}, "ab", "c", {{"k", 2}}), std::string("ab|c|1|23|k2"));
            QCOMPARE(call({1}, {2, 3}, "ab", "c", {{"l", 1}}), std::string("ab|c|1|23|l1"));
            QCOMPARE(call({1}, {2, 3}, "ab", "c", {}), std::string("ab|c|1|23"));
            QCOMPARE(call({1}, {2, 3}, "abcdefgh", "abcdefghi", {}), std::string("abcdefgh|abcdefghi|1|23"));
            QCOMPARE(call({1}, {2, 3}, "abcdefghi", "abcdefgh", {}), std::string("abcdefghi|abcdefgh|1|23"));
        }
        QCOMPARE(f.traceCount(), std::size_t{9});
    }

    void whichArgumentsAreOneVariableIsToldInStructures() {
        using Variables = std::vector<Variable>;
        Function f("f", {"some", "one"}, [](Variables some, Variable one) {
            Tensor sum = one * 100.0f;
            for (std::size_t i = 0; i < some.size(); ++i)
                sum = sum + some[i] * static_cast<float>(i + 1);
            return sum;
        });
        const Variable v(constant(1.0f));
        const Variable w(constant(10.0f));
        const Variable fixed(constant(1.0f), {.trainable = false});
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(f(Variables{v, w}, v).scalar<float>(), 121.0f);
            QCOMPARE(f(Variables{w, v}, w).scalar<float>(), 1012.0f); // the same pattern
            QCOMPARE(f.traceCount(), std::size_t{i == 0 ? 1u : 4u});
            QCOMPARE(f(Variables{v, w}, w).scalar<float>(), 1021.0f);
            QCOMPARE(f(Variables{v, v}, w).scalar<float>(), 1003.0f);
            QCOMPARE(f(Variables{v, v}, fixed).scalar<float>(), 103.0f);
        }
        QCOMPARE(f.traceCount(), std::size_t{4});
    }

    void listsMayBeLong() {
        Function f("f", {"items"}, [](std::vector<Tensor> items) {
            for (Tensor& item : items)
                item = item + 1.0f;
            return items;
        });
        for (const std::size_t size : {3u, 128u, 129u, 1000u})
            for (int i = 0; i < 2; ++i) {
                std::vector<Tensor> items;
                for (std::size_t k = 0; k < size; ++k)
                    items.push_back(constant(static_cast<float>(k)));
                const std::vector<Tensor> results = f(items);
                QCOMPARE(results.size(), size);
                QCOMPARE(results.back().scalar<float>(), static_cast<float>(size));
            }
        QCOMPARE(f.traceCount(), std::size_t{4});
    }

    void aFunctionWithoutParametersHitsToo() {
        const Variable v(constant(1.0f));
        Function f("f", {}, [&] { return v + 1.0f; });
        QCOMPARE(f().scalar<float>(), 2.0f);
        v.assign(3.0f);
        QCOMPARE(f().scalar<float>(), 4.0f);
        QCOMPARE(f.traceCount(), std::size_t{1});
    }
};

RETRACESCOPE_TEST(ArgumentsTest);

#include "arguments_test.moc"
