#include <cmath>
#include <numeric>
#include <random>

#include <QTest>

#include <retracescope/session/nesting.h>
#include <retracescope/session/pyramid.h>

#include "tests/core/session/random_session.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

namespace {

constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000; // wall clock times do not fit into a double

/// Events of 1 to `longest` ns with gaps alike; every hundredth gap is long, so that events come in bursts.
LaneRow randomRow(std::size_t events, std::int64_t longest, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Interval> intervals;
    std::int64_t now = kEpochNs;
    for (std::size_t i = 0; i < events; ++i) {
        const auto duration = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
        const EventRef event{static_cast<std::uint32_t>(i), EventKind::Span};
        intervals.push_back({now, now + duration, event, CategoryId(static_cast<std::size_t>(random() % 5))});
        now += duration + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
        now += i % 100 == 0 ? longest * 1000 : 0;
    }
    return nestIntervals(std::move(intervals)).rows.at(0);
}

/// What sampleRow should say, event by event and pixel by pixel.
std::vector<PixelSlice> slowSample(const LaneRow& row, std::int64_t beginNs, std::int64_t endNs,
                                   std::size_t pixels) {
    std::vector<PixelSlice> result(pixels);
    const double pixelNs = static_cast<double>(endNs - beginNs) / static_cast<double>(pixels);
    for (std::size_t p = 0; p < pixels; ++p) {
        const double from = static_cast<double>(p) * pixelNs;
        std::map<std::uint32_t, double> times;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto start = static_cast<double>(row.startNs[i] - beginNs);
            const auto end = static_cast<double>(row.endNs[i] - beginNs);
            const double overlap = std::min(end, from + pixelNs) - std::max(start, from);
            if (overlap > 0)
                times[row.category[i].value] += overlap;
            result[p].count += start >= from && start < from + pixelNs;
        }
        for (const auto& [category, ns] : times) {
            result[p].busy += static_cast<float>(ns / pixelNs);
            if (ns / pixelNs > result[p].categoryBusy) {
                result[p].categoryBusy = static_cast<float>(ns / pixelNs);
                result[p].category = CategoryId(category);
            }
        }
    }
    return result;
}

std::vector<PixelSlice> sample(const LaneRow& row, const RowPyramid& pyramid, std::int64_t beginNs,
                               std::int64_t endNs, std::size_t pixels) {
    std::vector<PixelSlice> result(pixels);
    sampleRow(row, pyramid, beginNs, endNs, result);
    return result;
}

double busySum(const std::vector<PixelSlice>& pixels) {
    return std::accumulate(pixels.begin(), pixels.end(), 0.0,
                           [](double sum, const PixelSlice& pixel) { return sum + pixel.busy; });
}

std::size_t countSum(const std::vector<PixelSlice>& pixels) {
    return std::accumulate(pixels.begin(), pixels.end(), std::size_t{0},
                           [](std::size_t sum, const PixelSlice& pixel) { return sum + pixel.count; });
}

/// "0-10 | 1-5 || 5-15": rows, and double lines between layers.
std::string rowsText(const NestedRows& nested) {
    std::string text;
    for (std::size_t r = 0; r < nested.rows.size(); ++r) {
        const LaneRow& row = nested.rows[r];
        if (r > 0)
            text += std::ranges::count(nested.layers, r) > 0 ? "|| " : "| ";
        for (std::size_t i = 0; i < row.size(); ++i)
            text += std::to_string(row.startNs[i]) + "-" + std::to_string(row.endNs[i]) + " ";
    }
    return text;
}

Interval interval(std::int64_t start, std::int64_t end) {
    return {start, end, {}, CategoryId(0u)};
}

} // namespace

class PyramidTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nestsIntervalsBelowTheirParents() {
        QCOMPARE(rowsText(nestIntervals({interval(6, 9), interval(0, 10), interval(1, 5), interval(2, 3),
                                         interval(5, 6), interval(10, 12)})),
                 "0-10 10-12 | 1-5 5-6 6-9 | 2-3 ");
    }

    void givesIntervalsThatOverlapInPartLayersOfTheirOwn() {
        QCOMPARE(rowsText(nestIntervals({interval(0, 10), interval(5, 15), interval(6, 14), interval(12, 14),
                                         interval(15, 16)})),
                 "0-10 12-14 15-16 || 5-15 | 6-14 ");
        // A staircase needs no more rows than overlap at a time.
        QCOMPARE(
            rowsText(nestIntervals({interval(0, 10), interval(6, 16), interval(12, 22), interval(18, 28)})),
            "0-10 12-22 || 6-16 18-28 ");
        // What lies in a part that two share is inside one of them, never beside both.
        QCOMPARE(rowsText(nestIntervals({interval(0, 10), interval(2, 3), interval(5, 15), interval(6, 8)})),
                 "0-10 | 2-3 6-8 || 5-15 ");
    }

    void boundsTheCostOfManyThatOverlap() {
        std::vector<Interval> intervals;
        for (std::int64_t i = 0; i < 2000; ++i)
            intervals.push_back(interval(i, 5000 + i));
        const NestedRows nested = nestIntervals(std::move(intervals));
        QCOMPARE(nested.layers.size(), Nesting::kMostLayers);
        QCOMPARE(nested.rows.size(), std::size_t{2000});
    }

    void rowsOfARandomSessionNeverOverlapAndHoldEveryEvent() {
        const Session session = test::randomSession(11, 500);
        const LaneIndex index = buildLaneIndex(session);
        std::size_t intervals = 0;
        std::size_t points = 0;
        for (const LaneEvents& lane : index.lanes) {
            points += lane.points.size();
            QVERIFY(std::ranges::is_sorted(lane.pointNs));
            for (const LaneRow& row : lane.rows) {
                intervals += row.size();
                for (std::size_t i = 1; i < row.size(); ++i)
                    QVERIFY(row.endNs[i - 1] <= row.startNs[i]);
            }
            for (std::size_t r = 1; r < lane.rows.size(); ++r) { // what is below something is inside it
                if (std::ranges::count(lane.layers, r) > 0)
                    continue;
                const LaneRow& above = lane.rows[r - 1];
                for (std::size_t i = 0; i < lane.rows[r].size(); ++i) {
                    const std::int64_t startNs = lane.rows[r].startNs[i];
                    const auto parent = static_cast<std::size_t>(
                        std::ranges::upper_bound(above.startNs, startNs) - above.startNs.begin());
                    QVERIFY(parent > 0 && above.endNs[parent - 1] >= lane.rows[r].endNs[i]);
                }
            }
        }
        QCOMPARE(intervals, std::size_t{1500});
        QCOMPARE(points, std::size_t{1000});
    }

    void tellsCategoriesByOutcomeAndFunction() {
        const SessionPtr session = test::processDataSession();
        const LaneIndex index = buildLaneIndex(*session);
        const LaneRow& row = index.lanes.at(0).rows.at(0);
        std::string outcomes;
        for (const CategoryId category : row.category)
            outcomes += index.categories[category.value].outcome == Outcome::Hit ? "hit " : "traced ";
        QCOMPARE(outcomes, "traced traced hit traced traced ");
        QCOMPARE(index.categories.size(), std::size_t{2});
    }

    void sumsAreExactWherePixelsAreFinerThanTheFinestBin() {
        const LaneRow row = randomRow(3000, 1000, 1);
        const RowPyramid pyramid = buildRowPyramid(row);
        QVERIFY(!pyramid.levels.empty());
        const std::int64_t begin = row.startNs[1500] - 300;
        const auto fast = sample(row, pyramid, begin, begin + 20'000, 333);
        const auto slow = slowSample(row, begin, begin + 20'000, 333);
        for (std::size_t p = 0; p < fast.size(); ++p) {
            QVERIFY(std::abs(fast[p].busy - slow[p].busy) < 1e-5);
            QVERIFY(std::abs(fast[p].categoryBusy - slow[p].categoryBusy) < 1e-5);
            QCOMPARE(fast[p].count, slow[p].count);
        }
    }

    void everyZoomAgreesWithSlowSumsToHalfAPixel() {
        for (const std::int64_t longest : {7, 1000, 50'000}) {
            const LaneRow row = randomRow(4000, longest, static_cast<std::uint64_t>(longest));
            const RowPyramid pyramid = buildRowPyramid(row);
            const std::int64_t extent = row.endNs.back() - row.startNs.front();
            for (std::int64_t window = extent * 2; window > 100; window /= 3) {
                const std::int64_t begin = row.startNs.front() + (extent - window) / 2;
                const auto fast = sample(row, pyramid, begin, begin + window, 200);
                const auto slow = slowSample(row, begin, begin + window, 200);
                // Sums over the first p pixels may differ by what half a pixel holds.
                double fastSum = 0;
                double slowSum = 0;
                for (std::size_t p = 0; p < fast.size(); ++p) {
                    fastSum += fast[p].busy;
                    slowSum += slow[p].busy;
                    QVERIFY2(std::abs(fastSum - slowSum) < 1.01,
                             qPrintable(QString("longest %1 window %2 pixel %3: %4 %5")
                                            .arg(longest)
                                            .arg(window)
                                            .arg(p)
                                            .arg(fastSum)
                                            .arg(slowSum)));
                    QVERIFY(fast[p].busy <= 1.0f);
                }
            }
        }
    }

    void noEventIsLostAtAnyZoom() {
        const LaneRow row = randomRow(20'000, 100, 5);
        const RowPyramid pyramid = buildRowPyramid(row);
        const std::int64_t begin = row.startNs.front();
        const std::int64_t extent = row.endNs.back() + 1 - begin;
        for (const std::size_t pixels : {1u, 10u, 333u, 1600u, 100'000u}) {
            const auto slices = sample(row, pyramid, begin, begin + extent, pixels);
            QCOMPARE(countSum(slices), row.size());
            const auto sums = sumWindow(row, begin, begin + extent);
            std::int64_t busyNs = 0;
            for (const WindowSum& sum : sums)
                busyNs += sum.busyNs;
            const double share = static_cast<double>(busyNs) / static_cast<double>(extent);
            QVERIFY(std::abs(busySum(slices) / static_cast<double>(pixels) - share) < 1e-3);
        }
    }

    void anEventThatCoversManyBinsFillsThemAll() {
        std::vector<Interval> intervals;
        for (std::int64_t i = 0; i < 1000; ++i)
            intervals.push_back({i * 10, i * 10 + 5, {}, CategoryId(0u)});
        intervals.push_back({10'000, 10'000'000, {}, CategoryId(1u)});
        for (std::int64_t i = 0; i < 1000; ++i)
            intervals.push_back({10'000'000 + i * 10, 10'000'000 + i * 10 + 5, {}, CategoryId(0u)});
        const LaneRow row = nestIntervals(std::move(intervals)).rows.at(0);
        const RowPyramid pyramid = buildRowPyramid(row);
        const auto slices = sample(row, pyramid, 0, 10'010'000, 500);
        for (std::size_t p = 2; p < 498; ++p) {
            QVERIFY(slices[p].busy > 0.999f);
            QCOMPARE(slices[p].category.value, 1u);
        }
        const auto inside = sample(row, pyramid, 4'000'000, 5'000'000, 100);
        for (const PixelSlice& slice : inside)
            QVERIFY(slice.busy > 0.999f && slice.count == 0);
    }

    void findsTheDominantCategoryWhereOnePrevails() {
        LaneRow row = randomRow(8000, 1000, 9);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i % 5 != 0) // four of five events of a stretch are alike
                row.category[i] = CategoryId(i / 1500 % 7);
        }
        const RowPyramid pyramid = buildRowPyramid(row);
        const std::int64_t begin = row.startNs.front();
        const std::int64_t extent = row.endNs.back() - begin;
        for (const std::size_t pixels : {17u, 40u, 200u}) {
            const auto fast = sample(row, pyramid, begin, begin + extent, pixels);
            const auto slow = slowSample(row, begin, begin + extent, pixels);
            std::size_t clear = 0;
            for (std::size_t p = 0; p < pixels; ++p) {
                if (slow[p].categoryBusy < 0.7f * slow[p].busy || slow[p].busy < 0.02f)
                    continue;
                ++clear;
                QCOMPARE(fast[p].category, slow[p].category);
            }
            QVERIFY(clear >= 5);
        }
    }

    void anEmptyWindowOrRowIsIdle() {
        const LaneRow empty;
        QCOMPARE(countSum(sample(empty, buildRowPyramid(empty), 0, 100, 10)), std::size_t{0});
        const LaneRow row = randomRow(2000, 100, 2);
        const auto after =
            sample(row, buildRowPyramid(row), row.endNs.back() + 5, row.endNs.back() + 500, 10);
        QCOMPARE(busySum(after), 0.0);
        const auto before = sample(row, buildRowPyramid(row), kEpochNs - 500'000, kEpochNs, 10);
        QCOMPARE(busySum(before), 0.0);
        QCOMPARE(countSum(sample(row, buildRowPyramid(row), 10, 10, 4)), std::size_t{0});
    }
};

RETRACESCOPE_TEST(PyramidTest);

#include "pyramid_test.moc"
