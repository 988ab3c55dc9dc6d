// Effects, their order, and errors.
#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void swappedVariables(Play& s) {
    const Variable a(constant(1.0f));
    const Variable b(constant(2.0f));
    s.function("swap", [&] {
        const Tensor t = a.read();
        a.assign(b);
        b.assign(t);
        return std::tuple(a + 0.0f, b + 0.0f);
    });
    s.playOn();
    s.check(Json{seen(a.read()), seen(b.read())});
}

void unusedReadAndWrite(Play& s) {
    const Variable v(constant(0));
    s.function("g", [&] {
        v.read();
        v.assignAdd(1);
        return constant(7);
    });
    s.playOn();
    s.check(seen(v.read()));
    s.graph("g", *s.core("g").concreteFunctions()[0]);
    s.skip(); // names of TensorFlow's ops
}

void orderThroughFunctions(Play& s) {
    const Variable v(constant(1.0f));
    const auto add = s.function("add", [&](double x) { v.assignAdd(x); });
    const auto mul = s.function("mul", [&](double x) { v.assign(v * x); });
    s.function("g", [&] {
        add(1.0);
        mul(10.0);
        add(5.0);
        const Tensor r = v.read();
        mul(2.0);
        return r;
    });
    s.call("g");
    s.check(seen(v.read()));
    s.call("g");
    s.check(seen(v.read()));
    s.graph("g", *s.core("g").concreteFunctions()[0]);
}

void staticShapeErrors(Play& s) {
    const auto product = [](Tensor x, Tensor y) { return matmul(x, y); };
    s.function("g", product);
    s.function("h", product);
    s.function("k", [](Tensor x, Tensor y) { return x + y; });
    s.playOn();
}

void hostAndGraphEffects(Play& s) {
    const Variable count(constant(0));
    std::vector<int> py;
    s.function("g", [&](int x) {
        py.push_back(x);
        count.assignAdd(1);
        return constant(0);
    });
    s.playOn();
    s.check(py);
    s.check(seen(count.read()));
}

void noArgumentsNoOutputs(Play& s) {
    const Variable v(constant(0));
    s.function("g", [&] { v.assignAdd(1); });
    s.playOn();
    s.check(seen(v.read()));
    s.graph("g", *s.core("g").concreteFunctions()[0]);
    s.function("h", {}, [] {});
    s.playOn();
    s.graph("h", *s.core("h").concreteFunctions()[0]);
    s.function("e", [](Tensor) { return std::vector<Tensor>(); });
    s.playOn();
}

void aBodyThatNeedsAVariable(Play& s) {
    const Variable v(constant(1.0f));
    s.variable(1, v);
    s.function("g", [](Value x) {
        const auto variable = trace::fromValue<Variable>(x);
        variable.assignAdd(1.0f);
        return variable.read();
    });
    s.playOn();
    s.check(seen(v.read()));
}

void aBodyThatNeedsItsShape(Play& s) {
    s.function("g", [](Tensor x) { return zeros(x.shape()) + x; });
    s.playOn();
}

void printedSignatures(Play& s) {
    const auto g = s.function("g", [] { return constant(1); });
    s.skip(); // Python's attribute input_signature
    s.other([&] { return Value(g.signatures()); });
    s.check(g.tracingCount());
    s.call("g");
    const auto h = s.function("h", [](Tensor x) { return x; });
    s.skip();
    s.other([&] { return Value(h.signatures()); });
    s.check(h.tracingCount());
}

void clearedCache(Play& s) {
    const auto twice = s.function("double", [](Tensor a) { return a + a; });
    s.playOn();
    s.other([&] {
        twice.clear();
        return Value();
    });
    s.check(twice.tracingCount());
    s.playOn();
}

} // namespace

BodyMap effectsBodies() {
    return {{"N151", swappedVariables},        {"N152", unusedReadAndWrite},
            {"N154", orderThroughFunctions},   {"N157", staticShapeErrors},
            {"N163", hostAndGraphEffects},     {"N167", noArgumentsNoOutputs},
            {"O103", aBodyThatNeedsAVariable}, {"N016", aBodyThatNeedsItsShape},
            {"O80", printedSignatures},        {"O166", clearedCache}};
}

} // namespace retracescope::oracle
