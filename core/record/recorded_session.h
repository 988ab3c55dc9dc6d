#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <retracescope/base/source_code.h>
#include <retracescope/record/engine_graph.h>
#include <retracescope/record/rare_events.h>
#include <retracescope/record/source_files.h>
#include <retracescope/record/tap.h>
#include <retracescope/record/tick_clock.h>
#include <retracescope/session/session.h>
#include <retracescope/session/writer.h>

namespace retracescope::record {

/// Turns what the engine tells into the rows of a session. For the drainer's thread.
class RecordedSession {
public:
    explicit RecordedSession(bool keepsSource) : m_keepsSource(keepsSource) {}

    session::Session& session() { return m_session; }
    TickClock& clock() { return m_clock; }

    /// Takes what a thread's ring holds up to `end`; the thread gets a lane on its first event.
    void drain(TappedThread& thread, std::size_t end);
    void apply(RareEvent event);

    /// Rows that changed after they were written; forgets them.
    session::ChangedRows takeChanges();
    /// After a flush: forgets the events.
    void clearEvents();
    bool hasNews() const { return m_hasNews || m_session.eventCount() > 0; }

    void addMark(std::string_view kind, std::string_view text, std::uint64_t at,
                 session::FunctionId function = {}, session::EntryId entry = {});
    void addFact(std::string_view area, std::string_view key, std::string_view value);

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

    Thread& threadOf(const TappedThread& thread);
    void take(Thread& to, const TappedThread& thread, const RingRecord& record, const auto& following);
    void addCall(Thread& thread, const RingRecord& record);
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

    session::FunctionId functionOf(runtime::FunctionKey key) const;
    session::EntryId entryOf(runtime::EntryKey key) const;
    session::SignatureId signature(std::vector<types::Component> components, const std::string& text);
    session::StackId stack(const MissEvent& event);
    session::GraphId addGraphs(EngineGraphs graphs);
    SourceText& sourceOf(const std::string& named);
    std::uint32_t firstLine(const FunctionEvent& event);
    session::StringId text(std::string_view text) { return m_session.strings.intern(text); }

    session::Session m_session;
    TickClock m_clock;
    std::uint64_t m_startTicks = ticks();
    bool m_keepsSource;
    bool m_hasNews = false;
    std::unordered_map<runtime::FunctionKey, session::FunctionId> m_functions;
    std::unordered_map<runtime::EntryKey, session::EntryId> m_entries;
    std::vector<std::uint32_t> m_entryCounts; ///< by function
    std::unordered_map<std::string, session::SignatureId> m_signatures;
    std::unordered_map<std::string, session::StackId> m_stacks;
    std::unordered_map<std::uint64_t, session::StackId> m_stackOfCall; ///< by function and call number
    std::unordered_map<std::uint32_t, Thread> m_threads;
    std::unordered_map<std::string, SourceText> m_sources; ///< by file
    SourceFiles m_files;
    session::ChangedRows m_changed;
    std::int64_t m_calls = 0;
    std::int64_t m_events = 0;
    std::int64_t m_lateCalls = 0;
};

} // namespace retracescope::record
