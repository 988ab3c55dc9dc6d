#include <retracescope/record/machine_facts.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include <retracescope/base/clock.h>
#include <retracescope/engine/gpu/cuda_driver.h>

namespace retracescope::record {

namespace {

std::string cpuName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "unknown";
}

/// The command line with its arguments in quotes where they hold blanks.
std::string command() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text;
    for (std::string word; std::getline(file, word, '\0');) {
        const bool needsQuotes = word.empty() || word.find_first_of(" \t\n'\"") != std::string::npos;
        text += fmt::format("{}{}", text.empty() ? "" : " ", needsQuotes ? fmt::format("'{}'", word) : word);
    }
    return text;
}

std::string utcTime() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[sizeof "2026-01-01T00:00:00Z"];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

std::string systemName() {
    utsname name{};
    uname(&name);
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

/// "NVIDIA H100, driver 13.0" or why there is none.
std::string gpuText() {
    const auto driver = gpu::loadCudaDriver();
    if (!driver)
        return driver.error().message;
    const auto devices = gpu::findDevices(driver->table);
    if (!devices)
        return devices.error().message;
    std::string text;
    for (const gpu::GpuDevice& device : *devices)
        text += device.name + ", ";
    return text + "driver " + gpu::driverVersionText(driver->table);
}

std::string memory() {
    const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return std::to_string(bytes);
}

/// Nanoseconds of one look at the clock that stamps events: of several tries the one that nothing
/// interrupted.
std::string clockCost() {
    constexpr int kTries = 20;
    constexpr int kReads = 50;
    std::uint64_t sum = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const std::int64_t from = monotonicNs();
        for (int i = 0; i < kReads; ++i)
            sum ^= ticks();
        least = std::min(least, monotonicNs() - from);
    }
    return fmt::format("{:.1f}", static_cast<double>(least) / kReads + static_cast<double>(sum == 1));
}

} // namespace

std::vector<MachineFact> machineFacts() {
    return {
        {"engine", "retracescope"},
        {"version", RETRACESCOPE_VERSION},
        {"command", command()},
        {"pid", std::to_string(getpid())},
        {"started", utcTime()},
        {"clock_pair", fmt::format("monotonic {} realtime {}", monotonicNs(), wallNs())},
        {"clock_read_ns", clockCost()},
        {"cpu", cpuName()},
        {"cores", std::to_string(std::thread::hardware_concurrency())},
        {"memory_bytes", memory()},
        {"gpu", gpuText()},
        {"system", systemName()},
    };
}

} // namespace retracescope::record
