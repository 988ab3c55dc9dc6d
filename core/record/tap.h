#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <retracescope/engine/runtime/observer.h>
#include <retracescope/record/rare_events.h>
#include <retracescope/record/ring.h>

namespace retracescope::record {

/// A thread that something was heard on. Lives as long as the process may still record.
struct TappedThread {
    TappedThread(std::uint32_t threadNumber, std::size_t ringRecords);

    std::uint32_t number; ///< 0, 1, ... in order of first event
    std::int64_t systemId;
    std::string name; ///< as the system knows it; "main" for the first thread
    std::atomic<bool> ended{false};
    Ring ring;
};

/// The one observer of the process, never destroyed: a call that has seen it may report to it at any later
/// time, whatever became of the recording. Producers are the engine's threads; the consumer is the drainer of
/// the recording that holds it at that time.
class Tap : public runtime::Observer {
public:
    static Tap& instance();

    /// Starts collecting for a new recording: installs itself. The recording's number, counted from 1; 0 if
    /// somebody else observes already.
    std::uint64_t open(std::size_t ringRecords, bool wantsNodes);
    /// Stops; later events are ignored.
    void close();

    /// Threads whose rings the consumer should drain. What their records refer to is among the events taken
    /// later.
    std::vector<std::shared_ptr<TappedThread>> threads();
    std::vector<RareEvent> takeEvents();

    /// Consumer: waits until a ring is half full, somebody calls wake(), or the time is over.
    void waitForWork(std::chrono::microseconds longest);
    void wake() { m_work.notify_one(); }

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

    /// The present thread's, made on its first event; null while the thread ends.
    TappedThread* thisThread() noexcept;
    /// With a `recording`, only for that one.
    void add(RareFacts facts, std::uint64_t since, std::uint64_t recording = 0);

    std::mutex m_mutex;
    std::condition_variable m_work;
    bool m_isOpen = false;
    std::uint64_t m_recording = 0; ///< the last one's number
    std::size_t m_ringRecords = 0;
    std::uint32_t m_threadCount = 0;
    std::vector<std::shared_ptr<TappedThread>> m_threads;
    std::vector<RareEvent> m_events;
    std::atomic<bool> m_wantsNodes{false};
    std::atomic<std::uint64_t> m_ticksSpent{0};
};

} // namespace retracescope::record
