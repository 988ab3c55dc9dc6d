#include <retracescope/base/units.h>

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace retracescope {

namespace {

/// Three significant digits, never in exponent form; `value` is in [0, 1000).
std::string threeDigits(double value) {
    if (value == 0.0)
        return "0";
    if (value >= 99.95)
        return fmt::format("{:.0f}", value);
    if (value >= 9.995)
        return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

struct Unit {
    double size;
    const char* name;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Unit, N>& units) {
    for (const Unit& unit : units) {
        // A value that would print as 1000 of this unit belongs to the next larger one.
        if (value < unit.size * 999.5)
            return threeDigits(value / unit.size) + " " + unit.name;
    }
    const Unit& last = units.back();
    return fmt::format("{:.0f} {}", value / last.size, last.name);
}

constexpr std::array<Unit, 4> kTimeUnits{{{1.0, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Unit, 5> kByteUnits{{{1.0, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}};

} // namespace

std::string formatDuration(std::int64_t ns) {
    if (ns < 0)
        return "−" + formatDuration(-ns);
    constexpr std::int64_t kSecond = 1'000'000'000;
    if (ns >= 120 * kSecond) {
        const std::int64_t seconds = (ns + kSecond / 2) / kSecond;
        if (seconds >= 7200)
            return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
        return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    }
    if (ns < 1000)
        return fmt::format("{} ns", ns);
    return scaled(static_cast<double>(ns), kTimeUnits);
}

std::string TimeUnit::number(std::int64_t valueNs) const {
    if (valueNs == 0)
        return "0";
    if (valueNs < 0)
        return "−" + number(-valueNs);
    const double step = std::pow(10.0, -decimals);
    const double value = static_cast<double>(valueNs) / ns;
    return value < step / 2 ? fmt::format("< {:.{}f}", step, decimals)
                            : fmt::format("{:.{}f}", value, decimals);
}

std::string TimeUnit::text(std::int64_t valueNs) const {
    return number(valueNs) + " " + name;
}

TimeUnit timeUnitFor(std::int64_t largestNs) {
    if (largestNs >= 1'000'000'000)
        return {1e9, 2, "s"};
    if (largestNs >= 1'000'000 || largestNs == 0)
        return {1e6, largestNs >= 100'000'000 ? 1 : 2, "ms"};
    if (largestNs >= 1000)
        return {1e3, largestNs >= 100'000 ? 1 : 2, "µs"};
    return {1.0, 0, "ns"};
}

std::string formatCount(std::int64_t count) {
    if (count < 0)
        return "−" + formatCount(-count);
    if (count >= 1'000'000) {
        constexpr std::array<Unit, 3> kCountUnits{{{1e6, "M"}, {1e9, "G"}, {1e12, "T"}}};
        return scaled(static_cast<double>(count), kCountUnits);
    }
    const std::string digits = std::to_string(count);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            text += "\u2009";
        text += digits[i];
    }
    return text;
}

std::string formatShare(std::int64_t part, std::int64_t whole) {
    if (whole <= 0)
        return "–";
    if (part >= whole)
        return "100 %";
    if (part <= 0)
        return "0 %";
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (percent < 0.1)
        return "< 0.1 %";
    if (percent < 9.95)
        return fmt::format("{:.1f} %", percent);
    return fmt::format("{:.0f} %", std::fmin(percent, 99.0));
}

std::string formatBytes(std::int64_t bytes) {
    if (bytes < 1000)
        return fmt::format("{} B", bytes);
    return scaled(static_cast<double>(bytes), kByteUnits);
}

std::string formatPlural(std::int64_t count, const std::string& singular, const std::string& plural) {
    return formatCount(count) + " " + (count == 1 ? singular : plural);
}

} // namespace retracescope
