#include <retracescope/layout/time_scale.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace retracescope::layout {

namespace {

constexpr double kSecond = 1e9;

struct Step {
    double ns = 1;
    int minor = 5;
};

/// The smallest round step of at least `least` ns.
Step roundStep(double least) {
    if (least > 5 * kSecond) {
        constexpr std::array<Step, 11> kLong{{{10, 5},
                                              {20, 4},
                                              {30, 3},
                                              {60, 4},
                                              {120, 4},
                                              {300, 5},
                                              {600, 5},
                                              {1200, 4},
                                              {1800, 3},
                                              {3600, 4},
                                              {7200, 4}}};
        for (const Step& step : kLong) {
            if (step.ns * kSecond >= least)
                return {step.ns * kSecond, step.minor};
        }
    }
    const double decade = std::pow(10.0, std::floor(std::log10(std::max(least, 1.0))));
    for (const Step& step : {Step{1, 5}, Step{2, 4}, Step{5, 5}}) {
        if (step.ns * decade >= least * (1 - 1e-9))
            return {step.ns * decade, step.minor};
    }
    return {10 * decade, 5};
}

/// Decimals follow from the step, so that neighbours differ in the last digit and none is printed in vain.
std::string label(double ns, double step) {
    if (std::abs(ns) < step / 2)
        return "0";
    if (step >= 10 * kSecond && std::abs(ns) >= 120 * kSecond) {
        const auto seconds = static_cast<std::int64_t>(std::llround(ns / kSecond));
        if (seconds >= 3600)
            return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
        return seconds % 60 == 0 ? fmt::format("{} min", seconds / 60)
                                 : fmt::format("{} min {} s", seconds / 60, seconds % 60);
    }
    struct Unit {
        double ns;
        const char* name;
    };
    Unit unit{1, "ns"};
    for (const Unit& larger : {Unit{1e3, "µs"}, Unit{1e6, "ms"}, Unit{1e9, "s"}}) {
        if (std::abs(ns) >= larger.ns * (1 - 1e-9))
            unit = larger;
    }
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.ns) - 1e-6)));
    return fmt::format("{:.{}f} {}", ns / unit.ns, decimals, unit.name);
}

} // namespace

TimeScale clamped(const TimeScale& scale, double firstNs, double lastNs) {
    const double whole = std::max(lastNs - firstNs, kShortestRangeNs);
    const double length = std::clamp(scale.endNs - scale.beginNs, kShortestRangeNs, whole);
    const double begin = std::clamp(scale.beginNs, firstNs, firstNs + whole - length);
    return {begin, begin + length, scale.width};
}

TimeScale zoomed(const TimeScale& scale, double factor, double x, double firstNs, double lastNs) {
    const double whole = std::max(lastNs - firstNs, kShortestRangeNs);
    const double length = std::clamp((scale.endNs - scale.beginNs) * factor, kShortestRangeNs, whole);
    const double begin = scale.toNs(x) - length * x / scale.width;
    return clamped({begin, begin + length, scale.width}, firstNs, lastNs);
}

TimeScale panned(const TimeScale& scale, double pixels, double firstNs, double lastNs) {
    const double shift = pixels * scale.nsPerPixel();
    return clamped({scale.beginNs + shift, scale.endNs + shift, scale.width}, firstNs, lastNs);
}

std::vector<Tick> ticks(const TimeScale& scale, double originNs, double minPixels) {
    const Step step = roundStep(scale.nsPerPixel() * minPixels);
    const double minor = step.ns / step.minor;
    const auto first = static_cast<std::int64_t>(std::ceil((scale.beginNs - originNs) / minor - 1e-9));
    const auto last = static_cast<std::int64_t>(std::floor((scale.endNs - originNs) / minor + 1e-9));
    std::vector<Tick> out;
    for (std::int64_t i = first; i <= last; ++i) {
        const double ns = static_cast<double>(i) * minor;
        const bool isMajor = i % step.minor == 0;
        out.push_back({scale.toX(originNs + ns), isMajor, isMajor ? label(ns, step.ns) : std::string()});
    }
    return out;
}

} // namespace retracescope::layout
