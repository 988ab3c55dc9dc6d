#include <retracescope/layout/graphviz_layout.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/layout/layered_layout.h>
#include <retracescope/layout/layout_wire.h>

extern char** environ;

namespace retracescope::layout {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPoll{20}; // how late a cancel may be noticed
constexpr std::size_t kLongestAnswer = 256u << 20;

/// A child process with one socket as its standard input and output. Killed and reaped at the end of its
/// life.
class ChildProcess {
public:
    static Result<std::unique_ptr<ChildProcess>> start(const std::filesystem::path& program) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return Error{fmt::format("cannot start {}: {}", program.string(), std::strerror(errno))};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        std::string path = program.string();
        char* arguments[] = {path.data(), nullptr};
        pid_t pid = 0;
        const int failure = posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        if (failure != 0) {
            close(ends[0]);
            return Error{fmt::format("cannot start {}: {}", path, std::strerror(failure))};
        }
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        return std::unique_ptr<ChildProcess>(new ChildProcess(pid, ends[0]));
    }

    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess() {
        close(m_socket);
        if (!m_reaped) {
            kill(m_pid, SIGKILL);
            wait();
        }
    }

    int socket() const { return m_socket; }

    /// The status that waitpid tells.
    int wait() {
        int status = 0;
        while (waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
        }
        m_reaped = true;
        return status;
    }

private:
    ChildProcess(pid_t pid, int socket) : m_pid(pid), m_socket(socket) {}

    pid_t m_pid;
    int m_socket;
    bool m_reaped = false;
};

/// Sends `question` and reads until the child closes its end, both at once so that neither side can block the
/// other.
Result<std::string> converse(ChildProcess& child, std::string_view question, Clock::time_point deadline,
                             const Job& job) {
    std::string answer;
    char buffer[1 << 16];
    for (;;) {
        if (job.cancel.requested())
            return Error{std::string(kCancelled)};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0 || answer.size() > kLongestAnswer)
            return Error{"Graphviz did not finish"};
        pollfd poller{child.socket(), static_cast<short>(question.empty() ? POLLIN : POLLIN | POLLOUT), 0};
        if (poll(&poller, 1, static_cast<int>(std::min(left, kPoll).count())) <= 0)
            continue;
        if ((poller.revents & POLLOUT) != 0 && !question.empty()) {
            const ssize_t sent = send(child.socket(), question.data(), question.size(), MSG_NOSIGNAL);
            if (sent > 0)
                question.remove_prefix(static_cast<std::size_t>(sent));
            if (question.empty())
                shutdown(child.socket(), SHUT_WR);
            if (sent < 0 && errno != EAGAIN && errno != EINTR)
                return answer; // the child is gone; its exit status says why
        }
        if ((poller.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            const ssize_t got = recv(child.socket(), buffer, sizeof buffer, 0);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
                return answer;
            if (got > 0)
                answer.append(buffer, static_cast<std::size_t>(got));
        }
    }
}

} // namespace

std::filesystem::path findLayoutProgram() {
    namespace fs = std::filesystem;
    if (const char* named = std::getenv("RETRACESCOPE_LAYOUT"))
        return named;
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    const fs::path name = "retracescope-layout";
    for (const fs::path& place : {folder / name, folder.parent_path() / "bin" / name,
                                  folder.parent_path() / "libexec" / "retracescope" / name}) {
        if (fs::is_regular_file(place, ignored))
            return place;
    }
    return {};
}

Result<GraphLayout> layoutGraphviz(const BoxGraph& graph, const GraphvizOptions& options, const Job& job) {
    RETRACESCOPE_CHECK(isWellFormed(graph));
    const std::filesystem::path program = options.program.empty() ? findLayoutProgram() : options.program;
    if (program.empty())
        return Error{"the program retracescope-layout is not installed"};
    const Clock::time_point deadline = Clock::now() + options.limit;
    auto child = ChildProcess::start(program);
    if (!child)
        return child.error();
    const Result<std::string> answer = converse(**child, writeBoxGraph(graph), deadline, job);
    if (!answer) {
        if (answer.error().message == kCancelled)
            return answer.error();
        return Error{fmt::format("Graphviz did not finish in {:g} s",
                                 std::chrono::duration<double>(options.limit).count())};
    }
    const int status = (*child)->wait();
    if (WIFSIGNALED(status))
        return Error{fmt::format("Graphviz was ended by signal {} ({})", WTERMSIG(status),
                                 strsignal(WTERMSIG(status)))};
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return Error{fmt::format("Graphviz failed with exit code {}", WEXITSTATUS(status))};
    return readGraphLayout(*answer, graph);
}

Result<ChosenLayout> layoutBoxes(const BoxGraph& graph, LayoutEngine engine, const GraphvizOptions& options,
                                 const Job& job) {
    std::string note;
    const bool small = graph.boxes.size() <= kGraphvizBoxes;
    if (engine == LayoutEngine::Graphviz || (engine == LayoutEngine::Automatic && small)) {
        Result<GraphLayout> drawn = layoutGraphviz(graph, options, job);
        if (drawn)
            return ChosenLayout{std::move(*drawn), LayoutEngine::Graphviz, {}};
        if (drawn.error().message == kCancelled)
            return drawn.error();
        note = drawn.error().message + ". The own layout is shown.";
        note.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(note.front())));
    }
    Result<GraphLayout> own = layoutLayered(graph, job);
    if (!own)
        return own.error();
    return ChosenLayout{std::move(*own), LayoutEngine::Layered, std::move(note)};
}

} // namespace retracescope::layout
