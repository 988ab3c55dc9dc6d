#include <retracescope/record/recorder.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <limits>
#include <mutex>
#include <random>
#include <span>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/base/clock.h>
#include <retracescope/base/files.h>
#include <retracescope/engine/tensor/buffer.h>
#include <retracescope/record/event_bytes.h>
#include <retracescope/record/event_queue.h>
#include <retracescope/record/machine_facts.h>
#include <retracescope/record/recorded_session.h>
#include <retracescope/record/recorder_note.h>
#include <retracescope/record/ring_file.h>
#include <retracescope/record/tap.h>
#include <retracescope/session/file.h>
#include <retracescope/session/writer.h>

namespace retracescope::record {

using session::SessionWriter;

namespace {

void checkOptions(const RecorderOptions& options) {
    if (options.flushInterval.count() < 1 || options.flushInterval.count() > 50)
        throw UsageError(fmt::format("[Recorder] flushInterval should be 1 to 50 ms, not {}",
                                     options.flushInterval.count()));
    if (options.ringRecords < 64 || !std::has_single_bit(options.ringRecords))
        throw UsageError(fmt::format("[Recorder] ringRecords should be a power of two from 64 on, not {}",
                                     options.ringRecords));
}

[[noreturn]] void refuseSecond() {
    throw UsageError("[Recorder] only one recorder or observer at a time: close the other one first");
}

/// Makes way for the new file. Only a session, or nothing, is replaced.
void removeOldSession(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return;
    const bool isEmpty =
        std::filesystem::is_regular_file(path, error) && std::filesystem::is_empty(path, error);
    if (!isEmpty && !session::isSessionFile(path))
        throw RecorderError(fmt::format(
            "[Recorder] cannot record to {}: a file that is no session is there; choose another name",
            path.string()));
    if (!isEmpty && session::isBeingRecorded(path))
        throw RecorderError(fmt::format("[Recorder] cannot record to {}: another process is recording there; "
                                        "choose another name, or end that one first",
                                        path.string()));
    for (const char* suffix : {"", "-wal", "-shm", "-journal", "-rings"}) {
        std::filesystem::path old = path;
        old += suffix;
        std::filesystem::remove(old, error);
    }
}

std::unique_ptr<SessionWriter> makeWriter(const std::filesystem::path& name) {
    const std::filesystem::path path = withoutLinks(name);
    removeOldSession(path);
    auto writer = SessionWriter::create(path, SessionWriter::Use::Recorded);
    if (!writer)
        throw RecorderError("[Recorder] " + writer.error().message);
    return std::move(writer).value();
}

/// Null where that cannot be: the recording then keeps what is not written yet in its own memory.
std::shared_ptr<RingFile> makeRings(const std::filesystem::path& session) {
    std::random_device random;
    const std::uint64_t number = std::uint64_t{random()} << 32 | random();
    auto file = RingFile::create(ringFileOf(withoutLinks(session)), number);
    return file ? *file : nullptr;
}

/// What a call pays for being recorded: the ring and, with an observer, the clock at its begin and end.
double measureCostPerCall() {
    constexpr int kCalls = 4096;
    Ring ring(kCalls);
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (int round = 0; round < 3; ++round) {
        const std::int64_t from = monotonicNs();
        for (int i = 0; i < kCalls; ++i) {
            const std::uint64_t begin = ticks();
            ring.pushCall({1, 1, 1, runtime::CallOutcome::Hit, begin, ticks(), 0});
        }
        best = std::min(best, monotonicNs() - from);
        ring.discard();
    }
    return static_cast<double>(best) / kCalls;
}

constexpr std::chrono::microseconds kShortestPause{500}; // a ring takes 30 ns a call: half full in 0.5 ms
constexpr std::chrono::microseconds kLongestPause{8000};

} // namespace

struct Recorder::State {
    State(std::filesystem::path file, const RecorderOptions& wanted)
        : path(std::move(file)), options(wanted), writer(makeWriter(path)), rings(makeRings(path)),
          recorded(options, rings) {
        for (const MachineFact& fact : machineFacts())
            recorded.addFact("machine", fact.key, fact.value);
        recorded.addFact("recording", "node_times", options.nodeTimes ? "on" : "off");
        if (!options.nodeTimes)
            recorded.addFact("not_recorded", "kernels", "node times were not asked for");
        costPerCallNs = measureCostPerCall();
        flush();
        if (!failureText.empty())
            throw RecorderError(
                fmt::format("[Recorder] cannot record to {}: {}", path.string(), failureText));
        recording = Tap::instance().open(options.ringRecords, options.nodeTimes, rings);
        if (recording == 0)
            refuseSecond();
        holdsTap = true;
        drainer = std::thread([this] { run(); });
    }

    /// The drainer's life.
    void run() {
        tensor::Buffer::keepNothingInThisThread(); // of the tensors that it is the last to hold
        using Clock = std::chrono::steady_clock;
        Clock::time_point flushed = Clock::now();
        std::chrono::microseconds pause = kLongestPause;
        while (holdsTap && !stopping.load(std::memory_order_acquire)) {
            const auto untilFlush = std::chrono::duration_cast<std::chrono::microseconds>(
                flushed + options.flushInterval - Clock::now());
            if (untilFlush.count() > 0)
                Tap::instance().waitForWork(std::min(pause, untilFlush));
            pause = drain() ? kShortestPause : std::min(pause * 2, kLongestPause);
            if (untilFlush.count() <= 0 || isRingHalfFull()) {
                flush();
                flushed = Clock::now();
            }
        }
        if (holdsTap)
            drain();
    }

    /// From here on the tap may be another recording's.
    void letGoOfTap() {
        if (std::exchange(holdsTap, false))
            Tap::instance().close();
    }

    /// True if there was something. Rings are looked at first and events applied first: whatever a ring's
    /// record refers to was told before it.
    bool drain() {
        Tap& tap = Tap::instance();
        for (const auto& thread : tap.threads())
            if (std::ranges::find(drained, thread) == drained.end())
                drained.push_back(thread);
        std::vector<std::size_t> ends;
        for (const auto& thread : drained)
            ends.push_back(thread->ring.published());
        auto [events, journalPosition] = tap.takeEvents(std::exchange(usedEvents, {}));
        note.journal = journalPosition;
        recorded.clock().addPoint();
        if (rings)
            rings->notePoint(recorded.clock().newest());
        const std::int64_t before = recorded.events();
        events.forEach([this](std::span<const std::byte> bytes, const EventQueue::SharedGraph& graph) {
            auto event = eventFrom(bytes);
            RETRACESCOPE_CHECK(event.has_value());
            if (graph)
                std::get<EntryEvent>(event->facts).facts.graph = graph;
            recorded.apply(std::move(*event));
        });
        for (std::size_t i = 0; i < drained.size(); ++i) {
            recorded.drain(*drained[i], drained[i]->ring, ends[i]);
            droppedByThread[drained[i]->number] = drained[i]->ring.dropped();
        }
        const bool foundAny = !events.empty() || recorded.events() != before;
        usedEvents = std::move(events);
        return foundAny;
    }

    bool isRingHalfFull() const {
        return std::ranges::any_of(drained, [](const auto& thread) { return thread->ring.isHalfFull(); });
    }

    /// What is in the session leaves the rings and the journal.
    void flush() {
        const bool stopped = writer == nullptr;
        if (!stopped && recorded.hasNews()) {
            noteState();
            if (const Status written = writer->append(recorded.session(), recorded.takeChanges()); !written)
                stopRecording(written.error().message);
        }
        recorded.forgetWritten();
        for (const auto& thread : drained)
            thread->ring.release();
        drained.clear();
        if (holdsTap)
            Tap::instance().releaseEvents(note.journal);
    }

    void noteState() {
        if (!rings)
            return;
        note.recording = rings->recording();
        note.rings.clear(); // a thread that has ended and was written has nothing left
        for (const auto& thread : drained)
            note.rings.push_back({thread->number, thread->ring.drained()});
        note.open = recorded.openTraces();
        recorded.session().recorderNote = note.text();
    }

    /// The program goes on; what is in the file stays there.
    void stopRecording(const std::string& why) {
        writer->abandon();
        writer.reset();
        if (rings)
            rings->remove();
        letGoOfTap(); // before it is told, so that who hears of it can record elsewhere
        {
            const std::lock_guard lock(failureMutex);
            failureText = why;
        }
        fmt::print(stderr, "retracescope: recording to {} stopped: {}\n", path.string(), why);
    }

    void addClosingFacts() {
        std::uint64_t dropped = 0;
        for (const auto& [thread, count] : droppedByThread)
            dropped += count;
        const double rareNs = static_cast<double>(recorded.clock().durationNs(Tap::instance().ticksSpent()));
        const double callNs = costPerCallNs * static_cast<double>(recorded.calls());
        recorded.addFact("recording", "events", std::to_string(recorded.events()));
        recorded.addFact("recording", "dropped", std::to_string(dropped));
        recorded.addFact("recording", "cost_per_call_ns", fmt::format("{:.1f}", costPerCallNs));
        recorded.addFact("recording", "overhead_ns", fmt::format("{:.0f}", rareNs + callNs));
        if (recorded.lateCalls() > 0)
            recorded.addFact("recording", "calls_of_earlier_recordings",
                             std::to_string(recorded.lateCalls()));
    }

    void finish() {
        stopping.store(true, std::memory_order_release);
        Tap::instance().wake();
        drainer.join();
        addClosingFacts();
        letGoOfTap();
        flush();
        if (!writer)
            return;
        if (const Status closed = writer->close(); !closed)
            return stopRecording(closed.error().message);
        writer.reset();
        if (rings)
            rings->remove();
    }

    std::filesystem::path path;
    RecorderOptions options;
    std::unique_ptr<SessionWriter> writer; ///< null once recording has stopped
    std::shared_ptr<RingFile> rings;       ///< null where the place takes no such file
    RecordedSession recorded;
    std::vector<std::shared_ptr<TappedThread>> drained; ///< since the last flush
    EventQueue usedEvents;                              ///< for the tap
    RecorderNote note;
    double costPerCallNs = 0;
    std::unordered_map<std::uint32_t, std::uint64_t> droppedByThread;
    std::atomic<bool> stopping{false};
    std::uint64_t recording = 0; ///< the tap's number for it
    bool holdsTap = false;       ///< the drainer's while it lives
    std::thread drainer;
    pid_t process = getpid();
    mutable std::mutex failureMutex;
    std::string failureText;
};

Recorder::Recorder(std::filesystem::path path, RecorderOptions options, std::source_location where) {
    placed(where, [&] {
        if (path.empty())
            throw RecorderError("[Recorder] expected the name of a session file, got an empty one");
        checkOptions(options);
        if (runtime::observer() != nullptr) // before an older session of that name makes way
            refuseSecond();
        m_state = std::make_unique<State>(std::move(path), options);
    });
}

Recorder::~Recorder() {
    close();
    if (m_state->process != getpid())
        (void)m_state.release(); // a forked child has no drainer to end
}

void Recorder::mark(std::string_view text) {
    Tap::instance().mark(m_state->recording, text);
}

void Recorder::close() {
    // A forked child has neither the drainer nor a right to the parent's file.
    if (m_state->process == getpid() && m_state->drainer.joinable())
        m_state->finish();
}

std::string Recorder::failure() const {
    const std::lock_guard lock(m_state->failureMutex);
    return m_state->failureText;
}

const std::filesystem::path& Recorder::path() const {
    return m_state->path;
}

} // namespace retracescope::record
