#include <retracescope/session/merge.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/units.h>

namespace retracescope::session {

namespace {

/// Appends one session's rows to another's, every id moved behind the rows that are there.
class Appender {
public:
    Appender(Session& to, const Session& from) : m_to(to), m_from(from) {
        for (std::size_t row = 0; row < from.strings.size(); ++row)
            m_strings.push_back(to.strings.intern(from.text(StringId(row))));
        m_functions = to.functions.size();
        m_signatures = to.signatures.size();
        m_entries = to.entries.size();
        m_graphs = to.graphs.size();
        m_lanes = to.lanes.size();
        m_stacks = to.stacks.size();
        m_calls = to.calls.size();
    }

    void append() {
        appendFunctions();
        appendMisses();
        for (const Graph& graph : m_from.graphs)
            m_to.graphs.push_back(moved(graph));
        appendPlaces();
        appendCalls();
        appendSpans();
        appendOtherEvents();
        appendNotes();
    }

private:
    StringId moved(StringId id) const { return id.isValid() ? m_strings[id.value] : id; }
    FunctionId moved(FunctionId id) const { return shifted(id, m_functions); }
    SignatureId moved(SignatureId id) const { return shifted(id, m_signatures); }
    EntryId moved(EntryId id) const { return shifted(id, m_entries); }
    GraphId moved(GraphId id) const { return shifted(id, m_graphs); }
    LaneId moved(LaneId id) const { return shifted(id, m_lanes); }
    StackId moved(StackId id) const { return shifted(id, m_stacks); }
    CallId moved(CallId id) const { return shifted(id, m_calls); }

    template <class Id>
    static Id shifted(Id id, std::size_t by) {
        return id.isValid() ? Id(id.value + by) : id;
    }

    template <class Id>
    void appendIds(std::vector<Id>& to, const std::vector<Id>& from) {
        for (const Id id : from)
            to.push_back(moved(id));
    }

    template <class Value>
    static void appendValues(std::vector<Value>& to, const std::vector<Value>& from) {
        to.insert(to.end(), from.begin(), from.end());
    }

    template <class... Ids>
    void move(Ids&... ids) const {
        ((ids = moved(ids)), ...);
    }

    void appendFunctions() {
        for (Function row : m_from.functions) {
            move(row.name, row.qualifiedName, row.engine, row.file, row.parameters, row.options,
                 row.inputSignature, row.parent);
            m_to.functions.push_back(row);
        }
        for (Signature row : m_from.signatures) {
            move(row.text);
            m_to.signatures.push_back(std::move(row));
        }
        for (Entry row : m_from.entries) {
            move(row.function, row.signature, row.name, row.output, row.listing, row.graph);
            m_to.entries.push_back(row);
        }
    }

    void appendMisses() {
        for (Miss row : m_from.misses) {
            move(row.function, row.call, row.request, row.widened, row.entry, row.exception, row.stack);
            for (Competing& competing : row.competing)
                move(competing.entry, competing.reason);
            m_to.misses.push_back(std::move(row));
        }
    }

    GraphEdge moved(GraphEdge edge) const {
        move(edge.external, edge.type);
        return edge;
    }

    Graph moved(Graph graph) const {
        move(graph.name);
        for (GraphNode& node : graph.nodes)
            move(node.name, node.op, node.type, node.device, node.file);
        for (GraphEdge& edge : graph.inputs)
            edge = moved(edge);
        for (GraphAttribute& attribute : graph.attributes)
            move(attribute.name, attribute.value);
        for (GraphCallee& callee : graph.callees)
            move(callee.role, callee.name, callee.graph);
        for (GraphEdge& edge : graph.outputs)
            edge = moved(edge);
        return graph;
    }

    void appendPlaces() {
        for (Lane row : m_from.lanes) {
            move(row.name, row.process, row.processId, row.threadId);
            m_to.lanes.push_back(row);
        }
        for (Stack row : m_from.stacks) {
            for (Frame& frame : row.frames)
                move(frame.function, frame.file);
            m_to.stacks.push_back(std::move(row));
        }
        for (Source row : m_from.sources) {
            move(row.path, row.text);
            m_to.sources.push_back(row);
        }
    }

    void appendCalls() {
        appendValues(m_to.calls.startNs, m_from.calls.startNs);
        appendValues(m_to.calls.durationNs, m_from.calls.durationNs);
        appendIds(m_to.calls.lane, m_from.calls.lane);
        appendIds(m_to.calls.function, m_from.calls.function);
        appendIds(m_to.calls.entry, m_from.calls.entry);
        appendValues(m_to.calls.outcome, m_from.calls.outcome);
        appendValues(m_to.calls.number, m_from.calls.number);
        appendValues(m_to.calls.traceNs, m_from.calls.traceNs);
        appendIds(m_to.calls.stack, m_from.calls.stack);
    }

    void appendSpans() {
        appendValues(m_to.spans.startNs, m_from.spans.startNs);
        appendValues(m_to.spans.durationNs, m_from.spans.durationNs);
        appendIds(m_to.spans.lane, m_from.spans.lane);
        appendIds(m_to.spans.name, m_from.spans.name);
        appendIds(m_to.spans.category, m_from.spans.category);
        appendIds(m_to.spans.function, m_from.spans.function);
        appendIds(m_to.spans.entry, m_from.spans.entry);
        appendIds(m_to.spans.args, m_from.spans.args);
        appendValues(m_to.spans.row, m_from.spans.row);
    }

    void appendOtherEvents() {
        appendValues(m_to.kernels.startNs, m_from.kernels.startNs);
        appendValues(m_to.kernels.durationNs, m_from.kernels.durationNs);
        appendIds(m_to.kernels.lane, m_from.kernels.lane);
        appendIds(m_to.kernels.name, m_from.kernels.name);
        appendIds(m_to.kernels.entry, m_from.kernels.entry);
        appendValues(m_to.kernels.node, m_from.kernels.node);
        appendValues(m_to.counters.timeNs, m_from.counters.timeNs);
        appendIds(m_to.counters.lane, m_from.counters.lane);
        appendValues(m_to.counters.value, m_from.counters.value);
        appendValues(m_to.instants.timeNs, m_from.instants.timeNs);
        appendIds(m_to.instants.lane, m_from.instants.lane);
        appendIds(m_to.instants.name, m_from.instants.name);
        appendIds(m_to.instants.args, m_from.instants.args);
    }

    void appendNotes() {
        for (Mark row : m_from.marks) {
            move(row.kind, row.text, row.function, row.entry);
            m_to.marks.push_back(row);
        }
        for (LogLine row : m_from.logs) {
            move(row.channel, row.text);
            m_to.logs.push_back(row);
        }
        appendValues(m_to.facts, m_from.facts);
        appendValues(m_to.warnings, m_from.warnings);
        m_to.closedProperly &= m_from.closedProperly;
        m_to.writer = std::max(m_to.writer, m_from.writer);
    }

    Session& m_to;
    const Session& m_from;
    std::vector<StringId> m_strings; ///< by the other session's id
    std::size_t m_functions = 0;
    std::size_t m_signatures = 0;
    std::size_t m_entries = 0;
    std::size_t m_graphs = 0;
    std::size_t m_lanes = 0;
    std::size_t m_stacks = 0;
    std::size_t m_calls = 0;
};

void addFacts(ImportFacts& to, const ImportFacts& from, bool isFirst) {
    if (from.format.empty())
        return;
    if (isFirst) {
        to = from;
        return;
    }
    to.format = to.format == from.format ? to.format : "several";
    to.source += ", " + from.source;
    const bool hadEvents = to.events > 0;
    to.events += from.events;
    to.beginEndPairs += from.beginEndPairs;
    for (const auto& [phase, count] : from.byPhase)
        to.byPhase[phase] += count;
    for (const auto& [reason, count] : from.skipped)
        to.skipped[reason] += count;
    to.processes += from.processes;
    to.lanesWithEvents += from.lanesWithEvents;
    if (from.events > 0) {
        to.firstNs = hadEvents ? std::min(to.firstNs, from.firstNs) : from.firstNs;
        to.lastNs = hadEvents ? std::max(to.lastNs, from.lastNs) : from.lastNs;
    }
    to.warnings.insert(to.warnings.end(), from.warnings.begin(), from.warnings.end());
}

/// Parts of one run lie side by side. Ones that lie further apart than ten times all that was recorded, and
/// more than a minute, were noted by clocks that do not start at one time.
std::string unrelatedClocks(std::span<const SessionPtr> sessions) {
    constexpr std::int64_t kNsPerMinute = 60'000'000'000;
    std::vector<std::pair<std::int64_t, std::int64_t>> extents;
    std::int64_t recorded = 0;
    for (const SessionPtr& session : sessions) {
        if (session->eventCount() == 0)
            continue;
        extents.emplace_back(session->originNs, session->endNs);
        recorded += session->endNs - session->originNs;
    }
    std::ranges::sort(extents);
    std::int64_t widest = 0;
    for (std::size_t i = 1, last = 0; i < extents.size(); ++i) {
        widest = std::max(widest, extents[i].first - extents[last].second);
        if (extents[i].second > extents[last].second)
            last = i;
    }
    if (widest <= std::max(kNsPerMinute, recorded * 10))
        return {};
    return fmt::format("the files lie {} apart, though they hold {} of events: their clocks seem to be "
                       "unrelated; times are right within a file, not between files",
                       formatDuration(widest), formatDuration(recorded));
}

} // namespace

Session mergeSessions(std::span<const SessionPtr> sessions) {
    Session merged;
    for (const SessionPtr& session : sessions) {
        Appender(merged, *session).append();
        addFacts(merged.imported, session->imported, merged.imported.format.empty());
    }
    if (std::string warning = unrelatedClocks(sessions); !warning.empty()) {
        auto& warnings = merged.imported.format.empty() ? merged.warnings : merged.imported.warnings;
        warnings.push_back(std::move(warning));
    }
    updateExtent(merged);
    return merged;
}

} // namespace retracescope::session
