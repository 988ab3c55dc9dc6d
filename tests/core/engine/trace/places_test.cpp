// Every mistake names a line of the program, whichever way it came about.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/misuse.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;
using test::Misuse;

namespace {

struct Layer {
    Tensor apply(Tensor x, int times) { return x * static_cast<float>(times); }
};

struct Eagerly {
    Eagerly() { runFunctionsEagerly(true); }
    ~Eagerly() { runFunctionsEagerly(false); }
};

Function<Tensor(Tensor, int)> scaled() {
    return Function("scaled", {"x", {"times", 2}},
                    [](Tensor x, int times) { return x * static_cast<float>(times); });
}

/// A symbolic tensor of a trace that is over.
Tensor leaked() {
    Tensor kept;
    Function("maker", {"x"}, [&](Tensor x) {
        kept = x;
        return x;
    })(constant(1.0f));
    return kept;
}

std::vector<Misuse> callsOfFunctions() {
    const auto layer = std::make_shared<Layer>();
    const auto method = std::make_shared<Method<Tensor(Layer&, Tensor, int)>>(
        "apply", std::vector<ParameterName>{"x", {"times", 2}}, &Layer::apply);
    return {
        {"[mul] expected a tensor, got an empty one", [] { scaled()(Tensor(), 2); }},
        {"[scaled]", [] { scaled()(constant(1.0f), "often"); }},
        {"[scaled]", [] { scaled()("much"); }},
        {"[scaled]", [] { scaled()(); }},
        {"[scaled]", [] { scaled()(constant(1.0f), arg("often", 2)); }},
        {"[scaled]", [] { scaled()(constant(1.0f), 2, arg("times", 2)); }},
        {"[scaled]", [] { scaled()(constant(1.0f), 2, 3, 4, 5, 6, 7, 8); }},
        {"[scaled]", [] { scaled()(1, 2, 3, 4, 5, 6, 7, 8, 9, 10); }},
        {"[scaled]", [] { scaled().concrete(constant(1.0f), "often"); }},
        {"[scaled]", [] { scaled().concrete(); }},
        {"[scaled]", [] { scaled().callBody(constant(1.0f), "often"); }},
        {"[scaled]", [] { scaled().callBody(); }},
        {"[scaled]",
         [] {
             const Eagerly eagerly;
             scaled()(constant(1.0f), "often");
         }},
        {"[mul] expected a tensor, got an empty one", [=] { (*method)(layer, Tensor(), 2); }},
        {"[apply]", [=] { (*method)(layer, constant(1.0f), "often"); }},
        {"[apply]", [=] { (*method)(layer); }},
        {"[apply]", [=] { (*method)(nullptr, constant(1.0f)); }},
        {"[apply]", [=] { method->of(nullptr); }},
        {"[scaled_1]",
         [] {
             scaled().concrete(constant(1.0f))(constant({1.0f, 2.0f}));
         }},
        {"[scaled_1]", [] { scaled().concrete(constant(1.0f))(constant(1.0f), 3); }},
        {"[scaled_1]", [] { scaled().concrete(constant(1.0f))(); }},
        {"[scaled_1]", [] { scaled().concrete(constant(1.0f))(arg("y", constant(1.0f))); }},
        {"[scaled] expected 1 input, got 0",
         [] {
             const Function f = scaled();
             f.concrete(constant(1.0f)).callFlat({});
         }},
        {"[scaled] x is expected as float32[], got float32[2]",
         [] {
             const Function f = scaled();
             f.concrete(constant(1.0f)).callFlat(std::array{constant({1.0f, 2.0f})});
         }},
        {"[scaled] x is expected as float32[], got nothing",
         [] {
             const Function f = scaled();
             f.concrete(constant(1.0f)).callFlat(std::array{Tensor()});
         }},
    };
}

std::vector<Misuse> traces() {
    return {
        {"[f_1] deferred capture 'rate': expected float32[], got float32[2]",
         [] {
             Tensor rate = constant(1.0f);
             const Function f("f", {"x"}, [&](Tensor x) {
                 return x * deferred({DType::Float32, Shape{}, "rate"}, [&] { return rate; });
             });
             f(constant(1.0f));
             rate = constant({1.0f, 2.0f});
             f(constant(1.0f));
         }},
        {"[deferred] deferred capture 'rate': expected float32[], got nothing",
         [] {
             deferred({DType::Float32, Shape{}, "rate"}, [] { return Tensor(); });
         }},
        {"[mul] a symbolic float32[] of the trace of 'maker' is out of scope",
         [] {
             const Tensor kept = leaked();
             const Function f("f", {"x"}, [&](Tensor x) { return x * kept; },
                              {.policy = Policy::tensorflow()});
             f(constant(1.0f));
         }},
        {"[f] a symbolic float32[] of the trace of 'maker' is out of scope",
         [] {
             const Tensor kept = leaked();
             Function("f", {"x"}, [&](Tensor) { return kept; })(constant(1.0f));
         }},
        {"[f] a symbolic float32[] of the trace of 'f/then' is out of scope",
         [] {
             Tensor kept;
             Function("f", {"x"}, [&](Tensor x) {
                 cond(
                     x > 0.0f, [&] { return kept = x * 2.0f; }, [&] { return x; });
                 return kept;
             })(constant(1.0f));
         }},
        {"[cond] expected a tensor, got an empty one",
         [] {
             Function("f", {"x"}, [&](Tensor x) {
                 return cond(
                     Tensor(), [&] { return x; }, [&] { return x; });
             })(constant(1.0f));
         }},
        {"[f/then] ",
         [] {
             const Tensor kept = leaked();
             Function("f", {"x"}, [&](Tensor x) {
                 return cond(
                     x > 0.0f, [&] { return kept; }, [&] { return x; });
             })(constant(1.0f));
         }},
        {"[f/body] ",
         [] {
             const Tensor kept = leaked();
             Function("f", {"x"}, [&](Tensor x) {
                 return forRange(
                     3, [&](Tensor, Tensor) { return kept; }, x);
             })(constant(1.0f));
         }},
        {"[gradients] expected a tensor, got an empty one",
         [] { Function("f", {"x"}, [&](Tensor x) { return gradients(Tensor(), {x})[0]; })(constant(1.0f)); }},
        {"[dict] expected every key once, got 'a' twice",
         [] {
             const Value::Dict twice{{{types::Literal("a"), constant(1.0f)}, {types::Literal("a"), 2}}};
             Function("f", {"d"}, [](Value d) { return d; })(Value(twice));
         }},
        {"[dict] expected every key once, got 'a' twice",
         [] {
             const Value::Dict twice{{{types::Literal("a"), constant(1.0f)}, {types::Literal("a"), 2}}};
             Function("f", {}, [=] { return Value(twice); })();
         }},
        {"[add] shapes do not broadcast: [2] with [3]",
         [] {
             const Function add("add", {"x", "y"}, [](Tensor x, Tensor y) {
                 Local total = x;
                 total += y;
                 total += constant({1.0f, 2.0f, 3.0f});
                 return total.read();
             });
             add(constant({1.0f, 2.0f}), constant({1.0f, 2.0f}));
         }},
    };
}

std::vector<Misuse> values() {
    return {
        {"[Shape] expected sizes >= 0 or Shape::kUnknown, got -2", [] { Shape{-2}; }},
        {"[Shape] expected sizes >= 0 or Shape::kUnknown, got -2",
         [] {
             zeros({3, -2});
         }},
        {"[tensor] float32[35184372088832] does not fit into memory", [] { ones({std::int64_t{1} << 45}); }},
        {"[TensorArray.write] expected an array, got an empty TensorArray",
         [] { static_cast<void>(TensorArray().write(0, 1.0f)); }},
        {"[TensorArray.read] expected an array, got an empty TensorArray", [] { TensorArray().read(0); }},
        {"[TensorArray.stack] expected an array, got an empty TensorArray", [] { TensorArray().stack(); }},
        {"[TensorArray.size] expected an array, got an empty TensorArray", [] { TensorArray().size(); }},
        {"[DatasetIterator] expected a dataset, got an empty one",
         [] {
             for (const Tensor& element : Dataset())
                 static_cast<void>(element);
         }},
        {"[batch]", [] { Dataset::range(5).batch(0); }},
        {"[f] variable 'late' is created in a later call",
         [] {
             std::optional<Variable> late; // made on a line of the standard library
             int calls = 0;
             Function f("f", {"n"}, [&](int n) {
                 static std::optional<Variable> kept;
                 if (!kept)
                     kept.emplace(constant(1.0f));
                 if (n == 2)
                     late.emplace(constant(1.0f), Variable::Options{"late"});
                 return ++calls;
             });
             f(1);
             f(2);
         }},
        {"[Rest] expected an index below 0, the number of further arguments, got 0",
         [] { Function("f", {"parts"}, [](Rest<Tensor> parts) { return parts[0]; })(); }},
        {"[Dataset.elements] expected a tuple of 2, got ",
         [] {
             for (const auto& pair : Dataset::range(3).elements<std::tuple<Tensor, Tensor>>())
                 static_cast<void>(pair);
         }},
        {"[forEach] expected a tuple of 2, got ",
         [] {
             Function("f", {"x"}, [](Tensor x) {
                 return forEach(
                     Dataset::range(3), [](Tensor a, Tensor b, Tensor sum) { return sum + a + b; }, x);
             })(constant(1.0f));
         }},
        {"[map] expected a tuple of 2, got ",
         [] { Dataset::range(3).map([](Tensor a, Tensor b) { return a + b; }); }},
        {"[forRange] expected an integer scalar as count, got float32[]",
         [] {
             forRange(
                 constant(2.5f), [](Tensor, Tensor sum) { return sum; }, constant(1.0f));
         }},
        {"[For] expected an integer scalar as count, got int32[2]",
         [] {
             For(constant({1, 2}), [](Tensor) {});
         }},
        {"[f] 'k' can only be given by name",
         [] {
             Function("f", {"x", namedOnly("k")}, [](Tensor x, int) { return x; })(constant(1.0f), 3);
         }},
        {"[f] 'x' can only be given by position",
         [] { Function("f", {positionalOnly("x")}, [](Tensor x) { return x; })(arg("x", constant(1.0f))); }},
        {"[host_call] 'host' threw: [host] expected a host",
         [] {
             Function("f", {"x"}, [](Tensor x) {
                 hostCall(
                     "host", [](const Tensor&) { throw UsageError("[host] expected a host"); }, x);
             })(constant(1.0f));
         }},
        {"[scaled_1] expected 'x' as float32[], got float32[2]; as its function is called: ",
         [] {
             scaled().concrete(constant(1.0f), 3)(constant({1.0f, 2.0f}));
         }},
        {"[Local] a local is read before it has a value",
         [] {
             std::vector<Local<Tensor>> locals;
             locals.emplace_back();
             Function("a", {}, [&] { return locals[0].read(); })();
         }},
        {"[Recorder] cannot write ", [] { Recorder recorder("/nonexistent/folder/a.retrace"); }},
        {"[my_op] made by hand",
         [] { Function("f", {}, [] { throw UsageError("[my_op] made by hand"); })(); }},
    };
}

} // namespace

class PlacesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMistakeNamesALineOfTheProgram() {
        std::string wrong; // all of them at once
        for (const std::vector<Misuse>& misuses : {callsOfFunctions(), traces(), values()}) {
            for (const Misuse& misuse : misuses) {
                const std::string message = errorOf(misuse.call);
                if (!message.starts_with(misuse.start) ||
                    message.find("(places_test.cpp:") == std::string::npos)
                    wrong += "\nexpected " + misuse.start + "\ngot      " + message + '\n';
            }
        }
        if (!wrong.empty())
            qWarning("%s", wrong.c_str());
        QVERIFY(wrong.empty());
    }

    void namesTheLineOfTheCallNotOfTheDefinition() {
        const Function f = scaled();
        const auto line = [](int number) { return "(places_test.cpp:" + std::to_string(number) + ")"; };
        VERIFY_CONTAINS(errorOf([&] { f("much"); }), line(__LINE__));
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f), arg("often", 2)); }), line(__LINE__));
        VERIFY_CONTAINS(errorOf([&] { f.concrete("much"); }), line(__LINE__));
        VERIFY_CONTAINS(errorOf([&] { f.concrete(constant(1.0f))(1, 2, 3); }), line(__LINE__));
    }

    void nodesAreOfLinesOfTheProgram() {
        const Variable v(constant(1.0f));
        const Function f("f", {"x", "i"}, [&](Tensor x, Tensor i) {
            Local total = x;
            Local steps = 0;
            While([&] { return steps < 3; },
                  [&](Loop& loop) {
                      total += x;
                      steps += 1;
                      If(total > 10.0f, [&] { loop.endAfterThisTrip(); });
                  });
            const Tensor held = v;
            const nn::LSTMCell cell(2);
            const Tensor more = cell(reshape(x, {1, 1}), cell.zeroState(reshape(x, {1, 1})))[0];
            const Tensor chosen = switchCase(
                i, [&] { return x; }, [&] { return total.read(); });
            const Tensor drawn = statelessNormal({2}, constant({1, 2}));
            const Tensor layer = nn::Dense(2)(reshape(x, {1, 1}));
            const Tensor state = nn::GRUCell(2)(reshape(x, {1, 1}), {zeros({1, 2})})[0];
            const Tensor rows = mapRows(drawn, [&](Tensor row) { return row * held; });
            return std::tuple(chosen, reduceSum(layer), reduceSum(state), more, rows, v, 2.5);
        });
        f(constant(1.0f), constant(1));
        std::string wrong;
        const std::function<void(const ir::Graph&)> check = [&](const ir::Graph& graph) {
            for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
                if (const ir::SourceLine* source = graph.sourceOf(node);
                    source != nullptr && !source->file.ends_with("places_test.cpp"))
                    wrong += source->file + ":" + std::to_string(source->line) + "\n";
            for (const auto& branch : graph.branches())
                check(*branch);
        };
        for (const ConcreteFunction* concrete : f.concreteFunctions())
            check(concrete->graph());
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
};

RETRACESCOPE_TEST(PlacesTest);

#include "places_test.moc"
