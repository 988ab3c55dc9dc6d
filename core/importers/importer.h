#pragma once

#include <filesystem>
#include <string_view>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/session/session.h>

/// Readers of other tools' files. One file pair per format plus one line in registry.cpp.
namespace retracescope::importers {

/// The start of a file, for telling formats apart; content decides, never the extension.
struct Peek {
    std::filesystem::path path;
    std::string_view head; ///< up to 64 KiB after unpacking gzip or a one-entry zip
    std::string_view all;  ///< the whole unpacked content, not empty
};

struct Importer {
    std::string_view format; ///< as Session::imported.format
    bool (*accepts)(const Peek& peek);
    Result<session::Session> (*read)(const Peek& peek, const Job& job);
};

/// Reads a file of another tool through the importer that accepts its content. Errors name the file, what it
/// is (or what its first bytes look like) and what to do.
Result<session::SessionPtr> importFile(const std::filesystem::path& path, const Job& job = {});

/// The session of content that is unpacked already, through the importer that accepts it; else its name as an
/// error.
Result<session::Session> importContent(const Peek& peek, const Job& job = {});

} // namespace retracescope::importers
