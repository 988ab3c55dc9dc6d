#include <retracescope/layout/counter_levels.h>

#include <algorithm>

#include <retracescope/base/check.h>

namespace retracescope::layout {

namespace {

constexpr std::size_t kFan = 16;

void widen(Extremes& all, const Extremes& part) {
    all.least = std::min(all.least, part.least);
    all.most = std::max(all.most, part.most);
}

} // namespace

CounterLevels::CounterLevels(std::vector<double> values) : m_values(std::move(values)) {
    std::vector<Extremes> below;
    for (const double value : m_values)
        below.push_back({value, value});
    while (below.size() > kFan) {
        std::vector<Extremes> level;
        for (std::size_t i = 0; i < below.size(); i += kFan) {
            Extremes all = below[i];
            for (std::size_t k = i + 1; k < std::min(i + kFan, below.size()); ++k)
                widen(all, below[k]);
            level.push_back(all);
        }
        m_levels.push_back(level);
        below = std::move(level);
    }
}

Extremes CounterLevels::extremes(std::size_t first, std::size_t last) const {
    RETRACESCOPE_CHECK(first < last && last <= m_values.size());
    Extremes all{m_values[first], m_values[first]};
    // Single samples up to a multiple of 16, then ever larger blocks, then smaller ones again.
    while (first < last) {
        std::size_t size = 1;
        std::size_t level = 0;
        while (level < m_levels.size() && first % (size * kFan) == 0 && first + size * kFan <= last) {
            size *= kFan;
            ++level;
        }
        if (level == 0)
            widen(all, {m_values[first], m_values[first]});
        else
            widen(all, m_levels[level - 1][first / size]);
        first += size;
    }
    return all;
}

} // namespace retracescope::layout
