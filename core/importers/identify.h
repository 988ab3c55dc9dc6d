#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <retracescope/base/result.h>
#include <retracescope/importers/importer.h>

/// Names for what is not opened: one sentence with the file, what it is and what to do.
namespace retracescope::importers {

/// A key of a JSON document's top level with the start of its value.
struct JsonKey {
    std::string_view key;
    std::string_view value;

    JsonKey(std::string_view k, std::string_view v) : key(k), value(v) {}
};

/// What was seen of a JSON document that is no trace.
struct JsonLook {
    std::string file;
    std::string_view text;
    const std::vector<JsonKey>& keys; ///< the first ones of an object
    std::int64_t elements = 0;        ///< of an array
    std::string_view problem;         ///< where it breaks, if it does
    bool isArray = false;
    bool hasMore = false; ///< text follows the value
};

Error describeJson(const JsonLook& look);

/// What a file that no importer accepts is. `peek.all` is not empty.
Error describeUnknown(const Peek& peek);

/// "NAME: it is WHAT; DO"
Error refusal(std::string_view file, std::string_view what, std::string_view whatToDo);

} // namespace retracescope::importers
