#include "tests/bench/peer_driver.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "tests/support/allocations.h"

namespace bench {

namespace {

using Json = nlohmann::ordered_json;

double secondsNow() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double secondsFor(const Work& work, std::size_t times) {
    const double begin = secondsNow();
    work.loop(times);
    return secondsNow() - begin;
}

/// A batch lasts a millisecond, or one call: short enough to lie between two interruptions.
std::size_t batchSize(const Work& work, double seconds) {
    const double wanted = std::min(1e-3, seconds / 10);
    std::size_t times = 1;
    for (double taken = secondsFor(work, times); taken < 0.5 * wanted; taken = secondsFor(work, times)) {
        const double factor = std::clamp(wanted / std::max(taken, 1e-9), 2.0, 10.0);
        times = static_cast<std::size_t>(static_cast<double>(times) * factor);
    }
    return times;
}

double cpuSeconds(const rusage& usage) {
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peakMegabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::atof(line.c_str() + 6) / 1024;
    return 0;
}

double median(std::vector<double> values) {
    const std::size_t middle = values.size() / 2;
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(middle));
    return values[middle];
}

} // namespace

bool parse(int argc, char** argv, PeerOptions& options) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--recorder") {
            options.recorder = true;
        } else if (word == "--contender" && i + 1 < argc) {
            options.contender = argv[++i];
        } else if (word == "--threads" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
            options.threads = std::atoi(argv[++i]);
        } else {
            std::cerr << argv[0] << ": expected --contender NAME, --threads N or --recorder, got '" << word
                      << "'\n";
            return false;
        }
    }
    return true;
}

void PeerDriver::serve() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string command;
        std::string bench;
        std::string size;
        double seconds = 0.2;
        words >> command >> bench >> size >> seconds;
        if (command == "quit")
            return;
        if (command == "list")
            std::cout << listed();
        else if (command == "run")
            std::cout << run(bench, size, seconds) << '\n';
        else
            std::cout << Json{{"error", "expected list, run or quit, got '" + command + "'"}} << '\n';
        std::cout.flush();
    }
}

std::string PeerDriver::listed() const {
    std::string lines;
    for (const Case& each : m_cases)
        lines += Json{{"bench", each.bench}, {"size", each.size}}.dump() + "\n";
    return lines + Json{{"end", true}}.dump() + "\n";
}

std::string PeerDriver::run(std::string_view bench, std::string_view size, double seconds) {
    const auto found = std::ranges::find_if(
        m_cases, [&](const Case& each) { return each.bench == bench && each.size == size; });
    Json failure{
        {"bench", bench}, {"size", size}, {"threads", m_options.threads}, {"contender", m_options.contender}};
    if (found == m_cases.end()) {
        failure["error"] = "no such case";
        return failure.dump();
    }
    try {
        return measured(*found, seconds);
    } catch (const std::exception& error) {
        m_current = nullptr;
        failure["error"] = error.what();
        return failure.dump();
    }
}

std::string PeerDriver::measured(const Case& which, double seconds) {
    if (m_current != &which) {
        m_current = nullptr;
        m_work = {}; // gives its memory back before the next takes some
        m_work = which.make();
        m_current = &which;
        m_work.loop(1); // what a first call does besides is not measured
    }
    const std::size_t times = batchSize(m_work, seconds);
    rusage before{};
    rusage after{};
    getrusage(RUSAGE_SELF, &before);
    const std::uint64_t allocationsBefore = retracescope::tests::allocations();
    const double begin = secondsNow();
    double end = begin;
    std::vector<double> batches;
    batches.reserve(4096);
    const std::uint64_t ownAllocations = 1; // those
    do {
        batches.push_back(secondsFor(m_work, times) * 1e9 / static_cast<double>(times) / m_work.per);
        end = secondsNow();
    } while ((end - begin < seconds || batches.size() < 3) && batches.size() < batches.capacity());
    const std::uint64_t allocated = retracescope::tests::allocations() - allocationsBefore -
                                    (retracescope::tests::kCountsAllocations ? ownAllocations : 0);
    getrusage(RUSAGE_SELF, &after);

    const auto operations = static_cast<double>(times * batches.size());
    const double ns = median(batches);
    Json line{{"bench", which.bench},
              {"size", which.size},
              {"threads", m_options.threads},
              {"contender", m_options.contender},
              {"ns_per_op", ns},
              {"min_ns", *std::ranges::min_element(batches)},
              {"batches", batches.size()},
              {"check", m_work.check},
              {"faults_per_op", static_cast<double>(after.ru_minflt - before.ru_minflt) / operations},
              {"allocs_per_op", static_cast<double>(allocated) / operations},
              {"cores_used", (cpuSeconds(after) - cpuSeconds(before)) / (end - begin)},
              {"peak_rss_mb", peakMegabytes()}};
    if (m_work.bytes > 0)
        line["bytes_per_s"] = m_work.bytes / (ns * m_work.per) * 1e9;
    if (m_work.flops > 0)
        line["flops_per_s"] = m_work.flops / (ns * m_work.per) * 1e9;
    if (!m_work.note.empty())
        line["note"] = m_work.note;
    return line.dump();
}

} // namespace bench
