// Objects, structs, enums and callables as arguments.
#include <deque>
#include <stdexcept>

#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

namespace {

struct Apple {
    inline static const Tensor flavor = tensor::constant({1, 2});
};
struct Mango {
    inline static const Tensor flavor = tensor::constant({3, 4});
};

void temporaryObjects(Play& s) {
    s.function("mix",
               [](std::shared_ptr<Apple> a, std::shared_ptr<Mango> b) { return a->flavor + b->flavor; });
    s.call("mix", std::make_shared<Apple>(), std::make_shared<Mango>());
    s.call("mix", std::make_shared<Apple>(), std::make_shared<Mango>());
}

struct TypedFruit {
    std::string className;
    Tensor flavor;
    Value traceKey() const { return "FruitType(" + className + ")"; }
};

void objectsTypedByClass(Play& s) {
    const auto apple = [] { return std::make_shared<TypedFruit>(TypedFruit{"TypedApple", Apple::flavor}); };
    const auto mango = [] { return std::make_shared<TypedFruit>(TypedFruit{"TypedMango", Mango::flavor}); };
    s.function("mix", [](std::shared_ptr<TypedFruit> a, std::shared_ptr<TypedFruit> b) {
        return a->flavor + b->flavor;
    });
    s.call("mix", apple(), mango());
    s.call("mix", apple(), mango());
    s.call("mix", mango(), apple());
}

void unequalObjects(Play& s) {
    struct H {
        bool operator==(const H& other) const { return this == &other; }
    };
    s.function("g", [](std::shared_ptr<H>) { return constant(1); });
    const auto a = std::make_shared<H>();
    const auto b = std::make_shared<H>();
    s.call("g", a);
    s.call("g", b);
    s.call("g", a);
}

void aDeadReference(Play& s) {
    struct Eq {
        int v;
        bool operator==(const Eq&) const = default;
    };
    s.function("g", [](std::shared_ptr<Eq> o) { return constant(o->v); });
    auto e1 = std::make_shared<Eq>(Eq{1});
    const auto e2 = std::make_shared<Eq>(Eq{1});
    s.call("g", e1);
    s.call("g", e2);
    const std::weak_ptr<Eq> reference = e1;
    e1 = nullptr;
    s.check(reference.expired());
    s.call("g", e2);
    s.call("g", e2);
}

struct WithMethod {
    Tensor m(const Tensor& x) const { return x + 1; }
};
struct method { // as Python calls it
    std::shared_ptr<WithMethod> self;
    Tensor operator()(const Tensor& x) const { return self->m(x); }
    bool operator==(const method&) const = default;
};

void boundMethods(Play& s) {
    const auto body = [](std::shared_ptr<method> fn) { return (*fn)(constant(1)); };
    const auto o = std::make_shared<WithMethod>();
    const auto bound = [&] { return std::make_shared<method>(method{o}); };
    s.function("g", body);
    for (int i = 0; i < 3; ++i)
        s.call("g", bound());
    const auto kept = bound();
    s.function("h", body);
    s.call("h", kept);
    s.call("h", kept);
    s.call("h", bound());
}

struct PythonFunction {
    std::function<Tensor(const Tensor&)> call;
};

void wrappers(Play& s) {
    const auto h = std::make_shared<PythonFunction>(PythonFunction{[](const Tensor& x) { return x + 1; }});
    const auto times = [&](int factor) {
        return std::make_shared<PythonFunction>(
            PythonFunction{[=](const Tensor& x) { return h->call(x) * factor; }});
    };
    const auto w1 = times(10);
    const auto w2 = times(100);
    s.function("g", [&](std::shared_ptr<PythonFunction> fn) {
        s.say(fn == h ? "received h: True" : "received h: False");
        return fn->call(constant(1));
    });
    s.call("g", w1);
    s.call("g", w2);
    s.call("g", h);
}

void aComparisonThatThrows(Play& s) {
    struct Bad {
        bool operator==(const Bad&) const { throw std::runtime_error("no comparison"); }
    };
    s.function("g", [](std::shared_ptr<Bad>) { return constant(1); });
    const auto a = std::make_shared<Bad>();
    const auto b = std::make_shared<Bad>();
    s.call("g", a);
    s.call("g", a);
    s.call("g", b);
}

void anIterator(Play& s) {
    struct list_iterator { // as Python calls it
        std::deque<int> left;
    };
    s.function("g", [](std::shared_ptr<list_iterator> it) {
        const int next = it->left.front();
        it->left.pop_front();
        return constant(next);
    });
    const auto it = std::make_shared<list_iterator>(list_iterator{{1, 2, 3}});
    for (int i = 0; i < 3; ++i)
        s.call("g", it);
    s.check(it->left);
}

enum class A { X = 1, Y = 2 };
enum I { ONE = 1 };

void enumMembers(Play& s) {
    s.function("g", [](A m) { return constant(static_cast<int>(m)); });
    s.call("g", A::X);
    s.call("g", A::X);
    s.call("g", A::Y);
    s.function("h", [](int m) { return constant(m); });
    s.call("h");
    s.call("h", ONE);
}

enum class Color { Red };
enum Perm { R = 4, W = 2 };
enum class Str { A };

void flagsAndTextsOfEnums(Play& s) {
    s.function("g", [](Value) { return constant(1); });
    s.call("g", Color::Red);
    s.call("g", Color::Red);
    s.call("g");
    s.call("g", R);
    s.call("g");
    s.call("g", static_cast<Perm>(R | W));
    s.call("g");
    s.call("g", Str::A);
    s.call("g");
}

void plainObjects(Play& s) {
    struct object {}; // as Python calls it
    s.function("g", [](std::shared_ptr<object>) { return constant(1); });
    const auto o = std::make_shared<object>();
    const auto p = std::make_shared<object>();
    s.call("g", o);
    s.call("g", o);
    s.call("g", p);
}

void structsWithStaticParts(Play& s) {
    struct Masked {
        bool mask = false;
        Value value;
        static auto traceFields() {
            return std::tuple(field("mask", &Masked::mask), field("value", &Masked::value));
        }
    };
    s.ignoreTypes(); // TensorFlow's text names neither the class nor its fields
    s.function("g", [](Masked m) { return m; });
    s.get("g", Masked{true, constant({1.0f})});
    s.get("g", Masked{true, constant({1.0f})});
    const auto* c2 =
        s.get("g", Masked{false, TensorSpec{DType::Int32, {Shape::kUnknown, Shape::kUnknown}, ""}});
    const auto* c3 = s.get("g", Masked{false, filled(1, {2, 1})});
    s.check(c2 == c3);
}

void relaxingWithObjects(Play& s) {
    struct O {};
    const auto a = std::make_shared<O>();
    const auto b = std::make_shared<O>();
    s.function("g", [](Tensor x, std::shared_ptr<O>) { return reduceSum(x); });
    for (const auto& o : {a, a, b, a, b, b})
        s.call("g", s.argument(0), o);
}

void shapesAndDTypes(Play& s) {
    struct TensorShape {
        Shape shape;
        bool operator==(const TensorShape&) const = default;
    };
    struct DType {
        types::DType dtype;
        bool operator==(const DType&) const = default;
    };
    const auto shape = [](const Shape& sizes) {
        return Value(std::make_shared<TensorShape>(TensorShape{sizes}));
    };
    const auto dtype = [](types::DType which) { return Value(std::make_shared<DType>(DType{which})); };
    const Value float32 = dtype(types::DType::Float32);
    s.function("g", [](Value) { return constant(1); });
    const std::vector<Value> all{shape({1, 2}), shape({1, 2}), shape({1, Shape::kUnknown}),
                                 float32,       float32,       dtype(types::DType::Int32)};
    for (const Value& v : all)
        s.call("g", v);
}

void extensionTypes(Play& s) {
    struct Mask {
        Tensor values;
        std::string name = "m";
        static auto traceFields() {
            return std::tuple(field("values", &Mask::values), field("name", &Mask::name));
        }
    };
    const auto body = [](Mask m) { return m.values + 1; };
    s.function("g", body);
    s.call("g", Mask{constant({1.0f})});
    s.call("g", Mask{constant({2.0f})});
    s.call("g", Mask{constant({2.0f}), "n"});
    s.call("g", Mask{constant({2.0f, 3.0f})});
    s.call("g", Mask{constant({1}), "n"});
    s.function("h", body);
    for (const int n : {1, 2, 3})
        s.call("h", Mask{ones({n})});
}

void modules(Play& s) {
    struct Mod {
        Variable v;
    };
    const auto made = [](float v) { return std::make_shared<Mod>(Mod{Variable(constant(v))}); };
    s.function("g", [](std::shared_ptr<Mod> m, Tensor x) { return m->v * x; });
    const auto a = made(2.0f);
    const auto b = made(3.0f);
    const Tensor x = constant(10.0f);
    s.call("g", a, x);
    s.call("g", b, x);
    a->v.assign(7.0f);
    s.call("g", a, x);
    a->v = Variable(constant(100.0f));
    s.call("g", a, x);
}

} // namespace

BodyMap objectsBodies() {
    return {{"O85", temporaryObjects},      {"O86", objectsTypedByClass},
            {"O88", unequalObjects},        {"O89", aDeadReference},
            {"O91", boundMethods},          {"O92", wrappers},
            {"O94", aComparisonThatThrows}, {"O95", anIterator},
            {"O31", enumMembers},           {"N040", flagsAndTextsOfEnums},
            {"O32", plainObjects},          {"O40", structsWithStaticParts},
            {"N007", relaxingWithObjects},  {"N026", shapesAndDTypes},
            {"N031", extensionTypes},       {"N032", modules}};
}

} // namespace retracescope::oracle
