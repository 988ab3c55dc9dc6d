// The warning of frequent retracing, and functions that run eagerly.
#include <stdexcept>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void functionsMadeInALoop(Play& s) {
    const std::string name = s.uniqueName("g");
    for (int i = 0; i < 7; ++i) {
        s.wrapper("g" + std::to_string(i), name, {"x"}, [](Tensor x) { return x + 1; });
        s.call("g" + std::to_string(i));
    }
}

void innerCallsDoNotCount(Play& s) {
    const auto inner = s.function("inner", [](int x) { return constant(x); });
    s.function("outer1", [=](int x) { return inner(x); });
    s.function("outer2", [=](int x) { return inner(x); });
    s.playOn();
}

void runningEagerly(Play& s) {
    s.function("g", [&](int x) {
        s.say("body " + std::to_string(x));
        return constant(x);
    });
    runFunctionsEagerly(true);
    s.check(functionsRunEagerly());
    for (int i = 0; i < 3; ++i)
        s.call("g");
    runFunctionsEagerly(false);
    s.call("g");
}

void failuresInTheWindow(Play& s) {
    s.function("g", [](int x) {
        if (x < 0)
            throw std::invalid_argument("negative");
        return constant(x);
    });
    s.playOn();
}

void twoFunctionsOfOneCode(Play& s) {
    const std::string name = s.uniqueName("g");
    for (const char* label : {"a", "b"})
        s.wrapper(label, name, {"x"}, [](int x) { return constant(x); });
    s.playOn();
}

void nestedCallsNeverCount(Play& s) {
    const auto inner = s.function("inner", [](int x) { return constant(x); });
    s.function("outer", [=](int x) { return inner(x); });
    s.playOn();
}

void equalCodeOfTwoDefinitions(Play& s) {
    const std::string name = s.uniqueName("lambda");
    for (const char* label : {"a", "b"})
        s.wrapper(label, name, {"x"}, [](Tensor x) { return x + 1; });
    s.skip(); // Python's code objects
    s.playOn();
}

void listsAgainstADataset(Play& s) {
    s.function("train", [](Value data) {
        const Tensor zero = constant(0);
        if (const auto* list = data.as<Value::Sequence>()) {
            Tensor loss = zero;
            for (const Value& item : list->items) {
                const auto& pair = item.as<Value::Sequence>()->items;
                loss = loss + abs(tensorOf(pair[1]) - tensorOf(pair[0]));
            }
            return loss;
        }
        LoopOptions options;
        options.shapeInvariants = Value(TensorSpec{DType::Int32, Shape::unknownRank(), ""});
        return forEach(
            Dataset::fromArgument(data), [](Tensor x, Tensor y, Tensor loss) { return loss + abs(y - x); },
            zero, options);
    });
    s.graph("train", *s.get("train"));
    s.graph("train", *s.get("train"));
    const ConcreteFunction* first = s.get("train");
    s.graph("train", *first);
    const ConcreteFunction* second = s.get("train");
    s.check(first == second);
}

} // namespace

BodyMap warningsBodies() {
    return {{"O164", listsAgainstADataset},  {"O154", functionsMadeInALoop},
            {"O155", innerCallsDoNotCount},  {"O160", runningEagerly},
            {"N079", failuresInTheWindow},   {"N080", twoFunctionsOfOneCode},
            {"N083", nestedCallsNeverCount}, {"N085", equalCodeOfTwoDefinitions}};
}

} // namespace retracescope::oracle
