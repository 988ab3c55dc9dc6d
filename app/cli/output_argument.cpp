#include "app/cli/output_argument.h"

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

Status writeText(const std::string& text, const std::string& output, std::string& out) {
    if (output.empty() || output == "-") {
        out += text;
        return Done{};
    }
    const Status status = writeTextFile(output, text);
    if (status)
        out += fmt::format("wrote {}\n", output);
    return status;
}

} // namespace retracescope::cli
