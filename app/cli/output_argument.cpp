#include "app/cli/output_argument.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include <retracescope/base/files.h>
#include <retracescope/session/file.h>

namespace retracescope::cli {

void refuseToOverwrite(const std::vector<std::string>& inputs, const std::string& output) {
    std::error_code error; // one that does not exist is no other
    for (const std::string& input : inputs) {
        if (std::filesystem::equivalent(input, output, error))
            throw UsageError("-o names the file that is read; choose another place");
    }
}

bool isFreeForSession(const std::string& output) {
    std::error_code error;
    if (!std::filesystem::exists(output, error))
        return true;
    if (!std::filesystem::is_regular_file(output, error))
        return false;
    return std::filesystem::is_empty(output, error) || session::isSessionFile(output);
}

Status checkSessionPlace(const std::string& output) {
    if (!isFreeForSession(output))
        return Error{
            fmt::format("cannot write {}: it exists and is no session; choose another place", output)};
    std::error_code error;
    const bool exists = std::filesystem::exists(output, error);
    const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return Error{fmt::format("cannot write {}: {}", output, std::strerror(errno))};
    ::close(fd);
    if (!exists)
        std::filesystem::remove(std::filesystem::canonical(output, error), error); // not a link to it
    return Done{};
}

std::string chosenFormat(const std::string& what, const std::vector<OutputFormat>& formats,
                         const std::string& asked, const std::string& output) {
    std::vector<std::string> names;
    for (const OutputFormat& format : formats)
        names.push_back(format.name);
    if (!asked.empty()) {
        if (std::ranges::find(names, asked) == names.end())
            throw UsageError(
                fmt::format("no {} format {}; known are {}", what, asked, fmt::join(names, ", ")));
        return asked;
    }
    std::string ending = std::filesystem::path(output).extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending.empty()) // the terminal, or a name that says nothing
        return names.front();
    for (const OutputFormat& format : formats) {
        if (std::ranges::find(format.endings, ending) != format.endings.end())
            return format.name;
    }
    throw UsageError(fmt::format("no {} format ends in {}; choose one with --format: {}", what, ending,
                                 fmt::join(names, ", ")));
}

bool isTerminal(const std::string& output) {
    return output.empty() || output == "-";
}

Status writeText(const std::string& text, const std::string& output, std::string& out) {
    if (isTerminal(output)) {
        out += text;
        return Done{};
    }
    const Status status = writeTextFile(output, text);
    if (status)
        out += fmt::format("wrote {}\n", output);
    return status;
}

} // namespace retracescope::cli
