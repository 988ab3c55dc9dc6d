// A function that is traced again and again: what its traces cost without and with a recorder, until the file
// is complete, and what explaining all of them takes.
#include <filesystem>
#include <optional>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <retracescope/base/check.h>
#include <retracescope/diagnose/overview.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/retracescope.h>
#include <retracescope/session/file.h>

namespace rs = retracescope;

namespace {

std::filesystem::path sessionPath() {
    return std::filesystem::temp_directory_path() / fmt::format("trace_bench_{}.retrace", getpid());
}

/// One function, every call with another step: all of them trace. The file is complete at the end.
void traceMany(std::int64_t traces, bool recorded) {
    std::optional<rs::Recorder> recorder;
    if (recorded)
        recorder.emplace(sessionPath(), rs::RecorderOptions{.keepSource = false});
    const rs::Function step("step", {"x", "step"}, [](rs::Tensor x, int number) {
        return (x * static_cast<float>(number) + 1.0f) * x;
    });
    const rs::Tensor x = rs::ones({4});
    for (std::int64_t i = 0; i < traces; ++i)
        step(x, static_cast<int>(i));
}

void traceOneFunction(benchmark::State& state, bool recorded) {
    for (auto _ : state)
        traceMany(state.range(0), recorded);
    state.SetItemsProcessed(state.iterations() * state.range(0));
    if (!recorded)
        return;
    state.counters["bytes_per_trace"] =
        static_cast<double>(std::filesystem::file_size(sessionPath())) / static_cast<double>(state.range(0));
    std::filesystem::remove(sessionPath());
}
// A trace among sixteen thousand should cost what one among a thousand does.
BENCHMARK_CAPTURE(traceOneFunction, recorder_off, false)
    ->Arg(1000)
    ->Arg(16000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(traceOneFunction, recorder_on, true)->Arg(1000)->Arg(16000)->Unit(benchmark::kMillisecond);

/// Opening the session, its diagnosis, and the JSON of every miss.
void explainEveryMiss(benchmark::State& state) {
    traceMany(state.range(0), true);
    std::vector<rs::session::MissId> misses;
    for (std::int64_t i = 0; i < state.range(0); ++i)
        misses.emplace_back(static_cast<std::uint32_t>(i));
    std::size_t bytes = 0;
    for (auto _ : state) {
        const auto session = rs::session::readSession(sessionPath());
        RETRACESCOPE_CHECK(session.ok());
        bytes = rs::report::explainJson(*rs::diagnose::diagnose(*session), misses, {}).size();
    }
    state.counters["json_bytes_per_miss"] = static_cast<double>(bytes) / static_cast<double>(state.range(0));
    std::filesystem::remove(sessionPath());
}
BENCHMARK(explainEveryMiss)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond);

} // namespace
