#include <retracescope/importers/decimal.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace retracescope::importers {

namespace {

__extension__ using Int128 = __int128;

constexpr Int128 kEarliestPs = static_cast<Int128>(kEarliestNs) * 1000;
constexpr Int128 kLatestPs = static_cast<Int128>(kLatestNs) * 1000;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Sign, digits with the place of the point, exponent.
struct Decimal {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;
};

std::optional<std::int64_t> parseExponent(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.empty())
        return std::nullopt;
    constexpr std::int64_t kFar = 1'000'000; // beyond any time; stops the sum from overflowing
    std::int64_t value = 0;
    for (const char c : text) {
        if (!isDigit(c))
            return std::nullopt;
        value = std::min(value * 10 + (c - '0'), kFar);
    }
    return negative ? -value : value;
}

std::optional<Decimal> parseDecimal(std::string_view text) {
    Decimal result;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        result.negative = text[0] == '-';
        text.remove_prefix(1);
    }
    std::size_t at = 0;
    while (at < text.size() && isDigit(text[at]))
        ++at;
    result.whole = text.substr(0, at);
    text.remove_prefix(at);
    if (!text.empty() && text[0] == '.') {
        at = 1;
        while (at < text.size() && isDigit(text[at]))
            ++at;
        result.fraction = text.substr(1, at - 1);
        text.remove_prefix(at);
    }
    if (result.whole.empty() && result.fraction.empty())
        return std::nullopt;
    if (text.empty())
        return result;
    if (text[0] != 'e' && text[0] != 'E')
        return std::nullopt;
    const auto exponent = parseExponent(text.substr(1));
    if (!exponent)
        return std::nullopt;
    result.exponent = *exponent;
    return result;
}

/// Floor division, so that the picoseconds are never negative.
Picotime split(Int128 ps) {
    Int128 ns = ps / 1000;
    auto rest = static_cast<std::int32_t>(ps % 1000);
    if (rest < 0) {
        rest += 1000;
        --ns;
    }
    return {static_cast<std::int64_t>(ns), rest};
}

} // namespace

Microseconds parseMicroseconds(std::string_view text) {
    const auto decimal = parseDecimal(trimmed(text));
    if (!decimal)
        return {{}, DecimalProblem::NotANumber, false};
    // The value in ps is the digit string times 10^(exponent + 6 - fraction digits): take `kept` digits,
    // round the rest.
    constexpr std::int64_t kPicoDigits = 6;
    const auto wholeDigits = static_cast<std::int64_t>(decimal->whole.size());
    const auto allDigits = wholeDigits + static_cast<std::int64_t>(decimal->fraction.size());
    const std::int64_t kept = wholeDigits + decimal->exponent + kPicoDigits;
    const auto digit = [&](std::int64_t i) {
        if (i >= allDigits)
            return 0;
        return (i < wholeDigits ? decimal->whole[static_cast<std::size_t>(i)]
                                : decimal->fraction[static_cast<std::size_t>(i - wholeDigits)]) -
               '0';
    };
    Int128 ps = 0;
    for (std::int64_t i = 0; i < kept; ++i) {
        if (i >= allDigits && ps == 0)
            break;
        ps = ps * 10 + digit(i);
        if (ps > kLatestPs)
            return {{}, DecimalProblem::TooLarge, decimal->negative};
    }
    if (kept >= 0 && digit(kept) >= 5)
        ++ps;
    if (decimal->negative)
        ps = -ps;
    if (ps < kEarliestPs || ps > kLatestPs)
        return {{}, DecimalProblem::TooLarge, decimal->negative};
    return {split(ps), std::nullopt, decimal->negative};
}

Picotime addClipped(Picotime start, Picotime length, bool& clipped) {
    const Int128 ps = (static_cast<Int128>(start.ns) + length.ns) * 1000 + start.ps + length.ps;
    clipped = clipped || ps > kLatestPs;
    return split(std::min(ps, kLatestPs));
}

std::optional<double> parseNumber(std::string_view text) {
    text = trimmed(text);
    if (!text.empty() && text[0] == '+')
        text.remove_prefix(1);
    if (!parseDecimal(text))
        return std::nullopt; // keeps "nan", "inf" and hexadecimal out
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range || (error == std::errc() && end != text.data() + text.size()))
        return std::nullopt;
    return error == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace retracescope::importers
