#pragma once

#include <string>

#include <retracescope/base/check.h>

namespace retracescope::test {

/// The message of the UsageError, or other error that was asked for, that `work` throws, or "no error".
template <class Error = UsageError>
std::string errorOf(auto&& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

} // namespace retracescope::test
