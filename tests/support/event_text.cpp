#include "tests/support/event_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace retracescope::test {

namespace {

std::string differencesText(const std::vector<types::Difference>& differences) {
    std::string text;
    for (const types::Difference& difference : differences)
        text +=
            fmt::format("{}{} {}: {} -> {}", text.empty() ? "" : ", ", types::missKindName(difference.kind),
                        difference.path, difference.before, difference.after);
    return text.empty() ? "nothing" : text;
}

} // namespace

void EventText::onFunction(const runtime::FunctionFacts& facts) {
    m_functions.emplace_back(facts.function, std::string(facts.name));
    m_text += fmt::format("function {}({})", facts.name, facts.parameters);
    if (!facts.options.empty())
        m_text += fmt::format(" {}", facts.options);
    if (!facts.inputSignature.empty())
        m_text += fmt::format(" signature {}", facts.inputSignature);
    m_text += '\n';
}

void EventText::onMiss(const runtime::MissFacts& facts) {
    m_text += fmt::format("{} call {} misses:", nameOf(facts.function), facts.callNumber);
    for (const types::MissKind kind : facts.otherKinds)
        m_text += fmt::format(" {}", types::missKindName(kind));
    m_text += '\n';
    for (const Heard& entry : m_entries)
        if (entry.function == facts.function && !entry.isDropped)
            m_text += fmt::format("  not {}: {}\n", entry.name,
                                  differencesText(types::blockingDifferences(facts.request, entry.stored)));
    if (!facts.widenedText.empty())
        m_text += fmt::format("  widened to {}\n", facts.widenedText);
}

void EventText::onTraceBegin(runtime::FunctionKey function, std::uint64_t) {
    m_text += fmt::format("{} traces\n", nameOf(function));
}

void EventText::onEntry(const runtime::EntryFacts& facts) {
    m_entries.push_back({facts.entry, facts.function, facts.name, facts.stored});
    m_text += fmt::format("{} is made: {} -> {}{}\n", facts.name, facts.storedText, facts.output,
                          facts.relaxed ? " (relaxed)" : "");
}

void EventText::onTraceEnd(const runtime::TraceFacts& facts) {
    m_text += fmt::format("{} traced, {} body runs{}{}{}\n", nameOf(facts.function), facts.bodyRuns,
                          facts.exception.empty() ? "" : ", failed: ", facts.exception,
                          facts.withdrawn ? ", withdrawn" : "");
}

void EventText::onDrop(runtime::EntryKey key, runtime::DropReason, std::uint64_t) {
    m_text += fmt::format("{} is dropped\n", nameOfEntry(key));
    for (Heard& entry : m_entries)
        entry.isDropped |= entry.key == key;
}

void EventText::onWarning(runtime::FunctionKey function, std::string_view text, std::uint64_t) {
    m_text += fmt::format("{} warns: {}\n", nameOf(function), text);
}

void EventText::onCall(const runtime::CallFacts& facts) noexcept {
    static constexpr std::string_view kOutcomes[]{"hit", "traced", "eager", "error"};
    m_text += fmt::format("{} call {}: {}{}{}\n", nameOf(facts.function), facts.number,
                          kOutcomes[static_cast<std::size_t>(facts.outcome)], facts.entry == 0 ? "" : " ",
                          facts.entry == 0 ? "" : nameOfEntry(facts.entry));
}

std::string EventText::nameOf(runtime::FunctionKey function) const {
    const auto found =
        std::ranges::find(m_functions, function, [](const auto& known) { return known.first; });
    return found == m_functions.end() ? "unannounced" : found->second;
}

std::string EventText::nameOfEntry(runtime::EntryKey entry) const {
    const auto found = std::ranges::find(m_entries, entry, &Heard::key);
    return found == m_entries.end() ? "unannounced" : found->name;
}

} // namespace retracescope::test
