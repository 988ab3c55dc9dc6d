#include <retracescope/base/example_programs.h>

#include <sstream>

#include <fmt/format.h>

#include <retracescope/base/files.h>

namespace retracescope {

std::filesystem::path examplesFolder() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "examples";
}

Result<std::vector<ExampleProgram>> readExamples(const std::filesystem::path& folder) {
    const auto text = readTextFile(folder / "examples.txt");
    if (!text)
        return Error{fmt::format("no example programs: {}; build them with 'cmake --build build/release'",
                                 text.error().message)};
    std::vector<ExampleProgram> examples;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.find('\t');
        if (!line.empty())
            examples.push_back({line.substr(0, tab), tab == std::string::npos ? "" : line.substr(tab + 1)});
    }
    return examples;
}

} // namespace retracescope
