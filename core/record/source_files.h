#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace retracescope::record {

/// Finds the files that a compiler named. A relative name means: below the folder where the compiler ran,
/// which is mostly a folder above the program it built.
class SourceFiles {
public:
    /// `program` is the running program; by default the one of this process.
    explicit SourceFiles(std::filesystem::path program = "/proc/self/exe");

    /// The file's path without links and "..", or the name as it is if no such file is found.
    const std::string& locate(const std::string& named);

private:
    std::filesystem::path m_program;
    std::map<std::string, std::string> m_located;
};

} // namespace retracescope::record
