#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/core/engine/nn/numbers.h"
#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::compareGradients;
using test::compareValues;
using test::errorOf;
using test::numbers;

class LossesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areMeansOverAllExamples() {
        const Tensor logits = constant({{0.0, std::log(3.0)}, {0.0, 0.0}}); // 1/4 and 3/4, 1/2 and 1/2
        const double first = std::log(4.0);
        const double second = std::log(2.0);
        compareValues(nn::sparseCategoricalCrossEntropy(constant({0, 1}), logits), {(first + second) / 2});
        compareValues(nn::categoricalCrossEntropy(constant({{1.0, 0.0}, {0.5, 0.5}}), logits),
                      {(first + second) / 2});
        compareValues(nn::binaryCrossEntropy(constant({{1.0, 1.0}, {0.0, 0.5}}), logits),
                      {(3 * second - std::log(0.75)) / 4});
        compareValues(nn::meanSquaredError(constant({1.0, 2.0}), constant({3.0, 5.0})), {6.5});
    }

    void agreeWhenTraced() {
        Function all("all", {"labels", "classes", "logits"},
                     [](Tensor labels, Tensor classes, Tensor logits) {
                         return stack({nn::meanSquaredError(labels, logits),
                                       nn::categoricalCrossEntropy(labels, logits),
                                       nn::sparseCategoricalCrossEntropy(classes, logits),
                                       nn::binaryCrossEntropy(labels, logits)});
                     });
        const Tensor labels = softmax(numbers({4, 3}, 1));
        const Tensor classes = constant({2, 0, 1, 1});
        const Tensor logits = numbers({4, 3}, 2);
        const ConcreteFunction& any = all.concrete(TensorSpec{DType::Float64, {Shape::kUnknown, 3}, {}},
                                                   TensorSpec{DType::Int32, Shape::unknownRank(), {}},
                                                   TensorSpec{DType::Float64, {4, Shape::kUnknown}, {}});
        compareValues(any.callFlat(std::vector{labels, classes, logits})[0],
                      {nn::meanSquaredError(labels, logits).scalar<double>(),
                       nn::categoricalCrossEntropy(labels, logits).scalar<double>(),
                       nn::sparseCategoricalCrossEntropy(classes, logits).scalar<double>(),
                       nn::binaryCrossEntropy(labels, logits).scalar<double>()});
    }

    void gradientsAgreeWithDifferences() {
        const Variable logits(numbers({3, 4}, 1));
        const Tensor labels = softmax(numbers({3, 4}, 2));
        const auto compare = [&](const auto& loss) {
            compareGradients(loss, [&] { return std::vector{logits}; });
        };
        compare([&] { return nn::meanSquaredError(labels, logits); });
        compare([&] { return nn::categoricalCrossEntropy(labels, logits); });
        compare([&] { return nn::sparseCategoricalCrossEntropy(constant({3, 0, 1}), logits); });
        compare([&] { return nn::binaryCrossEntropy(labels, logits); });
    }

    void shapesNeverBroadcast() {
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        QVERIFY(
            message([] {
                nn::meanSquaredError(ones({8}), ones({8, 1}));
            })
                .startsWith("[mean_squared_error] expected labels and predictions of one floating dtype and "
                            "shape, got float32[8] and float32[8,1] (losses_test.cpp:"));
        QVERIFY(message([] {
                    nn::binaryCrossEntropy(constant({0, 1}), ones({2}));
                })
                    .startsWith("[binary_cross_entropy] expected labels and logits of one floating dtype and "
                                "shape, got int32[2] and float32[2]"));
        QVERIFY(message([] {
                    nn::categoricalCrossEntropy(ones({2, 3}), ones({2, 4}));
                }).startsWith("[categorical_cross_entropy] expected labels and logits of one"));
        QVERIFY(
            message([] {
                nn::sparseCategoricalCrossEntropy(constant({{0}, {1}}), ones({2, 4}));
            })
                .startsWith("[sparse_categorical_cross_entropy] expected int32 or int64 labels, one for each "
                            "row of floating logits [..., classes], got int32[2,1] and float32[2,4]"));
    }
};

RETRACESCOPE_TEST(LossesTest);
#include "losses_test.moc"
