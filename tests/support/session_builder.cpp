#include "tests/support/session_builder.h"

#include <algorithm>

#include <retracescope/session/compared.h>

namespace retracescope::test {

using namespace session;
using types::Component;
using types::ComponentKind;

std::vector<Component> tensorArgument(const std::string& name, const std::string& dtype,
                                      const std::vector<int>& shape) {
    std::vector<Component> result{{name + ".type", ComponentKind::Type, "tensor"},
                                  {name + ".dtype", ComponentKind::Dtype, dtype},
                                  {name + ".rank", ComponentKind::Rank, std::to_string(shape.size())}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool open = shape[axis] < 0;
        result.push_back({name + ".shape[" + std::to_string(axis) + "]", ComponentKind::Dimension,
                          open ? "None" : std::to_string(shape[axis]), open});
    }
    return result;
}

std::vector<Component> literalArgument(const std::string& name, const std::string& type,
                                       const std::string& value) {
    return {{name + ".type", ComponentKind::Type, type}, {name + ".value", ComponentKind::Value, value}};
}

std::vector<Component> operator+(std::vector<Component> left, const std::vector<Component>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

SessionBuilder::SessionBuilder() {
    Lane lane;
    lane.name = m_session->strings.intern("main");
    lane.threadId = m_session->strings.intern("1");
    lane.processId = m_session->strings.intern("1");
    m_session->lanes.push_back(lane);
}

FunctionId SessionBuilder::function(const std::string& name, const std::string& parameters,
                                    const std::string& file, std::uint32_t line) {
    Function f;
    StringPool& strings = m_session->strings;
    f.name = f.qualifiedName = strings.intern(name);
    f.engine = strings.intern("retracescope");
    f.parameters = strings.intern(parameters);
    f.file = strings.intern(file);
    f.line = line;
    f.options = f.inputSignature = strings.intern("");
    f.madeNs = m_nowNs;
    m_session->functions.push_back(f);
    return FunctionId(m_session->functions.size() - 1);
}

CallId SessionBuilder::call(FunctionId function, const std::vector<Component>& request, std::int64_t traceNs,
                            std::int64_t executeNs) {
    CallTable& calls = m_session->calls;
    const CallId call(calls.size());
    const SignatureId key = signature(request);
    EntryId entry = findEntry(function, key);
    const bool hit = entry.isValid();
    if (!hit) {
        addMiss(function, call, key, traceNs);
        entry = addEntry(function, key, traceNs);
        m_session->misses.back().entry = entry;
    }
    calls.startNs.push_back(m_nowNs);
    calls.durationNs.push_back((hit ? 0 : traceNs) + executeNs);
    calls.lane.push_back(LaneId(std::uint32_t{0}));
    calls.function.push_back(function);
    calls.entry.push_back(entry);
    calls.outcome.push_back(hit ? Outcome::Hit : Outcome::Traced);
    calls.traceNs.push_back(hit ? 0 : traceNs);
    calls.stack.push_back(StackId());
    calls.number.push_back(0);
    calls.number.back() = static_cast<std::uint32_t>(std::ranges::count(calls.function, function));
    if (!hit)
        m_session->misses.back().callNumber = calls.number.back();
    m_nowNs += calls.durationNs.back() + 50'000;
    return call;
}

SignatureId SessionBuilder::signature(const std::vector<Component>& components) {
    auto& signatures = m_session->signatures;
    const auto it = std::ranges::find(signatures, components, &Signature::components);
    if (it != signatures.end())
        return SignatureId(static_cast<std::size_t>(it - signatures.begin()));
    std::string text;
    for (const Component& component : components)
        text += (text.empty() ? "" : ", ") + component.path + "=" + component.value;
    signatures.push_back({components, m_session->strings.intern("(" + text + ")")});
    return SignatureId(signatures.size() - 1);
}

EntryId SessionBuilder::findEntry(FunctionId function, SignatureId wanted) const {
    for (std::size_t row = 0; row < m_session->entries.size(); ++row) {
        const Entry& entry = m_session->entries[row];
        if (entry.function == function && types::blockingDifferences((*m_session)[wanted].components,
                                                                     (*m_session)[entry.signature].components)
                                              .empty())
            return EntryId(row);
    }
    return {};
}

EntryId SessionBuilder::addEntry(FunctionId function, SignatureId key, std::int64_t traceNs) {
    Entry entry;
    entry.function = function;
    entry.number =
        1 + static_cast<std::uint32_t>(std::ranges::count(m_session->entries, function, &Entry::function));
    entry.signature = key;
    const std::string name =
        std::string(m_session->text((*m_session)[function].name)) + "_" + std::to_string(entry.number);
    entry.name = m_session->strings.intern(name);
    entry.output = m_session->strings.intern("float32[2]");
    entry.listing = (*m_session)[key].text;
    entry.graph = addGraph(name);
    entry.madeNs = m_nowNs;
    entry.traceNs = traceNs;
    entry.nodeCount = static_cast<std::int64_t>((*m_session)[entry.graph].nodes.size());
    entry.captureCount = 0;
    m_session->entries.push_back(entry);
    return EntryId(m_session->entries.size() - 1);
}

GraphId SessionBuilder::addGraph(const std::string& name) {
    StringPool& strings = m_session->strings;
    Graph graph;
    graph.name = strings.intern(name);
    const int count = m_graphNodes > 0 ? m_graphNodes : 4;
    for (int i = 0; i < count; ++i) {
        GraphNode node;
        node.name = strings.intern("block_" + std::to_string(i / 10) + "/node_" + std::to_string(i));
        node.op = strings.intern(i == 0 ? "Placeholder" : i % 2 == 0 ? "Mul" : "Add");
        node.type = strings.intern("float32[2]");
        node.file = strings.intern("example.cpp");
        node.line = 12;
        node.firstInput = static_cast<std::uint32_t>(graph.inputs.size());
        if (i > 0) {
            graph.inputs.push_back({static_cast<std::uint32_t>(i - 1), 0, false, StringId(), node.type});
            node.inputCount = 1;
        }
        graph.nodes.push_back(node);
    }
    graph.outputs.push_back(
        {static_cast<std::uint32_t>(count - 1), 0, false, StringId(), graph.nodes.back().type});
    m_session->graphs.push_back(std::move(graph));
    return GraphId(m_session->graphs.size() - 1);
}

void SessionBuilder::addMiss(FunctionId function, CallId call, SignatureId request, std::int64_t traceNs) {
    Miss miss;
    miss.function = function;
    miss.call = call;
    miss.timeNs = m_nowNs;
    miss.request = request;
    miss.exception = m_session->strings.intern("");
    miss.traceNs = traceNs;
    miss.entriesBefore =
        static_cast<std::uint32_t>(std::ranges::count(m_session->entries, function, &Entry::function));
    if (miss.entriesBefore == 0)
        miss.otherKinds.push_back(types::MissKind::FirstCall);
    m_session->misses.push_back(std::move(miss));
}

std::vector<Competing>& SessionBuilder::listCompared(std::size_t miss) {
    Miss& row = m_session->misses[miss];
    const Index index = buildIndex(*m_session);
    std::vector<Competing> listed;
    for (const EntryId compared : comparedWith(*m_session, index, row))
        listed.push_back({compared, differencesTo(*m_session, row, compared), StringId()});
    return row.competing = std::move(listed);
}

SessionPtr SessionBuilder::finish() {
    updateExtent(*m_session);
    return m_session;
}

SessionPtr processDataSession() {
    SessionBuilder builder;
    const FunctionId f = builder.function("process_data", "x, use_extra_feature");
    const auto no = literalArgument("use_extra_feature", "bool", "False");
    const auto yes = literalArgument("use_extra_feature", "bool", "True");
    builder.call(f, tensorArgument("x", "float32", {2}) + no);
    builder.call(f, tensorArgument("x", "float32", {2}) + yes);
    builder.call(f, tensorArgument("x", "float32", {2}) + no);
    builder.call(f, tensorArgument("x", "float32", {3}) + no);
    builder.call(f, tensorArgument("x", "int32", {2}) + no);
    return builder.finish();
}

} // namespace retracescope::test
