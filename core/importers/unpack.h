#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/base/files.h>
#include <retracescope/base/result.h>

namespace retracescope::importers {

/// A file's content with gzip (members one behind the other) and one-entry zip taken off.
struct Unpacked {
    std::string_view text; ///< into the mapped file, or into `owned`
    std::unique_ptr<MappedFile> file;
    std::unique_ptr<std::string> owned;
    std::vector<std::string> wrappers; ///< "gzip", "zip", from the outside in
    std::vector<std::string> warnings; ///< cut or damaged wrappers of which something could be kept
};

/// Reads and unpacks `path`. What unpacks to more than it could honestly hold is refused with its size;
/// nothing is written anywhere.
Result<Unpacked> unpack(const std::filesystem::path& path, const Job& job);

/// The same for bytes in memory, which must outlive the answer; `file` is the name for messages.
Result<Unpacked> unpackBytes(std::string_view bytes, std::string_view file, const Job& job);

} // namespace retracescope::importers
