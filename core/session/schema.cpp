#include <retracescope/session/schema.h>

#include <algorithm>
#include <array>
#include <span>

namespace retracescope::session {

const char* const kCreateTables = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE facts(id INTEGER PRIMARY KEY, area TEXT, key TEXT, value TEXT);
CREATE TABLE imported(id INTEGER PRIMARY KEY, name TEXT, key TEXT, value);
CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, qualified_name TEXT, engine TEXT, file TEXT, line INTEGER,
  parameters TEXT, options TEXT, input_signature TEXT, parent INTEGER, made_ns INTEGER, body_runs INTEGER);
CREATE TABLE signatures(id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE signature_components(signature INTEGER, position INTEGER, path TEXT, kind TEXT, value TEXT, open INTEGER,
  PRIMARY KEY(signature, position)) WITHOUT ROWID;
CREATE TABLE entries(id INTEGER PRIMARY KEY, function INTEGER, number INTEGER, signature INTEGER, relaxed INTEGER,
  name TEXT, output TEXT, listing TEXT, graph INTEGER, made_ns INTEGER, trace_ns INTEGER, node_count INTEGER,
  capture_count INTEGER, state TEXT, dropped_ns INTEGER);
CREATE TABLE misses(id INTEGER PRIMARY KEY, function INTEGER, call INTEGER, call_number INTEGER, time_ns INTEGER,
  request INTEGER, widened INTEGER, entry INTEGER, exception TEXT, other_kinds TEXT, trace_ns INTEGER, stack INTEGER,
  withdrawn INTEGER, entries_before INTEGER);
CREATE TABLE competing(miss INTEGER, position INTEGER, entry INTEGER, reason TEXT,
  PRIMARY KEY(miss, position)) WITHOUT ROWID;
CREATE TABLE differences(miss INTEGER, position INTEGER, number INTEGER, kind TEXT, path TEXT, before TEXT, after TEXT,
  PRIMARY KEY(miss, position, number)) WITHOUT ROWID;
CREATE TABLE strings(id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE graphs(id INTEGER PRIMARY KEY, name INTEGER, library INTEGER, nodes INTEGER, inputs INTEGER,
  attributes INTEGER, callees INTEGER, outputs INTEGER);
CREATE TABLE lanes(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, process TEXT, process_id TEXT, thread_id TEXT);
CREATE TABLE stacks(id INTEGER PRIMARY KEY);
CREATE TABLE frames(stack INTEGER, position INTEGER, function TEXT, file TEXT, line INTEGER,
  PRIMARY KEY(stack, position)) WITHOUT ROWID;
CREATE TABLE sources(id INTEGER PRIMARY KEY, path TEXT, text TEXT);
CREATE TABLE marks(id INTEGER PRIMARY KEY, time_ns INTEGER, kind TEXT, text TEXT, function INTEGER, entry INTEGER);
CREATE TABLE logs(id INTEGER PRIMARY KEY, time_ns INTEGER, channel TEXT, text TEXT);
CREATE TABLE streams(id INTEGER PRIMARY KEY, name TEXT, columns TEXT);
CREATE TABLE chunks(id INTEGER PRIMARY KEY, stream INTEGER, rows INTEGER, data BLOB);
)sql";

const char* const kCreateOtherTables = R"sql(
CREATE TABLE graph_nodes(graph, node, name, op, type, device, file, line);
CREATE TABLE graph_inputs(graph, node, position, source, output, control, external, type);
CREATE TABLE graph_attributes(graph, node, position, name, value);
CREATE TABLE graph_callees(graph, node, position, role, name, callee);
CREATE TABLE graph_outputs(graph, position, source, output, control, external, type);
)sql";

namespace {

constexpr std::array<std::string_view, 4> kEntryStates{"alive", "dead", "cleared", "evicted"};
constexpr std::array<std::string_view, 4> kLaneKinds{"thread", "stream", "counter", "async"};

template <class Enum>
std::optional<Enum> fromName(std::span<const std::string_view> names, std::string_view name) {
    const auto it = std::ranges::find(names, name);
    if (it == names.end())
        return std::nullopt;
    return static_cast<Enum>(it - names.begin());
}

} // namespace

bool isReservedTable(std::string_view name) {
    return name == "notes" || name == "view_state" || name == "pyramid";
}

std::string_view entryStateName(EntryState state) {
    return kEntryStates.at(static_cast<std::size_t>(state));
}

std::optional<EntryState> entryStateFromName(std::string_view name) {
    return fromName<EntryState>(kEntryStates, name);
}

std::string_view laneKindName(LaneKind kind) {
    return kLaneKinds.at(static_cast<std::size_t>(kind));
}

std::optional<LaneKind> laneKindFromName(std::string_view name) {
    return fromName<LaneKind>(kLaneKinds, name);
}

} // namespace retracescope::session
