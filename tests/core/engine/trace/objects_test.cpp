// Objects, structs, enums, functions and methods as arguments.
#include <QTest>

#include <stdexcept>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/event_text.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;
using test::EventText;

namespace {

struct Plain {
    float scale = 1;
};
struct Comparable {
    int value = 0;
    bool operator==(const Comparable& other) const {
        if (value < 0)
            throw std::runtime_error("no comparison");
        return value == other.value;
    }
};
struct Sized {
    int size = 0;
    Value traceKey() const { return size < 10 ? "small" : "large"; }
};
struct WithTensorKey {
    Value traceKey() const { return TensorSpec{DType::Float32, {2}, ""}; }
};

enum class Mode { Train = 1, Test = 2 };
enum Flag { Off = 0, On = 1 };

struct Norm {
    Tensor x;
    bool centered = false;
    Mode mode = Mode::Train;
    static auto traceFields() {
        return std::tuple(field("x", &Norm::x), field("centered", &Norm::centered),
                          field("mode", &Norm::mode));
    }
};
struct Batch {
    std::vector<Tensor> parts;
    Norm norm;
    static auto traceFields() {
        return std::tuple(field("parts", &Batch::parts), field("norm", &Batch::norm));
    }
};

struct Layer {
    float weight = 1;
    Tensor apply(const Tensor& x) { return x * weight; }
    float half() const { return weight / 2; }
    bool operator==(const Layer&) const { return true; }
};

} // namespace

class ObjectsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anObjectIsTypedByWhichOneItIs() {
        Function f("f", {"x", "o"}, [](Tensor x, std::shared_ptr<const Plain> o) { return x * o->scale; });
        const auto a = std::make_shared<Plain>(Plain{2});
        const auto b = std::make_shared<const Plain>(Plain{3});
        const Tensor x = constant(1.0f);
        QCOMPARE(f(x, a).scalar<float>(), 2.0f);
        QCOMPARE(f(x, b).scalar<float>(), 3.0f);
        a->scale = 9; // inside, unseen
        QCOMPARE(f(x, a).scalar<float>(), 2.0f);
        QCOMPARE(f.traceCount(), std::size_t{2});
        QVERIFY(f.signatures(false).starts_with(
            "(x: TensorSpec(shape=(), dtype=tf.float32, name=None), o: Weakref[<Plain #"));
    }

    void noneIsANullPointer() {
        Function f("f", {"o"}, [](std::shared_ptr<Plain> o) { return o == nullptr ? 0 : 1; });
        QCOMPARE(f(std::shared_ptr<Plain>()).scalar<int>(), 0);
        QCOMPARE(f(std::make_shared<Plain>()).scalar<int>(), 1);
        QVERIFY(f.signatures(false).starts_with("(o: Literal[None])"));
    }

    void equalObjectsShareATraceUntilTheFirstIsGone() {
        Function f("f", {"o"}, [](std::shared_ptr<Comparable> o) { return o->value; });
        auto first = std::make_shared<Comparable>(Comparable{1});
        const auto second = std::make_shared<Comparable>(Comparable{1});
        EventText events;
        f(first);
        f(second);
        f(second);
        QCOMPARE(f.traceCount(), std::size_t{1});
        first = nullptr;
        events.takeText();
        QCOMPARE(f(second).scalar<int>(), 1);
        const std::string text = events.takeText();
        QVERIFY2(text.starts_with("f_1 is dropped\nf call 4 misses: dead\n"), text.c_str());
        f(second);
        QCOMPARE(f.traceCount(), std::size_t{2});
        QCOMPARE(f.tracingCount(), std::size_t{2}); // what nothing can reach any more still counts
    }

    void anotherObjectIsNoDeadOne() {
        Function f("f", {"o"}, [](std::shared_ptr<Plain>) { return 1; });
        const auto first = std::make_shared<Plain>();
        EventText events;
        f(first);
        events.takeText();
        f(std::make_shared<Plain>());
        const std::string text = events.takeText();
        QVERIFY2(text.starts_with("f call 2 misses:\n  not f_1: identity o.identity: "), text.c_str());
    }

    void whatAComparisonThrowsComesThrough() {
        Function f("f", {"o"}, [](std::shared_ptr<Comparable> o) { return o->value; });
        const auto a = std::make_shared<Comparable>(Comparable{-1});
        const auto b = std::make_shared<Comparable>(Comparable{-1});
        f(a);
        f(a);
        QVERIFY_EXCEPTION_THROWN(f(b), std::runtime_error);
        QCOMPARE(f.traceCount(), std::size_t{1});
    }

    void anObjectMayNameWhatOfItCounts() {
        Function f("f", {"o"}, [](std::shared_ptr<Sized> o) { return o->size; });
        QCOMPARE(f(std::make_shared<Sized>(Sized{1})).scalar<int>(), 1);
        QCOMPARE(f(std::make_shared<Sized>(Sized{2})).scalar<int>(), 1); // the trace of the first
        QCOMPARE(f(std::make_shared<Sized>(Sized{20})).scalar<int>(), 20);
        QCOMPARE(f.traceCount(), std::size_t{2});
        QVERIFY(f.signatures(false).starts_with("(o: Sized[['key', Literal['small']]])"));
        Function g("g", {"o"}, [](std::shared_ptr<WithTensorKey>) { return 1; });
        QVERIFY(errorOf([&] {
                    g(std::make_shared<WithTensorKey>());
                }).starts_with("[WithTensorKey] traceKey() must say it in host values, got TensorSpec("));
    }

    void anotherClassIsRefused() {
        Function f("f", {"o"}, [](Value o) { return trace::fromValue<std::shared_ptr<Plain>>(o)->scale; });
        QVERIFY(errorOf([&] {
                    f(Value(std::make_shared<Sized>()));
                }).starts_with("[f] the callable's parameter expects Plain, got Sized["));
        Function g("g", {"o"}, [](std::shared_ptr<Plain> o) { return Value(o); });
        QVERIFY(errorOf([&] {
                    g(std::make_shared<Plain>());
                }).starts_with("[g] must return tensors, variables, host values or None, got an object"));
    }

    void enumsCountByTheirNumber() {
        Function f("f", {"mode"}, [](Mode mode) { return mode == Mode::Train ? 1 : 2; });
        QCOMPARE(f(Mode::Train).scalar<int>(), 1);
        QCOMPARE(f(Mode::Test).scalar<int>(), 2);
        QCOMPARE(f(Mode::Train).scalar<int>(), 1);
        QCOMPARE(f.traceCount(), std::size_t{2});
        QVERIFY(f.signatures(false).starts_with("(mode: Mode[['value', Literal[1]]])"));
        Function g("g", {"x"}, [](Value) { return 1; });
        g(Value(On));
        g(Value(1)); // an enum that turns into a number by itself is one
        g(Value(Mode::Train));
        QCOMPARE(g.traceCount(), std::size_t{2});
    }

    void structsAreTypedByWhatIsInThem() {
        Function f("f", {"n"}, [](Norm n) {
            n.x = n.centered ? n.x - reduceMean(n.x) : n.x + 1.0f;
            return n;
        });
        const Norm result = f(Norm{constant({1.0f, 3.0f}), true, Mode::Test});
        QCOMPARE(QString::fromStdString(valueText(result.x)), QStringLiteral("[-1, 1]"));
        QVERIFY(result.centered); // a host value stays one
        QCOMPARE(result.mode, Mode::Test);
        f(Norm{constant({5.0f, 3.0f}), true, Mode::Test});
        QCOMPARE(f.traceCount(), std::size_t{1});
        f(Norm{constant({5.0f, 3.0f}), false, Mode::Test});
        f(Norm{constant({5.0f}), false, Mode::Test});
        f(Norm{constant({5.0f}), false, Mode::Train});
        QCOMPARE(f.traceCount(), std::size_t{4});
        QVERIFY(f.signatures(false).starts_with("(n: Norm[['x', TensorSpec(shape=(2,), dtype=tf.float32, "
                                                "name=None)], ['centered', Literal[True]], "
                                                "['mode', Mode[['value', Literal[2]]]]]) -> Norm["));
    }

    void structsNestAndRelax() {
        FunctionOptions options;
        options.reduceRetracing = true;
        Function f(
            "f", {"b"}, [](Batch b) { return b.norm.x * b.parts[0]; }, options);
        for (const int size : {2, 3, 4, 5})
            QCOMPARE(f(Batch{{ones({1})}, {ones({size}), false, Mode::Train}}).shape(), (Shape{size}));
        QCOMPARE(f.traceCount(), std::size_t{2});
    }

    void aFunctionGetsAnotherOne() {
        const auto twice = [](Function<Tensor(Tensor)> inner, Tensor x) { return inner(inner(x)); };
        Function f("twice", {"inner", "x"}, twice);
        Function add("add", {"x"}, [](Tensor x) { return x + 1.0f; });
        Function mul("mul", {"x"}, [](Tensor x) { return x * 3.0f; });
        QCOMPARE(f(add, constant(1.0f)).scalar<float>(), 3.0f);
        QCOMPARE(f(mul, constant(1.0f)).scalar<float>(), 9.0f);
        QCOMPARE(f(add, constant(5.0f)).scalar<float>(), 7.0f);
        const Function copy = add; // shares the cache, is the same function
        QCOMPARE(f(copy, constant(6.0f)).scalar<float>(), 8.0f);
        QCOMPARE(f.traceCount(), std::size_t{2});
        QCOMPARE(add.traceCount(), std::size_t{1});
        Function other("other", {"x", "y"}, [](Tensor x, Tensor y) { return x + y; });
        QVERIFY(
            errorOf([&] { f(Value(other), constant(1.0f)); })
                .starts_with(
                    "[twice] argument 'inner': the callable's parameter expects Function<Tensor (Tensor)>"));
    }

    void everyObjectHasAMethodOfItsOwn() {
        const Method apply("apply", {"x"}, &Layer::apply);
        const auto a = std::make_shared<Layer>(Layer{2});
        auto b = std::make_shared<Layer>(Layer{3});
        QCOMPARE(apply(a, constant(1.0f)).scalar<float>(), 2.0f);
        QCOMPARE(apply(b, constant(1.0f)).scalar<float>(), 3.0f);
        apply(a, constant(5.0f));
        QCOMPARE(apply.of(a).traceCount(), std::size_t{1});
        QVERIFY(&apply.of(a).core() != &apply.of(b).core());
        const auto orphan = apply.of(b);
        b = nullptr;
        QVERIFY(errorOf([&] {
                    orphan(ones({2}));
                }).starts_with("[apply] expected the object of this method to live, it is gone"));
        const Method half("half", {}, &Layer::half);
        QCOMPARE(half(a).scalar<float>(), 1.0f);
    }

    void equalObjectsShareAMethodUnderTensorFlowsPolicyOnly() {
        FunctionOptions options;
        options.policy.sharesEqualInstances = true;
        const Method shared("shared", {"x"}, &Layer::apply, options);
        const Method apply("apply", {"x"}, &Layer::apply);
        const auto a = std::make_shared<Layer>(Layer{2});
        const auto b = std::make_shared<Layer>(Layer{3});
        QCOMPARE(&shared.of(a).core(), &shared.of(b).core());
        QVERIFY(&apply.of(a).core() != &apply.of(b).core());
    }

    void aMethodOfNoObjectIsRefused() {
        const Method apply("apply", {"x"}, &Layer::apply);
        VERIFY_CONTAINS(errorOf([&] { apply(std::shared_ptr<Layer>(), constant(1.0f)); }),
                        "[apply] expected an object, got a null pointer (objects_test.cpp:");
    }
};

RETRACESCOPE_TEST(ObjectsTest);

#include "objects_test.moc"
