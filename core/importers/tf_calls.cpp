#include <retracescope/importers/tf_calls.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_map>

namespace retracescope::importers {

using session::kNotRecorded;
using session::Outcome;

namespace {

std::string_view argument(const ChromeEvent& event, std::string_view key) {
    const auto found = std::ranges::find(event.arguments, key, &ChromeArgument::key);
    return found == event.arguments.end() ? std::string_view() : found->value;
}

std::optional<Outcome> outcomeOf(std::string_view mode) {
    if (mode == "traced-nonXla" || mode == "traced-xla")
        return Outcome::Traced;
    if (mode == "notTraced-nonXla" || mode == "notTraced-xla")
        return Outcome::Hit;
    if (mode == "eager")
        return Outcome::Eager;
    if (mode == "concrete")
        return Outcome::Unknown; // a concrete function called directly: no lookup took place
    return std::nullopt;
}

std::int64_t parseCount(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc() && end == text.data() + text.size() && count >= 0 ? count : kNotRecorded;
}

/// What the calls of one function say together.
struct Story {
    session::FunctionId id;
    std::uint32_t calls = 0;
    std::int64_t highestCount = kNotRecorded;
    bool xla = false;
};

void markEarlierTraces(const TfCall& call, session::FunctionId id, session::Session& session) {
    // The first call in the file reused a trace, so all that were counted had been made before.
    if (call.outcome != Outcome::Hit || call.tracingCount <= 0)
        return;
    session.marks.push_back(
        {.timeNs = call.startNs,
         .kind = session.strings.intern("note"),
         .text = session.strings.intern(fmt::format("{} was traced {} time{} before this profile began",
                                                    session.text(call.function), call.tracingCount,
                                                    call.tracingCount == 1 ? "" : "s")),
         .function = id,
         .entry = {}});
}

void addCall(const TfCall& call, const Story& story, session::CallTable& table) {
    table.startNs.push_back(call.startNs);
    table.durationNs.push_back(call.durationNs);
    table.lane.push_back(call.lane);
    table.function.push_back(story.id);
    table.entry.emplace_back();
    table.outcome.push_back(call.outcome);
    table.number.push_back(story.calls);
    table.traceNs.push_back(call.outcome == Outcome::Traced ? kNotRecorded : 0);
    table.stack.emplace_back();
}

void addFacts(session::Session& session) {
    session.facts.push_back(
        {"not_recorded", "misses",
         "TensorFlow's profiler notes that a call traced, not which argument differed; only "
         "a session recorded by Retracescope's own engine holds causes"});
    session.facts.push_back(
        {"not_recorded", "signatures", "TensorFlow's profiler does not note argument types"});
    session.facts.push_back(
        {"not_recorded", "trace_ns", "the time of a trace lies inside its call and is not noted apart"});
}

} // namespace

std::optional<TfCall> readTfCall(const ChromeEvent& event, session::StringPool& strings) {
    const std::string_view mode = argument(event, "tf_function_call");
    const auto outcome = outcomeOf(mode);
    if (!outcome || event.name.empty())
        return std::nullopt;
    TfCall call;
    call.function = strings.intern(event.name);
    call.outcome = *outcome;
    call.xla = mode.ends_with("-xla");
    call.tracingCount = parseCount(argument(event, "tracing_count"));
    return call;
}

void addTfCalls(std::vector<TfCall> calls, session::Session& session) {
    if (calls.empty())
        return;
    std::ranges::stable_sort(calls, {}, &TfCall::startNs);
    std::unordered_map<session::StringId, Story> stories;
    const session::StringId engine = session.strings.intern("tensorflow");
    for (const TfCall& call : calls) {
        Story& story = stories[call.function];
        if (!story.id.isValid()) {
            story.id = session::FunctionId(session.functions.size());
            session::Function function;
            function.name = function.qualifiedName = call.function;
            function.engine = engine;
            session.functions.push_back(function);
            markEarlierTraces(call, story.id, session);
        }
        ++story.calls;
        story.highestCount = std::max(story.highestCount, call.tracingCount);
        story.xla = story.xla || call.xla;
        addCall(call, story, session.calls);
    }
    for (const auto& [name, story] : stories) {
        session::Function& function = session.functions[story.id.value];
        function.bodyRuns = story.highestCount;
        if (story.xla)
            function.options = session.strings.intern("jit_compile=True");
    }
    addFacts(session);
}

} // namespace retracescope::importers
