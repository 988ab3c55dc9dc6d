#include <algorithm>
#include <random>

#include <QTest>

#include <retracescope/layout/counter_levels.h>

#include "tests/support/test_main.h"

using namespace retracescope::layout;

class CounterLevelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void extremesOfAnyStretchAreThoseOfItsSamples() {
        std::mt19937 random(11);
        for (const std::size_t count : {1u, 15u, 16u, 17u, 300u, 5000u}) {
            std::vector<double> values;
            for (std::size_t i = 0; i < count; ++i)
                values.push_back(static_cast<double>(random() % 100'000) - 50'000);
            const CounterLevels levels(values);
            for (int trial = 0; trial < 200; ++trial) {
                const std::size_t first = random() % count;
                const std::size_t last = first + 1 + random() % (count - first);
                const auto [least, most] =
                    std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                        values.begin() + static_cast<std::ptrdiff_t>(last));
                const Extremes found = levels.extremes(first, last);
                QCOMPARE(found.least, *least);
                QCOMPARE(found.most, *most);
            }
        }
    }
};

RETRACESCOPE_TEST(CounterLevelsTest);

#include "counter_levels_test.moc"
