#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <retracescope/engine/runtime/observer.h>
#include <retracescope/record/event_queue.h>
#include <retracescope/record/journal.h>
#include <retracescope/record/rare_events.h>
#include <retracescope/record/ring.h>
#include <retracescope/record/ring_file.h>

namespace retracescope::record {

/// A thread that something was heard on in one recording. Lives until both have let go of it.
struct TappedThread : ThreadIdentity {
    TappedThread(std::uint32_t threadNumber, std::uint64_t ofRecording, std::size_t ringRecords,
                 const std::shared_ptr<RingFile>& file);

    std::uint64_t recording;
    std::atomic<bool> ended{false};
    std::vector<std::byte> scratch; ///< the thread's own
    Ring ring;
};

/// What happened seldom, and up to where the journal tells it.
struct TakenEvents {
    EventQueue events;
    std::uint64_t journalPosition = 0;
};

/// Graphs that the drainer has read and that wait for a thread to free them.
class UsedGraphs {
public:
    bool hasRoom() const { return m_nodes < kNodes; }
    void add(EventQueue::SharedGraph graph);
    /// The one added last; null if there is none.
    EventQueue::SharedGraph take();

private:
    static constexpr std::size_t kNodes = 256 * 1024; ///< of some 100 bytes each
    std::vector<EventQueue::SharedGraph> m_graphs;
    std::size_t m_nodes = 0;
};

/// The one recording observer of the process, never destroyed: a call that has seen it may report to it at
/// any later time, whatever became of the recording. Producers are the engine's threads; the consumer is the
/// drainer of the recording that holds it at that time.
class Tap : public runtime::Observer {
public:
    static Tap& instance();

    /// Starts collecting for a new recording: installs itself. The recording's number, counted from 1; 0 if
    /// somebody else observes already. What is collected lies in `file` if there is one.
    std::uint64_t open(std::size_t ringRecords, bool wantsNodes, std::shared_ptr<RingFile> file = nullptr);
    /// Stops; later events are ignored.
    void close();

    /// Threads whose rings the consumer should drain. What their records refer to is among the events taken
    /// later.
    std::vector<std::shared_ptr<TappedThread>> threads();
    /// `used` are taken before and no longer needed: further events lie where they did. Their
    /// graphs, if they hold little, are left to the threads that tell of further ones, which can use the
    /// memory again; when nothing more comes, the next call frees them.
    TakenEvents takeEvents(EventQueue used = {});
    /// Consumer: events up to this position are in the session.
    void releaseEvents(std::uint64_t journalPosition);

    /// Consumer: waits until a ring has become half full or somebody has called wake(), since it last
    /// returned, or the time is over.
    void waitForWork(std::chrono::microseconds longest);
    void wake() noexcept {
        m_hasWork.store(true, std::memory_order_relaxed);
        m_work.notify_one();
    }

    /// Ticks that threads have spent in the functions below, calls left out.
    std::uint64_t ticksSpent() const { return m_ticksSpent.load(std::memory_order_relaxed); }

    /// Ignored unless this recording is the one that collects.
    void mark(std::uint64_t recording, std::string_view text);

    void onFunction(const runtime::FunctionFacts& facts) override;
    void onMiss(const runtime::MissFacts& facts) override;
    void onTraceBegin(runtime::FunctionKey function, std::uint64_t at) override;
    void onEntry(const runtime::EntryFacts& facts) override;
    void onTraceEnd(const runtime::TraceFacts& facts) override;
    void onPhase(const runtime::PhaseFacts& facts) override;
    void onDrop(runtime::EntryKey entry, runtime::DropReason reason, std::uint64_t at) override;
    void onWarning(runtime::FunctionKey function, std::string_view text, std::uint64_t at) override;
    void onCall(const runtime::CallFacts& facts) noexcept override;
    bool wantsNodes() const override { return m_wantsNodes.load(std::memory_order_relaxed); }
    void onNodes(runtime::EntryKey entry, std::span<const std::uint64_t> boundaries) noexcept override;

private:
    Tap() = default;

    static Tap*& current();
    /// In a forked child: its memory shares the parent's rings, which it must leave alone. The parent's tap
    /// is left as it is, and another listens from now on.
    static void startAnewInChild();

    /// The present thread's, made on its first event; null while the thread ends.
    TappedThread* thisThread() noexcept;
    TappedThread* newThread() noexcept;
    /// Adds what write(thread, bytes) appends to the bytes; with a `recording`, only for that one.
    template <class Write>
    void add(std::uint64_t since, const Write& write, const EventQueue::SharedGraph& graph = nullptr,
             std::uint64_t recording = 0);
    void add(const RareFacts& facts, std::uint64_t since, std::uint64_t recording = 0);

    std::mutex m_mutex;
    std::condition_variable m_work;
    std::atomic<bool> m_hasWork{
        false}; ///< set without the mutex: a waiter may miss it until its time is over
    bool m_isOpen = false;
    std::atomic<std::uint64_t> m_recording{0}; ///< the last one's number
    std::size_t m_ringRecords = 0;
    std::shared_ptr<RingFile> m_file;
    std::optional<Journal> m_journal;
    std::uint32_t m_threadCount = 0;
    std::vector<std::shared_ptr<TappedThread>> m_threads;
    EventQueue m_events;
    UsedGraphs m_usedGraphs;
    std::atomic<bool> m_wantsNodes{false};
    std::atomic<std::uint64_t> m_ticksSpent{0};

    // In a forked child. Kept as they are: their end would give rings back that are the parent's.
    Tap* m_ofParent = nullptr;
    std::shared_ptr<TappedThread> m_threadOfParent;
};

} // namespace retracescope::record
