#include <retracescope/diagnose/finding_words.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/advise.h>
#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;
using types::MissKind;

namespace {

/// Values are listed up to this many, beyond it only counted.
constexpr std::size_t kListedValues = 3;

/// Longest piece of an engine's message in a title; the whole stands in the session.
constexpr std::size_t kMessageLength = 160;

std::int64_t count(const Column& column) {
    return static_cast<std::int64_t>(column.values.size());
}

std::string listed(const Column& column) {
    std::string text;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
        if (i > 0)
            text += i + 1 == column.values.size() ? " and " : ", ";
        text += column.values[i].text;
    }
    return text;
}

const ColumnValue& rarest(const Column& column) {
    return *std::ranges::min_element(column.values, {}, &ColumnValue::calls);
}

std::int64_t callsOf(const Column& column) {
    std::int64_t calls = 0;
    for (const ColumnValue& value : column.values)
        calls += value.calls;
    return calls;
}

std::int64_t numberOf(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string shapeTitle(const std::string& axis, const Column& column) {
    if (isPartialBatch(column))
        return fmt::format("{} is {} in {} of {} calls, else {}", axis, column.values[1].text,
                           formatCount(column.values[1].calls), formatCount(callsOf(column)),
                           column.values[0].text);
    if (column.values.size() <= kListedValues)
        return fmt::format("{} has {} lengths: {}", axis, countInWords(count(column)), listed(column));
    const auto [least, most] =
        std::ranges::minmax(column.values, {}, [](const ColumnValue& value) { return numberOf(value.text); });
    return fmt::format("{} has {} lengths from {} to {}", axis, countInWords(count(column)), least.text,
                       most.text);
}

std::string valueTitle(const std::string& owner, const Finding& finding, const Column& column,
                       const History& history) {
    if (column.values.size() > 2 && count(column) == history.calls())
        return fmt::format("{} is new in every call", owner);
    if (finding.edit.kind == "accept" && finding.edit.sentence == kNothingToFix)
        return fmt::format("{} has {} values and the graphs differ", owner, countInWords(count(column)));
    if (column.values.size() <= kListedValues)
        return fmt::format("{} has {} values: {}", owner, countInWords(count(column)), listed(column));
    return fmt::format("{} has {} values", owner, countInWords(count(column)));
}

std::string dtypeTitle(const std::string& owner, const Column& column) {
    if (column.values.size() == 2)
        return fmt::format("{} arrives as {} in {} of {} calls", owner, rarest(column).text,
                           formatCount(rarest(column).calls), formatCount(callsOf(column)));
    return fmt::format("{} arrives in {} dtypes: {}", owner, countInWords(count(column)), listed(column));
}

std::string identityTitle(const std::string& owner, const Finding& finding, const Column& column) {
    if (finding.edit.kind == "value_equality")
        return fmt::format("{} is a new object in each call", owner);
    return fmt::format("{} is one of {} objects", owner, countInWords(count(column)));
}

/// Titles of the causes that a component has.
std::string columnTitle(const Finding& finding, const Column& column, const History& history) {
    const std::string words = pathInWords(finding.path);
    const std::string owner(splitPath(finding.path).owner);
    switch (finding.cause) {
    case MissKind::Shape:
        return shapeTitle(words, column);
    case MissKind::Value:
        return valueTitle(words, finding, column, history);
    case MissKind::Dtype:
        return dtypeTitle(owner, column);
    case MissKind::Identity:
        return identityTitle(owner, finding, column);
    case MissKind::Type:
        return fmt::format("{} arrives as {}", owner, listed(column));
    default:
        break;
    }
    if (column.values.size() <= kListedValues)
        return fmt::format("{} differs between calls: {}", words, listed(column));
    return fmt::format("{} has {} values", words, countInWords(count(column)));
}

std::string failureTitle(const Session& session, const Finding& finding, const std::string& name) {
    const std::string_view message = firstLine(session.text(session[finding.misses.front()].exception));
    const bool isCut = message.size() > kMessageLength;
    return fmt::format("{} failed while it was traced: {}{}", name, message.substr(0, kMessageLength),
                       isCut ? "…" : "");
}

} // namespace

std::string titleOf(const Session& session, const Finding& finding, const History& history,
                    std::size_t functionsOfLine) {
    const std::string name = nameOf(session, finding.function);
    if (!session.text(session[finding.misses.front()].exception).empty())
        return failureTitle(session, finding, name);
    if (session[finding.misses.front()].withdrawn)
        return fmt::format("The first trace of {} was withdrawn, since its call failed", name);
    switch (finding.cause) {
    case MissKind::FirstCall:
        return fmt::format("First {} of {}",
                           session[finding.misses.front()].callNumber == 1 ? "call" : "trace", name);
    case MissKind::Phase:
        return fmt::format("{} creates variables on its first call", name);
    case MissKind::NewCallable:
        return fmt::format("{} is made {} times in {}", name,
                           formatCount(static_cast<std::int64_t>(functionsOfLine)),
                           placeInWords(session, finding.function));
    case MissKind::Cleared:
        return fmt::format("The cache of {} was cleared while it was in use", name);
    case MissKind::Evicted:
        return fmt::format("Entries of {} were evicted and asked for again", name);
    case MissKind::Dead:
        return fmt::format("Objects that entries of {} were made for are gone", name);
    case MissKind::FailedBefore:
        return fmt::format("Earlier traces of {} failed and left no entry", name);
    case MissKind::NotExplained:
        return fmt::format("Misses of {} that could not be explained", name);
    default:
        break;
    }
    const Column* column = history.column(finding.path);
    return column != nullptr ? columnTitle(finding, *column, history)
                             : fmt::format("{} differs", pathInWords(finding.path));
}

std::string detailOf(const Session& session, const Finding& finding, const FunctionSummary& function) {
    const auto misses = static_cast<std::int64_t>(finding.misses.size());
    return fmt::format("{}: {}, {}, {}. {} {} this cause.", nameOf(session, finding.function),
                       formatPlural(function.calls, "call", "calls"),
                       formatPlural(function.traces, "trace", "traces"),
                       formatPlural(function.hits, "hit", "hits"), formatPlural(misses, "trace", "traces"),
                       misses == 1 ? "has" : "have");
}

} // namespace retracescope::diagnose
