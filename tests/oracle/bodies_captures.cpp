// Closures and captures.
#include <retracescope/engine/ir/embedded.h>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

/// A global number is frozen, a deferred capture is asked for at every call.
void deferredCapture(Play& s) {
    Tensor v = constant(1.0f);
    s.function("g", [&] { return deferred({DType::Float32, Shape{}, ""}, [&] { return v; }) + 1.0f; });
    s.call("g");
    v = constant(2.0f);
    s.call("g");
    v = constant(3);
    s.call("g");
    v = constant({1.0f, 2.0f});
    s.call("g");
}

void smallCapturesAreConstants(Play& s) {
    const Tensor small = ones({4});
    const Tensor edge = ones({128});
    const Tensor big = ones({129});
    const Variable var(constant(1.0f));
    s.function("g", [&] { // in statements, since captures are listed in the order of their use
        Tensor sum = reduceSum(small);
        sum = sum + reduceSum(edge);
        sum = sum + reduceSum(big);
        return sum + var;
    });
    const ConcreteFunction* g = s.get("g");
    Json inside = Json::array();
    for (const ir::Capture& capture : g->graph().captures())
        inside.push_back(ir::embeddedValue(g->graph(), capture.node) != nullptr ? "Const" : "Placeholder");
    s.check(inside);
    s.check(g->type().captures.size());
    s.call("g");
}

void leakedTensor(Play& s) {
    Tensor box;
    s.function("leak", [&](Tensor x) {
        box = x + 1.0f;
        return x;
    });
    s.call("leak");
    s.function("use", [&](Tensor y) { return y + box; });
    s.call("use");
    s.other([&] { return box + 1.0f; });
    s.other([&] { return box.scalar<float>(); });
    s.other([&] { return static_cast<bool>(box); });
}

void grownListOfTensors(Play& s) {
    std::vector<Tensor> items{constant(1.0f), constant(2.0f)};
    s.function("g", [&] {
        Tensor sum = items[0];
        for (std::size_t i = 1; i < items.size(); ++i)
            sum = sum + items[i];
        return sum;
    });
    s.call("g");
    items.push_back(constant(10.0f));
    s.call("g");
    s.check(s.core("g").concreteFunctions()[0]->type().captures.size());
}

void oneTensorCapturedTwice(Play& s) {
    const Tensor k = constant({1.0f, 2.0f});
    const auto inner = s.function("inner", [&](Tensor x) { return x + k; });
    s.function("outer", [&](Tensor x) { return inner(x) * k + k; });
    s.call("outer");
    s.check(s.core("outer").concreteFunctions()[0]->type().captures.size());
    s.check(s.core("inner").concreteFunctions()[0]->type().captures.size());
}

void argumentAndCaptureAsResults(Play& s) {
    const Tensor k = constant(5.0f);
    s.function("g", [&](Tensor x) { return std::tuple(x, x, k, std::vector<Tensor>{x}); });
    s.call("g");
    s.skip(); // whether the result is the argument's Python object
    const ConcreteFunction& g = *s.core("g").concreteFunctions()[0];
    s.check(g.outputCount());
    s.graph("g", g);
}

} // namespace

BodyMap capturesBodies() {
    return {{"O110", deferredCapture},        {"O112", smallCapturesAreConstants},
            {"O113", leakedTensor},           {"N160", grownListOfTensors},
            {"N161", oneTensorCapturedTwice}, {"N166", argumentAndCaptureAsResults}};
}

} // namespace retracescope::oracle
