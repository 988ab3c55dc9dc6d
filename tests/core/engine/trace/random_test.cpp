#include <cmath>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

struct Moments {
    double mean = 0;
    double deviation = 0;
    double least = 0;
    double most = 0;
};

Moments momentsOf(const Tensor& x) {
    const Tensor wide = cast(x, DType::Float64);
    const Tensor mean = reduceMean(wide);
    return {mean.scalar<double>(), sqrt(reduceMean(square(wide - mean))).scalar<double>(),
            reduceMin(wide).scalar<double>(), reduceMax(wide).scalar<double>()};
}

bool isNear(double a, double b, double by) {
    return std::fabs(a - b) <= by;
}

constexpr std::int64_t kMany = 100000;

} // namespace

class RandomTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The first of the authors' own known answers: counter and key 0.
    void bitsAreThoseOfPhilox() {
        const auto bits = [](std::int64_t key, std::int64_t stream) {
            const auto attributes =
                ir::Attributes().set(ir::Attribute::DType, static_cast<std::int64_t>(DType::UInt32));
            return trace::apply(ir::Op::RandomBits, std::array{constant({4}), constant({key, stream})},
                                attributes, trace::Where::current())
                .values<std::uint32_t>();
        };
        QCOMPARE(bits(0, 0), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    }

    void distributionsHaveTheirMomentsAndRanges() {
        const Generator generator(7);
        for (const DType dtype : {DType::Float32, DType::Float64}) {
            const Moments uniform = momentsOf(generator.uniform({kMany}, -1, 3, dtype));
            QVERIFY(isNear(uniform.mean, 1, 0.02) && isNear(uniform.deviation, 4 / std::sqrt(12.0), 0.02));
            QVERIFY(uniform.least >= -1 && uniform.most <= 3 && uniform.most > 2.99);
            const Moments normal = momentsOf(generator.normal({kMany}, 2, 3, dtype));
            QVERIFY(isNear(normal.mean, 2, 0.05) && isNear(normal.deviation, 3, 0.05));
            QVERIFY(normal.most > 2 + 3 * 3.5 && normal.least < 2 - 3 * 3.5);
            const Moments truncated = momentsOf(generator.truncatedNormal({kMany}, 0, 1, dtype));
            QVERIFY(isNear(truncated.mean, 0, 0.02) && isNear(truncated.deviation, 0.8796, 0.02));
            QVERIFY(truncated.least >= -2 && truncated.most <= 2 && truncated.most > 1.99);
        }
        const Moments integers = momentsOf(generator.integers({kMany}, -3, 4, DType::Int32));
        QVERIFY(integers.least == -3 && integers.most == 3);
        QVERIFY(isNear(integers.mean, 0, 0.03) && isNear(integers.deviation, 2, 0.03));
    }

    void theSameSeedGivesTheSameNumbersEagerAndTraced() {
        const Generator eager(11);
        const Generator traced(11);
        const auto draw = [](const Generator& from) {
            return std::tuple(from.uniform({3}), from.normal({2, 2}), from.integers({4}, 0, 1000),
                              from.shuffle(constant({1, 2, 3, 4, 5})), from.dropout(ones({6}), 0.5));
        };
        Function function("draw", std::vector<ParameterName>{}, [&] { return draw(traced); });
        std::string last;
        for (int run = 0; run < 3; ++run) {
            const auto [a, b, c, d, e] = draw(eager);
            const auto [ta, tb, tc, td, te] = function();
            QCOMPARE(toText(ta), toText(a));
            QCOMPARE(toText(tb), toText(b));
            QCOMPARE(toText(tc), toText(c));
            QCOMPARE(toText(td), toText(d));
            QCOMPARE(toText(te), toText(e));
            QVERIFY(toText(a) != last); // each run goes on from the one before
            last = toText(a);
        }
        QCOMPARE(function.traceCount(), 1U);
    }

    void statelessOpsFollowFromTheSeedAlone() {
        const Tensor seed = constant({1, 2});
        QCOMPARE(toText(statelessNormal({5}, seed)), toText(statelessNormal({5}, seed)));
        QVERIFY(toText(statelessUniform({5}, seed)) != toText(statelessUniform({5}, constant({1, 3}))));
    }

    void shuffleIsAPermutation() {
        const Tensor numbers = range(50);
        const Tensor shuffled = Generator(3).shuffle(numbers);
        QVERIFY(toText(shuffled) != toText(numbers));
        QCOMPARE(toText(sort(shuffled)), toText(numbers));
    }

    void dropoutKeepsTheMean() {
        const Tensor dropped = Generator(5).dropout(ones({kMany}), 0.25);
        const Moments moments = momentsOf(dropped);
        QVERIFY(isNear(moments.mean, 1, 0.02));
        QCOMPARE(moments.least, 0.0);
        QVERIFY(isNear(moments.most, 1 / 0.75, 1e-6));
    }

    void aSeedForTheWholeProcessStartsItsGeneratorOver() {
        Function draw("draw", {}, [] { return randomUniform({3}); });
        const auto drawAll = [&] {
            setSeed(42);
            return std::vector<std::string>{toText(draw()), toText(draw()), toText(randomNormal({2})),
                                            toText(randomIntegers({4}, 0, 100)), toText(draw())};
        };
        const std::vector<std::string> first = drawAll();
        QCOMPARE(drawAll(), first);
        QVERIFY(first[0] != first[1]);
        QVERIFY(first[1] != first[4]);
        QCOMPARE(draw.traceCount(), 1U); // a seed is no part of a signature
        setSeed(43);
        QVERIFY(toText(draw()) != first[0]);
        setSeed(42);
        QCOMPARE(toText(randomUniform({3})), first[0]); // eager draws are the same sequence
        setSeed(7);
        const Tensor shuffled = randomShuffle(range(20));
        QCOMPARE(toText(sort(shuffled)), toText(range(20)));
        QVERIFY(isNear(momentsOf(dropout(ones({kMany}), 0.5)).mean, 1, 0.03));
        QVERIFY(momentsOf(randomTruncatedNormal({1000})).most <= 2.0);
    }

    void mistakesSayWhatWasExpected() {
        const Generator generator(1);
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        QVERIFY(message([&] {
                    generator.uniform({2}, 0, 1, DType::Int32);
                }).startsWith("[random_uniform] expected float32 or float64, got int32"));
        QVERIFY(
            message([&] { generator.integers({2}, 5, 5); }).startsWith("[random_integers] expected a range"));
        QVERIFY(message([&] {
                    generator.dropout(ones({2}), 1.0);
                }).startsWith("[dropout] expected a rate from 0 to below 1, got 1"));
    }
};

RETRACESCOPE_TEST(RandomTest);
#include "random_test.moc"
