#include <cmath>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;

namespace {

Tensor numbers(const Shape& shape, std::int64_t seed) {
    return statelessUniform(shape, constant({seed, std::int64_t{0}}), -1, 1, DType::Float64);
}

/// What conv2d is, place by place, with zeros beyond the edges.
std::vector<double> convolved(const Tensor& x, const Tensor& w, std::int64_t stride, std::int64_t dilation,
                              std::int64_t before, std::int64_t places) {
    const auto in = x.data<double>();
    const auto filter = w.data<double>();
    const auto& xs = x.shape();
    const auto& ws = w.shape();
    std::vector<double> result;
    for (std::int64_t n = 0; n < xs[0]; ++n) {
        for (std::int64_t i = 0; i < places * places; ++i) {
            for (std::int64_t out = 0; out < ws[3]; ++out) {
                double sum = 0;
                for (std::int64_t k = 0; k < ws[0] * ws[1] * ws[2]; ++k) {
                    const std::int64_t row = i / places * stride + k / (ws[1] * ws[2]) * dilation - before;
                    const std::int64_t column = i % places * stride + k / ws[2] % ws[1] * dilation - before;
                    const bool isInside = row >= 0 && row < xs[1] && column >= 0 && column < xs[2];
                    const std::int64_t at = ((n * xs[1] + row) * xs[2] + column) * xs[3] + k % ws[2];
                    if (isInside)
                        sum += in[static_cast<std::size_t>(at)] *
                               filter[static_cast<std::size_t>(k * ws[3] + out)];
                }
                result.push_back(sum);
            }
        }
    }
    return result;
}

void compare(const Tensor& computed, const std::vector<double>& expected) {
    const auto got = computed.values<double>();
    QCOMPARE(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        QVERIFY(std::fabs(got[i] - expected[i]) < 1e-9);
}

/// The gradient of sum(f(x)^2 + f(x)) against central differences.
template <class F>
void compareGradient(const Tensor& x, const F& f) {
    const auto loss = [&](const Tensor& at) { return reduceSum(square(f(at)) + f(at)); };
    Function slope("slope", {"x"}, [&](Tensor at) { return gradients(loss(at), {at})[0]; });
    const auto computed = Tensor(slope(x)).template values<double>();
    for (std::size_t i = 0; i < computed.size(); ++i) {
        const auto moved = [&](double by) {
            auto values = x.values<double>();
            values[i] += by;
            return loss(constant(values, x.shape())).template scalar<double>();
        };
        const double expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        QVERIFY(std::fabs(computed[i] - expected) < 1e-5);
    }
}

} // namespace

class NeuralOpsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void largeLogitsDoNoHarm() {
        const Tensor x = constant({1000.0f, 1000.0f, -1000.0f});
        QCOMPARE(softmax(x).values<float>(), (std::vector<float>{0.5f, 0.5f, 0}));
        QVERIFY(std::fabs(logSoftmax(x).values<float>()[0] + std::log(2.0f)) < 1e-6f);
        QVERIFY(std::fabs(logSumExp(x).scalar<float>() - 1000 - std::log(2.0f)) < 1e-3f);
        QCOMPARE(softplus(x).values<float>()[2], 0.0f);
        const float infinity = std::numeric_limits<float>::infinity();
        QCOMPARE(logSumExp(constant({-infinity, -infinity})).scalar<float>(), -infinity);
    }

    void crossEntropiesAgree() {
        const Tensor logits = numbers({4, 3}, 1);
        const Tensor classes = constant({2, 0, 1, 1});
        const Tensor dense = crossEntropyWithLogits(oneHot(classes, 3, DType::Float64), logits);
        compare(sparseCrossEntropyWithLogits(classes, logits), dense.values<double>());
        const Tensor z = constant({-2.0, 0.0, 1.5});
        const Tensor labels = constant({0.25, 1.0, 0.0});
        const Tensor of = sigmoid(z);
        compare(sigmoidCrossEntropyWithLogits(labels, z),
                Tensor(-(labels * log(of) + (1.0 - labels) * log(1.0 - of))).values<double>());
    }

    void convolutionFollowsItsDefinition() {
        const Tensor x = numbers({2, 5, 5, 3}, 1);
        const Tensor w = numbers({3, 3, 3, 2}, 2);
        compare(conv2d(x, w), convolved(x, w, 1, 1, 0, 3));
        compare(conv2d(x, w, {.edges = WindowEdges::Same}), convolved(x, w, 1, 1, 1, 5));
        compare(conv2d(x, w, {.strideHeight = 2, .strideWidth = 2, .edges = WindowEdges::Same}),
                convolved(x, w, 2, 1, 1, 3));
        compare(conv2d(x, w, {.dilationHeight = 2, .dilationWidth = 2}), convolved(x, w, 1, 2, 0, 1));
    }

    void depthwiseKeepsChannelsApart() {
        const Tensor x = numbers({1, 4, 4, 2}, 3);
        const Tensor w = numbers({2, 2, 2, 1}, 4);
        const Tensor both = depthwiseConv2d(x, w);
        for (int channel = 0; channel < 2; ++channel) {
            const Slice only(channel, channel + 1);
            const Tensor one = conv2d(stridedSlice(x, {{}, {}, {}, only}), stridedSlice(w, {{}, {}, only}));
            compare(stridedSlice(both, {{}, {}, {}, only}), one.values<double>());
        }
    }

    void gradientsAgreeWithDifferences() {
        const Tensor x = numbers({1, 4, 4, 2}, 5);
        const Tensor w = numbers({2, 2, 2, 2}, 6);
        const Window same{.strideHeight = 2, .strideWidth = 1, .edges = WindowEdges::Same};
        compareGradient(x, [&](const Tensor& at) { return conv2d(at, w, same); });
        compareGradient(w, [&](const Tensor& at) { return conv2d(x, at, same); });
        compareGradient(w, [&](const Tensor& at) { return depthwiseConv2d(x, at); });
        compareGradient(x, [&](const Tensor& at) { return maxPool(at, 2, 2, same); });
        compareGradient(x, [&](const Tensor& at) { return averagePool(at, 3, 3, same); });
        compareGradient(x, [&](const Tensor& at) { return softmax(at); });
        compareGradient(x, [&](const Tensor& at) { return logSumExp(at, {1, 2}); });
    }

    void theFirstOfEqualElementsHasThePoolsGradient() {
        Function slope("slope", {"x"}, [](Tensor x) {
            return gradients(maxPool(x, 2, 2, {.strideHeight = 2, .strideWidth = 2}), {x})[0];
        });
        const Tensor result = slope(ones({1, 2, 2, 1}));
        QCOMPARE(result.values<float>(), (std::vector<float>{1, 0, 0, 0}));
    }

    void mistakesSayWhatWasExpected() {
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        QVERIFY(
            message([] {
                conv2d(ones({1, 4, 4, 3}), ones({2, 2, 1, 1}));
            }).startsWith("[conv2d] expected float32 filters [height, width, 3, ...] of known sizes, got"));
        QVERIFY(message([] {
                    maxPool(ones({1, 2, 2, 1}), 3, 3, {});
                }).startsWith("[max_pool] a window over 3 does not fit 2 elements; use edges Same"));
        QVERIFY(message([] {
                    softmax(constant({1, 2}));
                }).startsWith("[softmax] expected a floating dtype, got int32"));
    }
};

RETRACESCOPE_TEST(NeuralOpsTest);
#include "neural_ops_test.moc"
