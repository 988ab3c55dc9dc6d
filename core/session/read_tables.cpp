#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <retracescope/session/schema.h>
#include <retracescope/session/table_reader.h>

namespace retracescope::session {

using sqlite::Database;

namespace {

template <class Enum>
Enum enumerator(const TableReader& reader, int column, std::optional<Enum> (*fromName)(std::string_view),
                Enum ifNull) {
    if (reader.isNull(column))
        return ifNull;
    const std::string name = reader.text(column);
    const std::optional<Enum> value = fromName(name);
    if (!value)
        reader.refuse(fmt::format("\"{}\" is not known here", name));
    return *value;
}

/// The row of a parent table that a row of its child table belongs to.
template <class Row>
Row& parentOf(const TableReader& reader, std::vector<Row>& parents) {
    const std::uint32_t row = reader.number(0);
    if (row >= parents.size())
        reader.refuse(fmt::format("belongs to row {}, but there are {}", row, parents.size()));
    return parents[row];
}

void readFunctions(Database& database, Session& session) {
    TableReader reader(database, "functions",
                       {"id", "name", "qualified_name", "engine", "file", "line", "parameters", "options",
                        "input_signature", "parent", "made_ns", "body_runs"});
    StringPool& pool = session.strings;
    while (reader.next()) {
        Function f;
        f.name = reader.text(1, pool);
        f.qualifiedName = reader.text(2, pool);
        f.engine = reader.text(3, pool);
        f.file = reader.text(4, pool);
        f.line = reader.number(5);
        f.parameters = reader.text(6, pool);
        f.options = reader.text(7, pool);
        f.inputSignature = reader.text(8, pool);
        f.parent = reader.id<FunctionId>(9);
        f.madeNs = reader.integer(10, kNotRecorded);
        f.bodyRuns = reader.integer(11, kNotRecorded);
        session.functions.push_back(f);
    }
}

void readSignatures(Database& database, Session& session) {
    TableReader signatures(database, "signatures", {"id", "text"});
    while (signatures.next())
        session.signatures.push_back({{}, signatures.text(1, session.strings)});
    TableReader reader(database, "signature_components",
                       {"signature", "position", "path", "kind", "value", "open"}, TableReader::Key::Pair);
    while (reader.next()) {
        types::Component component;
        component.path = reader.text(2);
        component.kind = enumerator(reader, 3, types::componentKindFromName, types::ComponentKind::Value);
        component.value = reader.text(4);
        component.open = reader.flag(5);
        parentOf(reader, session.signatures).components.push_back(std::move(component));
    }
}

void readEntries(Database& database, Session& session) {
    TableReader reader(database, "entries",
                       {"id", "function", "number", "signature", "relaxed", "name", "output", "listing",
                        "graph", "made_ns", "trace_ns", "node_count", "capture_count", "state",
                        "dropped_ns"});
    StringPool& pool = session.strings;
    while (reader.next()) {
        Entry e;
        e.function = reader.id<FunctionId>(1);
        e.number = reader.number(2);
        e.signature = reader.id<SignatureId>(3);
        e.relaxed = reader.flag(4);
        e.name = reader.text(5, pool);
        e.output = reader.text(6, pool);
        e.listing = reader.text(7, pool);
        e.graph = reader.id<GraphId>(8);
        e.madeNs = reader.integer(9, kNotRecorded);
        e.traceNs = reader.integer(10, kNotRecorded);
        e.nodeCount = reader.integer(11, kNotRecorded);
        e.captureCount = reader.integer(12, kNotRecorded);
        e.state = enumerator(reader, 13, entryStateFromName, EntryState::Alive);
        e.droppedNs = reader.integer(14, kNotRecorded);
        session.entries.push_back(e);
    }
}

std::vector<types::MissKind> splitKinds(const TableReader& reader, std::string_view text) {
    std::vector<types::MissKind> kinds;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto kind = types::missKindFromName(text.substr(0, comma));
        if (!kind)
            reader.refuse(fmt::format("\"{}\" is no miss kind", text.substr(0, comma)));
        kinds.push_back(*kind);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return kinds;
}

void readMisses(Database& database, Session& session) {
    TableReader reader(database, "misses",
                       {"id", "function", "call", "call_number", "time_ns", "request", "widened", "entry",
                        "exception", "other_kinds", "trace_ns", "stack", "withdrawn", "entries_before"});
    while (reader.next()) {
        Miss m;
        m.function = reader.id<FunctionId>(1);
        m.call = reader.id<CallId>(2);
        m.callNumber = reader.number(3);
        m.timeNs = reader.integer(4, 0);
        m.request = reader.id<SignatureId>(5);
        m.widened = reader.id<SignatureId>(6);
        m.entry = reader.id<EntryId>(7);
        m.exception = reader.text(8, session.strings);
        m.otherKinds = splitKinds(reader, reader.text(9));
        m.traceNs = reader.integer(10, kNotRecorded);
        m.stack = reader.id<StackId>(11);
        m.withdrawn = reader.flag(12);
        m.entriesBefore = reader.number(13);
        session.misses.push_back(std::move(m));
    }
    TableReader competing(database, "competing", {"miss", "position", "entry", "reason"},
                          TableReader::Key::Pair);
    while (competing.next())
        parentOf(competing, session.misses)
            .competing.push_back({competing.id<EntryId>(2), {}, competing.text(3, session.strings)});
    TableReader differences(database, "differences",
                            {"miss", "position", "number", "kind", "path", "before", "after"},
                            TableReader::Key::Triple);
    while (differences.next()) {
        Miss& miss = parentOf(differences, session.misses);
        const std::uint32_t position = differences.number(1);
        if (position >= miss.competing.size())
            differences.refuse("belongs to no row of table competing");
        types::Difference d;
        d.kind = enumerator(differences, 3, types::missKindFromName, types::MissKind::NotExplained);
        d.path = differences.text(4);
        d.before = differences.text(5);
        d.after = differences.text(6);
        miss.competing[position].differences.push_back(std::move(d));
    }
}

/// Reads a column that refers to table `strings`.
class FileTexts {
public:
    explicit FileTexts(const std::vector<StringId>& ids) : m_ids(ids) {}
    StringId operator()(const TableReader& reader, int column) const {
        if (reader.isNull(column))
            return {};
        const std::uint32_t row = reader.number(column);
        if (row >= m_ids.size())
            reader.refuse(fmt::format("text {} is not in table strings", row));
        return m_ids[row];
    }

private:
    const std::vector<StringId>& m_ids;
};

GraphNode& nodeOf(const TableReader& reader, Graph& graph) {
    const std::uint32_t node = reader.number(1);
    if (node >= graph.nodes.size())
        reader.refuse("belongs to no row of table graph_nodes");
    return graph.nodes[node];
}

/// Adds `row` to the slice of `node` that (first, count) describes; rows arrive node by node.
template <class Row>
void addToSlice(std::vector<Row>& rows, Row row, std::uint32_t& first, std::uint32_t& count) {
    if (count++ == 0)
        first = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
}

GraphEdge edgeAt(const TableReader& reader, int column, const FileTexts& text) {
    return {reader.number(column, Id<void>::kNone), reader.number(column + 1), reader.flag(column + 2),
            text(reader, column + 3), text(reader, column + 4)};
}

void readNodes(Database& database, Session& session, const FileTexts& text) {
    TableReader reader(database, "graph_nodes",
                       {"graph", "node", "name", "op", "type", "device", "file", "line"},
                       TableReader::Key::Pair);
    while (reader.next()) {
        Graph& graph = parentOf(reader, session.graphs);
        if (reader.number(1) != graph.nodes.size())
            reader.refuse("the nodes of a graph should count 0, 1, 2, ...");
        GraphNode node;
        node.name = text(reader, 2);
        node.op = text(reader, 3);
        node.type = text(reader, 4);
        node.device = text(reader, 5);
        node.file = text(reader, 6);
        node.line = reader.number(7);
        graph.nodes.push_back(node);
    }
}

void readGraphs(Database& database, Session& session, const FileTexts& text,
                std::vector<GraphExtent>& extents) {
    TableReader graphs(database, "graphs",
                       {"id", "name", "library", "nodes", "inputs", "attributes", "callees", "outputs"});
    while (graphs.next()) {
        Graph& graph = session.graphs.emplace_back();
        graph.name = text(graphs, 1);
        graph.isLibraryFunction = graphs.flag(2);
        extents.push_back(
            {graphs.number(3), graphs.number(4), graphs.number(5), graphs.number(6), graphs.number(7)});
    }
}

/// The parts of graphs as rows of tables.
void readGraphParts(Database& database, Session& session, const FileTexts& text) {
    readNodes(database, session, text);
    TableReader inputs(database, "graph_inputs",
                       {"graph", "node", "position", "source", "output", "control", "external", "type"},
                       TableReader::Key::Triple);
    while (inputs.next()) {
        Graph& graph = parentOf(inputs, session.graphs);
        GraphNode& node = nodeOf(inputs, graph);
        addToSlice(graph.inputs, edgeAt(inputs, 3, text), node.firstInput, node.inputCount);
    }
    TableReader attributes(database, "graph_attributes", {"graph", "node", "position", "name", "value"},
                           TableReader::Key::Triple);
    while (attributes.next()) {
        Graph& graph = parentOf(attributes, session.graphs);
        GraphNode& node = nodeOf(attributes, graph);
        addToSlice(graph.attributes, GraphAttribute{text(attributes, 3), text(attributes, 4)},
                   node.firstAttribute, node.attributeCount);
    }
    TableReader callees(database, "graph_callees", {"graph", "node", "position", "role", "name", "callee"},
                        TableReader::Key::Triple);
    while (callees.next()) {
        Graph& graph = parentOf(callees, session.graphs);
        GraphNode& node = nodeOf(callees, graph);
        addToSlice(graph.callees, GraphCallee{text(callees, 3), text(callees, 4), callees.id<GraphId>(5)},
                   node.firstCallee, node.calleeCount);
    }
    TableReader outputs(database, "graph_outputs",
                        {"graph", "position", "source", "output", "control", "external", "type"},
                        TableReader::Key::Pair);
    while (outputs.next())
        parentOf(outputs, session.graphs).outputs.push_back(edgeAt(outputs, 2, text));
}

void readLanesAndStacks(Database& database, Session& session) {
    StringPool& pool = session.strings;
    TableReader lanes(database, "lanes", {"id", "kind", "name", "process", "process_id", "thread_id"});
    while (lanes.next())
        session.lanes.push_back({enumerator(lanes, 1, laneKindFromName, LaneKind::Thread),
                                 lanes.text(2, pool), lanes.text(3, pool), lanes.text(4, pool),
                                 lanes.text(5, pool)});
    TableReader stacks(database, "stacks", {"id"});
    while (stacks.next())
        session.stacks.emplace_back();
    TableReader frames(database, "frames", {"stack", "position", "function", "file", "line"},
                       TableReader::Key::Pair);
    while (frames.next())
        parentOf(frames, session.stacks)
            .frames.push_back({frames.text(2, pool), frames.text(3, pool), frames.number(4)});
}

void readTexts(Database& database, Session& session) {
    StringPool& pool = session.strings;
    TableReader sources(database, "sources", {"id", "path", "text"});
    while (sources.next())
        session.sources.push_back({sources.text(1, pool), sources.text(2, pool)});
    TableReader marks(database, "marks", {"id", "time_ns", "kind", "text", "function", "entry"});
    while (marks.next())
        session.marks.push_back({marks.integer(1, 0), marks.text(2, pool), marks.text(3, pool),
                                 marks.id<FunctionId>(4), marks.id<EntryId>(5)});
    TableReader logs(database, "logs", {"id", "time_ns", "channel", "text"});
    while (logs.next())
        session.logs.push_back({logs.integer(1, 0), logs.text(2, pool), logs.text(3, pool)});
    TableReader facts(database, "facts", {"id", "area", "key", "value"});
    while (facts.next())
        session.facts.push_back({facts.text(1), facts.text(2), facts.text(3)});
}

void readImported(Database& database, ImportFacts& facts) {
    const std::map<std::string_view, std::int64_t*> numbers{
        {"events", &facts.events},       {"begin_end_pairs", &facts.beginEndPairs},
        {"processes", &facts.processes}, {"lanes_with_events", &facts.lanesWithEvents},
        {"first_ns", &facts.firstNs},    {"last_ns", &facts.lastNs}};
    TableReader reader(database, "imported", {"id", "name", "key", "value"});
    while (reader.next()) {
        const std::string name = reader.text(1);
        if (name == "format")
            facts.format = reader.text(3);
        else if (name == "source")
            facts.source = reader.text(3);
        else if (name == "warning")
            facts.warnings.push_back(reader.text(3));
        else if (name == "phase")
            facts.byPhase[reader.text(2)] = reader.integer(3, 0);
        else if (name == "skipped")
            facts.skipped[reader.text(2)] = reader.integer(3, 0);
        else if (const auto it = numbers.find(name); it != numbers.end())
            *it->second = reader.integer(3, 0);
    }
}

} // namespace

TableRows readTables(Database& database, Session& session) {
    TableRows rows;
    TableReader strings(database, "strings", {"id", "text"});
    while (strings.next())
        rows.strings.push_back(session.strings.intern(strings.text(1)));
    readFunctions(database, session);
    readSignatures(database, session);
    readEntries(database, session);
    readMisses(database, session);
    readGraphs(database, session, FileTexts(rows.strings), rows.graphs);
    readGraphParts(database, session, FileTexts(rows.strings));
    readLanesAndStacks(database, session);
    readTexts(database, session);
    readImported(database, session.imported);
    return rows;
}

} // namespace retracescope::session
