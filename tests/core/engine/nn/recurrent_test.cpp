#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/core/engine/nn/numbers.h"
#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using nn::RecurrentCell;
using test::compareGradients;
using test::compareTensors;
using test::compareValues;
using test::errorOf;
using test::numbers;
using test::startingWith;

namespace {

constexpr std::int64_t kUnits = 3;
constexpr std::int64_t kFeatures = 2;

nn::CellOptions seeded() {
    return {.kernel = startingWith(1), .recurrent = startingWith(2), .bias = startingWith(3)};
}

struct Cells {
    std::vector<std::shared_ptr<const RecurrentCell>> all{
        std::make_shared<nn::SimpleRNNCell>(kUnits, seeded()),
        std::make_shared<nn::GRUCell>(kUnits, seeded()), std::make_shared<nn::LSTMCell>(kUnits, seeded())};
};

double sigmoidOf(double x) {
    return 1 / (1 + std::exp(-x));
}

/// Numbers of one row and the weights, for the formulas of the cells written out.
struct Row {
    std::vector<double> x;
    std::vector<double> h;
    std::vector<double> kernel;
    std::vector<double> recurrent;
    std::vector<double> bias;

    Row(const RecurrentCell& cell, const Tensor& input, const Tensor& state)
        : x(input.values<double>()), h(state.values<double>()) {
        const auto variables = cell.trainableVariables();
        kernel = variables[0].read().values<double>();
        recurrent = variables[1].read().values<double>();
        bias = variables[2].read().values<double>();
    }
    double fromInput(std::size_t column) const { return product(x, kernel, column) + bias[column]; }
    double fromState(std::size_t column, const std::vector<double>& state) const {
        return product(state, recurrent, column);
    }
    double sum(std::size_t column) const { return fromInput(column) + fromState(column, h); }

private:
    double product(const std::vector<double>& row, const std::vector<double>& matrix,
                   std::size_t column) const {
        double result = 0;
        for (std::size_t i = 0; i < row.size(); ++i)
            result += row[i] * matrix[i * bias.size() + column];
        return result;
    }
};

} // namespace

class RecurrentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void simpleCellFollowsItsFormula() {
        const nn::SimpleRNNCell cell(kUnits, seeded());
        const Tensor x = numbers({1, kFeatures}, 5);
        const Tensor h = numbers({1, kUnits}, 6);
        const RecurrentCell::State after = cell(x, {h});
        const Row row(cell, x, h);
        std::vector<double> expected;
        for (std::size_t unit = 0; unit < kUnits; ++unit)
            expected.push_back(std::tanh(row.sum(unit)));
        compareValues(after[0], expected);
    }

    void gatedCellFollowsItsFormula() {
        const nn::GRUCell cell(kUnits, seeded());
        const Tensor x = numbers({1, kFeatures}, 5);
        const Tensor h = numbers({1, kUnits}, 6);
        const RecurrentCell::State after = cell(x, {h});
        const Row row(cell, x, h);
        std::vector<double> recalled;
        for (std::size_t unit = 0; unit < kUnits; ++unit)
            recalled.push_back(sigmoidOf(row.sum(kUnits + unit)) * row.h[unit]);
        std::vector<double> expected;
        for (std::size_t unit = 0; unit < kUnits; ++unit) {
            const double z = sigmoidOf(row.sum(unit));
            const std::size_t column = 2 * kUnits + unit;
            const double candidate = std::tanh(row.fromInput(column) + row.fromState(column, recalled));
            expected.push_back(z * row.h[unit] + (1 - z) * candidate);
        }
        compareValues(after[0], expected);
    }

    void longMemoryCellFollowsItsFormula() {
        const nn::LSTMCell cell(kUnits, seeded());
        const Tensor x = numbers({1, kFeatures}, 5);
        const Tensor h = numbers({1, kUnits}, 6);
        const Tensor c = numbers({1, kUnits}, 7);
        const RecurrentCell::State after = cell(x, {h, c});
        const Row row(cell, x, h);
        std::vector<double> memory;
        std::vector<double> output;
        for (std::size_t unit = 0; unit < kUnits; ++unit) {
            const double kept = sigmoidOf(row.sum(kUnits + unit)) * c.values<double>()[unit];
            memory.push_back(kept + sigmoidOf(row.sum(unit)) * std::tanh(row.sum(2 * kUnits + unit)));
            output.push_back(sigmoidOf(row.sum(3 * kUnits + unit)) * std::tanh(memory.back()));
        }
        compareValues(after[0], output);
        compareValues(after[1], memory);
        const nn::LSTMCell plain(1);
        plain(ones({1, 1}), plain.zeroState(ones({1, 1})));
        QCOMPARE(plain.trainableVariables()[2].read().values<float>(), (std::vector<float>{0, 1, 0, 0}));
        QCOMPARE(plain.trainableVariables()[2].name(), std::string("lstm_cell/bias"));
    }

    void aSequenceIsItsStepsOneByOne() {
        const Tensor x = numbers({2, 4, kFeatures}, 5);
        for (const auto& cell : Cells().all) {
            const nn::RnnResult result = nn::dynamicRnn(*cell, x);
            RecurrentCell::State state = cell->zeroState(stridedSlice(x, {{}, 0}));
            std::vector<Tensor> outputs;
            for (int time = 0; time < 4; ++time) {
                state = (*cell)(stridedSlice(x, {{}, time}), state);
                outputs.push_back(state[0]);
            }
            compareTensors(result.outputs, stack(outputs, 1));
            for (std::size_t i = 0; i < state.size(); ++i)
                compareTensors(result.state[i], state[i]);
        }
    }

    void rowsEndWhereTheirLengthSays() {
        const Tensor x = numbers({3, 4, kFeatures}, 5);
        const std::vector<std::int64_t> lengths{2, 0, 4};
        for (const auto& cell : Cells().all) {
            const nn::RnnResult result = nn::dynamicRnn(*cell, x, {.lengths = constant(lengths, {3})});
            for (int row = 0; row < 3; ++row) {
                const std::int64_t length = lengths[static_cast<std::size_t>(row)];
                const nn::RnnResult alone =
                    nn::dynamicRnn(*cell, stridedSlice(x, {{row, row + 1}, {0, length}}));
                compareTensors(stridedSlice(result.outputs, {{row, row + 1}}),
                               pad(alone.outputs, {{0, 0}, {0, 4 - length}, {0, 0}}));
                for (std::size_t i = 0; i < alone.state.size(); ++i)
                    compareTensors(stridedSlice(result.state[i], {{row, row + 1}}), alone.state[i]);
            }
        }
    }

    void oneTraceServesSequencesOfAllSizes() {
        for (const auto& cell : Cells().all) {
            const auto run = [&](Tensor x, Tensor lengths) {
                const nn::RnnResult result = nn::dynamicRnn(*cell, x, {.lengths = lengths});
                return std::tuple(result.outputs, result.state);
            };
            FunctionOptions options;
            options.inputSignature = {
                TensorSpec{DType::Float64, {Shape::kUnknown, Shape::kUnknown, kFeatures}, {}},
                TensorSpec{DType::Int32, {Shape::kUnknown}, {}}};
            Function traced("rnn", {"x", "lengths"}, run, options);
            for (const std::int64_t batch : {1, 3}) {
                const Tensor x = numbers({batch, 5, kFeatures}, batch);
                const Tensor lengths = cast(range(batch) + std::int64_t{2}, DType::Int32);
                const auto [outputs, state] = traced(x, lengths);
                const auto [expected, expectedState] = run(x, lengths);
                compareTensors(outputs, expected);
                for (std::size_t i = 0; i < state.size(); ++i)
                    compareTensors(state[i], expectedState[i]);
            }
            QCOMPARE(traced.traceCount(), 1U);
            Function fixed("rnn", {"x", "lengths"}, run);
            const ConcreteFunction& known = fixed.concrete(TensorSpec{DType::Float64, {1, 5, kFeatures}, {}},
                                                           TensorSpec{DType::Int32, {Shape::kUnknown}, {}});
            const Tensor x = numbers({1, 5, kFeatures}, 1);
            compareTensors(known.callFlat(std::vector{x, constant({3})})[0],
                           std::get<0>(run(x, constant({3}))));
        }
    }

    void gradientsAgreeWithDifferences() {
        const Tensor x = numbers({2, 3, kFeatures}, 5);
        for (const auto& cell : Cells().all)
            compareGradients(
                [&] {
                    const nn::RnnResult result = nn::dynamicRnn(*cell, x, {.lengths = constant({2, 3})});
                    return reduceSum(square(result.outputs)) + reduceSum(result.state.back());
                },
                [&] { return cell->trainableVariables(); });
    }

    void startsWithTheStateItIsGiven() {
        const nn::GRUCell cell(kUnits, seeded());
        const Tensor x = numbers({1, 4, kFeatures}, 5);
        const nn::RnnResult half = nn::dynamicRnn(cell, stridedSlice(x, {{}, {0, 2}}));
        const nn::RnnResult rest =
            nn::dynamicRnn(cell, stridedSlice(x, {{}, {2, 4}}), {.initialState = half.state});
        compareTensors(rest.state[0], nn::dynamicRnn(cell, x).state[0]);
    }

    void mistakesSayWhatWasExpected() {
        const auto message = [](const auto& work) { return QString::fromStdString(errorOf(work)); };
        const nn::LSTMCell cell(kUnits, {.name = "encoder"});
        QVERIFY(message([&] {
                    nn::dynamicRnn(cell, ones({2, 3}));
                }).startsWith("[dynamic_rnn] expected floating [batch, time, features], got float32[2,3] ("));
        QVERIFY(message([&] {
                    nn::dynamicRnn(cell, ones({2, 3, 4}), {.lengths = constant({1, 2, 3})});
                })
                    .startsWith(
                        "[dynamic_rnn] expected lengths int32 or int64 [2], one for each row, got int32[3]"));
        QVERIFY(message([&] {
                    nn::dynamicRnn(cell, ones({2, 3, 4}), {.initialState = {ones({2, kUnits})}});
                }).startsWith("[encoder] expected a state of 2 x float32[batch, 3], got 1 tensors"));
        QVERIFY(message([&] {
                    cell(ones({2, 4}), {ones({2, kUnits}), ones({2, 7})});
                }).startsWith("[encoder] expected a state of 2 x float32[batch, 3], got float32[2,7]"));
        QVERIFY(
            message([&] {
                cell(ones({2, 5}), {ones({2, kUnits}), ones({2, kUnits})});
            })
                .startsWith("[encoder] expected float32 with 4 in the last axis, as at the first call, got "
                            "float32[2,5]"));
        QVERIFY(message([] { nn::GRUCell(0); }).startsWith("[gru_cell] expected units from 1 on, got 0"));
    }
};

RETRACESCOPE_TEST(RecurrentTest);
#include "recurrent_test.moc"
