#include <retracescope/session/pyramid.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace retracescope::session {

namespace {

constexpr std::size_t kShortRow = 512;   // events of a row that is looked at one by one
constexpr std::size_t kEventsPerBin = 4; // at the finest level, on average
constexpr std::size_t kLeastBinsShown = 1024;
constexpr std::size_t kCoarsestBins = 256; // a level this short needs none above it

std::int64_t width(const PyramidLevel& level) {
    return std::int64_t{1} << level.widthBits;
}

/// Start of a stored bin, ns.
std::int64_t startOf(const RowPyramid& pyramid, const PyramidLevel& level, std::size_t bin) {
    return pyramid.baseNs + (std::int64_t{level.number[bin]} << level.widthBits);
}

/// Time per category in a bin or pixel, of which few are known at a time.
class CategoryTimes {
public:
    void add(CategoryId category, double ns) {
        if (!category.isValid() || ns <= 0)
            return;
        for (std::size_t i = 0; i < m_size; ++i) {
            if (m_times[i].category == category) {
                m_times[i].ns += ns;
                return;
            }
        }
        if (m_size < m_times.size())
            m_times[m_size++] = {category, ns};
        else if (auto& least = *std::ranges::min_element(m_times, {}, &Time::ns); least.ns < ns)
            least = {category, ns};
    }

    struct Time {
        CategoryId category;
        double ns = 0;
    };

    Time most() const {
        Time best;
        for (std::size_t i = 0; i < m_size; ++i) {
            if (m_times[i].ns > best.ns)
                best = m_times[i];
        }
        return best;
    }

    void clear() { m_size = 0; }

private:
    std::array<Time, 16> m_times;
    std::size_t m_size = 0;
};

/// A width for the finest level and how many bins it has.
struct Resolution {
    int widthBits = 0;
    std::size_t bins = 0;
};

/// The finest width at which a bin holds kEventsPerBin events on average and bin numbers fit into 32 bits.
Resolution finestResolution(const LaneRow& row, std::int64_t baseNs) {
    // Two times lie in different bins of 2^bits ns if they differ in a bit from `bits` on: one pass counts
    // the steps from time to time by the highest bit that differs, for all widths at once.
    std::array<std::size_t, 65> stepsByBits{};
    std::uint64_t current = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto first = static_cast<std::uint64_t>(row.startNs[i] - baseNs);
        const auto last = static_cast<std::uint64_t>(std::max(row.endNs[i] - 1, row.startNs[i]) - baseNs);
        ++stepsByBits[static_cast<std::size_t>(std::bit_width(first ^ current))];
        ++stepsByBits[static_cast<std::size_t>(std::bit_width(last ^ first))];
        current = last;
    }
    const auto extent = static_cast<std::uint64_t>(row.endNs.back() - baseNs);
    const int least = std::max(0, static_cast<int>(std::bit_width(extent)) - 32);
    Resolution resolution{62, 1};
    while (resolution.widthBits > least) {
        const std::size_t finerBins =
            resolution.bins + stepsByBits[static_cast<std::size_t>(resolution.widthBits)];
        if (finerBins > row.size() / kEventsPerBin)
            break;
        resolution.bins = finerBins;
        --resolution.widthBits;
    }
    return resolution;
}

class LevelBuilder {
public:
    LevelBuilder(int widthBits, std::size_t mostBins) {
        m_level.widthBits = widthBits;
        m_level.number.reserve(mostBins);
        m_level.busyNs.reserve(mostBins);
        m_level.count.reserve(mostBins);
        m_level.last.reserve(mostBins);
        m_level.category.reserve(mostBins);
        m_level.categoryNs.reserve(mostBins);
    }

    /// Goes to bin `number`, which must not lie before the present one.
    void open(std::uint32_t number) {
        if (m_level.size() > 0 && m_level.number.back() == number)
            return;
        close();
        m_level.number.push_back(number);
        m_level.busyNs.push_back(0);
        m_level.count.push_back(0);
        m_level.last.push_back(0);
        m_level.category.emplace_back();
        m_level.categoryNs.push_back(0);
    }

    void add(CategoryId category, double categoryNs, double busyNs) {
        m_busyNs += busyNs;
        m_times.add(category, categoryNs);
    }

    void countEvents(std::uint32_t events) { m_level.count.back() += events; }
    void setLast(std::uint32_t event) { m_level.last.back() = event; }

    PyramidLevel take() {
        close();
        return std::move(m_level);
    }

private:
    void close() {
        if (m_level.size() == 0)
            return;
        const CategoryTimes::Time most = m_times.most();
        m_level.busyNs.back() = static_cast<float>(m_busyNs);
        m_level.category.back() = most.category;
        m_level.categoryNs.back() = static_cast<float>(most.ns);
        m_times.clear();
        m_busyNs = 0;
    }

    PyramidLevel m_level;
    CategoryTimes m_times;
    double m_busyNs = 0;
};

PyramidLevel finestLevel(const LaneRow& row, std::int64_t baseNs) {
    const auto [bits, bins] = finestResolution(row, baseNs);
    LevelBuilder builder(bits, bins);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::int64_t start = row.startNs[i] - baseNs;
        const std::int64_t end = row.endNs[i] - baseNs;
        const std::int64_t first = start >> bits;
        const std::int64_t last = std::max(end - 1, start) >> bits;
        const std::int64_t inFirst = std::min(end, (first + 1) << bits) - start;
        builder.open(static_cast<std::uint32_t>(first));
        builder.countEvents(1);
        builder.setLast(static_cast<std::uint32_t>(i));
        builder.add(row.category[i], static_cast<double>(inFirst), static_cast<double>(inFirst));
        if (last != first) {
            const auto inLast = static_cast<double>(end - (last << bits));
            builder.open(static_cast<std::uint32_t>(last));
            builder.setLast(static_cast<std::uint32_t>(i));
            builder.add(row.category[i], inLast, inLast);
        }
    }
    return builder.take();
}

/// The event that covers all time from the end of a stored bin to the start of the next one, or none.
CategoryId coveringBehind(const LaneRow& row, const RowPyramid& pyramid, const PyramidLevel& level,
                          std::size_t bin) {
    const std::uint32_t last = level.last[bin];
    return row.endNs[last] > startOf(pyramid, level, bin) + width(level) ? row.category[last] : CategoryId();
}

PyramidLevel coarserLevel(const LaneRow& row, const RowPyramid& pyramid, const PyramidLevel& finer) {
    LevelBuilder builder(finer.widthBits + 1, finer.size());
    const auto fullNs = static_cast<double>(width(finer));
    for (std::size_t bin = 0; bin < finer.size(); ++bin) {
        const bool isSecond = (finer.number[bin] & 1) != 0;
        builder.open(finer.number[bin] >> 1);
        // A half that is not stored is idle or covered whole.
        const bool hasFirst = bin > 0 && finer.number[bin - 1] + 1 == finer.number[bin];
        if (isSecond && !hasFirst && bin > 0) {
            const CategoryId covering = coveringBehind(row, pyramid, finer, bin - 1);
            builder.add(covering, fullNs, covering.isValid() ? fullNs : 0);
        }
        builder.countEvents(finer.count[bin]);
        builder.setLast(finer.last[bin]);
        builder.add(finer.category[bin], finer.categoryNs[bin], finer.busyNs[bin]);
        const bool hasSecond = bin + 1 < finer.size() && finer.number[bin + 1] == finer.number[bin] + 1;
        if (!isSecond && !hasSecond) {
            const CategoryId covering = coveringBehind(row, pyramid, finer, bin);
            builder.add(covering, fullNs, covering.isValid() ? fullNs : 0);
        }
    }
    return builder.take();
}

/// Distributes pieces of time, which come in order, over the pixels of a window. Times count from the
/// window's begin: a double holds those to the nanosecond, but not the nanoseconds since 1970.
class PixelWriter {
public:
    PixelWriter(std::int64_t beginNs, std::int64_t endNs, std::span<PixelSlice> pixels)
        : m_pixels(pixels),
          m_pixelNs(static_cast<double>(endNs - beginNs) / static_cast<double>(pixels.size())) {}

    /// `busyNs` of [startNs, endNs) are covered, `categoryNs` of them by `category`; even over the piece.
    void add(double startNs, double endNs, double busyNs, CategoryId category, double categoryNs) {
        const double length = endNs - startNs;
        double from = std::max(startNs / m_pixelNs, 0.0);
        const double to = std::min(endNs / m_pixelNs, static_cast<double>(m_pixels.size()));
        while (from < to) {
            const auto pixel = static_cast<std::size_t>(from);
            const double stop = std::min(static_cast<double>(pixel + 1), to);
            const double share = (stop - from) * m_pixelNs / length;
            open(pixel);
            m_busyNs += busyNs * share;
            m_times.add(category, categoryNs * share);
            from = stop;
        }
    }

    /// Counts events at a time, or in the nearest pixel if it lies outside.
    void count(double timeNs, std::uint32_t events) {
        const double at = std::clamp(timeNs / m_pixelNs, 0.0, static_cast<double>(m_pixels.size() - 1));
        m_pixels[static_cast<std::size_t>(at)].count += events;
    }

    void finish() { close(); }

private:
    void open(std::size_t pixel) {
        if (pixel == m_pixel)
            return;
        close();
        m_pixel = pixel;
    }

    void close() {
        if (m_pixel >= m_pixels.size())
            return;
        const CategoryTimes::Time most = m_times.most();
        PixelSlice& slice = m_pixels[m_pixel];
        slice.busy = static_cast<float>(std::min(m_busyNs / m_pixelNs, 1.0));
        slice.category = most.category;
        slice.categoryBusy = static_cast<float>(std::min(most.ns / m_pixelNs, 1.0));
        m_times.clear();
        m_busyNs = 0;
    }

    std::span<PixelSlice> m_pixels;
    double m_pixelNs;
    std::size_t m_pixel = ~std::size_t{0};
    double m_busyNs = 0;
    CategoryTimes m_times;
};

/// Rows [first, second) of the events that touch the window.
std::pair<std::size_t, std::size_t> eventsIn(const LaneRow& row, std::int64_t beginNs, std::int64_t endNs) {
    // Ends rise like starts, since events of a row do not overlap; one of no length at beginNs counts as
    // inside.
    auto first = std::ranges::lower_bound(row.endNs, beginNs) - row.endNs.begin();
    while (first < std::ssize(row.endNs) && row.endNs[static_cast<std::size_t>(first)] == beginNs &&
           row.startNs[static_cast<std::size_t>(first)] < beginNs)
        ++first;
    const auto last = std::ranges::lower_bound(row.startNs, endNs) - row.startNs.begin();
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

void sampleEvents(const LaneRow& row, std::int64_t beginNs, std::int64_t endNs, PixelWriter& out) {
    const auto [first, last] = eventsIn(row, beginNs, endNs);
    for (std::size_t i = first; i < last; ++i) {
        const auto start = static_cast<double>(row.startNs[i] - beginNs);
        const auto end = static_cast<double>(row.endNs[i] - beginNs);
        out.add(start, end, end - start, row.category[i], end - start);
        if (start >= 0)
            out.count(start, 1);
    }
}

void sampleLevel(const LaneRow& row, const RowPyramid& pyramid, const PyramidLevel& level,
                 std::int64_t beginNs, std::int64_t endNs, PixelWriter& out) {
    const std::int64_t firstNumber = std::max<std::int64_t>(beginNs - pyramid.baseNs, 0) >> level.widthBits;
    auto bin =
        static_cast<std::size_t>(std::ranges::lower_bound(level.number, firstNumber) - level.number.begin());
    bin -= bin > 0; // what covers the time before the first bin
    for (; bin < level.size() && startOf(pyramid, level, bin) < endNs; ++bin) {
        const auto start = static_cast<double>(startOf(pyramid, level, bin) - beginNs);
        const double end = start + static_cast<double>(width(level));
        out.add(start, end, level.busyNs[bin], level.category[bin], level.categoryNs[bin]);
        if (end > 0)
            out.count((start + end) / 2, level.count[bin]);
        const CategoryId covering = coveringBehind(row, pyramid, level, bin);
        if (covering.isValid() && bin + 1 < level.size()) {
            const auto next = static_cast<double>(startOf(pyramid, level, bin + 1) - beginNs);
            out.add(end, next, next - end, covering, next - end);
        }
    }
}

} // namespace

RowPyramid buildRowPyramid(const LaneRow& row) {
    if (row.size() <= kShortRow)
        return {};
    RowPyramid pyramid{row.startNs.front(), {}};
    pyramid.levels.push_back(finestLevel(row, pyramid.baseNs));
    while (pyramid.levels.back().size() > kCoarsestBins)
        pyramid.levels.push_back(coarserLevel(row, pyramid, pyramid.levels.back()));
    return pyramid;
}

Pyramid buildPyramid(const Session& session, const Job& job) {
    Pyramid pyramid;
    pyramid.index = buildLaneIndex(session, job);
    for (const LaneEvents& lane : pyramid.index.lanes) {
        std::vector<RowPyramid>& rows = pyramid.rows.emplace_back(lane.rows.size());
        for (std::size_t depth = 0; depth < lane.rows.size() && !job.cancel.requested(); ++depth)
            rows[depth] = buildRowPyramid(lane.rows[depth]);
    }
    return pyramid;
}

void sampleRow(const LaneRow& row, const RowPyramid& pyramid, std::int64_t beginNs, std::int64_t endNs,
               std::span<PixelSlice> pixels) {
    std::ranges::fill(pixels, PixelSlice());
    if (pixels.empty() || endNs <= beginNs)
        return;
    PixelWriter out(beginNs, endNs, pixels);
    // A bin's time is spread evenly over it: with two bins a pixel what it shows is off by half a pixel at
    // most.
    const auto binNs = static_cast<double>(endNs - beginNs) /
                       static_cast<double>(std::max<std::size_t>(pixels.size() * 2, kLeastBinsShown));
    const auto fits = [&](const PyramidLevel& level) { return static_cast<double>(width(level)) <= binNs; };
    const auto coarser = std::ranges::find_if_not(pyramid.levels, fits);
    if (coarser == pyramid.levels.begin())
        sampleEvents(row, beginNs, endNs, out);
    else
        sampleLevel(row, pyramid, *std::prev(coarser), beginNs, endNs, out);
    out.finish();
}

std::vector<WindowSum> sumWindow(const LaneRow& row, std::int64_t beginNs, std::int64_t endNs) {
    std::vector<WindowSum> sums;
    const auto [first, last] = eventsIn(row, beginNs, endNs);
    for (std::size_t i = first; i < last; ++i) {
        auto sum = std::ranges::find(sums, row.category[i], &WindowSum::category);
        if (sum == sums.end())
            sum = sums.insert(sums.end(), {row.category[i]});
        sum->busyNs += std::min(row.endNs[i], endNs) - std::max(row.startNs[i], beginNs);
        ++sum->count;
    }
    std::ranges::stable_sort(sums, std::greater(), &WindowSum::busyNs);
    return sums;
}

} // namespace retracescope::session
