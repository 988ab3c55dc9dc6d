// Methods and instances.
#include <optional>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

void oneCachePerInstance(Play& s) {
    struct A {
        Tensor m(const Tensor& x) { return x; }
    };
    const Method m(s.uniqueName("m"), {"x"}, &A::m, s.options("m"));
    const auto a = std::make_shared<A>();
    const auto b = std::make_shared<A>();
    s.add("a.m", m.of(a));
    s.add("b.m", m.of(b));
    s.playOn();
    s.check(m.of(a).tracingCount());
    s.skip(); // a Method has no function without an object
}

void eachInstanceCreates(Play& s) {
    struct A {
        float start;
        std::optional<Variable> v;
        Tensor m() {
            if (!v)
                v.emplace(constant(start));
            v->assignAdd(1.0f);
            return v->read();
        }
    };
    const Method m(s.uniqueName("m"), {}, &A::m, s.options("m"));
    const auto a = std::make_shared<A>(A{1.0f, {}});
    const auto b = std::make_shared<A>(A{10.0f, {}});
    s.add("a.m", m.of(a));
    s.add("b.m", m.of(b));
    s.playOn();
}

void equalInstances(Play& s) {
    struct A {
        float v;
        bool operator==(const A&) const { return true; }
        Tensor m(const Tensor& x) { return x + v; }
    };
    const Method m(s.uniqueName("m"), {"x"}, &A::m, s.options("m"));
    const auto a = std::make_shared<A>(A{1.0f});
    const auto b = std::make_shared<A>(A{100.0f});
    s.add("a.m", m.of(a));
    s.call("a.m");
    s.check(&m.of(b).core() == &m.of(a).core());
    s.call("a.m");
}

void extensionTypeInstances(Play& s) {
    struct Ext {
        Tensor t;
        static auto traceFields() { return std::tuple(field("t", &Ext::t)); }
    };
    const auto m = s.function("m", [](Ext self) { return self.t + 1.0f; });
    for (const Ext& e : {Ext{constant(1.0f)}, Ext{constant(2.0f)}, Ext{constant({1.0f})}})
        s.other([&] { return m(e); });
    s.check(m.tracingCount());
}

void counterInTheBody(Play& s) {
    struct Counter {
        Variable v = Variable(constant(0));
        int counter = 0;
        Tensor m() {
            if (counter == 0) {
                ++counter;
                v.assignAdd(1);
            }
            return v.read();
        }
    };
    struct Frozen {
        Variable v = Variable(constant(0));
        int counter = 0;
        Tensor m() {
            if (counter == 0) {
                const EagerScope scope;
                ++counter;
                v.assignAdd(1);
            }
            return v.read();
        }
    };
    const Method counterM(s.uniqueName("m"), {}, &Counter::m, s.options("m"));
    const Method frozenM(s.uniqueName("m"), {}, &Frozen::m, s.options("m"));
    const auto a = std::make_shared<Counter>();
    const auto b = std::make_shared<Frozen>();
    s.add("counter", counterM.of(a));
    s.add("init_scope", frozenM.of(b));
    s.playOn();
}

} // namespace

BodyMap methodsBodies() {
    return {{"O136", oneCachePerInstance},
            {"O137", eachInstanceCreates},
            {"O139", equalInstances},
            {"O140", extensionTypeInstances},
            {"O161", counterInTheBody}};
}

} // namespace retracescope::oracle
