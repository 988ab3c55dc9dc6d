#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace retracescope::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kRoundsDivisor = 8;
#else
inline constexpr int kRoundsDivisor = 1;
#endif

/// How often to repeat something whose rounds differ only by chance or by schedule: `full` times, and fewer
/// under a sanitizer, where each costs many times as much. RETRACESCOPE_ROUNDS=10 in the environment asks for
/// ten times as many.
inline int rounds(int full) {
    const char* wanted = std::getenv("RETRACESCOPE_ROUNDS");
    const int factor = wanted == nullptr ? 1 : std::clamp(std::atoi(wanted), 1, 1000);
    return std::max(1, full * factor / kRoundsDivisor);
}

/// Step through the places of something of which all are tried, one by one, in a plain build.
constexpr std::size_t everyNth() {
    return kRoundsDivisor == 1 ? 1 : kRoundsDivisor + 1; // odd, so that it meets both halves of pairs
}

} // namespace retracescope::test
