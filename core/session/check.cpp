#include <retracescope/session/check.h>

#include <fmt/format.h>

namespace retracescope::session {

namespace {

/// Collects the first complaint; later ones are dropped.
class Checker {
public:
    explicit Checker(const Session& session) : m_session(session) {}

    void at(std::string_view table, std::size_t row) {
        m_table = table;
        m_row = row;
    }

    template <class Tag>
    void reference(Id<Tag> id, std::string_view column) {
        if (id.isValid() && id.value >= rowsOf(m_session, id))
            complain(fmt::format("{} is {}, but there are {}", column, id.value, rowsOf(m_session, id)));
    }

    template <class Tag>
    void owner(Id<Tag> id, std::string_view column) {
        if (!id.isValid())
            complain(fmt::format("{} is missing", column));
        else
            reference(id, column);
    }

    void time(std::int64_t ns, std::string_view column) {
        if (ns < -kLargestTimeNs || ns > kLargestTimeNs)
            complain(fmt::format("{} is {}, too large for a time", column, ns));
    }

    void durationOrNone(std::int64_t ns, std::string_view column) {
        if (ns < kNotRecorded || ns > kLargestTimeNs)
            complain(fmt::format("{} is {}, no duration", column, ns));
    }

    void slice(std::size_t first, std::size_t count, std::size_t size, std::string_view column) {
        if (first > size || count > size - first)
            complain(fmt::format("{} takes {} from {} on, but there are {}", column, count, first, size));
    }

    void complain(std::string_view what) {
        if (m_first.empty())
            m_first = fmt::format("{} row {}: {}", m_table, m_row, what);
    }

    Status result() const {
        if (m_first.empty())
            return Done{};
        return Error{m_first};
    }

private:
    const Session& m_session;
    std::string_view m_table;
    std::size_t m_row = 0;
    std::string m_first;
};

void checkFunctions(const Session& session, Checker& check) {
    for (std::size_t row = 0; row < session.functions.size(); ++row) {
        const Function& f = session.functions[row];
        check.at("functions", row);
        for (const StringId text :
             {f.name, f.qualifiedName, f.engine, f.file, f.parameters, f.options, f.inputSignature})
            check.reference(text, "a text");
        check.reference(f.parent, "parent");
        check.time(f.madeNs, "made_ns");
    }
    for (std::size_t row = 0; row < session.signatures.size(); ++row) {
        check.at("signatures", row);
        check.reference(session.signatures[row].text, "text");
    }
}

void checkEntries(const Session& session, Checker& check) {
    for (std::size_t row = 0; row < session.entries.size(); ++row) {
        const Entry& entry = session.entries[row];
        check.at("entries", row);
        check.owner(entry.function, "function");
        check.reference(entry.signature, "signature");
        for (const StringId text : {entry.name, entry.output, entry.listing})
            check.reference(text, "a text");
        check.reference(entry.graph, "graph");
        check.time(entry.madeNs, "made_ns");
        check.durationOrNone(entry.traceNs, "trace_ns");
        check.time(entry.droppedNs, "dropped_ns");
    }
}

void checkMisses(const Session& session, Checker& check) {
    for (std::size_t row = 0; row < session.misses.size(); ++row) {
        const Miss& miss = session.misses[row];
        check.at("misses", row);
        check.owner(miss.function, "function");
        check.reference(miss.call, "call");
        check.time(miss.timeNs, "time_ns");
        check.reference(miss.request, "request");
        check.reference(miss.widened, "widened");
        check.reference(miss.entry, "entry");
        check.reference(miss.exception, "exception");
        check.durationOrNone(miss.traceNs, "trace_ns");
        check.reference(miss.stack, "stack");
        for (const Competing& competing : miss.competing) {
            check.owner(competing.entry, "an entry compared with");
            check.reference(competing.reason, "a reason");
        }
    }
}

void checkEdge(const GraphEdge& edge, const Graph& graph, Checker& check) {
    if (edge.from != Id<void>::kNone && edge.from >= graph.nodes.size())
        check.complain(
            fmt::format("an edge comes from node {}, but there are {}", edge.from, graph.nodes.size()));
    check.reference(edge.external, "an edge's name");
    check.reference(edge.type, "an edge's type");
}

void checkGraphs(const Session& session, Checker& check) {
    for (std::size_t row = 0; row < session.graphs.size(); ++row) {
        const Graph& graph = session.graphs[row];
        check.at("graphs", row);
        check.reference(graph.name, "name");
        for (const GraphNode& node : graph.nodes) {
            for (const StringId text : {node.name, node.op, node.type, node.device, node.file})
                check.reference(text, "a node's text");
            check.slice(node.firstInput, node.inputCount, graph.inputs.size(), "a node's inputs");
            check.slice(node.firstAttribute, node.attributeCount, graph.attributes.size(),
                        "a node's attributes");
            check.slice(node.firstCallee, node.calleeCount, graph.callees.size(), "a node's callees");
        }
        for (const GraphEdge& edge : graph.inputs)
            checkEdge(edge, graph, check);
        for (const GraphEdge& edge : graph.outputs)
            checkEdge(edge, graph, check);
        for (const GraphAttribute& attribute : graph.attributes) {
            check.reference(attribute.name, "an attribute's name");
            check.reference(attribute.value, "an attribute's value");
        }
        for (const GraphCallee& callee : graph.callees) {
            check.reference(callee.role, "a callee's role");
            check.reference(callee.name, "a callee's name");
            check.reference(callee.graph, "a callee");
        }
    }
}

void checkLanesAndStacks(const Session& session, Checker& check) {
    for (std::size_t row = 0; row < session.lanes.size(); ++row) {
        const Lane& lane = session.lanes[row];
        check.at("lanes", row);
        for (const StringId text : {lane.name, lane.process, lane.processId, lane.threadId})
            check.reference(text, "a text");
    }
    for (std::size_t row = 0; row < session.stacks.size(); ++row) {
        check.at("stacks", row);
        for (const Frame& frame : session.stacks[row].frames) {
            check.reference(frame.function, "a frame's function");
            check.reference(frame.file, "a frame's file");
        }
    }
}

void checkTexts(const Session& session, Checker& check) {
    for (std::size_t row = 0; row < session.sources.size(); ++row) {
        check.at("sources", row);
        check.reference(session.sources[row].path, "path");
        check.reference(session.sources[row].text, "text");
    }
    for (std::size_t row = 0; row < session.marks.size(); ++row) {
        const Mark& mark = session.marks[row];
        check.at("marks", row);
        check.time(mark.timeNs, "time_ns");
        check.reference(mark.kind, "kind");
        check.reference(mark.text, "text");
        check.reference(mark.function, "function");
        check.reference(mark.entry, "entry");
    }
    for (std::size_t row = 0; row < session.logs.size(); ++row) {
        check.at("logs", row);
        check.time(session.logs[row].timeNs, "time_ns");
        check.reference(session.logs[row].channel, "channel");
        check.reference(session.logs[row].text, "text");
    }
}

template <class Value>
void checkValue(const Value& value, Role role, std::string_view column, Checker& check) {
    if constexpr (std::is_same_v<Value, std::int64_t>) {
        if (role == Role::Time)
            check.time(value, column);
        else if (value < (role == Role::Duration ? 0 : kNotRecorded) || value > kLargestTimeNs)
            check.complain(fmt::format("{} is {}, no duration", column, value));
    } else if constexpr (std::is_same_v<Value, Outcome>) {
        if (value > Outcome::Unknown)
            check.complain(fmt::format("{} is {}, no outcome", column, static_cast<int>(value)));
    } else if constexpr (requires { value.isValid(); }) {
        if (role == Role::Owner)
            check.owner(value, column);
        else
            check.reference(value, column);
    }
}

/// A kernel's node is a row of its entry's graph.
void checkNodes(const Session& session, const KernelTable& kernels, std::size_t from, Checker& check) {
    for (std::size_t row = from; row < kernels.size(); ++row) {
        if (kernels.node[row] == Id<void>::kNone)
            continue;
        check.at("kernels", row);
        const EntryId entry = kernels.entry[row];
        const GraphId graph = entry.value < session.entries.size() ? session[entry].graph : GraphId();
        if (!graph.isValid() || kernels.node[row] >= session[graph].nodes.size())
            check.complain(fmt::format("node {} is not in the entry's graph", kernels.node[row]));
    }
}

template <class Table>
void checkRowsInto(const Session& session, const Table& table, std::size_t from, Checker& check) {
    visitColumns(table, [&](std::string_view column, const auto& values, Role role) {
        if (values.size() != table.size())
            check.complain(fmt::format("column {} has {} of {} rows", column, values.size(), table.size()));
        for (std::size_t row = from; row < values.size(); ++row) {
            check.at("events", row);
            checkValue(values[row], role, column, check);
        }
    });
    if constexpr (std::is_same_v<Table, KernelTable>)
        checkNodes(session, table, from, check);
}

} // namespace

template <class Table>
Status checkRows(const Session& session, const Table& table, std::size_t from) {
    Checker check(session);
    checkRowsInto(session, table, from, check);
    return check.result();
}

template Status checkRows(const Session&, const CallTable&, std::size_t);
template Status checkRows(const Session&, const SpanTable&, std::size_t);
template Status checkRows(const Session&, const KernelTable&, std::size_t);
template Status checkRows(const Session&, const CounterTable&, std::size_t);
template Status checkRows(const Session&, const InstantTable&, std::size_t);

Status checkTables(const Session& session) {
    Checker check(session);
    checkFunctions(session, check);
    checkEntries(session, check);
    checkMisses(session, check);
    checkGraphs(session, check);
    checkLanesAndStacks(session, check);
    checkTexts(session, check);
    return check.result();
}

Status checkSession(const Session& session) {
    Status status = checkTables(session);
    visitTables(session, [&](std::string_view name, const auto& table) {
        if (!status)
            return;
        if (Status rows = checkRows(session, table, 0); !rows)
            status = Error{fmt::format("{}: {}", name, rows.error().message)};
    });
    return status;
}

} // namespace retracescope::session
