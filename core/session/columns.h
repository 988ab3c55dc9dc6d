#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <retracescope/session/graph_columns.h>
#include <retracescope/session/session.h>

/// The columns of the tables that lie in streams, declared once: the file's writer and reader and the checks
/// walk this list. A new column is one line here and one in FORMAT.md; files without it read as "not
/// recorded".
namespace retracescope::session {

/// What a column's values mean, hence which are allowed.
enum class Role : std::uint8_t {
    Time,           ///< ns, within kLargestTimeNs of 0
    Duration,       ///< ns, not negative
    DurationOrNone, ///< ns or kNotRecorded
    Owner,          ///< an id that must be valid
    Reference,      ///< an id or none
    Text,           ///< an id of a text or none
    Outcome,        ///< one of Outcome
    Number,         ///< anything
    Node,           ///< row of a graph's node or Id<void>::kNone
};

/// About 73 years: two times can be subtracted and a duration added without overflow.
inline constexpr std::int64_t kLargestTimeNs = std::int64_t{1} << 61;

/// Calls visit(name of the stream, table) for the event tables of a Session or for GraphTables.
template <class Tables, class Visit>
void visitTables(Tables&& of, Visit&& visit) {
    if constexpr (std::is_same_v<std::remove_cvref_t<Tables>, Session>) {
        visit("calls", of.calls);
        visit("spans", of.spans);
        visit("kernels", of.kernels);
        visit("counters", of.counters);
        visit("instants", of.instants);
    } else {
        static_assert(std::is_same_v<std::remove_cvref_t<Tables>, GraphTables>);
        visit("graph_nodes", of.nodes);
        visit("graph_inputs", of.inputs);
        visit("graph_attributes", of.attributes);
        visit("graph_callees", of.callees);
        visit("graph_outputs", of.outputs);
    }
}

template <class Table, class Visit>
void visitColumns(Table& table, Visit&& visit) {
    using T = std::remove_const_t<Table>;
    if constexpr (std::is_same_v<T, CallTable>) {
        visit("start_ns", table.startNs, Role::Time);
        visit("duration_ns", table.durationNs, Role::Duration);
        visit("lane", table.lane, Role::Owner);
        visit("function", table.function, Role::Owner);
        visit("entry", table.entry, Role::Reference);
        visit("outcome", table.outcome, Role::Outcome);
        visit("number", table.number, Role::Number);
        visit("trace_ns", table.traceNs, Role::DurationOrNone);
        visit("stack", table.stack, Role::Reference);
    } else if constexpr (std::is_same_v<T, SpanTable>) {
        visit("start_ns", table.startNs, Role::Time);
        visit("duration_ns", table.durationNs, Role::Duration);
        visit("lane", table.lane, Role::Owner);
        visit("name", table.name, Role::Text);
        visit("category", table.category, Role::Text);
        visit("function", table.function, Role::Reference);
        visit("entry", table.entry, Role::Reference);
        visit("args", table.args, Role::Text);
        visit("row", table.row, Role::Number);
    } else if constexpr (std::is_same_v<T, KernelTable>) {
        visit("start_ns", table.startNs, Role::Time);
        visit("duration_ns", table.durationNs, Role::Duration);
        visit("lane", table.lane, Role::Owner);
        visit("name", table.name, Role::Text);
        visit("entry", table.entry, Role::Reference);
        visit("node", table.node, Role::Node);
    } else if constexpr (std::is_same_v<T, CounterTable>) {
        visit("time_ns", table.timeNs, Role::Time);
        visit("lane", table.lane, Role::Owner);
        visit("value", table.value, Role::Number);
    } else if constexpr (std::is_same_v<T, InstantTable>) {
        visit("time_ns", table.timeNs, Role::Time);
        visit("lane", table.lane, Role::Owner);
        visit("name", table.name, Role::Text);
        visit("args", table.args, Role::Text);
    } else if constexpr (std::is_same_v<T, GraphNodeTable>) {
        visit("name", table.name, Role::Text);
        visit("op", table.op, Role::Text);
        visit("type", table.type, Role::Text);
        visit("device", table.device, Role::Text);
        visit("file", table.file, Role::Text);
        visit("line", table.line, Role::Number);
        visit("inputs", table.inputs, Role::Number);
        visit("attributes", table.attributes, Role::Number);
        visit("callees", table.callees, Role::Number);
    } else if constexpr (std::is_same_v<T, GraphEdgeTable>) {
        visit("source", table.source, Role::Node);
        visit("output", table.output, Role::Number);
        visit("control", table.control, Role::Number);
        visit("external", table.external, Role::Text);
        visit("type", table.type, Role::Text);
    } else if constexpr (std::is_same_v<T, GraphAttributeTable>) {
        visit("name", table.name, Role::Text);
        visit("value", table.value, Role::Text);
    } else {
        static_assert(std::is_same_v<T, GraphCalleeTable>);
        visit("role", table.role, Role::Text);
        visit("name", table.name, Role::Text);
        visit("callee", table.callee, Role::Reference);
    }
}

/// The name of a column's type in the file: i64, u32, u8 or f64.
template <class Value>
constexpr std::string_view columnType() {
    if constexpr (std::is_same_v<Value, double>)
        return "f64";
    else if constexpr (sizeof(Value) == 8)
        return "i64";
    else if constexpr (sizeof(Value) == 4)
        return "u32";
    else
        return "u8";
}

/// Number of rows that an id of this type may point at.
inline std::size_t rowsOf(const Session& session, FunctionId) {
    return session.functions.size();
}
inline std::size_t rowsOf(const Session& session, SignatureId) {
    return session.signatures.size();
}
inline std::size_t rowsOf(const Session& session, EntryId) {
    return session.entries.size();
}
inline std::size_t rowsOf(const Session& session, MissId) {
    return session.misses.size();
}
inline std::size_t rowsOf(const Session& session, GraphId) {
    return session.graphs.size();
}
inline std::size_t rowsOf(const Session& session, LaneId) {
    return session.lanes.size();
}
inline std::size_t rowsOf(const Session& session, StackId) {
    return session.stacks.size();
}
inline std::size_t rowsOf(const Session& session, CallId) {
    return session.calls.size();
}
inline std::size_t rowsOf(const Session& session, StringId) {
    return session.strings.size();
}

} // namespace retracescope::session
