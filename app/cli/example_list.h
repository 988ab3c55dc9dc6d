#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <retracescope/base/result.h>

namespace retracescope::cli {

/// An example program that was built beside this one.
struct Example {
    std::string name;
    std::string description;
};

/// The folder of examples: `examples` beside the running program, else where an installation puts them.
std::filesystem::path examplesFolder();

/// What `examples.txt` of that folder lists, one "name<TAB>description" a line.
Result<std::vector<Example>> readExamples(const std::filesystem::path& folder);

/// Runs `folder/name output` with our standard streams and waits. Error: it could not be started, or how it
/// ended.
Status runExample(const std::filesystem::path& folder, const std::string& name, const std::string& output,
                  bool quiet);

} // namespace retracescope::cli
