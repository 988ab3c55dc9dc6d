#include <retracescope/record/recorded_session.h>

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include <retracescope/base/files.h>
#include <retracescope/base/units.h>
#include <retracescope/session/columns.h>

namespace retracescope::record {

using namespace session;

namespace {

Outcome outcomeOf(runtime::CallOutcome outcome) {
    switch (outcome) {
    case runtime::CallOutcome::Hit:
        return Outcome::Hit;
    case runtime::CallOutcome::Traced:
        return Outcome::Traced;
    case runtime::CallOutcome::Eager:
        return Outcome::Eager;
    case runtime::CallOutcome::Error:
        return Outcome::Error;
    }
    return Outcome::Unknown;
}

EntryState stateOf(runtime::DropReason reason) {
    switch (reason) {
    case runtime::DropReason::Cleared:
        return EntryState::Cleared;
    case runtime::DropReason::Evicted:
        return EntryState::Evicted;
    case runtime::DropReason::Dead:
        break;
    }
    return EntryState::Dead;
}

std::string_view dropWord(EntryState state) {
    return state == EntryState::Cleared ? "clear" : state == EntryState::Evicted ? "evict" : "dead";
}

std::uint64_t callKey(FunctionId function, std::uint32_t number) {
    return std::uint64_t{function.value} << 32 | number;
}

/// Appends one row to an event table; values in the order of its declaration.
template <class... Columns>
auto row(Columns&... columns) {
    return [&](const auto&... values) { (columns.push_back(values), ...); };
}

} // namespace

RecordedSession::RecordedSession(const RecorderOptions& options, const std::shared_ptr<RingFile>& file)
    : m_process(getpid()), m_keepsSource(options.keepSource), m_keepsNodes(options.nodeTimes),
      m_functionKeys(file, RegionKind::FunctionKeys), m_entryKeys(file, RegionKind::EntryKeys) {}

RecordedSession::RecordedSession(Resumed resumed)
    : m_session(std::move(resumed.session)), m_clock(resumed.clock), m_startTicks(0),
      m_process(resumed.process), m_keepsSource(false), m_keepsNodes(true),
      m_functionKeys(nullptr, RegionKind::FunctionKeys), m_entryKeys(nullptr, RegionKind::EntryKeys) {
    for (std::size_t row = 0; row < std::min(resumed.functionKeys.size(), m_session.functions.size()); ++row)
        m_functions.add(resumed.functionKeys[row], FunctionId(row));
    for (std::size_t row = 0; row < std::min(resumed.entryKeys.size(), m_session.entries.size()); ++row)
        m_entries.add(resumed.entryKeys[row], EntryId(row));
    m_entryCounts.resize(m_session.functions.size());
    for (const Entry& entry : m_session.entries)
        ++m_entryCounts[entry.function.value];
    for (const Miss& miss : m_session.misses) {
        if (miss.callNumber > 0 && !miss.call.isValid())
            m_stackOfCall[callKey(miss.function, miss.callNumber)] = miss.stack;
    }
    for (const RecorderNote::OpenTrace& trace : resumed.note.open) {
        const auto row = [](std::uint32_t value, std::size_t rows) {
            return value < rows ? value : Id<void>::kNone;
        };
        OpenTrace open{FunctionId(row(trace.function, m_session.functions.size())),
                       MissId(row(trace.miss, m_session.misses.size())),
                       EntryId(row(trace.entry, m_session.entries.size())),
                       trace.begin,
                       {},
                       {}};
        if (trace.innerTicks > 0)
            open.inner.push_back({trace.begin, trace.innerTicks});
        m_threads[trace.thread].open.push_back(std::move(open));
    }
}

std::vector<RecorderNote::OpenTrace> RecordedSession::openTraces() const {
    std::vector<RecorderNote::OpenTrace> open;
    for (const auto& [number, thread] : m_threads) {
        for (const OpenTrace& trace : thread.open) {
            std::uint64_t inner = 0;
            for (const Inner& finished : trace.inner)
                inner += finished.ticks;
            open.push_back(
                {number, trace.function.value, trace.miss.value, trace.entry.value, trace.begin, inner});
        }
    }
    return open;
}

RecordedSession::Thread& RecordedSession::threadOf(const ThreadIdentity& thread) {
    Thread& known = m_threads[thread.number];
    if (known.lane.isValid())
        return known;
    const Lane lane{LaneKind::Thread, text(thread.name), text(""), text(std::to_string(m_process)),
                    text(std::to_string(thread.systemId))};
    const auto same = std::ranges::find_if(m_session.lanes, [&](const Lane& other) {
        return other.processId == lane.processId && other.threadId == lane.threadId &&
               other.name == lane.name;
    });
    known.lane = LaneId(static_cast<std::size_t>(same - m_session.lanes.begin()));
    if (same == m_session.lanes.end())
        m_session.lanes.push_back(lane);
    return known;
}

void RecordedSession::drain(const ThreadIdentity& thread, Ring& ring, std::size_t end) {
    if (end == ring.drained())
        return;
    Thread& to = threadOf(thread);
    ring.drainTo(
        end, [&](const RingRecord& record, const auto& following) { take(to, thread, record, following); });
}

void RecordedSession::take(const ThreadIdentity& thread, const RingRecord& record,
                           const std::function<const RingRecord&(std::size_t)>& following) {
    take(threadOf(thread), thread, record, following);
}

void RecordedSession::take(Thread& to, const ThreadIdentity& thread, const RingRecord& record,
                           const auto& following) {
    switch (kindOf(record)) {
    case RecordKind::TraceTime:
        to.traceTicks = durationOf(record);
        break;
    case RecordKind::Call:
        addCall(to, record);
        break;
    case RecordKind::Nodes:
        addNodes(to, record, following);
        break;
    case RecordKind::Gap:
        if (record.begin < m_startTicks)
            break; // lost by an earlier recording
        addMark("dropped",
                fmt::format("{} on {} left out: they came faster than they could be written",
                            formatPlural(record.number, "event", "events"), thread.name),
                record.begin);
        break;
    }
}

void RecordedSession::addCall(Thread& thread, const RingRecord& record) {
    const FunctionId function = m_functions.find(record.function);
    const std::uint64_t traceTicks = std::exchange(thread.traceTicks, 0);
    if (!function.isValid()) {
        ++m_lateCalls; // began under an earlier recording
        return;
    }
    ++m_calls;
    ++m_events;
    const Outcome outcome = outcomeOf(static_cast<runtime::CallOutcome>(record.detail));
    StackId stack;
    if (outcome != Outcome::Hit) {
        const auto it = m_stackOfCall.find(callKey(function, record.number));
        if (it != m_stackOfCall.end()) {
            stack = it->second;
            m_stackOfCall.erase(it);
        }
    }
    CallTable& t = m_session.calls;
    const std::int64_t start = m_clock.toNs(record.begin);
    row(t.startNs, t.durationNs, t.lane, t.function, t.entry, t.outcome, t.number, t.traceNs,
        t.stack)(start, std::max<std::int64_t>(m_clock.toNs(record.begin + durationOf(record)) - start, 0),
                 thread.lane, function, m_entries.find(record.entry), outcome, record.number,
                 m_clock.durationNs(traceTicks), stack);
}

void RecordedSession::addNodes(Thread& thread, const RingRecord& record, const auto& following) {
    const EntryId entry = m_entries.find(record.entry);
    if (!entry.isValid() || !m_session[entry].graph.isValid())
        return;
    const Graph& graph = m_session[m_session[entry].graph];
    KernelTable& t = m_session.kernels;
    std::uint64_t at = record.begin;
    for (std::uint32_t node = 0; node < std::min<std::size_t>(record.number, graph.nodes.size()); ++node) {
        const auto times = std::bit_cast<std::array<std::uint32_t, Ring::kNodesPerRecord>>(
            following(node / Ring::kNodesPerRecord));
        const std::uint64_t ticks = std::uint64_t{times[node % Ring::kNodesPerRecord]} << record.detail;
        if (ticks == 0)
            continue; // nothing ran: an argument, a constant, or part of a fused kernel
        const std::int64_t start = m_clock.toNs(at);
        at += ticks;
        row(t.startNs, t.durationNs, t.lane, t.name, t.entry,
            t.node)(start, std::max<std::int64_t>(m_clock.toNs(at) - start, 0), thread.lane,
                    graph.nodes[node].op, entry, node);
        ++m_events;
    }
}

void RecordedSession::addSpan(LaneId lane, std::string_view category, StringId name, std::uint64_t begin,
                              std::uint64_t end, FunctionId function, EntryId entry) {
    SpanTable& t = m_session.spans;
    const std::int64_t start = m_clock.toNs(begin);
    row(t.startNs, t.durationNs, t.lane, t.name, t.category, t.function, t.entry, t.args,
        t.row)(start, std::max<std::int64_t>(m_clock.toNs(end) - start, 0), lane, name, text(category),
               function, entry, StringId(), std::uint8_t{0});
    ++m_events;
}

void RecordedSession::apply(RareEvent event) {
    m_hasNews = true;
    Thread& thread = threadOf(event.thread);
    std::visit([&](auto& facts) { on(thread, facts); }, event.facts);
}

void RecordedSession::on(Thread&, FunctionEvent& event) {
    if (m_functions.contains(event.facts.function))
        return;
    Function f;
    f.name = f.qualifiedName = text(event.name);
    f.engine = text("retracescope");
    f.file = text(m_files.locate(event.file));
    f.line = firstLine(event);
    f.parameters = text(event.facts.parameters);
    f.options = text(event.facts.options);
    f.inputSignature = text(event.facts.inputSignature);
    f.parent = m_functions.find(event.facts.parent);
    f.bodyRuns = 0;
    m_functions.add(event.facts.function, FunctionId(m_session.functions.size()));
    m_functionKeys.add(event.facts.function);
    m_session.functions.push_back(f);
    m_entryCounts.push_back(0);
}

std::uint32_t RecordedSession::firstLine(const FunctionEvent& event) {
    const runtime::SourcePlace& place = event.facts.definedAt;
    SourceText& source = sourceOf(event.file);
    if (!source.text.isValid())
        return place.line;
    if (!source.lines)
        source.lines.emplace(m_session.strings[source.text]);
    const auto [known, isNew] = source.known.try_emplace({place.line, place.column}, place.line);
    if (isNew)
        known->second = source.lines->of(event.name, place.line, place.column);
    return known->second;
}

void RecordedSession::on(Thread& thread, MissEvent& event) {
    Miss miss;
    miss.function = m_functions.find(event.facts.function);
    if (!miss.function.isValid())
        return;
    miss.callNumber = event.facts.callNumber;
    miss.timeNs = m_clock.toNs(event.facts.at);
    miss.request = signature(std::move(event.facts.request), event.facts.requestText);
    if (!event.facts.widened.empty())
        miss.widened = signature(std::move(event.facts.widened), event.facts.widenedText);
    miss.otherKinds = std::move(event.facts.otherKinds);
    miss.entriesBefore = m_entryCounts[miss.function.value];
    miss.stack = stack(event);
    if (miss.callNumber > 0)
        m_stackOfCall[callKey(miss.function, miss.callNumber)] = miss.stack;
    thread.open.push_back({miss.function, MissId(m_session.misses.size()), EntryId(), 0, {}, {}});
    m_session.misses.push_back(std::move(miss));
}

void RecordedSession::on(Thread& thread, TraceBeginEvent& event) {
    const FunctionId function = m_functions.find(event.function);
    if (thread.open.empty() || thread.open.back().function != function || thread.open.back().begin != 0)
        thread.open.push_back({function, MissId(), EntryId(), 0, {}, {}});
    thread.open.back().begin = event.at;
}

void RecordedSession::on(Thread& thread, EntryEvent& event) {
    const FunctionId function = m_functions.find(event.facts.function);
    // A call that meets the end of one recording and the begin of the next may tell an entry twice.
    if (!function.isValid() || m_entries.contains(event.facts.entry))
        return;
    Entry entry;
    entry.function = function;
    entry.number = ++m_entryCounts[function.value];
    entry.signature = signature(std::move(event.facts.stored), event.facts.storedText);
    entry.relaxed = event.facts.relaxed;
    entry.name = text(event.facts.name);
    entry.output = text(event.facts.output);
    entry.listing = text(event.facts.listing);
    entry.madeNs = m_clock.toNs(event.at);
    entry.captureCount = event.facts.captures;
    if (event.facts.graph) {
        entry.graph = GraphId(m_session.graphs.size());
        std::ranges::move(m_graphs.convert(*event.facts.graph, entry.graph),
                          std::back_inserter(m_session.graphs));
        entry.nodeCount = static_cast<std::int64_t>(m_session[entry.graph].nodes.size());
    }
    const EntryId id(m_session.entries.size());
    m_entries.add(event.facts.entry, id);
    m_entryKeys.add(event.facts.entry);
    m_session.entries.push_back(entry);
    const auto open = std::ranges::find(thread.open, event.facts.traceBegin, &OpenTrace::begin);
    if (event.facts.traceBegin == 0 || open == thread.open.end())
        return;
    open->entry = id;
    if (open->miss.isValid()) {
        m_session.misses[open->miss.value].entry = id;
        m_changed.misses.push_back(open->miss);
    }
}

void RecordedSession::on(Thread& thread, TraceEndEvent& event) {
    const auto found = std::ranges::find(thread.open, event.facts.begin, &OpenTrace::begin);
    if (found == thread.open.end())
        return;
    OpenTrace trace = std::move(*found);
    const auto outer = thread.open.erase(found);
    if (outer != thread.open.begin()) {
        auto& inner = std::prev(outer)->inner;
        inner.push_back({event.facts.begin, event.facts.end - event.facts.begin});
        // The second phase of a creating call lies beside the first, though that was told to end later.
        std::ranges::copy_if(trace.inner, std::back_inserter(inner),
                             [&](const Inner& later) { return later.begin >= event.facts.end; });
    }
    std::erase_if(trace.inner, [&](const Inner& later) { return later.begin >= event.facts.end; });
    endTrace(thread, std::move(trace), event);
}

void RecordedSession::endTrace(Thread& thread, OpenTrace trace, const TraceEndEvent& event) {
    const FunctionId function = trace.function;
    if (!function.isValid())
        return;
    std::uint64_t ownTicks = event.facts.end - event.facts.begin;
    for (const Inner& inner : trace.inner)
        ownTicks -= std::min(ownTicks, inner.ticks);
    const std::int64_t ownNs = m_clock.durationNs(ownTicks);
    if (trace.miss.isValid()) {
        Miss& miss = m_session.misses[trace.miss.value];
        miss.traceNs = ownNs;
        miss.withdrawn = event.facts.withdrawn;
        if (!event.exception.empty())
            miss.exception = text(event.exception);
        m_changed.misses.push_back(trace.miss);
    }
    if (trace.entry.isValid()) {
        m_session.entries[trace.entry.value].traceNs = ownNs;
        m_changed.entries.push_back(trace.entry);
    }
    m_session.functions[function.value].bodyRuns = event.facts.bodyRuns;
    m_changed.functions.push_back(function);
    for (const PhaseEvent& phase : trace.phases)
        addPhase(thread, phase);
    addSpan(thread.lane, "trace", m_session[function].name, event.facts.begin, event.facts.end, function,
            trace.entry);
}

void RecordedSession::on(Thread& thread, PhaseEvent& event) {
    const bool isUnknown = event.facts.entry != 0 && !m_entries.find(event.facts.entry).isValid();
    if (isUnknown && !thread.open.empty())
        thread.open.back().phases.push_back(std::move(event));
    else
        addPhase(thread, event);
}

void RecordedSession::addPhase(const Thread& thread, const PhaseEvent& event) {
    // "trace" is the whole from miss to entry; the part of it that runs the user's function is its body.
    const bool isBody = event.kind == "trace";
    addSpan(thread.lane, isBody ? "body" : event.kind, text(isBody ? "body" : event.name), event.facts.begin,
            event.facts.end, m_functions.find(event.facts.function), m_entries.find(event.facts.entry));
}

void RecordedSession::on(Thread&, DropEvent& event) {
    const EntryId id = m_entries.find(event.entry);
    if (!id.isValid())
        return;
    Entry& entry = m_session.entries[id.value];
    entry.state = stateOf(event.reason);
    entry.droppedNs = m_clock.toNs(event.at);
    m_changed.entries.push_back(id);
    addMark(dropWord(entry.state), fmt::format("{} left the cache", m_session.text(entry.name)), event.at,
            entry.function, id);
}

void RecordedSession::on(Thread&, WarningEvent& event) {
    addMark("warning", event.text, event.at, m_functions.find(event.function));
    m_session.logs.push_back({m_clock.toNs(event.at), text("engine"), text(event.text)});
}

void RecordedSession::on(Thread&, MarkEvent& event) {
    addMark("user", event.text, event.at);
}

void RecordedSession::addMark(std::string_view kind, std::string_view what, std::uint64_t at,
                              FunctionId function, EntryId entry) {
    m_session.marks.push_back({m_clock.toNs(at), text(kind), text(what), function, entry});
    m_hasNews = true;
}

void RecordedSession::addFact(std::string_view area, std::string_view key, std::string_view value) {
    m_session.facts.push_back({std::string(area), std::string(key), std::string(value)});
    m_hasNews = true;
}

SignatureId RecordedSession::signature(std::vector<types::Component> components, const std::string& line) {
    std::string key = line;
    for (const types::Component& c : components)
        key += fmt::format("\n{}\t{}\t{}\t{}", c.path, static_cast<int>(c.kind), c.value, c.open);
    const std::size_t first = std::hash<std::string>()(key);
    key += '\n'; // no key ends so
    const std::size_t second = std::hash<std::string>()(key);
    const auto [it, isNew] =
        m_signatures.try_emplace({first, second}, SignatureId(m_session.signatures.size()));
    if (isNew)
        m_session.signatures.push_back({std::move(components), text(line)});
    return it->second;
}

StackId RecordedSession::stack(const MissEvent& event) {
    if (event.file.empty())
        return {};
    const std::uint32_t line = event.facts.calledAt.line;
    const std::string key = fmt::format("{}:{}:{}", event.file, line, event.function);
    const auto [it, isNew] = m_stacks.try_emplace(key, StackId(m_session.stacks.size()));
    if (isNew)
        m_session.stacks.push_back({{{text(event.function), text(m_files.locate(event.file)), line}}});
    if (m_keepsSource)
        sourceOf(event.file);
    return it->second;
}

RecordedSession::SourceText& RecordedSession::sourceOf(const std::string& named) {
    constexpr std::uintmax_t kLargestSource = 4'000'000;
    const std::string& file = m_files.locate(named);
    const auto [known, isNew] = m_sources.try_emplace(file);
    SourceText& source = known->second;
    std::error_code error;
    if (!isNew || file.empty() || std::filesystem::file_size(file, error) > kLargestSource || error)
        return source;
    if (const auto read = readTextFile(file)) {
        source.text = text(*read);
        if (m_keepsSource)
            m_session.sources.push_back({text(file), source.text});
    }
    return source;
}

ChangedRows RecordedSession::takeChanges() {
    const auto unique = [](auto& ids) {
        std::ranges::sort(ids);
        ids.erase(std::ranges::unique(ids).begin(), ids.end());
    };
    unique(m_changed.functions);
    unique(m_changed.entries);
    unique(m_changed.misses);
    return std::exchange(m_changed, {});
}

void RecordedSession::forgetWritten() {
    // The next events take the places of these: fresh memory would cost more than they do.
    const auto clear = [](std::string_view, auto& values, Role) { values.clear(); };
    visitColumns(m_session.calls, clear);
    visitColumns(m_session.spans, clear);
    visitColumns(m_session.kernels, clear);
    for (; m_forgottenGraphs < m_session.graphs.size(); ++m_forgottenGraphs) {
        Graph& graph = m_session.graphs[m_forgottenGraphs];
        std::vector<GraphNode> nodes;
        if (m_keepsNodes)
            nodes = std::move(graph.nodes);
        graph = {graph.name, graph.isLibraryFunction, std::move(nodes), {}, {}, {}, {}};
    }
    for (; m_forgottenSignatures < m_session.signatures.size(); ++m_forgottenSignatures)
        m_session.signatures[m_forgottenSignatures].components = std::vector<types::Component>();
    for (; m_forgottenMisses < m_session.misses.size(); ++m_forgottenMisses)
        m_session.misses[m_forgottenMisses].otherKinds = std::vector<types::MissKind>();
    m_hasNews = false;
}

} // namespace retracescope::record
