#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace retracescope::importers {

/// A time or a length with picoseconds kept: ns + ps / 1000, 0 <= ps < 1000.
struct Picotime {
    std::int64_t ns = 0;
    std::int32_t ps = 0;

    auto operator<=>(const Picotime&) const = default;

    /// Whole nanoseconds, halves upwards. Keeps order: a <= b gives a.rounded() <= b.rounded().
    std::int64_t rounded() const { return ns + (ps >= 500); }
};

/// Times outside these are refused, so that the length of any two of them fits 64 bits.
inline constexpr std::int64_t kEarliestNs = -200'000'000'000'000'000; // 6.3 years before the clock's zero
inline constexpr std::int64_t kLatestNs = 9'000'000'000'000'000'000;  // 285 years after

enum class DecimalProblem : std::uint8_t { NotANumber, TooLarge };

struct Microseconds {
    Picotime time;
    std::optional<DecimalProblem> problem; ///< `time` is meaningless if set
    bool negative = false;                 ///< also set for what is too large
};

/// Reads a decimal number of microseconds from its digits, never through binary floating point, rounded half
/// up (away from zero) to the picosecond. Blanks around it, a leading '+', ".5", "5." and exponents are fine.
Microseconds parseMicroseconds(std::string_view text);

/// start + length, clipped to kLatestNs. `length` is not negative.
Picotime addClipped(Picotime start, Picotime length, bool& clipped);

/// The number that a text holds, if it is one and finite.
std::optional<double> parseNumber(std::string_view text);

} // namespace retracescope::importers
