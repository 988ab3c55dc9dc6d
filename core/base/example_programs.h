#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <retracescope/base/result.h>

namespace retracescope {

/// An example program that was built beside this one. Its one argument is the session to write.
struct ExampleProgram {
    std::string name;        ///< of the file
    std::string description; ///< one sentence
};

/// `examples` beside the running program, as it is built and installed.
std::filesystem::path examplesFolder();

/// What `examples.txt` of that folder lists, one "name<TAB>description" a line.
Result<std::vector<ExampleProgram>> readExamples(const std::filesystem::path& folder);

} // namespace retracescope
