#include "tests/core/session/session_text.h"

#include <fmt/format.h>

#include <retracescope/session/columns.h>

namespace retracescope::test {

using namespace session;

namespace {

class Printer {
public:
    explicit Printer(const Session& session) : m_session(session) {}

    template <class... Values>
    void line(std::string_view what, const Values&... values) {
        m_out += what;
        (add(values), ...);
        m_out += '\n';
    }

    void add(StringId text) { m_out += text.isValid() ? fmt::format(" '{}'", m_session.text(text)) : " -"; }
    template <class Tag>
    void add(Id<Tag> id) {
        m_out += id.isValid() ? fmt::format(" {}", id.value) : " -";
    }
    template <class Value>
    void add(const Value& value) {
        if constexpr (std::is_enum_v<Value>)
            m_out += fmt::format(" {}", static_cast<int>(value));
        else
            m_out += fmt::format(" {}", value);
    }

    std::string take() { return std::move(m_out); }

private:
    const Session& m_session;
    std::string m_out;
};

void printCache(const Session& session, Printer& out) {
    for (const Function& f : session.functions)
        out.line("function", f.name, f.qualifiedName, f.engine, f.file, f.line, f.parameters, f.options,
                 f.inputSignature, f.parent, f.madeNs, f.bodyRuns);
    for (const Signature& s : session.signatures) {
        out.line("signature", s.text);
        for (const types::Component& c : s.components)
            out.line("  component", c.path, c.kind, c.value, c.open);
    }
    for (const Entry& e : session.entries)
        out.line("entry", e.function, e.number, e.signature, e.relaxed, e.name, e.output, e.listing, e.graph,
                 e.madeNs, e.traceNs, e.nodeCount, e.captureCount, e.state, e.droppedNs);
    for (const Miss& m : session.misses) {
        out.line("miss", m.function, m.call, m.callNumber, m.timeNs, m.request, m.widened, m.entry,
                 m.exception, m.withdrawn, m.entriesBefore, m.traceNs, m.stack);
        for (const types::MissKind kind : m.otherKinds)
            out.line("  kind", kind);
        for (const Competing& c : m.competing) {
            out.line("  competing", c.entry, c.reason);
            for (const types::Difference& d : c.differences)
                out.line("    difference", d.kind, d.path, d.before, d.after);
        }
    }
}

void printEdge(std::string_view what, const GraphEdge& edge, Printer& out) {
    out.line(what, edge.from, edge.output, edge.control, edge.external, edge.type);
}

void printGraph(const Graph& graph, Printer& out) {
    out.line("graph", graph.name, graph.isLibraryFunction);
    for (const GraphNode& n : graph.nodes) {
        out.line("  node", n.name, n.op, n.type, n.device, n.file, n.line);
        for (std::uint32_t i = 0; i < n.inputCount; ++i)
            printEdge("    input", graph.inputs[n.firstInput + i], out);
        for (std::uint32_t i = 0; i < n.attributeCount; ++i)
            out.line("    attribute", graph.attributes[n.firstAttribute + i].name,
                     graph.attributes[n.firstAttribute + i].value);
        for (std::uint32_t i = 0; i < n.calleeCount; ++i) {
            const GraphCallee& callee = graph.callees[n.firstCallee + i];
            out.line("    callee", callee.role, callee.name, callee.graph);
        }
    }
    for (const GraphEdge& edge : graph.outputs)
        printEdge("  output", edge, out);
}

void printRest(const Session& session, Printer& out) {
    for (const Lane& lane : session.lanes)
        out.line("lane", lane.kind, lane.name, lane.process, lane.processId, lane.threadId);
    for (const Stack& stack : session.stacks) {
        out.line("stack");
        for (const Frame& frame : stack.frames)
            out.line("  frame", frame.function, frame.file, frame.line);
    }
    for (const Source& source : session.sources)
        out.line("source", source.path, source.text);
    for (const Mark& mark : session.marks)
        out.line("mark", mark.timeNs, mark.kind, mark.text, mark.function, mark.entry);
    for (const LogLine& log : session.logs)
        out.line("log", log.timeNs, log.channel, log.text);
    for (const Fact& fact : session.facts)
        out.line("fact", fact.area, fact.key, fact.value);
    const ImportFacts& facts = session.imported;
    out.line("imported", facts.format, facts.source, facts.events, facts.beginEndPairs, facts.processes,
             facts.lanesWithEvents, facts.firstNs, facts.lastNs);
    for (const auto& [phase, count] : facts.byPhase)
        out.line("  phase", phase, count);
    for (const auto& [reason, count] : facts.skipped)
        out.line("  skipped", reason, count);
    for (const std::string& warning : facts.warnings)
        out.line("  warning", warning);
    out.line("extent", session.originNs, session.endNs, session.closedProperly);
}

} // namespace

std::string sessionText(const Session& session) {
    Printer out(session);
    printCache(session, out);
    for (const Graph& graph : session.graphs)
        printGraph(graph, out);
    printRest(session, out);
    visitTables(session, [&](std::string_view name, const auto& table) {
        visitColumns(table, [&](std::string_view column, const auto& values, Role) {
            out.line(fmt::format("{}.{}", name, column));
            for (const auto& value : values)
                out.line(" ", value);
        });
    });
    return out.take();
}

} // namespace retracescope::test
