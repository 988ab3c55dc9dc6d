// Opening a session of a million events with its time pyramid, writing one, and what recording a call costs
// the thread that calls. Counters: bytes_per_event of the file; ns per call and per drained event are 1e9 /
// items_per_second.
#include <filesystem>
#include <random>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <retracescope/base/check.h>
#include <retracescope/base/clock.h>
#include <retracescope/record/recorded_session.h>
#include <retracescope/record/ring.h>
#include <retracescope/record/tap.h>
#include <retracescope/session/file.h>
#include <retracescope/session/pyramid.h>
#include <retracescope/session/writer.h>

namespace {

using namespace retracescope;
using namespace retracescope::session;

constexpr std::size_t kCalls = 500'000;

/// A million events as a training loop makes them: on four threads calls of twenty functions, each with one
/// span inside.
Session manyEvents() {
    Session session;
    std::mt19937_64 random(1);
    for (int i = 0; i < 20; ++i) {
        Function f;
        f.name = session.strings.intern(fmt::format("function_{}", i));
        session.functions.push_back(f);
        Entry entry;
        entry.function = FunctionId(static_cast<std::size_t>(i));
        session.entries.push_back(entry);
    }
    for (int i = 0; i < 4; ++i)
        session.lanes.push_back(
            {LaneKind::Thread, session.strings.intern(fmt::format("thread {}", i)), {}, {}, {}});
    const StringId execute = session.strings.intern("execute");
    std::vector<std::int64_t> now(4, 1'000'000'000);
    std::vector<std::uint32_t> numbers(20);
    for (std::size_t i = 0; i < kCalls; ++i) {
        const LaneId lane(i % 4);
        const std::size_t function = random() % 20;
        const auto duration = static_cast<std::int64_t>(2000 + random() % 60'000);
        const std::int64_t start = now[lane.value];
        CallTable& c = session.calls;
        c.startNs.push_back(start), c.durationNs.push_back(duration), c.lane.push_back(lane);
        c.function.push_back(FunctionId(function)), c.entry.push_back(EntryId(function));
        c.outcome.push_back(Outcome::Hit), c.number.push_back(++numbers[function]);
        c.traceNs.push_back(0), c.stack.emplace_back();
        SpanTable& s = session.spans;
        s.startNs.push_back(start + 300), s.durationNs.push_back(duration - 500), s.lane.push_back(lane);
        s.name.push_back(execute), s.category.push_back(execute), s.function.push_back(FunctionId(function));
        s.entry.push_back(EntryId(function)), s.args.emplace_back(), s.row.push_back(0);
        now[lane.value] += duration + static_cast<std::int64_t>(random() % 20'000);
    }
    updateExtent(session);
    return session;
}

/// The session above in a file of the temporary folder, removed with the program.
class SessionFile {
public:
    SessionFile()
        : m_path(std::filesystem::temp_directory_path() / fmt::format("session_bench_{}.retrace", getpid())) {
        auto writer = SessionWriter::create(m_path, SessionWriter::Use::Whole);
        RETRACESCOPE_CHECK((*writer)->append(manyEvents()).ok());
        RETRACESCOPE_CHECK((*writer)->close().ok());
    }
    ~SessionFile() { std::filesystem::remove(m_path); }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

void openMillionEvents(benchmark::State& state) {
    const SessionFile file;
    std::size_t events = 0;
    for (auto _ : state) {
        const auto session = readSession(file.path());
        const Pyramid pyramid = buildPyramid(**session);
        events = (*session)->eventCount();
        benchmark::DoNotOptimize(pyramid.rows.data());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(events) * state.iterations());
    state.counters["bytes_per_event"] =
        static_cast<double>(std::filesystem::file_size(file.path())) / static_cast<double>(events);
}
BENCHMARK(openMillionEvents)->Unit(benchmark::kMillisecond);

void buildPyramidOfMillionEvents(benchmark::State& state) {
    const Session session = manyEvents();
    for (auto _ : state) {
        const Pyramid pyramid = buildPyramid(session);
        benchmark::DoNotOptimize(pyramid.rows.data());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(session.eventCount()) * state.iterations());
}
BENCHMARK(buildPyramidOfMillionEvents)->Unit(benchmark::kMillisecond);

/// One row of 250 000 events in 1600 pixels, from the whole to a ten-thousandth.
void samplePixels(benchmark::State& state) {
    const Session session = manyEvents();
    const Pyramid pyramid = buildPyramid(session);
    const std::int64_t extent = session.endNs - session.originNs;
    const std::int64_t begin = session.originNs + extent / 3;
    std::vector<PixelSlice> pixels(1600);
    for (auto _ : state) {
        sampleRow(pyramid.index.lanes[0].rows[0], pyramid.rows[0][0], begin,
                  begin + extent / state.range(0) / 2, pixels);
        benchmark::DoNotOptimize(pixels.data());
    }
}
BENCHMARK(samplePixels)->Arg(1)->Arg(10)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void writeMillionEvents(benchmark::State& state) {
    const Session session = manyEvents();
    const auto path = std::filesystem::temp_directory_path() /
                      fmt::format("session_bench_{}_{}.retrace", getpid(), state.range(0));
    std::size_t bytes = 0;
    for (auto _ : state) {
        std::filesystem::remove(path);
        auto writer =
            SessionWriter::create(path, SessionWriter::Use::Whole, static_cast<Codec>(state.range(0)));
        RETRACESCOPE_CHECK((*writer)->append(session).ok());
        RETRACESCOPE_CHECK((*writer)->close().ok());
        bytes = std::filesystem::file_size(path);
    }
    std::filesystem::remove(path);
    state.counters["bytes_per_event"] =
        static_cast<double>(bytes) / static_cast<double>(session.eventCount());
}
BENCHMARK(writeMillionEvents)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// What a hit pays for being watched: two looks at the clock and one record, its ring emptied now and then.
void recordCall(benchmark::State& state) {
    record::Ring ring(32 * 1024);
    std::uint32_t number = 0;
    for (auto _ : state) {
        const std::uint64_t begin = ticks();
        ring.pushCall({1, 1, ++number, runtime::CallOutcome::Hit, begin, ticks(), 0});
        if ((number & 0x3fff) == 0)
            ring.discard();
    }
    RETRACESCOPE_CHECK(ring.dropped() == 0);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(recordCall);

/// From ring to file: turning records into rows and writing them, per event.
void drainCalls(benchmark::State& state) {
    constexpr std::uint32_t kBatch = 16 * 1024;
    const auto path =
        std::filesystem::temp_directory_path() / fmt::format("session_bench_{}_drain.retrace", getpid());
    auto writer = SessionWriter::create(path, SessionWriter::Use::Recorded);
    const auto thread = std::make_shared<record::TappedThread>(0u, 1u, 2 * kBatch, nullptr);
    record::RecordedSession recorded{record::RecorderOptions()};
    record::FunctionEvent function;
    function.facts.function = 1;
    function.name = "f";
    recorded.apply({*thread, std::move(function)});
    std::uint32_t number = 0;
    for (auto _ : state) {
        state.PauseTiming();
        for (std::uint32_t i = 0; i < kBatch; ++i) {
            const std::uint64_t begin = ticks();
            thread->ring.pushCall({1, 0, ++number, runtime::CallOutcome::Hit, begin, ticks(), 0});
        }
        recorded.clock().addPoint();
        state.ResumeTiming();
        recorded.drain(*thread, thread->ring, thread->ring.published());
        RETRACESCOPE_CHECK((*writer)->append(recorded.session(), recorded.takeChanges()).ok());
        recorded.forgetWritten();
        thread->ring.release();
    }
    RETRACESCOPE_CHECK((*writer)->close().ok());
    state.SetItemsProcessed(state.iterations() * kBatch);
    state.counters["bytes_per_event"] =
        static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(number);
    std::filesystem::remove(path);
}
BENCHMARK(drainCalls)->Unit(benchmark::kMicrosecond);

} // namespace
