#include <retracescope/record/tap.h>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <retracescope/base/clock.h>
#include <retracescope/engine/ir/graph.h>
#include <retracescope/record/event_bytes.h>

namespace retracescope::record {

namespace {

std::int64_t systemThreadId() {
    return static_cast<std::int64_t>(syscall(SYS_gettid));
}

/// Empty for a thread that nobody named: it has inherited the name of the program.
std::string threadName(std::int64_t systemId) {
    if (systemId == getpid())
        return "main";
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    std::string ofProgram;
    std::getline(std::ifstream("/proc/self/comm"), ofProgram);
    return name.data() == ofProgram ? std::string() : name.data();
}

/// A graph that holds nothing but nodes and small constants: it does no harm if it goes a little later.
bool isLight(const ir::Graph& graph) {
    constexpr std::int64_t kElements = 128;
    return graph.captures().empty() && graph.callees().empty() && graph.branches().empty() &&
           graph.hosts().empty() && std::ranges::all_of(graph.constants(), [](const auto& constant) {
               return constant.elements() <= kElements;
           });
}

/// When the telling began: what the engine does for it alone is a cost of recording.
std::uint64_t beginOf(const auto& facts) {
    return facts.since != 0 ? facts.since : ticks();
}

/// Tells the drainer that a thread's ring will get nothing more.
struct ThreadEnd {
    std::shared_ptr<TappedThread> thread;
    ~ThreadEnd();
};

// Read without the check that a variable with a destructor costs.
thread_local TappedThread* t_thread = nullptr;
thread_local bool t_ending = false;
thread_local ThreadEnd t_end;

ThreadEnd::~ThreadEnd() {
    runtime::lendSlots(nullptr);
    t_thread = nullptr;
    t_ending = true;
    if (thread)
        thread->ended.store(true, std::memory_order_release);
}

} // namespace

void UsedGraphs::add(EventQueue::SharedGraph graph) {
    m_nodes += graph->nodeCount();
    m_graphs.push_back(std::move(graph));
}

EventQueue::SharedGraph UsedGraphs::take() {
    if (m_graphs.empty())
        return nullptr;
    EventQueue::SharedGraph graph = std::move(m_graphs.back());
    m_graphs.pop_back();
    m_nodes -= graph->nodeCount();
    return graph;
}

TappedThread::TappedThread(std::uint32_t threadNumber, std::uint64_t ofRecording, std::size_t ringRecords,
                           const std::shared_ptr<RingFile>& file)
    : ThreadIdentity{threadNumber, systemThreadId(), {}}, recording(ofRecording), ring(ringRecords, file) {
    name = threadName(systemId);
    if (RegionHeader* region = ring.region()) {
        region->thread = number;
        region->systemId = systemId;
        name.copy(region->name, sizeof(region->name) - 1);
    }
}

[[gnu::always_inline]] inline TappedThread* Tap::thisThread() noexcept {
    if (t_thread && t_thread->recording == m_recording.load(std::memory_order_acquire)) [[likely]]
        return t_thread;
    return newThread();
}

Tap*& Tap::current() {
    static Tap* tap = [] {
        pthread_atfork(nullptr, nullptr, startAnewInChild);
        return new Tap; // never deleted, see above
    }();
    return tap;
}

void Tap::startAnewInChild() {
    runtime::setObserver(nullptr);
    runtime::lendSlots(nullptr);
    t_thread = nullptr;
    Tap* const tap = new Tap; // another thread may have held the old one's mutex
    tap->m_ofParent = current();
    tap->m_recording.store(
        tap->m_ofParent->m_recording.load()); // a parent's recorder is not taken for an own
    tap->m_threadOfParent = std::move(t_end.thread);
    current() = tap;
}

Tap& Tap::instance() {
    return *current();
}

std::uint64_t Tap::open(std::size_t ringRecords, bool wantsNodes, std::shared_ptr<RingFile> file) {
    std::uint64_t recording = 0;
    {
        const std::lock_guard lock(m_mutex);
        if (m_isOpen || runtime::observer())
            return 0;
        m_isOpen = true;
        recording = m_recording.load(std::memory_order_relaxed) + 1;
        m_recording.store(recording, std::memory_order_release);
        m_ringRecords = ringRecords;
        m_threads.clear();
        m_events.clear();
        m_file = std::move(file);
        m_journal.emplace(m_file);
    }
    m_wantsNodes.store(wantsNodes, std::memory_order_relaxed);
    m_ticksSpent.store(0, std::memory_order_relaxed);
    thisThread(); // touching a new ring takes longer than all events of a short program
    runtime::setObserver(this);
    return recording;
}

void Tap::close() {
    if (runtime::observer() == this)
        runtime::setObserver(nullptr);
    const std::lock_guard lock(m_mutex);
    m_isOpen = false;
    m_events.clear();
    m_usedGraphs = {};
    m_threads.clear();
    m_journal.reset();
    m_file.reset();
}

std::vector<std::shared_ptr<TappedThread>> Tap::threads() {
    const std::lock_guard lock(m_mutex);
    auto threads = m_threads;
    // A thread that has ended is handed out once more: its ring holds the last events.
    std::erase_if(m_threads,
                  [](const auto& thread) { return thread->ended.load(std::memory_order_acquire); });
    return threads;
}

TakenEvents Tap::takeEvents(EventQueue used) {
    UsedGraphs surplus; // goes without the mutex
    std::vector<EventQueue::SharedGraph> graphs = used.takeGraphs();
    std::erase_if(graphs, [](const auto& graph) { return !isLight(*graph); });
    used.clear();
    const std::lock_guard lock(m_mutex);
    if (graphs.empty() && m_events.empty())
        surplus = std::exchange(m_usedGraphs, {}); // nobody traces
    for (EventQueue::SharedGraph& graph : graphs)
        (m_usedGraphs.hasRoom() ? m_usedGraphs : surplus).add(std::move(graph));
    return {std::exchange(m_events, std::move(used)), m_journal ? m_journal->position() : 0};
}

void Tap::releaseEvents(std::uint64_t journalPosition) {
    const std::lock_guard lock(m_mutex);
    if (m_journal)
        m_journal->release(journalPosition);
}

void Tap::waitForWork(std::chrono::microseconds longest) {
    std::unique_lock lock(m_mutex);
    m_work.wait_for(lock, longest, [this] { return m_hasWork.load(std::memory_order_relaxed); });
    m_hasWork.store(false, std::memory_order_relaxed);
}

TappedThread* Tap::newThread() noexcept {
    if (t_ending)
        return nullptr;
    try {
        const std::lock_guard lock(m_mutex);
        if (!m_isOpen)
            return nullptr;
        t_end.thread = std::make_shared<TappedThread>(m_threadCount++, m_recording, m_ringRecords, m_file);
        m_threads.push_back(t_end.thread);
        t_thread = t_end.thread.get();
        runtime::lendSlots(&t_thread->ring.callSlots());
        return t_thread;
    } catch (...) {
        return nullptr; // no memory for a recorder is no reason to stop the program
    }
}

template <class Write>
void Tap::add(std::uint64_t since, const Write& write, const EventQueue::SharedGraph& graph,
              std::uint64_t recording) {
    TappedThread* const thread = thisThread();
    if (thread == nullptr)
        return;
    thread->scratch.clear();
    write(*thread, thread->scratch);
    EventQueue::SharedGraph used; // goes without the mutex
    {
        const std::lock_guard lock(m_mutex);
        if (m_isOpen && (recording == 0 || recording == m_recording)) {
            m_journal->append(thread->scratch);
            m_events.append(thread->scratch, graph);
            if (graph)
                used = m_usedGraphs.take();
        }
    }
    m_ticksSpent.fetch_add(ticks() - since, std::memory_order_relaxed);
}

void Tap::add(const RareFacts& facts, std::uint64_t since, std::uint64_t recording) {
    add(
        since,
        [&](const ThreadIdentity& thread, std::vector<std::byte>& bytes) {
            appendBytes(thread, facts, bytes);
        },
        nullptr, recording);
}

void Tap::mark(std::uint64_t recording, std::string_view text) {
    const std::uint64_t now = ticks();
    add(MarkEvent{std::string(text), now}, now, recording);
}

void Tap::onFunction(const runtime::FunctionFacts& facts) {
    add(beginOf(facts), [&](const ThreadIdentity& thread, std::vector<std::byte>& bytes) {
        appendBytes(thread, facts, bytes);
    });
}

void Tap::onMiss(const runtime::MissFacts& facts) {
    add(beginOf(facts), [&](const ThreadIdentity& thread, std::vector<std::byte>& bytes) {
        appendBytes(thread, facts, bytes);
    });
}

void Tap::onEntry(const runtime::EntryFacts& facts) {
    const std::uint64_t now = ticks();
    add(
        beginOf(facts),
        [&](const ThreadIdentity& thread, std::vector<std::byte>& bytes) {
            appendBytes(thread, facts, now, bytes);
        },
        facts.graph);
}

void Tap::onTraceBegin(runtime::FunctionKey function, std::uint64_t at) {
    add(TraceBeginEvent{function, at}, ticks());
}

void Tap::onTraceEnd(const runtime::TraceFacts& facts) {
    add(TraceEndEvent{facts, std::string(facts.exception)}, ticks());
}

void Tap::onPhase(const runtime::PhaseFacts& facts) {
    add(PhaseEvent{facts, std::string(facts.kind), std::string(facts.name)}, ticks());
}

void Tap::onDrop(runtime::EntryKey entry, runtime::DropReason reason, std::uint64_t at) {
    add(DropEvent{entry, reason, at}, ticks());
}

void Tap::onWarning(runtime::FunctionKey function, std::string_view text, std::uint64_t at) {
    add(WarningEvent{function, std::string(text), at}, ticks());
}

void Tap::onCall(const runtime::CallFacts& facts) noexcept {
    // Read before the recording's number, which is there before its installation: the slots of an earlier
    // recording are never lent for a later one.
    const runtime::Installation* listening = runtime::installation();
    TappedThread* thread = thisThread();
    if (!thread)
        return;
    thread->ring.callSlots().generation =
        listening != nullptr && listening->observer == this ? listening->generation : 0;
    if (thread->ring.pushCall(facts))
        wake();
}

void Tap::onNodes(runtime::EntryKey entry, std::span<const std::uint64_t> boundaries) noexcept {
    TappedThread* thread = thisThread();
    if (thread && thread->ring.pushNodes(entry, boundaries))
        wake();
}

} // namespace retracescope::record
