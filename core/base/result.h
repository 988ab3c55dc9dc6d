#pragma once

#include <string>
#include <utility>
#include <variant>

#include <retracescope/base/check.h>

namespace retracescope {

/// Why something of the outside world (a file, a format, a device) could not be done.
/// One sentence: what was expected, what came, what to do. Lower case start unless a name, no full stop.
struct Error {
    std::string message;
};

/// A value or the reason why there is none. Used for the outside world only; a caller's mistake throws
/// UsageError.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return checked(); }
    const T& value() const& { return const_cast<Result*>(this)->checked(); }
    T&& value() && { return std::move(checked()); }
    T& operator*() & { return checked(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &checked(); }
    const T* operator->() const { return &value(); }

    const Error& error() const {
        RETRACESCOPE_CHECK(!ok());
        return *std::get_if<1>(&m_state);
    }

private:
    T& checked() {
        RETRACESCOPE_CHECK(ok());
        return *std::get_if<0>(&m_state);
    }

    std::variant<T, Error> m_state;
};

/// Success without a value.
struct Done {};
using Status = Result<Done>;

} // namespace retracescope
