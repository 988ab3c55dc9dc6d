// Variables that a function creates, and traces that fail.
#include <optional>
#include <stdexcept>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void createIfAbsent(Play& s) {
    std::optional<Variable> state;
    s.function("g", [&] {
        if (!state)
            state.emplace(constant(1.0f));
        state->assignAdd(1.0f);
        return state->read();
    });
    s.playOn();
}

void createOnEveryCall(Play& s) {
    s.function("g", [](Tensor x) {
        const Variable v(constant(1.0f));
        return v + x;
    });
    s.playOn();
}

void createFromAnArgument(Play& s) {
    std::optional<Variable> state;
    s.function("g", [&](Tensor x) {
        if (!state)
            state.emplace(x * 2.0f);
        return *state + x;
    });
    s.playOn();
}

void createForAConcreteFunction(Play& s) {
    std::optional<Variable> state;
    s.function("g", [&] {
        if (!state)
            state.emplace(constant(3.0f));
        return *state + 1.0f;
    });
    s.playOn();
}

void failThenCreate(Play& s) {
    bool fail = true;
    std::optional<Variable> v;
    s.function("g", [&] {
        if (fail)
            throw std::runtime_error("not yet");
        if (!v)
            v.emplace(constant(1.0f));
        return *v + 1.0f;
    });
    s.call("g");
    fail = false;
    s.playOn();
}

void createThenFail(Play& s) {
    bool fail = true;
    std::optional<Variable> v;
    s.function("g", [&] {
        if (!v)
            v.emplace(constant(1.0f));
        if (fail)
            throw std::runtime_error("not yet");
        return *v + 1.0f;
    });
    s.call("g");
    fail = false;
    s.playOn();
}

void returnAnObject(Play& s) {
    struct Thing {};
    s.function("g", [](Tensor) { return Value(std::make_shared<Thing>()); });
    s.playOn();
}

void clearACreatingFunction(Play& s) {
    std::optional<Variable> state;
    const auto g = s.function("g", [&] {
        if (!state)
            state.emplace(constant(1.0f));
        return *state + 1.0f;
    });
    s.call("g");
    s.other([&] {
        g.clear();
        return Value();
    });
    state.reset();
    s.call("g");
}

void createAndRetraceOften(Play& s) {
    std::optional<Variable> keep;
    s.function("g", [&](Tensor x) {
        if (!keep)
            keep.emplace(constant(1.0f));
        return *keep + x;
    });
    s.playOn();
}

} // namespace

BodyMap creationBodies() {
    return {{"O115", createIfAbsent},       {"O116", createOnEveryCall},
            {"O118", createFromAnArgument}, {"O119", createForAConcreteFunction},
            {"O121", failThenCreate},       {"O122", createThenFail},
            {"O124", returnAnObject},       {"O167", clearACreatingFunction},
            {"N082", createAndRetraceOften}};
}

} // namespace retracescope::oracle
