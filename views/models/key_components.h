#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <QString>

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
std::vector<KeyComponent> keyComponents(const diagnose::Diagnosis& diagnosis, session::FunctionId function);

/// Misses of the function that had an entry to be compared with.
std::int64_t retracesOf(const diagnose::Diagnosis& diagnosis, session::FunctionId function);

/// The number of the last call that brought a value of the component which no call before had; 0 if none did.
std::uint32_t lastNewValue(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                           const std::string& path);

} // namespace retracescope::views
