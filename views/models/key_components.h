#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QString>

#include <retracescope/base/cancel.h>
#include <retracescope/diagnose/overview.h>

namespace retracescope::views {

/// One component of a function's cache key over all its calls.
struct KeyComponent {
    std::string path;
    QString label;
    std::vector<std::pair<QString, std::int64_t>>
        values;                 ///< each value with its calls; numbers ascending, else as seen
    std::int64_t differsIn = 0; ///< misses in which it kept the nearest entry from serving
    bool isNumeric = false;

    bool isConstant() const { return values.size() <= 1 && differsIn == 0; }
};

/// Every component that a key or a request of the function has, in the order of the keys. A hit counts for
/// the key that served it: recordings do not keep its request.
std::vector<KeyComponent> keyComponents(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                                        const Job& job);

/// Misses of the function that had an entry to be compared with.
std::int64_t retracesOf(const diagnose::Diagnosis& diagnosis, session::FunctionId function);

/// One component of a function's key, looked at on its own.
struct ArgumentFacts {
    KeyComponent component;
    std::int64_t retraces = 0; ///< misses of the function that had an entry to be compared with
    /// Number of the last call that brought a value which no call before had; 0 if none did.
    std::uint32_t lastNewValue = 0;
};

/// None if no key and no request of the function has the component.
std::optional<ArgumentFacts> argumentFacts(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                                           const std::string& path, const Job& job);

} // namespace retracescope::views
