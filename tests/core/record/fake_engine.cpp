#include "tests/core/record/fake_engine.h"

#include <algorithm>
#include <atomic>

#include <retracescope/base/clock.h>
#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/types/tensor_type.h>

namespace retracescope::test {

using namespace runtime;
using types::Component;
using types::ComponentKind;

namespace {

std::atomic<std::uint32_t> nextKey{1};

void tell(const CallFacts& call) {
    if (const Installation* now = installation())
        tellCall(*now, call);
}

void spin(std::int64_t ns) {
    const std::int64_t until = monotonicNs() + ns;
    while (monotonicNs() < until) {
    }
}

ir::Graph doublingGraph(const std::string& name, int length) {
    const auto type = types::tensorType(types::DType::Float32, std::vector<std::int64_t>{length});
    ir::Graph graph(name);
    graph.setSource("example.cpp", "body", 12);
    const ir::NodeId x = graph.addInput(type, "x");
    const ir::NodeId sum = graph.append(ir::Op::Add, {x, x});
    graph.setOutputs(std::vector{sum});
    return graph;
}

} // namespace

FakeFunction::FakeFunction(std::string name, std::string file)
    : m_name(std::move(name)), m_file(std::move(file)), m_key(nextKey++) {}

void FakeFunction::announce(Observer& observer) {
    const Installation* now = installation();
    if (now == nullptr || m_generation == now->generation)
        return;
    m_generation = now->generation;
    FunctionFacts facts;
    facts.function = m_key;
    facts.name = m_name;
    facts.parameters = "x";
    facts.definedAt = {m_file, "main", 10};
    observer.onFunction(facts);
}

std::vector<Component> FakeFunction::request(int length) const {
    return {{"x.dtype", ComponentKind::Dtype, "float32"},
            {"x.rank", ComponentKind::Rank, "1"},
            {"x.shape[0]", ComponentKind::Dimension, std::to_string(length)}};
}

void FakeFunction::miss(Observer& observer, int length) {
    MissFacts facts;
    facts.function = m_key;
    facts.callNumber = m_calls;
    facts.at = ticks();
    facts.request = request(length);
    facts.requestText = "(x=float32[" + std::to_string(length) + "])";
    if (m_traced.empty())
        facts.otherKinds.push_back(types::MissKind::FirstCall);
    facts.calledAt = {m_file, "main", 20};
    observer.onMiss(facts);
}

void FakeFunction::call(int length, const std::vector<FakeFunction*>& inside) {
    Observer* listener = observer();
    if (!listener || entryOf(length) != 0)
        return hit(length);
    announce(*listener);
    ++m_calls;
    const std::uint64_t begin = ticks();
    miss(*listener, length);
    const std::uint64_t traceBegin = ticks();
    listener->onTraceBegin(m_key, traceBegin);
    ++m_bodyRuns;
    for (FakeFunction* function : inside)
        function->call(length);
    spin(200'000);
    const auto graph = std::make_shared<const ir::Graph>(
        doublingGraph(m_name + "_" + std::to_string(m_traced.size() + 1), length));
    EntryFacts entry;
    entry.entry = nextKey++;
    entry.function = m_key;
    entry.traceBegin = traceBegin;
    entry.name = graph->name();
    entry.stored = request(length);
    entry.storedText = "(x=float32[" + std::to_string(length) + "])";
    entry.output = "float32[" + std::to_string(length) + "]";
    entry.graph = graph;
    m_traced.push_back({length, entry.entry});
    listener->onEntry(entry);
    listener->onPhase({"optimise", "fold constants", m_key, entry.entry, ticks(), ticks() + 10});
    const std::uint64_t traceEnd = ticks();
    listener->onTraceEnd({m_key, traceBegin, traceEnd, "", m_bodyRuns, false});
    if (listener->wantsNodes())
        listener->onNodes(entry.entry, std::vector<std::uint64_t>{traceEnd, traceEnd, traceEnd + 5000});
    tell({m_key, entry.entry, m_calls, CallOutcome::Traced, begin, ticks(), traceEnd - traceBegin});
}

void FakeFunction::hit(int length, std::uint32_t times) {
    Observer* listener = observer();
    if (!listener)
        return;
    announce(*listener);
    const EntryKey entry = entryOf(length);
    for (std::uint32_t i = 0; i < times; ++i) {
        const std::uint64_t begin = ticks();
        tell({m_key, entry, ++m_calls, CallOutcome::Hit, begin, ticks(), 0});
    }
}

void FakeFunction::fail(int length, const std::string& message) {
    Observer* listener = observer();
    announce(*listener);
    ++m_calls;
    const std::uint64_t begin = ticks();
    miss(*listener, length);
    const std::uint64_t traceBegin = ticks();
    listener->onTraceBegin(m_key, traceBegin);
    ++m_bodyRuns;
    const std::uint64_t traceEnd = ticks();
    listener->onTraceEnd({m_key, traceBegin, traceEnd, message, m_bodyRuns, false});
    tell({m_key, 0, m_calls, CallOutcome::Error, begin, ticks(), traceEnd - traceBegin});
}

EntryKey FakeFunction::entryOf(int length) const {
    const auto it = std::ranges::find(m_traced, length, &Traced::length);
    return it == m_traced.end() ? 0 : it->entry;
}

void FakeFunction::drop(int length, DropReason reason) {
    observer()->onDrop(entryOf(length), reason, ticks());
}

} // namespace retracescope::test
