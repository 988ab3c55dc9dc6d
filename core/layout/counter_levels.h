#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace retracescope::layout {

/// Smallest and largest of a run of counter samples.
struct Extremes {
    double least = 0;
    double most = 0;
};

/// Extremes of any stretch of a series in logarithmic time, so that a curve costs its pixels and not its
/// samples.
class CounterLevels {
public:
    CounterLevels() = default;
    explicit CounterLevels(std::vector<double> values);

    std::span<const double> values() const { return m_values; }

    /// Of samples [first, last), which must not be empty.
    Extremes extremes(std::size_t first, std::size_t last) const;

private:
    std::vector<double> m_values;
    std::vector<std::vector<Extremes>> m_levels; ///< level k: one per 16^(k+1) samples
};

} // namespace retracescope::layout
