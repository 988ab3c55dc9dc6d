#pragma once

#include <functional>
#include <string>

namespace retracescope::test {

/// What a program does wrong, and what it is told.
struct Misuse {
    std::string start; ///< of the message
    std::function<void()> call;
};

} // namespace retracescope::test
