#pragma once

#include <atomic>

namespace retracescope::trace {

namespace detail {
inline std::atomic<bool> runsFunctionsEagerly{false};
} // namespace detail

/// While on, a call of a traced function runs its callable at once, on the values themselves: nothing is
/// looked up, traced or recorded, so that a debugger steps through it. For all functions of the process; off
/// at first.
void runFunctionsEagerly(bool on);

inline bool functionsRunEagerly() noexcept {
    return detail::runsFunctionsEagerly.load(std::memory_order_relaxed);
}

} // namespace retracescope::trace
