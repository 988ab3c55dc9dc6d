#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace retracescope::importers {

/// Where one JSON value of a larger text ends. Written because simdjson reads whole, valid documents only: a
/// trace may be cut anywhere, hold raw control characters, and be larger than what an index of it may cost in
/// memory.
struct JsonValueScan {
    std::size_t end = 0;      ///< one past the value; where it breaks if it does
    std::string_view problem; ///< empty = the grammar of the value is right
    bool cut = false;         ///< the text ends inside the value
    bool needsRepair = false; ///< a strict reader would refuse it, see repairJson
    bool nonAscii = false;    ///< may hold bytes that are no UTF-8
};

/// Deepest nesting that is followed.
inline constexpr std::size_t kDeepestJson = 512;

/// Checks the value that starts at `position` (no blank before it) against the JSON grammar. NaN, Infinity
/// and raw control characters in strings are let pass, as Python's reader does. Does not recurse.
JsonValueScan scanJsonValue(std::string_view text, std::size_t position);

/// The position of the first character that is no JSON blank.
std::size_t skipBlanks(std::string_view text, std::size_t position);

/// `value` (that scanJsonValue found well-formed) made strict: bytes that are no UTF-8 and lone surrogates
/// become U+FFFD, raw control characters are escaped, NaN and Infinity are quoted. `invalidBytes` is raised
/// by the former.
std::string repairJson(std::string_view value, std::int64_t& invalidBytes);

/// `text` with every byte that is no UTF-8 replaced by U+FFFD.
std::string repairUtf8(std::string_view text, std::int64_t& invalidBytes);

} // namespace retracescope::importers
