#include <retracescope/session/writer_state.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

namespace retracescope::session {

namespace {

constexpr const char* kPid = "writer_pid";
constexpr const char* kStart = "writer_start";
constexpr const char* kHost = "writer_host";

struct Process {
    char state = ' ';
    std::string start; ///< in the system's clock ticks since it was started
};

/// What /proc says; an empty start if there is no such process.
Process processOf(const std::string& pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    const std::size_t nameEnd = line.rfind(')'); // the name before it may hold anything
    if (nameEnd == std::string::npos)
        return {};
    constexpr int kStartField = 22; // of proc(5), counted from 1; the name is field 2
    std::istringstream fields(line.substr(nameEnd + 1));
    Process process;
    fields >> process.state;
    for (int field = 4; field <= kStartField; ++field)
        fields >> process.start;
    return fields ? process : Process();
}

/// One start of one machine, and the namespace in which process ids count.
std::string host() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    std::getline(file, boot);
    std::error_code error;
    const std::filesystem::path numbering = std::filesystem::read_symlink("/proc/self/ns/pid", error);
    return boot.empty() || error ? std::string() : boot + " " + numbering.string();
}

} // namespace

std::map<std::string, std::string> thisWriter() {
    const std::string pid = std::to_string(getpid());
    const std::string start = processOf(pid).start;
    const std::string here = host();
    if (start.empty() || here.empty())
        return {};
    return {{kPid, pid}, {kStart, start}, {kHost, here}};
}

WriterState stateOfWriter(const std::map<std::string, std::string>& meta) {
    const auto textOf = [&](const char* key) {
        const auto it = meta.find(key);
        return it == meta.end() ? std::string() : it->second;
    };
    const std::string pid = textOf(kPid);
    const std::string start = textOf(kStart);
    const bool isNumber = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber || start.empty() || textOf(kHost) != host())
        return WriterState::Unknown;
    const Process process = processOf(pid);
    const bool hasEnded = process.state == 'Z' || process.state == 'X'; // nobody has asked how it ended yet
    return process.start == start && !hasEnded ? WriterState::Running : WriterState::Gone;
}

} // namespace retracescope::session
