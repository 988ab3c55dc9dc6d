// Functions that call functions, recursion, threads.
#include <barrier>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

/// tf.stack([x, x])
Tensor stackedTwice(const Tensor& x) {
    Tensor row;
    if (x.shape().rank() == 0)
        row = reshape(x, {1});
    else
        row = reshape(x, {1, x.shape()[0]});
    return concat({row, row});
}

void innerFromOutsideFirst(Play& s) {
    const auto inner = s.function("inner", [](Tensor x) { return x + 1.0f; });
    s.function("outer", [=](Tensor x) { return inner(x) * 2.0f; });
    s.playOn();
}

void recursion(Play& s) {
    std::optional<Function<Tensor(int)>> rec;
    rec = s.function("rec", [&](int n) {
        if (n > 0)
            return n < 3 ? constant(n) * (*rec)(n - 1) : (*rec)(n - 1);
        return constant(1);
    });
    s.playOn();
}

void mutualRecursion(Play& s) {
    std::optional<Function<Tensor(int)>> fn1;
    const auto fn2 = s.function("fn2", [&](int n) { return (*fn1)(n - 1) + 1; });
    fn1 = s.function("fn1", [=](int n) { return n <= 1 ? constant(1) : fn2(n - 1) + 1; });
    s.playOn();
}

void aHundredThreads(Play& s) {
    const auto g = s.function("g", [] { return constant(1.0f); });
    std::mutex mutex;
    std::set<const ConcreteFunction*> got;
    std::barrier gate(100);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 100; ++i)
            threads.emplace_back([&] {
                gate.arrive_and_wait();
                const ConcreteFunction& one = g.concrete();
                const std::lock_guard lock(mutex);
                got.insert(&one);
            });
    }
    s.check(got.size());
    s.check(g.tracingCount());
}

void twoWrappers(Play& s) {
    const auto g = [] { return constant(1.0f); };
    s.function("a", {}, g);
    s.function("b", {}, g);
    s.playOn();
}

void retracingOuter(Play& s) {
    const auto inner = s.function("inner", [](Tensor x) { return reduceSum(x); });
    s.function("outer", [=](Tensor x, Value) {
        const Tensor first = inner(x);
        const Tensor second = inner(x * 2.0f);
        return first + second + inner(stackedTwice(x));
    });
    s.playOn();
}

/// What is general or specific follows from the recorded options and calls.
void innerOfAnyLength(Play& s) {
    const auto inner = s.function("inner", [](Tensor x) { return x + 1.0f; });
    s.function("outer", [=](Tensor x) { return inner(x); });
    s.playOn();
}

void threeLevels(Play& s) {
    const auto a = s.function("a", [](Tensor x, double k) { return x + k; });
    const auto b = s.function("b", [=](Tensor x, double k) { return a(x, k) * 2.0f; });
    s.function("c", [=](Tensor x, double k) { return b(x, k) - 1.0f; });
    s.playOn();
}

void innerInBranchesAndLoops(Play& s) {
    const auto inner = s.function("inner", [](Tensor x) { return x + 1.0f; });
    s.function("outer", [=](Tensor x) {
        const Tensor y = cond(
            x > 0.0f, [&] { return inner(x); }, [&] { return inner(-x); });
        return forRange(
            3, [&](const Tensor&, const Tensor& value) { return inner(value); }, y);
    });
    s.playOn();
}

void aVariableThroughTwoLevels(Play& s) {
    const Variable a(constant(1.0f));
    const Variable b(constant(100.0f));
    s.variable(1, a);
    s.variable(2, b);
    const auto inner = s.function("inner", [](Variable v, Tensor x) {
        v.assignAdd(x);
        return v.read();
    });
    s.function("outer", [=](Variable v, Tensor x) {
        const Tensor first = inner(v, x);
        return first + inner(v, x);
    });
    s.playOn();
    s.check(Json{seen(a.read()), seen(b.read())});
}

void innerCreates(Play& s) {
    std::optional<Variable> state;
    const auto inner = s.function("inner", [&](Tensor x) {
        if (!state)
            state.emplace(constant(10.0f));
        return *state + x;
    });
    s.function("outer", [=](Tensor x) { return inner(x) * 2.0f; });
    s.playOn();
}

void silentInnerRetraces(Play& s) {
    const auto inner = s.function("inner", [](Tensor x, double k) { return x + k; });
    s.function("outer", [=](Tensor x) {
        for (int k = 0; k < 8; ++k)
            x = inner(x, static_cast<double>(k));
        return x;
    });
    s.playOn();
}

void bothRelax(Play& s) {
    const auto bar = s.function("bar", [](Tensor sh) { return reduceSum(sh); });
    s.function("foo", [=](Tensor x) { return bar(cast(shapeOf(x), DType::Int32)); });
    s.playOn();
}

} // namespace

BodyMap nestingBodies() {
    return {{"O125", innerFromOutsideFirst},
            {"O130", recursion},
            {"O131", mutualRecursion},
            {"O133", aHundredThreads},
            {"O134", twoWrappers},
            {"N050", retracingOuter},
            {"N052", innerOfAnyLength},
            {"N053", innerOfAnyLength},
            {"N055", threeLevels},
            {"N056", innerInBranchesAndLoops},
            {"N058", aVariableThroughTwoLevels},
            {"N059", innerCreates},
            {"N062", silentInnerRetraces},
            {"O67", bothRelax}};
}

} // namespace retracescope::oracle
