#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "app/cli/program.h"

namespace {

/// Writes all of it. A reader that has seen enough (`| head`) is no failure.
bool writeAll(const std::string& text) {
    errno = 0;
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (written || errno == EPIPE)
        return true;
    std::fprintf(stderr, "rscope: cannot write the answer: %s\n", std::strerror(errno));
    return false;
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        const auto answer = retracescope::cli::runProgram({argv + 1, argv + argc});
        const bool written = writeAll(answer.out);
        if (!answer.error.empty())
            std::fprintf(stderr, "rscope: %s\n", answer.error.c_str());
        return written ? answer.exitCode : retracescope::cli::kFailed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rscope: %s\n", error.what());
        return retracescope::cli::kFailed;
    }
}
