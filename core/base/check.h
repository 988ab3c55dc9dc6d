#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace retracescope {

/// The caller's mistake. The message starts with the op or function in brackets and gives expected and
/// actual, e.g. "[matmul] inner sizes differ: [2,3] x [4,5]".
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// " (dense.cpp:12)": how a message names the user's line, whatever the path the compiler was given. Empty
/// for line 0.
std::string placeText(std::string_view file, std::uint32_t line);

/// Prints the broken condition with its place and ends the process: our own bug.
[[noreturn]] void checkFailed(const char* condition, const char* file, int line) noexcept;

} // namespace retracescope

/// Stops with a message if `condition` does not hold; stays on in release builds.
#define RETRACESCOPE_CHECK(condition)                                                                        \
    do {                                                                                                     \
        if (!(condition)) [[unlikely]]                                                                       \
            ::retracescope::checkFailed(#condition, __FILE__, __LINE__);                                     \
    } while (false)
