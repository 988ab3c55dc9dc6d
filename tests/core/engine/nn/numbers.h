#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include <QTest>

#include <retracescope/retracescope.h>

namespace retracescope::test {

/// From -1 to 1, as float64; equal seeds give equal ones.
inline Tensor numbers(const Shape& shape, std::int64_t seed) {
    return statelessUniform(shape, constant({seed, std::int64_t{0}}), -1, 1, DType::Float64);
}

/// Starts a variable with numbers of float64.
inline nn::Initialiser startingWith(std::int64_t seed) {
    return nn::Initialiser::randomUniform(-1, 1, seed);
}

inline void compareValues(const Tensor& computed, const std::vector<double>& expected, double by = 1e-9) {
    const auto got = computed.values<double>();
    QCOMPARE(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        QVERIFY2(std::fabs(got[i] - expected[i]) < by,
                 qPrintable(QStringLiteral("%1: %2, expected %3").arg(i).arg(got[i]).arg(expected[i])));
}

inline void compareTensors(const Tensor& computed, const Tensor& expected, double by = 1e-9) {
    QCOMPARE(types::toText(computed.type()), types::toText(expected.type()));
    compareValues(computed, expected.values<double>(), by);
}

/// What a tape, and what a gradient inside a traced function say of a loss against central differences in
/// every element of every variable.
inline void compareGradients(const std::function<Tensor()>& loss,
                             const std::function<std::vector<Variable>()>& of) {
    loss(); // makes the variables
    const std::vector<Variable> variables = of();
    QVERIFY(!variables.empty());
    GradientTape tape;
    const std::vector<Tensor> eager = tape.gradient(loss(), variables);
    Function slopes("slopes", std::vector<ParameterName>{}, [&] {
        GradientTape inner;
        const Tensor value = loss();
        return inner.gradient(value, variables);
    });
    const std::vector<Tensor> traced = slopes();
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Tensor start = variables[i].read();
        const auto lossAt = [&](std::size_t element, double by) {
            auto moved = start.values<double>();
            moved[element] += by;
            variables[i].assign(constant(moved, start.shape()));
            return loss().scalar<double>();
        };
        std::vector<double> expected;
        for (std::size_t element = 0; element < start.values<double>().size(); ++element)
            expected.push_back((lossAt(element, 1e-5) - lossAt(element, -1e-5)) / 2e-5);
        variables[i].assign(start);
        compareValues(eager[i], expected, 1e-6);
        compareValues(traced[i], expected, 1e-6);
    }
}

} // namespace retracescope::test
