#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <retracescope/base/source_code.h>
#include <retracescope/record/engine_graph.h>
#include <retracescope/record/key_log.h>
#include <retracescope/record/rare_events.h>
#include <retracescope/record/recorder.h>
#include <retracescope/record/recorder_note.h>
#include <retracescope/record/ring.h>
#include <retracescope/record/rows_by_key.h>
#include <retracescope/record/source_files.h>
#include <retracescope/record/tick_clock.h>
#include <retracescope/session/session.h>
#include <retracescope/session/writer.h>

namespace retracescope::record {

/// Turns what the engine tells into the rows of a session. For the drainer's thread.
class RecordedSession {
public:
    /// Of this process, from now on. Keys of rows go into the file, if there is one.
    explicit RecordedSession(const RecorderOptions& options, const std::shared_ptr<RingFile>& file = nullptr);

    /// What is needed to go on with what another process had recorded.
    struct Resumed {
        session::Session session;
        RecorderNote note;
        std::vector<std::uint32_t> functionKeys; ///< by row; more rows than the session has are ignored
        std::vector<std::uint32_t> entryKeys;
        ClockPoint clock;
        std::int32_t process = 0;
    };
    explicit RecordedSession(Resumed resumed);
    RecordedSession(const RecordedSession&) = delete;
    RecordedSession& operator=(const RecordedSession&) = delete;

    session::Session& session() { return m_session; }
    TickClock& clock() { return m_clock; }

    /// Takes what a thread's ring holds up to `end`; the thread gets a lane on its first event.
    void drain(const ThreadIdentity& thread, Ring& ring, std::size_t end);
    /// One record of a ring and, of a Nodes header, slot i behind it.
    void take(const ThreadIdentity& thread, const RingRecord& record,
              const std::function<const RingRecord&(std::size_t)>& following);
    void apply(RareEvent event);

    /// Rows that changed after they were written; forgets them.
    session::ChangedRows takeChanges();
    /// After a flush: forgets the events, and of other rows what is not needed to take further ones.
    void forgetWritten();
    bool hasNews() const { return m_hasNews || m_session.eventCount() > 0; }

    void addMark(std::string_view kind, std::string_view text, std::uint64_t at,
                 session::FunctionId function = {}, session::EntryId entry = {});
    void addFact(std::string_view area, std::string_view key, std::string_view value);

    /// What was begun and has not ended.
    std::vector<RecorderNote::OpenTrace> openTraces() const;

    std::int64_t calls() const { return m_calls; }
    std::int64_t events() const { return m_events; }
    std::int64_t lateCalls() const { return m_lateCalls; }

private:
    /// A finished trace that began while another was open.
    struct Inner {
        std::uint64_t begin = 0;
        std::uint64_t ticks = 0;
    };

    struct OpenTrace {
        session::FunctionId function;
        session::MissId miss;
        session::EntryId entry;
        std::uint64_t begin = 0; ///< 0 = announced by its miss only
        std::vector<Inner> inner;
        std::vector<PhaseEvent> phases; ///< of an entry that is not known yet
    };

    struct Thread {
        session::LaneId lane;
        std::vector<OpenTrace> open;  ///< innermost last
        std::uint64_t traceTicks = 0; ///< of the call whose record follows
    };

    /// A source file: its text, if there is one, and where the functions begin that were made at a place in
    /// it.
    struct SourceText {
        session::StringId text;
        std::optional<FirstLines> lines;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known; ///< by line and column
    };

    Thread& threadOf(const ThreadIdentity& thread);
    void take(Thread& to, const ThreadIdentity& thread, const RingRecord& record, const auto& following);
    [[gnu::flatten]] void addCall(Thread& thread, const RingRecord& record);
    void addNodes(Thread& thread, const RingRecord& record, const auto& following);
    void addSpan(session::LaneId lane, std::string_view category, session::StringId name, std::uint64_t begin,
                 std::uint64_t end, session::FunctionId function, session::EntryId entry);

    void endTrace(Thread& thread, OpenTrace trace, const TraceEndEvent& event);
    void addPhase(const Thread& thread, const PhaseEvent& event);

    void on(Thread& thread, FunctionEvent& event);
    void on(Thread& thread, MissEvent& event);
    void on(Thread& thread, TraceBeginEvent& event);
    void on(Thread& thread, EntryEvent& event);
    void on(Thread& thread, TraceEndEvent& event);
    void on(Thread& thread, PhaseEvent& event);
    void on(Thread& thread, DropEvent& event);
    void on(Thread& thread, WarningEvent& event);
    void on(Thread& thread, MarkEvent& event);

    session::SignatureId signature(std::vector<types::Component> components, const std::string& text);
    session::StackId stack(const MissEvent& event);
    SourceText& sourceOf(const std::string& named);
    std::uint32_t firstLine(const FunctionEvent& event);
    session::StringId text(std::string_view text) { return m_session.strings.intern(text); }

    session::Session m_session;
    TickClock m_clock;
    std::uint64_t m_startTicks = ticks();
    std::int32_t m_process;
    bool m_keepsSource;
    bool m_keepsNodes; ///< of graphs, to name what runs
    KeyLog m_functionKeys;
    KeyLog m_entryKeys;
    bool m_hasNews = false;
    RowsByKey<session::FunctionId> m_functions;
    RowsByKey<session::EntryId> m_entries;
    std::vector<std::uint32_t> m_entryCounts; ///< by function
    /// By 128 bits of hash of all that tells two apart: a program may make millions.
    std::map<std::array<std::uint64_t, 2>, session::SignatureId> m_signatures;
    std::unordered_map<std::string, session::StackId> m_stacks;
    std::unordered_map<std::uint64_t, session::StackId> m_stackOfCall; ///< by function and call number
    std::unordered_map<std::uint32_t, Thread> m_threads;
    std::unordered_map<std::string, SourceText> m_sources; ///< by file
    SourceFiles m_files;
    GraphConverter m_graphs{m_session.strings, m_files};
    std::size_t m_forgottenGraphs = 0; ///< the first ones
    std::size_t m_forgottenSignatures = 0;
    std::size_t m_forgottenMisses = 0;
    session::ChangedRows m_changed;
    std::int64_t m_calls = 0;
    std::int64_t m_events = 0;
    std::int64_t m_lateCalls = 0;
};

} // namespace retracescope::record
