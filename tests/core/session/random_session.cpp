#include "tests/core/session/random_session.h"

#include <random>

#include <fmt/format.h>

namespace retracescope::test {

using namespace session;

namespace {

class Maker {
public:
    explicit Maker(std::uint64_t seed) : m_random(seed) {}

    Session make(std::size_t events);

private:
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(m_random() % n); }
    bool rarely() { return below(4) == 0; }
    std::int64_t time() { return static_cast<std::int64_t>(m_random() % 2'000'000'000'000) - 1'000'000; }
    std::int64_t durationOrNone() { return rarely() ? kNotRecorded : below(1'000'000'000); }

    std::string word() {
        static constexpr std::string_view kParts[] = {"",    "conv",       "größe", "a/b", "\n",
                                                      "'\"", "x.shape[0]", "%s",    "0"};
        return fmt::format("{}{}", kParts[below(std::size(kParts))], below(40));
    }
    StringId text() { return rarely() ? StringId() : m_s.strings.intern(rarely() ? "" : word()); }

    /// A row of a table with n rows, or sometimes none; always none if the table is empty.
    template <class IdType>
    IdType optional(std::size_t n) {
        return n == 0 || rarely() ? IdType() : IdType(below(n));
    }

    void makeFunctionsAndKeys();
    void makeGraphs();
    void makeEntries();
    void makeMisses();
    void makeRest();
    void makeEvents(std::size_t events);
    GraphEdge edge(std::size_t nodes);

    std::mt19937_64 m_random;
    Session m_s;
};

void Maker::makeFunctionsAndKeys() {
    const std::size_t functions = 1 + below(5);
    for (std::size_t i = 0; i < functions; ++i)
        m_s.functions.push_back({text(), text(), text(), text(), below(900), text(), text(), text(),
                                 optional<FunctionId>(functions), time(), durationOrNone()});
    const std::size_t signatures = 1 + below(8);
    for (std::size_t i = 0; i < signatures; ++i) {
        Signature signature{{}, text()};
        for (std::size_t k = below(5); k > 0; --k)
            signature.components.push_back(
                {word(), static_cast<types::ComponentKind>(below(14)), word(), below(2) == 0});
        m_s.signatures.push_back(signature);
    }
}

GraphEdge Maker::edge(std::size_t nodes) {
    return {rarely() ? Id<void>::kNone : below(nodes), below(3), below(2) == 0, text(), text()};
}

void Maker::makeGraphs() {
    const std::size_t graphs = below(5);
    for (std::size_t g = 0; g < graphs; ++g) {
        Graph graph;
        graph.name = text();
        graph.isLibraryFunction = below(2) == 0;
        const std::size_t nodes = 1 + below(12);
        for (std::size_t i = 0; i < nodes; ++i) {
            GraphNode node{text(), text(), text(), text(), text(), below(500)};
            node.inputCount = below(3);
            node.attributeCount = below(3);
            node.calleeCount = below(2);
            node.firstInput = node.inputCount > 0 ? static_cast<std::uint32_t>(graph.inputs.size()) : 0;
            node.firstAttribute =
                node.attributeCount > 0 ? static_cast<std::uint32_t>(graph.attributes.size()) : 0;
            node.firstCallee = node.calleeCount > 0 ? static_cast<std::uint32_t>(graph.callees.size()) : 0;
            for (std::uint32_t k = 0; k < node.inputCount; ++k)
                graph.inputs.push_back(edge(nodes));
            for (std::uint32_t k = 0; k < node.attributeCount; ++k)
                graph.attributes.push_back({text(), text()});
            for (std::uint32_t k = 0; k < node.calleeCount; ++k)
                graph.callees.push_back({text(), text(), optional<GraphId>(graphs)});
            graph.nodes.push_back(node);
        }
        for (std::size_t i = below(3); i > 0; --i)
            graph.outputs.push_back(edge(nodes));
        m_s.graphs.push_back(graph);
    }
}

void Maker::makeEntries() {
    for (std::size_t i = 1 + below(6); i > 0; --i) {
        Entry e;
        e.function = FunctionId(below(m_s.functions.size()));
        e.number = below(9);
        e.signature = optional<SignatureId>(m_s.signatures.size());
        e.relaxed = below(2) == 0;
        e.name = text();
        e.output = text();
        e.listing = text();
        e.graph = optional<GraphId>(m_s.graphs.size());
        e.madeNs = time();
        e.traceNs = durationOrNone();
        e.nodeCount = durationOrNone();
        e.captureCount = durationOrNone();
        e.state = static_cast<EntryState>(below(4));
        e.droppedNs = time();
        m_s.entries.push_back(e);
    }
}

void Maker::makeMisses() {
    for (std::size_t i = below(6); i > 0; --i) {
        Miss m;
        m.function = FunctionId(below(m_s.functions.size()));
        m.call = optional<CallId>(m_s.calls.size());
        m.callNumber = m.call.isValid() ? below(9) : 0;
        m.timeNs = time();
        m.request = optional<SignatureId>(m_s.signatures.size());
        m.widened = optional<SignatureId>(m_s.signatures.size());
        m.entry = optional<EntryId>(m_s.entries.size());
        m.exception = text();
        m.withdrawn = rarely();
        m.entriesBefore = below(9);
        for (std::size_t k = below(3); k > 0; --k)
            m.otherKinds.push_back(static_cast<types::MissKind>(below(types::kMissKindCount)));
        for (std::size_t k = below(4); k > 0; --k) {
            Competing competing{EntryId(below(m_s.entries.size())), {}, text()};
            for (std::size_t d = below(3); d > 0; --d)
                competing.differences.push_back(
                    {static_cast<types::MissKind>(below(types::kMissKindCount)), word(), word(), word()});
            m.competing.push_back(competing);
        }
        m.traceNs = durationOrNone();
        m.stack = optional<StackId>(m_s.stacks.size());
        m_s.misses.push_back(m);
    }
}

void Maker::makeRest() {
    for (std::size_t i = 1 + below(4); i > 0; --i)
        m_s.lanes.push_back({static_cast<LaneKind>(below(4)), text(), text(), text(), text()});
    for (std::size_t i = below(4); i > 0; --i) {
        m_s.stacks.emplace_back();
        for (std::size_t k = below(3); k > 0; --k)
            m_s.stacks.back().frames.push_back({text(), text(), below(99)});
    }
    for (std::size_t i = below(3); i > 0; --i)
        m_s.sources.push_back({text(), text()});
    for (std::size_t i = below(3); i > 0; --i)
        m_s.logs.push_back({time(), text(), text()});
    for (std::size_t i = below(3); i > 0; --i)
        m_s.facts.push_back({word(), word(), word()});
    if (below(2) == 0)
        m_s.imported = {"chrome",
                        word(),
                        below(9),
                        below(9),
                        {{"X", 3}, {word(), below(9)}},
                        {{word(), below(9)}},
                        below(9),
                        below(9),
                        time(),
                        time(),
                        {word()}};
}

void Maker::makeEvents(std::size_t events) {
    for (std::size_t i = 0; i < events; ++i) {
        const auto lane = [&] { return LaneId(below(m_s.lanes.size())); };
        const auto add = [](auto& column, auto value) { column.push_back(value); };
        add(m_s.calls.startNs, time()), add(m_s.calls.durationNs, std::int64_t{below(1'000'000)});
        add(m_s.calls.lane, lane()), add(m_s.calls.function, FunctionId(below(m_s.functions.size())));
        add(m_s.calls.entry, optional<EntryId>(m_s.entries.size()));
        add(m_s.calls.outcome, static_cast<Outcome>(below(5))), add(m_s.calls.number, below(1000));
        add(m_s.calls.traceNs, durationOrNone()), add(m_s.calls.stack, optional<StackId>(m_s.stacks.size()));
        add(m_s.spans.startNs, time()), add(m_s.spans.durationNs, std::int64_t{below(1'000'000)});
        add(m_s.spans.lane, lane()), add(m_s.spans.name, text()), add(m_s.spans.category, text());
        add(m_s.spans.function, optional<FunctionId>(m_s.functions.size()));
        add(m_s.spans.entry, optional<EntryId>(m_s.entries.size()));
        add(m_s.spans.args, text()), add(m_s.spans.row, static_cast<std::uint8_t>(below(3)));
        add(m_s.kernels.startNs, time()), add(m_s.kernels.durationNs, std::int64_t{below(1'000'000)});
        add(m_s.kernels.lane, lane()), add(m_s.kernels.name, text());
        const EntryId entry = optional<EntryId>(m_s.entries.size());
        const GraphId graph = entry.isValid() ? m_s[entry].graph : GraphId();
        add(m_s.kernels.entry, entry);
        add(m_s.kernels.node, graph.isValid() ? below(m_s[graph].nodes.size()) : Id<void>::kNone);
        add(m_s.counters.timeNs, time()), add(m_s.counters.lane, lane());
        add(m_s.counters.value, static_cast<double>(time()) / 7);
        add(m_s.instants.timeNs, time()), add(m_s.instants.lane, lane());
        add(m_s.instants.name, text()), add(m_s.instants.args, text());
    }
}

Session Maker::make(std::size_t events) {
    makeFunctionsAndKeys();
    makeGraphs();
    makeEntries();
    makeRest();
    makeEvents(events);
    makeMisses();
    for (std::size_t i = below(3); i > 0; --i)
        m_s.marks.push_back({time(), text(), text(), optional<FunctionId>(m_s.functions.size()),
                             optional<EntryId>(m_s.entries.size())});
    updateExtent(m_s);
    return std::move(m_s);
}

} // namespace

Session randomSession(std::uint64_t seed, std::size_t events) {
    return Maker(seed).make(events);
}

} // namespace retracescope::test
