// How long the diagnosis of a large session takes.

#include <benchmark/benchmark.h>

#include <retracescope/diagnose/overview.h>

using namespace retracescope;
using namespace retracescope::session;
using types::Component;
using types::ComponentKind;

namespace {

constexpr std::int64_t kCallNs = 10'000;

std::vector<Component> requestOf(std::size_t value) {
    const std::string number = std::to_string(value);
    return {{"x.type", ComponentKind::Type, "tensor"},
            {"x.dtype", ComponentKind::Dtype, "float32"},
            {"x.rank", ComponentKind::Rank, "2"},
            {"x.shape[0]", ComponentKind::Dimension, "32"},
            {"x.shape[1]", ComponentKind::Dimension, number},
            {"step.type", ComponentKind::Type, "int"},
            {"step.value", ComponentKind::Value, number}};
}

/// `misses` misses, each compared with all entries before it, which differ in two components; the other calls
/// hit.
SessionPtr makeSession(std::size_t calls, std::size_t misses) {
    auto session = std::make_shared<Session>();
    session->lanes.resize(1);
    session->functions.emplace_back().name = session->strings.intern("f");
    const std::size_t every = calls / misses;
    for (std::size_t row = 0; row < calls; ++row) {
        const bool missed = row % every == 0 && session->misses.size() < misses;
        const std::size_t number = session->misses.size();
        CallTable& table = session->calls;
        table.startNs.push_back(static_cast<std::int64_t>(row) * kCallNs);
        table.durationNs.push_back(kCallNs / 2);
        table.lane.emplace_back(0U);
        table.function.emplace_back(0U);
        table.entry.emplace_back(missed ? number : row * 7919 % number);
        table.outcome.push_back(missed ? Outcome::Traced : Outcome::Hit);
        table.number.push_back(static_cast<std::uint32_t>(row + 1));
        table.traceNs.push_back(missed ? kCallNs / 4 : 0);
        table.stack.emplace_back();
        if (!missed)
            continue;
        session->signatures.push_back({requestOf(number), {}});
        Entry entry;
        entry.function = FunctionId(0U);
        entry.number = static_cast<std::uint32_t>(number + 1);
        entry.signature = SignatureId(number);
        session->entries.push_back(entry);
        Miss miss;
        miss.function = FunctionId(0U);
        miss.call = CallId(row);
        miss.callNumber = static_cast<std::uint32_t>(row + 1);
        miss.timeNs = table.startNs.back();
        miss.request = SignatureId(number);
        miss.entry = EntryId(number);
        miss.traceNs = kCallNs / 4;
        miss.entriesBefore = static_cast<std::uint32_t>(number);
        if (number == 0)
            miss.otherKinds.push_back(types::MissKind::FirstCall);
        session->misses.push_back(std::move(miss));
    }
    updateExtent(*session);
    return session;
}

void diagnoseSession(benchmark::State& state) {
    const SessionPtr session =
        makeSession(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    for (auto _ : state)
        benchmark::DoNotOptimize(diagnose::diagnose(session));
}
BENCHMARK(diagnoseSession)
    ->ArgNames({"calls", "misses"})
    ->Args({1'000'000, 1'000})
    ->Args({1'000'000, 10'000})
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

} // namespace
