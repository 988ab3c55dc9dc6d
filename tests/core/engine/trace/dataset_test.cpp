#include <set>
#include <thread>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

using I = std::vector<std::int64_t>;

/// "0 1 [2, 3]": the elements of a dataset, tensors of an element in brackets if there are several.
std::string listed(const Dataset& dataset) {
    std::string text;
    for (const Value& element : dataset.elements<Value>()) {
        std::string one;
        for (const Tensor& leaf : trace::leavesOf(element))
            one += (one.empty() ? "" : ", ") + valueText(leaf);
        text += (text.empty() ? "" : " ") + (trace::leavesOf(element).size() > 1 ? "<" + one + ">" : one);
    }
    return text;
}

/// The same of what a traced function makes, and the function's result.
std::string listedInGraph(const std::function<Dataset()>& make) {
    Function f("f", {}, [&]() -> Dataset { return make(); });
    return listed(f());
}

std::vector<std::int64_t> numbersOf(const Dataset& dataset) {
    std::vector<std::int64_t> all;
    for (const Tensor& x : dataset)
        all.push_back(x.scalar<std::int64_t>());
    return all;
}

Dataset rows() {
    return Dataset::fromTensorSlices(std::tuple(constant({{1.0f, 2.0f}, {3.0f, 4.0f}}), constant({7, 8})));
}

/// Vectors of these lengths.
Dataset vectors(const std::vector<std::int64_t>& lengths) {
    return Dataset::fromGenerator(
        [=] {
            return [=, next = std::size_t{0}]() mutable -> std::optional<Value> {
                if (next == lengths.size())
                    return std::nullopt;
                return ones({lengths[next++]});
            };
        },
        TensorSpec{DType::Float32, {Shape::kUnknown}, ""});
}

} // namespace

class DatasetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStageIsAlikeEagerAndInAGraph_data() {
        QTest::addColumn<QString>("elements");
        QTest::addColumn<QString>("spec");
        QTest::addColumn<int>("count");
        m_makers.clear();
        const auto row = [&](const char* name, std::function<Dataset()> make, const char* elements,
                             const char* spec, int count) {
            QTest::newRow(name) << elements << spec << count;
            m_makers[name] = std::move(make);
        };
        const char* number = "TensorSpec(shape=(), dtype=tf.int64, name=None)";
        const char* batches = "TensorSpec(shape=(None,), dtype=tf.int64, name=None)";
        row(
            "range", [] { return Dataset::range(3); }, "0 1 2", number, 3);
        row(
            "range with a step", [] { return Dataset::range(7, 1, -2); }, "7 5 3", number, 3);
        row(
            "range of none", [] { return Dataset::range(3, 3); }, "", number, 0);
        row(
            "tensors",
            [] {
                return Dataset::fromTensors(constant({1, 2}));
            },
            "[1, 2]", "TensorSpec(shape=(2,), dtype=tf.int32, name=None)", 1);
        row(
            "host numbers", [] { return Dataset::fromTensors(std::tuple(1, 2.5)); }, "<1, 2.5>",
            "(TensorSpec(shape=(), dtype=tf.int32, name=None), TensorSpec(shape=(), dtype=tf.float32, "
            "name=None))",
            1);
        row("slices", &rows, "<[1, 2], 7> <[3, 4], 8>",
            "(TensorSpec(shape=(2,), dtype=tf.float32, name=None), TensorSpec(shape=(), dtype=tf.int32, "
            "name=None))",
            2);
        row(
            "slices of a map",
            [] {
                return Dataset::fromTensorSlices(
                    std::map<std::string, Tensor>{{"x", constant({1, 2})}, {"y", constant({"a", "b"})}});
            },
            "<1, \"a\"> <2, \"b\">",
            "{'x': TensorSpec(shape=(), dtype=tf.int32, name=None), 'y': TensorSpec(shape=(), "
            "dtype=tf.string, name=None)}",
            2);
        row(
            "batch", [] { return Dataset::range(5).batch(2); }, "[0, 1] [2, 3] [4]", batches, 3);
        row(
            "batch without remainder", [] { return Dataset::range(5).batch(2, true); }, "[0, 1] [2, 3]",
            "TensorSpec(shape=(2,), dtype=tf.int64, name=None)", 2);
        row(
            "batch of structures", [] { return rows().batch(4); }, "<[[1, 2], [3, 4]], [7, 8]>",
            "(TensorSpec(shape=(None, 2), dtype=tf.float32, name=None), TensorSpec(shape=(None,), "
            "dtype=tf.int32, name=None))",
            1);
        row(
            "repeat", [] { return Dataset::range(2).repeat(2); }, "0 1 0 1", number, 4);
        row(
            "repeat for ever", [] { return Dataset::range(2).repeat().take(5); }, "0 1 0 1 0", number, 5);
        row(
            "repeat of none", [] { return Dataset::range(0).repeat(); }, "", number, 0);
        row(
            "take", [] { return Dataset::range(9).take(2); }, "0 1", number, 2);
        row(
            "take too many", [] { return Dataset::range(2).take(9); }, "0 1", number, 2);
        row(
            "skip", [] { return Dataset::range(4).skip(2); }, "2 3", number, 2);
        row(
            "skip too many", [] { return Dataset::range(2).skip(9); }, "", number, 0);
        row(
            "shuffle in a buffer of one", [] { return Dataset::range(4).shuffle(1, 7); }, "0 1 2 3", number,
            4);
        row(
            "map", [] { return Dataset::range(3).map([](Tensor x) { return x * x; }); }, "0 1 4", number, 3);
        row(
            "map of items",
            [] { return rows().map([](Tensor x, Tensor y) { return std::tuple(y, x * 2.0f); }); },
            "<7, [2, 4]> <8, [6, 8]>",
            "(TensorSpec(shape=(), dtype=tf.int32, name=None), TensorSpec(shape=(2,), dtype=tf.float32, "
            "name=None))",
            2);
        row(
            "filter",
            [] {
                return Dataset::range(6).filter(
                    [](Tensor x) { return equal(mod(x, std::int64_t{2}), std::int64_t{0}); });
            },
            "0 2 4", number, -2);
        row(
            "zip",
            [] {
                return Dataset::zip({Dataset::range(3), rows()});
            },
            "<0, [1, 2], 7> <1, [3, 4], 8>",
            "(TensorSpec(shape=(), dtype=tf.int64, name=None), (TensorSpec(shape=(2,), dtype=tf.float32, "
            "name=None), TensorSpec(shape=(), dtype=tf.int32, name=None)))",
            2);
        row(
            "enumerate", [] { return Dataset::range(5, 7).enumerate(3); }, "<3, 5> <4, 6>",
            "(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorSpec(shape=(), dtype=tf.int64, "
            "name=None))",
            2);
    }

    void everyStageIsAlikeEagerAndInAGraph() {
        QFETCH(QString, elements);
        QFETCH(QString, spec);
        QFETCH(int, count);
        const auto& make = m_makers.at(QTest::currentDataTag());
        QCOMPARE(QString::fromStdString(listed(make())), elements);
        QCOMPARE(QString::fromStdString(listed(make())), elements);
        QCOMPARE(QString::fromStdString(listedInGraph(make)), elements);
        QCOMPARE(QString::fromStdString(types::toText(trace::typeOfValue(make()))),
                 QStringLiteral("DatasetSpec(%1, TensorShape([]))").arg(spec));
        QCOMPARE(make().cardinality().scalar<std::int64_t>(), std::int64_t{count});
        Function counted("counted", {}, [&] { return make().cardinality(); });
        QCOMPARE(counted().scalar<std::int64_t>(), std::int64_t{count});
    }

    void aRangeMayReachAcrossAllNumbers() {
        constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
        constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(numbersOf(Dataset::range(kLeast, kMost, kMost)), (I{kLeast, -1, kMost - 1}));
        QCOMPARE(numbersOf(Dataset::range(kMost, kLeast, kLeast)), (I{kMost, -1}));
        QCOMPARE(Dataset::range(kLeast, kMost).cardinality().scalar<std::int64_t>(), kMost);
        QCOMPARE(Dataset::range(1).repeat().cardinality().scalar<std::int64_t>(), Dataset::kInfinite);
    }

    void aShuffleFollowsFromItsSeed() {
        const auto order = [](std::int64_t seed, bool reshuffle) {
            return Dataset::range(10).shuffle(10, seed, reshuffle);
        };
        QCOMPARE(listed(order(1, true)), std::string("8 6 5 0 2 7 3 1 9 4")); // on every machine
        QCOMPARE(numbersOf(order(1, true)), numbersOf(order(1, false)));
        QVERIFY(numbersOf(order(1, true)) != numbersOf(order(2, true)));
        // Every pass is a permutation, of another order each, be it by repeat() or by the next loop.
        const I twice = numbersOf(order(3, true).repeat(2));
        const I first(twice.begin(), twice.begin() + 10);
        const I second(twice.begin() + 10, twice.end());
        QVERIFY(first != second);
        QCOMPARE(std::set(second.begin(), second.end()).size(), std::size_t{10});
        const Dataset again = order(3, true);
        QCOMPARE(numbersOf(again), first);
        QCOMPARE(numbersOf(again), second);
        const Dataset same = order(3, false);
        QCOMPARE(numbersOf(same), first);
        QCOMPARE(numbersOf(same.repeat(2)).size(), std::size_t{20});
        QCOMPARE(numbersOf(same), first);
        // In a buffer of three, no element comes more than two places early.
        const I near = numbersOf(Dataset::range(100).shuffle(3, 5));
        for (std::size_t i = 0; i < near.size(); ++i)
            QVERIFY(near[i] <= static_cast<std::int64_t>(i) + 2);
    }

    void twoEqualShufflesOfAGraphAreTwo() {
        Function f("f", {}, [] {
            const Dataset a = Dataset::range(10).shuffle(10, 1);
            const Dataset b = Dataset::range(10).shuffle(10, 1);
            return std::tuple(DatasetIterator(a.batch(10)).next(), DatasetIterator(b.batch(10)).next());
        });
        const I expected = numbersOf(Dataset::range(10).shuffle(10, 1));
        for (int call = 0; call < 2; ++call) { // each call makes them anew
            const auto [a, b] = f();
            QCOMPARE(a.values<std::int64_t>(), expected);
            QCOMPARE(b.values<std::int64_t>(), expected);
        }
    }

    void whatAFunctionOfElementsUsesFromOutside() {
        const Variable factor(constant(std::int64_t{2}));
        const Tensor offset = constant(std::int64_t{10});
        const Dataset scaled = Dataset::range(3).map([&](Tensor x) { return x * factor + offset; });
        QCOMPARE(numbersOf(scaled), (I{10, 12, 14}));
        factor.assign(std::int64_t{3}); // read when an element is made
        QCOMPARE(numbersOf(scaled), (I{10, 13, 16}));
        Function f("f", {"n"}, [&](Tensor n) {
            const Dataset own = Dataset::range(n).map([&](Tensor x) { return x * factor + n; });
            return forEach(
                own, [](Tensor x, Tensor sum) { return sum + x; }, constant(std::int64_t{0}));
        });
        QCOMPARE(f(constant(std::int64_t{4})).scalar<std::int64_t>(), std::int64_t{34});
        QCOMPARE(f(constant(std::int64_t{5})).scalar<std::int64_t>(), std::int64_t{55});
        QCOMPARE(f.traceCount(), 1U);
    }

    void aGeneratorRunsOnTheHostOncePerPass() {
        int passes = 0;
        const Dataset squares = Dataset::fromGenerator(
            [&] {
                ++passes;
                return [next = 0]() mutable -> std::optional<Value> {
                    if (next == 3)
                        return std::nullopt;
                    ++next;
                    return Value(std::tuple(next, next * next));
                };
            },
            std::tuple(TensorSpec{DType::Int32, {}, ""}, TensorSpec{DType::Float32, {}, ""}));
        QCOMPARE(listed(squares), std::string("<1, 1> <2, 4> <3, 9>"));
        QCOMPARE(listed(squares.repeat(2).batch(4)),
                 std::string("<[1, 2, 3, 1], [1, 4, 9, 1]> <[2, 3], [4, 9]>"));
        QCOMPARE(passes, 3);
        Function f("f", {}, [&] {
            return forEach(
                squares, [](Tensor, Tensor square, Tensor sum) { return sum + square; }, constant(0.0f));
        });
        QCOMPARE(f().scalar<float>(), 14.0f);
        QCOMPARE(passes, 4);
        const Dataset wrong = Dataset::fromGenerator([] { return [] { return std::optional(Value("a")); }; },
                                                     TensorSpec{DType::Float32, {}, ""});
        const std::string message = errorOf([&] { listed(wrong); });
        QVERIFY2(message.starts_with("[fromGenerator] element: "), message.c_str());
    }

    void mistakesSayWhatWasExpected() {
        const auto message = [](auto work) { return errorOf([&] { listed(work()); }); };
        const std::string batch = message([] { return vectors({2, 3}).batch(2); });
        QVERIFY2(batch.starts_with("[batch] expected elements of one shape, got float32[2] as the first of a "
                                   "batch and float32[3] as its element 1"),
                 batch.c_str());
        QCOMPARE(message([] { return vectors({2, 3}).batch(1); }), std::string("no error"));
        const auto start = [&](auto work, const char* expected) {
            const std::string got = message(work);
            return got.starts_with(expected) && got.find("dataset_test.cpp:") != std::string::npos
                       ? std::string()
                       : got;
        };
        QCOMPARE(start([] { return Dataset::range(0, 1, 0); }, "[range] expected a step other than 0, got 0"),
                 std::string());
        QCOMPARE(
            start([] { return Dataset::range(3).batch(0); }, "[batch] expected a size of 1 or more, got 0"),
            std::string());
        QCOMPARE(start([] { return Dataset::range(3).shuffle(0, 1); },
                       "[shuffle] expected a buffer size of 1 or more, got 0"),
                 std::string());
        QCOMPARE(start([] { return Dataset::range(3).take(-2); },
                       "[take] expected a number of elements of 0 or more, got -2"),
                 std::string());
        QCOMPARE(start(
                     [] {
                         return Dataset::fromTensorSlices(std::tuple(constant({1}), constant({1, 2})));
                     },
                     "[dataset_slices] expected tensors with equally many rows, got int32[1] and int32[2]"),
                 std::string());
        QCOMPARE(start([] { return Dataset::fromTensorSlices(constant(1)); },
                       "[dataset_slices] expected tensors with a leading axis, got int32[]"),
                 std::string());
        QCOMPARE(start([] { return Dataset().batch(2); }, "[batch] expected a dataset, got an empty one"),
                 std::string());
        QCOMPARE(start([] { return Dataset::zip({}); }, "[zip] expected a dataset or more, got none"),
                 std::string());
        QCOMPARE(start([] { return Dataset::range(3).filter([](Tensor x) { return x; }); },
                       "[filter] expected a bool scalar from the predicate, got TensorSpec(shape=(), "
                       "dtype=tf.int64, name=None)"),
                 std::string());
        QCOMPARE(start([] { return Dataset::range(3).map([](Tensor) { return Value(); }); },
                       "[map] expected a tensor or more from the function, got Literal[None]"),
                 std::string());
        QCOMPARE(start(
                     [] {
                         return Dataset::fromTensors(Value(Value::Sequence{true, {}}));
                     },
                     "[fromTensors] expected a tensor or more, got Tuple[]"),
                 std::string());
        const std::string creates =
            errorOf([] { Dataset::range(3).map([](Tensor x) { return Variable(x).read(); }); });
        QVERIFY2(creates.find("creating variable 'variable'") != std::string::npos, creates.c_str());
    }

    void theEndOfAnIteratorNamesTheDataset() {
        const DatasetIterator numbers = Dataset::range(3).batch(2);
        QCOMPARE(numbers.next().values<std::int64_t>(), (I{0, 1}));
        const OptionalElement last = numbers.nextOptional();
        QVERIFY(last.hasValue().scalar<bool>());
        QCOMPARE(last.value().values<std::int64_t>(), (I{2}));
        const OptionalElement none = numbers.nextOptional();
        QVERIFY(!none.hasValue().scalar<bool>());
        const std::string asked = errorOf([&] { none.value(); });
        QVERIFY2(asked.starts_with("[OptionalElement] expected an element, got none"), asked.c_str());
        for (int i = 0; i < 2; ++i) { // and stays there
            const std::string message = errorOf([&] { numbers.next(); });
            QVERIFY2(message.starts_with("[iterator_next] range(3).batch(2) has no further element") &&
                         message.find("dataset_test.cpp:") != std::string::npos,
                     message.c_str());
        }
        Function f("f", {"it"}, [](DatasetIterator it) { return it.next(); });
        const std::string inGraph = errorOf([&] { f(numbers); });
        QVERIFY2(inGraph.starts_with("[iterator_next] range(3).batch(2) has no further element") &&
                     inGraph.find("dataset_test.cpp:") != std::string::npos,
                 inGraph.c_str());
        Function orZero("or_zero", {"it"}, [](DatasetIterator it) {
            const OptionalElement element = it.nextOptional();
            return cond(
                element.hasValue(), [&] { return element.value(); },
                [] { return cast(zeros({0}), DType::Int64); });
        });
        QCOMPARE(orZero(numbers).elements(), std::int64_t{0});
        QCOMPARE(orZero(DatasetIterator(Dataset::range(4).batch(4))).values<std::int64_t>(), (I{0, 1, 2, 3}));
        QCOMPARE(orZero.traceCount(), 1U);
    }

    void anIteratorGoesOnFromCallToCall() {
        Function f("f", {"it"}, [](DatasetIterator it) {
            const Tensor first = it.next();
            return first + it.next() * std::int64_t{10};
        });
        const DatasetIterator it = Dataset::range(5);
        QCOMPARE(f(it).scalar<std::int64_t>(), std::int64_t{10});
        QCOMPARE(f(it).scalar<std::int64_t>(), std::int64_t{32});
        QCOMPARE(it.next().scalar<std::int64_t>(), std::int64_t{4}); // outside, too
        QCOMPARE(f(DatasetIterator(Dataset::range(7, 9))).scalar<std::int64_t>(), std::int64_t{87});
        QCOMPARE(f.traceCount(), 1U);
        Function captured("captured", {},
                          [other = DatasetIterator(Dataset::range(3))] { return other.next(); });
        QCOMPARE(captured().scalar<std::int64_t>(), std::int64_t{0});
        QCOMPARE(captured().scalar<std::int64_t>(), std::int64_t{1});
    }

    void argumentsAreTypedByTheirElements() {
        Function f("f", {"ds"}, [](Dataset ds) { return DatasetIterator(ds).next(); });
        QCOMPARE(f(Dataset::range(3)).scalar<std::int64_t>(), std::int64_t{0});
        f(Dataset::range(5, 9).skip(1)); // neither which one it is nor how long
        QCOMPARE(f.traceCount(), 1U);
        f(Dataset::range(4).batch(2));
        f(Dataset::range(4).batch(2, true)); // of a subtype
        QCOMPARE(f.traceCount(), 2U);
        f(Dataset::fromTensors(constant(1.0f)));
        QCOMPARE(f.traceCount(), 3U);
        QCOMPARE(QString::fromStdString(f.signatures(false)).section(QLatin1Char('\n'), 1, 1),
                 QStringLiteral("(ds: DatasetSpec(TensorSpec(shape=(None,), dtype=tf.int64, name=None), "
                                "TensorShape([]))) -> TensorSpec(shape=(None,), dtype=tf.int64, name=None)"));
        Function any("any", {"it"}, [](Value it) {
            return DatasetIterator::fromArgument(it).next<std::tuple<Tensor, Tensor>>();
        });
        any(DatasetIterator(rows()));
        QCOMPARE(any.signatures(false),
                 std::string("(it: IteratorSpec((TensorSpec(shape=(2,), dtype=tf.float32, name=None), "
                             "TensorSpec(shape=(), dtype=tf.int32, name=None)),)) -> "
                             "Tuple[TensorSpec(shape=(2,), dtype=tf.float32, name=None), "
                             "TensorSpec(shape=(), dtype=tf.int32, name=None)]\n"));
        const std::string message = errorOf([&] { Function("g", {"ds"}, [](Dataset) {})(Value(1)); });
        QVERIFY2(message.starts_with(
                     "[g] argument 'ds': the callable's parameter expects a dataset, got Literal[1]"),
                 message.c_str());
    }

    void elementShapesRelax() {
        FunctionOptions options;
        options.reduceRetracing = true;
        Function f(
            "f", {"ds"}, [](Dataset ds) { return DatasetIterator(ds).next(); }, options);
        for (const std::int64_t size : {1, 2, 3, 4})
            QCOMPARE(f(Dataset::fromTensors(ones({size, 2}))).elements(), 2 * size);
        QCOMPARE(f.traceCount(), 2U);
    }

    void anInputSignatureTakesDatasets() {
        FunctionOptions options;
        const TensorSpec open{DType::Int64, {Shape::kUnknown}, ""};
        options.inputSignature = {Dataset::spec(open), DatasetIterator::spec(open)};
        Function f(
            "f", {"ds", "it"},
            [](Dataset ds, DatasetIterator it) { return DatasetIterator(ds).next() + it.next(); }, options);
        const Dataset batches = Dataset::range(4).batch(2);
        QCOMPARE(f(batches, DatasetIterator(batches)).values<std::int64_t>(), (I{0, 2}));
        QCOMPARE(f(Dataset::range(2).batch(2, true), DatasetIterator(batches)).values<std::int64_t>(),
                 (I{0, 2}));
        QCOMPARE(f.traceCount(), 1U);
        const std::string message =
            errorOf<CastError>([&] { f(Dataset::range(4), DatasetIterator(batches)); });
        QVERIFY2(message.find("argument 'ds': expected DatasetSpec(TensorSpec(shape=(None,)") !=
                     std::string::npos,
                 message.c_str());
        const ConcreteFunction& concrete = f.concrete();
        QCOMPARE(concrete.flatNames(), (std::vector<std::string>{"ds", "it"}));
        const Value flat = concrete(arg("it", DatasetIterator(batches)), arg("ds", batches));
        QCOMPARE(flat.as<Tensor>()->values<std::int64_t>(), (I{0, 2}));
        QVERIFY(errorOf<CastError>([&] { concrete(batches, batches); }).find("IteratorSpec") !=
                std::string::npos);
    }

    void functionsReturnDatasetsAndIterators() {
        Function f("f", {"n"}, [](Tensor n) {
            const Dataset all = Dataset::range(n);
            return std::tuple(all.batch(2), DatasetIterator(all));
        });
        const auto [batches, it] = f(constant(std::int64_t{3}));
        QCOMPARE(listed(batches), std::string("[0, 1] [2]"));
        it.next();
        QCOMPARE(it.next().scalar<std::int64_t>(), std::int64_t{1});
        Function outer("outer", {"n"}, [&](Tensor n) { return DatasetIterator(std::get<0>(f(n))).next(); });
        QCOMPARE(outer(constant(std::int64_t{1})).values<std::int64_t>(), (I{0}));
    }

    void twoThreadsGetEveryElementOnce() {
        constexpr std::int64_t kElements = 2000;
        const DatasetIterator it =
            Dataset::range(kElements).map([](Tensor x) { return x + std::int64_t{1}; });
        Function f("f", {"it"}, [](DatasetIterator own) {
            return forEach(
                own, [](Tensor x, Tensor count, Tensor sum) { return std::tuple(count + 1, sum + x); },
                std::tuple(constant(0), constant(std::int64_t{0})));
        });
        f.concrete(it);
        std::array<std::int64_t, 2> sums{};
        std::array<std::int32_t, 2> counts{};
        {
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < 2; ++i)
                threads.emplace_back([&, i] {
                    const auto [count, sum] = f(it);
                    counts[i] = count.scalar<std::int32_t>();
                    sums[i] = sum.scalar<std::int64_t>();
                });
            for (std::thread& thread : threads)
                thread.join();
        }
        QCOMPARE(counts[0] + counts[1], static_cast<std::int32_t>(kElements));
        QCOMPARE(sums[0] + sums[1], kElements * (kElements + 1) / 2);
    }

private:
    std::map<std::string, std::function<Dataset()>> m_makers;
};

RETRACESCOPE_TEST(DatasetTest);

#include "dataset_test.moc"
