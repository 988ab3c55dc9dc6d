// Concrete functions that are called directly.
#include <stdexcept>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void aBoundLiteral(Play& s) {
    s.function("power", [](Tensor a, int b) { return pow(a, b); });
    s.playOn();
}

void aWrongShape(Play& s) {
    s.function("g", [](Tensor x) { return x + 1.0f; });
    const ConcreteFunction* cf = s.get("g");
    s.callConcrete("g");
    s.function("outer", [=](Tensor x) { return (*cf)(x); });
    s.playOn();
}

void aLiteralLeftOut(Play& s) {
    s.function("g", [](Tensor x, std::string) { return x; });
    s.playOn();
}

void literalsAndTensors(Play& s) {
    s.function("g", [](Value x) { return tensorOf(x); });
    s.playOn();
}

void variadicValues(Play& s) {
    s.function("func", [](Value x, Value, Rest<Value>, NamedRest<Value>) { return x; });
    s.playOn();
}

void structuredNamesFirst(Play& s) {
    s.function("g", [](Tensor x, Tensor y) { return x * 10 + y; });
    s.playOn();
}

void literalCasts(Play& s) {
    s.function("g", [](Tensor x, int k) { return cast(x, DType::Float32) + static_cast<float>(k); });
    s.playOn();
}

void hostValuesForTensors(Play& s) {
    s.function("g", [](Tensor x) { return x * 2; });
    s.playOn();
}

void containers(Play& s) {
    s.function("g", [](Value d, std::tuple<Tensor> t) {
        const auto& items = d.as<Value::Dict>()->items;
        return tensorOf(items[0].second) + tensorOf(items[1].second.as<Value::Sequence>()->items[0]) +
               std::get<0>(t);
    });
    const ConcreteFunction* cf = s.get("g");
    s.check(cf->flatNames());
    s.playOn();
}

void structuredOutputs(Play& s) {
    s.function("g", [](Tensor x) {
        return Value(Value::Dict{{{"n", Value()},
                                  {"l", std::vector<Value>{x, std::tuple(x + 1.0f, 3)}},
                                  {"s", "text"},
                                  {"f", 2.5},
                                  {"b", true}}});
    });
    const ConcreteFunction* cf = s.get("g");
    s.callConcrete("g");
    s.skip(); // structures of symbolic tensors, of shapes, of dtypes: here they are the type's
    s.skip();
    s.skip();
    s.check(cf->outputCount());
    const Variable w(constant(4.0f));
    s.function("v", [&](Tensor) { return w; });
    s.call("v");
}

void wrongFlatArguments(Play& s) {
    s.function("g", [](Tensor x, Tensor y) { return x + y; });
    s.playOn();
}

void exceptionsOfTheBody(Play& s) {
    struct V : std::invalid_argument {
        using std::invalid_argument::invalid_argument;
    };
    const auto body = [](int k) -> Tensor {
        switch (k) {
        case 0:
            throw V("subclass of ValueError");
        case 1:
            throw std::system_error(std::make_error_code(std::errc::io_error), "os");
        case 2:
            throw UsageError("tensorflow");
        case 3:
            throw std::runtime_error("plain");
        case 4:
            throw std::range_error("utf-8");
        default:
            throw std::bad_alloc();
        }
    };
    s.function("with_autograph", {"k"}, body);
    s.function("without", {"k"}, body);
    s.playOn();
}

void aVariableParameter(Play& s) {
    const Variable v(constant(1.0f));
    s.variable(1, v);
    s.variable(2, Variable(constant(5.0f)));
    s.variable(3, Variable(constant({1.0f, 2.0f})));
    s.function("g", [](Variable x) { return x + 1.0f; });
    const ConcreteFunction* cf = s.get("g");
    s.check(Json{cf->flatNames().size(), cf->type().captures.size()});
    s.playOn();
}

void aliasedVariables(Play& s) {
    const Variable v(constant(1.0f));
    const Variable w(constant(10.0f));
    s.variable(1, v);
    s.variable(2, w);
    s.function("g", [](Variable a, Variable b) {
        a.assignAdd(1.0f);
        return a + b;
    });
    const ConcreteFunction* c1 = s.get("g");
    const ConcreteFunction* c2 = s.get("g");
    s.check(Json{c1->flatNames().size(), c2->flatNames().size()});
    s.call("g");
    s.call("g");
    s.checkThat([&] {
        const float sum = tensorOf((*c2)(v, v)).scalar<float>();
        return sum == 7 || sum == 8;
    });
    s.playOn();
}

void aPartialFunction(Play& s) {
    const auto base = [](int a, int b, int c) { return constant({a, b, c}); };
    s.function("g", {"b", namedOnly({"c", 30})}, [=](int b, int c) { return base(1, b, c); });
    s.skip(); // how Python prints the parameters
    s.playOn();
}

} // namespace

BodyMap concreteBodies() {
    return {{"O142", aBoundLiteral},      {"O143", aWrongShape},          {"O145", aLiteralLeftOut},
            {"O146", literalsAndTensors}, {"O148", variadicValues},       {"O149", structuredNamesFirst},
            {"N070", literalCasts},       {"N071", hostValuesForTensors}, {"N073", containers},
            {"N074", structuredOutputs},  {"N077", wrongFlatArguments},   {"N086", exceptionsOfTheBody},
            {"O106", aVariableParameter}, {"N038", aliasedVariables},     {"N043", aPartialFunction}};
}

} // namespace retracescope::oracle
