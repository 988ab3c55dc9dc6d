#include "app/cli/example_list.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>

#include <fmt/format.h>

#include <retracescope/base/files.h>

extern char** environ;

namespace retracescope::cli {

std::filesystem::path examplesFolder() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto beside = program.parent_path() / "examples";
    if (std::filesystem::exists(beside / "examples.txt", error))
        return beside;
    const auto installed = program.parent_path().parent_path() / "lib/retracescope/examples";
    return std::filesystem::exists(installed / "examples.txt", error) ? installed : beside;
}

Result<std::vector<Example>> readExamples(const std::filesystem::path& folder) {
    const auto text = readTextFile(folder / "examples.txt");
    if (!text)
        return Error{fmt::format("no example programs: {}; build them with 'cmake --build build/release'",
                                 text.error().message)};
    std::vector<Example> examples;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.find('\t');
        if (!line.empty())
            examples.push_back({line.substr(0, tab), tab == std::string::npos ? "" : line.substr(tab + 1)});
    }
    return examples;
}

Status runExample(const std::filesystem::path& folder, const std::string& name, const std::string& output,
                  bool quiet) {
    std::string program = (folder / name).string();
    std::string target = output;
    char* const arguments[] = {program.data(), target.data(), nullptr};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults; // we ignore SIGPIPE, the program shall not
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (quiet)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failure = posix_spawn(&child, program.c_str(), &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0)
        return Error{fmt::format("cannot start the example {}: {}", program, std::strerror(failure))};
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        return Error{fmt::format("the example {} ended with signal {}", name, WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0)
        return Error{fmt::format("the example {} ended with exit code {}", name, WEXITSTATUS(status))};
    return Done{};
}

} // namespace retracescope::cli
