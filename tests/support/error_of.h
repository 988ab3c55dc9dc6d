#pragma once

#include <string>

#include <retracescope/base/check.h>

namespace retracescope::test {

/// The message of the UsageError that `work` throws, or "no error".
std::string errorOf(auto&& work) {
    try {
        work();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace retracescope::test
