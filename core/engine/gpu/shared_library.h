#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include <retracescope/base/result.h>

namespace retracescope::gpu {

/// A library that is looked for at run time, so that the program starts on machines that lack it. Closed with
/// the last copy.
class SharedLibrary {
public:
    /// The first of `names` that the system's loader finds; the error says what the loader said of the first.
    static Result<SharedLibrary> open(std::initializer_list<const char*> names);

    /// The function's address, or null if this version of the library has none of that name.
    void* find(const char* function) const noexcept;

    const std::string& name() const noexcept { return m_name; }

private:
    SharedLibrary(std::shared_ptr<void> handle, std::string name)
        : m_handle(std::move(handle)), m_name(std::move(name)) {}

    std::shared_ptr<void> m_handle;
    std::string m_name;
};

} // namespace retracescope::gpu
