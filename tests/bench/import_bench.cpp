// Speed of importing 100 MB of Chrome trace JSON on one core, as a Kineto-like trace: names that repeat,
// arguments that do not.
#include <filesystem>
#include <fstream>
#include <random>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <retracescope/importers/importer.h>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBytes = 100'000'000;

/// One event per line, as PyTorch's profiler writes them.
std::string event(std::mt19937_64& random, std::int64_t number) {
    const auto kind = random() % 400;
    const std::int64_t start = 1'700'000'000'000'000 + number * 7;
    return fmt::format(R"(  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::operator_{}", "pid": 4242, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "External id": {},"Record function id": 0, "Ev Idx": {}
    }}
  }})",
                       kind, 4242 + random() % 8, start, random() % 1000, random() % 60, random() % 1000,
                       number, number);
}

/// A trace of kBytes in the temporary folder, removed with the program.
class TraceFile {
public:
    TraceFile() : m_path(fs::temp_directory_path() / fmt::format("import_bench_{}.json", getpid())) {
        std::mt19937_64 random(1);
        std::ofstream out(m_path);
        out << "{\"schemaVersion\": 1, \"traceEvents\": [\n";
        std::size_t written = 0;
        for (std::int64_t number = 0; written < kBytes; ++number) {
            const std::string text = (number == 0 ? "" : ",\n") + event(random, number);
            out << text;
            written += text.size();
        }
        out << "\n]}\n";
    }
    ~TraceFile() { fs::remove(m_path); }

    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

void importChromeJson(benchmark::State& state) {
    static const TraceFile file;
    std::size_t spans = 0;
    for (auto _ : state) {
        const auto session = retracescope::importers::importFile(file.path());
        if (!session) {
            state.SkipWithError(session.error().message.c_str());
            return;
        }
        spans = (*session)->spans.size();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(fs::file_size(file.path())) * state.iterations());
    state.counters["spans"] = static_cast<double>(spans);
}
BENCHMARK(importChromeJson)->Unit(benchmark::kMillisecond)->Iterations(5);

} // namespace
