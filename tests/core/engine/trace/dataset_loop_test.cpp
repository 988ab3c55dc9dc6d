#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

using I = std::vector<std::int64_t>;

Tensor int64(std::int64_t value) {
    return constant(value);
}

Tensor int64s(const I& values) {
    return tensor::constant(std::span<const std::int64_t>(values), Shape{std::ssize(values)});
}

Tensor sumOf(const DatasetIterator& elements) {
    return forEach(
        elements, [](Tensor x, Tensor sum) { return sum + reduceSum(x); }, int64(0));
}

Dataset pairs() {
    return Dataset::fromTensorSlices(
        std::tuple(constant({1.0f, 2.0f, 3.0f}), constant({10.0f, 20.0f, 30.0f})));
}

} // namespace

class DatasetLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsAlikeStagedAndOnTheHost() {
        Function f("f", {"ds"}, [](Dataset ds) { return sumOf(ds); });
        for (const Dataset& dataset : {Dataset::range(5), Dataset::range(0), Dataset::range(3).repeat(3),
                                       Dataset::range(100).skip(98)})
            QCOMPARE(f(dataset).scalar<std::int64_t>(), sumOf(dataset).scalar<std::int64_t>());
        QCOMPARE(f(Dataset::range(5)).scalar<std::int64_t>(), std::int64_t{10});
        QCOMPARE(f.traceCount(), 1U);
        QCOMPARE(f(Dataset::range(10).batch(3)).scalar<std::int64_t>(),
                 std::int64_t{45}); // the last is smaller
        QCOMPARE(f.traceCount(), 2U);
        std::size_t loops = 0;
        for (const ir::Node& node : f.concreteFunctions()[0]->graph().nodes())
            loops += node.op == ir::Op::While ? 1 : 0;
        QCOMPARE(loops, std::size_t{1});
    }

    void aDatasetComesFromOutsideOrFromInside() {
        const Dataset outside = Dataset::range(4);
        Function captures("captures", {}, [&] { return sumOf(outside); });
        QCOMPARE(captures().scalar<std::int64_t>(), std::int64_t{6});
        QCOMPARE(captures().scalar<std::int64_t>(), std::int64_t{6}); // from the start on each call
        QCOMPARE(captures.concreteFunctions()[0]->type().captures.size(), std::size_t{1});
        FunctionOptions options;
        options.inputSignature = {TensorSpec{DType::Int64, {Shape::kUnknown}, ""},
                                  TensorSpec{DType::Int64, {}, ""}};
        Function inside(
            "inside", {"x", "n"},
            [](Tensor x, Tensor n) {
                return sumOf(Dataset::fromTensorSlices(x).batch(n)) + sumOf(Dataset::range(n));
            },
            options);
        QCOMPARE(inside(int64s({5, 6, 7}), int64(2)).scalar<std::int64_t>(), std::int64_t{19});
        QCOMPARE(inside(int64s({1}), int64(4)).scalar<std::int64_t>(), std::int64_t{7});
    }

    void elementsAndValuesMayBeSeveral() {
        const auto both = [](Dataset ds) {
            return forEach(
                ds,
                [](Tensor x, Tensor y, Tensor sum, Tensor least) {
                    return std::tuple(sum + x * y, minimum(least, y));
                },
                std::tuple(constant(0.0f), 100.0f));
        };
        const auto whole = [](Dataset ds) {
            return forEach(
                ds, [](std::tuple<Tensor, Tensor> pair, Tensor sum) { return sum + std::get<1>(pair); },
                constant(0.0f));
        };
        Function f("f", {"ds"}, both);
        Function g("g", {"ds"}, whole);
        for (const auto& [sum, least] : {f(pairs()), both(pairs())}) {
            QCOMPARE(sum.scalar<float>(), 140.0f);
            QCOMPARE(least.scalar<float>(), 10.0f);
        }
        QCOMPARE(g(pairs()).scalar<float>(), 60.0f);
        QCOMPARE(whole(pairs()).scalar<float>(), 60.0f);
    }

    void loopsNest() {
        const auto table = [](Dataset a, Dataset b) {
            return forEach(
                a,
                [&](Tensor x, Tensor sum) {
                    return forEach(
                        b, [&](Tensor y, Tensor inner) { return inner + x * y; }, sum);
                },
                int64(0));
        };
        Function f("f", {"a", "b"}, table);
        const Dataset a = Dataset::range(1, 4);
        const Dataset b = Dataset::range(1, 5);
        QCOMPARE(f(a, b).scalar<std::int64_t>(), std::int64_t{60});
        QCOMPARE(table(a, b).scalar<std::int64_t>(), std::int64_t{60});
        Function triangle("triangle", {"n"}, [](Tensor n) { // of each element a dataset
            return forEach(
                Dataset::range(n),
                [](Tensor x, Tensor sum) { return sum + sumOf(Dataset::range(x + std::int64_t{1})); },
                int64(0));
        });
        QCOMPARE(triangle(int64(5)).scalar<std::int64_t>(), std::int64_t{20});
    }

    void anIteratorIsLeftWhereTheLoopEnded() {
        LoopOptions three;
        three.maximumIterations = 3;
        const auto first = [&](DatasetIterator it) {
            return forEach(
                it, [](Tensor x, Tensor sum) { return sum + x; }, int64(0), three);
        };
        Function staged("staged", {"it"}, first);
        for (const std::function<Tensor(DatasetIterator)>& run :
             {std::function<Tensor(DatasetIterator)>(first),
              std::function<Tensor(DatasetIterator)>([&](DatasetIterator it) { return staged(it); })}) {
            const DatasetIterator it = Dataset::range(8);
            QCOMPARE(run(it).scalar<std::int64_t>(), std::int64_t{3});
            QCOMPARE(it.next().scalar<std::int64_t>(), std::int64_t{3}); // none is lost
            QCOMPARE(run(it).scalar<std::int64_t>(), std::int64_t{15});
            QCOMPARE(run(it).scalar<std::int64_t>(), std::int64_t{7});
            QCOMPARE(run(it).scalar<std::int64_t>(), std::int64_t{0});
        }
    }

    void effectsOfTheBodyAndOfElementsKeepTheirOrder() {
        std::string said;
        const Dataset numbers = Dataset::fromGenerator(
            [&] {
                return [&, next = 0]() mutable -> std::optional<Value> {
                    said += "make " + std::to_string(next) + " ";
                    return next < 2 ? std::optional(Value(next++)) : std::nullopt;
                };
            },
            TensorSpec{DType::Int32, {}, ""});
        const Variable last(constant(-1));
        const Dataset told = numbers.map([&](Tensor x) { return x * 10 + last; });
        const auto run = [&] {
            return forEach(
                told,
                [&](Tensor x, Tensor sum) {
                    last.assign(x);
                    return sum + x;
                },
                constant(0));
        };
        // 0 * 10 - 1, then 1 * 10 + that: the body has run before the next element is made.
        QCOMPARE(run().scalar<std::int32_t>(), 8);
        QCOMPARE(said, std::string("make 0 make 1 make 2 "));
        last.assign(-1);
        Function f("f", {}, run);
        QCOMPARE(f().scalar<std::int32_t>(), 8);
    }

    void shapesOfValuesFollowTheRulesOfLoops() {
        const auto grow = [](Dataset ds, const LoopOptions& options) {
            return forEach(
                ds,
                [](Tensor x, Tensor all) {
                    return concat({all, reshape(x, {1})});
                },
                int64s({}), options);
        };
        Function strict("strict", {"ds"}, [&](Dataset ds) { return grow(ds, {}); });
        const std::string message = errorOf([&] { strict(Dataset::range(3)); });
        QVERIFY2(
            message.starts_with("[forEach] the value is int64[0] before the body, but int64[1] after it"),
            message.c_str());
        LoopOptions options;
        options.shapeInvariants = Value(TensorSpec{DType::Int64, {Shape::kUnknown}, ""});
        Function open("open", {"ds"}, [&](Dataset ds) { return grow(ds, options); });
        QCOMPARE(open(Dataset::range(3)).values<std::int64_t>(), (I{0, 1, 2}));
    }

    void aHostLoopIsUnrolledOrRefused() {
        const Dataset outside = Dataset::range(3);
        Function unrolled("unrolled", {"x"}, [&](Tensor x) {
            for (const Tensor& element : outside)
                x = x * std::int64_t{10} + element;
            return x;
        });
        QCOMPARE(unrolled(int64(7)).scalar<std::int64_t>(), std::int64_t{7012});
        Function refused("refused", {"ds"}, [](Dataset ds) {
            Tensor sum = int64(0);
            for (const auto& [x] : ds.elements<std::tuple<Tensor>>())
                sum = sum + x;
            return sum;
        });
        const std::string message = errorOf([&] { refused(Dataset::range(3)); });
        QVERIFY2(message.starts_with(
                     "[dataset] the elements of a symbolic dataset are not known while a function is "
                     "traced; loop with forEach (") &&
                     message.find("dataset_loop_test.cpp:") != std::string::npos,
                 message.c_str());
    }

    void everyTripMayTakeItsGradient() {
        const Variable weight(constant(1.0f));
        const auto train = [&](Dataset data) {
            return forEach(
                data,
                [&](Tensor x, Tensor y, Tensor trips) {
                    GradientTape tape;
                    const Tensor slope = tape.gradient(square(x * weight - y), {weight})[0];
                    weight.assignSub(slope * 0.01f);
                    return trips + 1;
                },
                constant(0));
        };
        const auto expected = [&] {
            float w = 1.0f;
            for (int i = 1; i <= 3; ++i)
                w -= 0.01f * 2.0f * (static_cast<float>(i) * w - 10.0f * static_cast<float>(i)) *
                     static_cast<float>(i);
            return w;
        }();
        Function f("f", {"data"}, train);
        QCOMPARE(f(pairs()).scalar<std::int32_t>(), 3);
        QCOMPARE(weight.read().scalar<float>(), expected);
        weight.assign(1.0f);
        train(pairs());
        QCOMPARE(weight.read().scalar<float>(), expected);
    }

    void aTapeSeesAnEagerLoop() {
        const Tensor w = constant(2.0f);
        GradientTape tape;
        tape.watch(w);
        const Tensor loss = forEach(
            pairs(), [&](Tensor x, Tensor y, Tensor sum) { return sum + x * y * w; }, constant(0.0f));
        QCOMPARE(tape.gradient(loss, {w})[0].scalar<float>(), 140.0f);
    }

    void gradientsGoThroughALoop() {
        int made = 0;
        const Dataset data = Dataset::fromGenerator(
            [&] {
                return [&, next = 0]() mutable -> std::optional<Value> {
                    if (next == 3)
                        return std::nullopt;
                    ++made;
                    ++next;
                    return Value(10.0f * static_cast<float>(next * next));
                };
            },
            TensorSpec{DType::Float32, {}, ""});
        const auto loss = [](Dataset elements, Tensor w) {
            return forEach(
                elements, [&](Tensor x, Tensor sum) { return sum * w + x; }, constant(0.0f));
        };
        // 10 w^2 + 40 w + 90
        Function inside("inside", {"data", "w"},
                        [&](Dataset elements, Tensor w) { return gradients(loss(elements, w), {w})[0]; });
        QCOMPARE(inside(data, constant(2.0f)).scalar<float>(), 80.0f);
        QCOMPARE(made, 3); // no element is taken again
        Function f("f", {"data", "w"}, loss);
        const Tensor w = constant(3.0f);
        GradientTape tape;
        tape.watch(w);
        const Tensor total = f(data, w);
        QCOMPARE(total.scalar<float>(), 300.0f);
        QCOMPARE(tape.gradient(total, w).scalar<float>(), 100.0f);
        QCOMPARE(made, 6);
    }

    void elementsAreNoSources() {
        const Dataset data = pairs();
        Function f("f", {"it", "w"}, [](DatasetIterator it, Tensor w) {
            const auto [x, y] = it.next<std::tuple<Tensor, Tensor>>();
            return x * w + y;
        });
        const Tensor w = constant(2.0f);
        GradientTape tape;
        tape.watch(w);
        const Tensor y = f(DatasetIterator(data), w);
        QCOMPARE(tape.gradient(y, {w})[0].scalar<float>(), 1.0f);
    }
};

RETRACESCOPE_TEST(DatasetLoopTest);

#include "dataset_loop_test.moc"
