#pragma once

#include <cstdint>
#include <string>

namespace retracescope {

/// Three significant digits with a fitting unit: "11.4 s", "36.2 ms", "828 µs", "35 ns"; from 120 s "2 min 14
/// s".
std::string formatDuration(std::int64_t ns);

/// One unit and one number of decimals for all times of a column, so that they compare at a glance.
struct TimeUnit {
    double ns = 1e9;
    int decimals = 2;
    std::string name = "s";

    /// "11.52", without the unit; "0" for nothing, "< 0.01" for what would read as nothing.
    std::string number(std::int64_t valueNs) const;

    /// "11.52 s"
    std::string text(std::int64_t valueNs) const;
};

/// The unit that suits the largest time.
TimeUnit timeUnitFor(std::int64_t largestNs);

/// In full to 999 999 with thin spaces (U+2009) between thousands, then "1.92 M", "3.10 G".
std::string formatCount(std::int64_t count);

/// "55 %", one decimal below 10 ("1.7 %"), "< 0.1 %", and 100 % only if part equals whole. Whole 0 gives "–".
std::string formatShare(std::int64_t part, std::int64_t whole);

/// "11.8 MB" (powers of 1000), three significant digits.
std::string formatBytes(std::int64_t bytes);

/// "1 trace", "4 traces", with the count as formatCount writes it.
std::string formatPlural(std::int64_t count, const std::string& singular, const std::string& plural);

} // namespace retracescope
