#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace retracescope::layout {

/// Maps session time to pixels and back: the visible range [beginNs, endNs) over `width` pixels.
struct TimeScale {
    double beginNs = 0; ///< double: zooming about a point must not drift by rounding
    double endNs = 1;
    double width = 1;

    double nsPerPixel() const { return (endNs - beginNs) / width; }
    double toX(double ns) const { return (ns - beginNs) / nsPerPixel(); }
    double toNs(double x) const { return beginNs + x * nsPerPixel(); }

    bool operator==(const TimeScale&) const = default;
};

inline constexpr double kShortestRangeNs = 100;

/// `scale` shows `factor` times as much time, the time at pixel `x` stays there. Kept between
/// kShortestRangeNs and [firstNs, lastNs], into which it is pushed back where it would stick out.
TimeScale zoomed(const TimeScale& scale, double factor, double x, double firstNs, double lastNs);

/// Moved by `pixels` to later times, as far as [firstNs, lastNs] goes.
TimeScale panned(const TimeScale& scale, double pixels, double firstNs, double lastNs);

/// [beginNs, endNs) made to fit the same limits.
TimeScale clamped(const TimeScale& scale, double firstNs, double lastNs);

struct Tick {
    double x = 0;
    bool isMajor = false;
    std::string label; ///< empty on minor ticks: "17.5 s", "250 ms", "0"
};

/// Ticks at round times after `originNs`: steps of 1, 2 or 5 times a power of ten ns, at least `minPixels`
/// between labels, with 4 or 5 minor steps each; in x order. From two minutes on steps are whole seconds,
/// minutes, hours.
std::vector<Tick> ticks(const TimeScale& scale, double originNs, double minPixels);

} // namespace retracescope::layout
