#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace retracescope {

/// The caller's mistake. The message starts with the op or function in brackets and gives expected and
/// actual, e.g. "[matmul] inner sizes differ: [2,3] x [4,5]".
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    const char* what() const noexcept override {
        return m_placed ? m_placed->c_str() : std::runtime_error::what();
    }
    /// Appends the user's line as placeText() gives it, unless the message names one.
    void at(std::string_view place);

private:
    std::shared_ptr<const std::string> m_placed; ///< copies of an exception must not throw
};

/// " (dense.cpp:12)": how a message names the user's line, whatever the path the compiler was given. Empty
/// for line 0.
std::string placeText(std::string_view file, std::uint32_t line);
/// Empty, too, for a line of the standard library, which made what it was asked to make
/// (std::optional::emplace): it is no line of the user's.
std::string placeText(std::source_location where);
/// Whether a header of the standard library has that path.
bool isOfStandardLibrary(std::string_view file);

/// What `make` returns; a mistake in it names that line unless it names one.
template <class Make>
decltype(auto) placed(std::source_location where, const Make& make) {
    try {
        return make();
    } catch (UsageError& error) {
        error.at(placeText(where));
        throw;
    }
}

/// Prints the broken condition with its place and ends the process: our own bug.
[[noreturn]] void checkFailed(const char* condition, const char* file, int line) noexcept;

} // namespace retracescope

/// Stops with a message if `condition` does not hold; stays on in release builds.
#define RETRACESCOPE_CHECK(condition)                                                                        \
    do {                                                                                                     \
        if (!(condition)) [[unlikely]]                                                                       \
            ::retracescope::checkFailed(#condition, __FILE__, __LINE__);                                     \
    } while (false)
