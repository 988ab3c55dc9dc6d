#include <retracescope/diagnose/finding_words.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <retracescope/base/text.h>
#include <retracescope/base/units.h>
#include <retracescope/diagnose/advise.h>
#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;
using types::MissKind;

namespace {

/// Values are listed up to this many, beyond it only counted.
constexpr std::size_t kListedValues = 3;

/// Longest piece of an engine's message, and of a value, in a title; the whole stands in the session.
constexpr std::size_t kMessageLength = 160;
constexpr std::size_t kValueLength = 40;

std::int64_t count(const Column& column) {
    return static_cast<std::int64_t>(column.values.size());
}

/// "a, b and c"; a long text is cut.
std::string listed(const std::vector<std::string>& texts) {
    std::string text;
    for (std::size_t i = 0; i < std::min(texts.size(), kListedValues); ++i) {
        const bool isLast = i + 1 == texts.size();
        text += (i == 0 ? "" : isLast ? " and " : ", ") + shortened(texts[i], kValueLength);
    }
    return texts.size() > kListedValues ? text + ", …" : text;
}

std::string listed(const Column& column) {
    std::vector<std::string> texts;
    for (const ColumnValue& value : column.values)
        texts.push_back(valueInWords(column.path, value.text));
    return listed(texts);
}

std::string listIfShort(const Column& column) {
    return column.values.size() <= kListedValues ? ": " + listed(column) : std::string();
}

/// "one value", "six values".
std::string valuesInWords(const Column& column) {
    return fmt::format("{} {}", countInWords(count(column)), count(column) == 1 ? "value" : "values");
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
        return fmt::format("{} is {} in {} of {}, else {}", axis, column.values[1].text,
                           formatCount(column.values[1].calls),
                           formatPlural(callsOf(column), "call", "calls"), column.values[0].text);
    std::vector<std::string> lengths;
    for (const ColumnValue& value : column.values) {
        if (value.text != "None") // asked for with an open axis
            lengths.push_back(value.text);
    }
    const std::string number = countInWords(static_cast<std::int64_t>(lengths.size()));
    const std::string_view noun = lengths.size() == 1 ? "length" : "lengths";
    if (column.openHits > 0) // of which we know no lengths
        return fmt::format("{} has at least {} {}", axis, number, noun);
    if (lengths.size() <= kListedValues)
        return fmt::format("{} has {} {}: {}", axis, number, noun, listed(lengths));
    const auto [least, most] = std::ranges::minmax(lengths, {}, numberOf);
    return fmt::format("{} has {} {} from {} to {}", axis, number, noun, least, most);
}

std::string valueTitle(const std::string& owner, const Finding& finding, const Column& column,
                       const History& history) {
    if (column.values.size() > 2 && count(column) == history.calls())
        return fmt::format("{} is new in every call", owner);
    if (finding.edit.kind == "accept" && finding.edit.sentence == kNothingToFix)
        return fmt::format("{} has {} and the graphs differ", owner, valuesInWords(column));
    return fmt::format("{} has {}{}", owner, valuesInWords(column), listIfShort(column));
}

std::string dtypeTitle(const std::string& owner, const Column& column) {
    if (column.values.size() == 2)
        return fmt::format("{} arrives as {} in {} of {}", owner, rarest(column).text,
                           formatCount(rarest(column).calls), formatPlural(callsOf(column), "call", "calls"));
    return fmt::format("{} arrives in {} {}: {}", owner, countInWords(count(column)),
                       count(column) == 1 ? "dtype" : "dtypes", listed(column));
}

std::string identityTitle(const std::string& owner, const Finding& finding, const Column& column) {
    if (finding.edit.kind == "value_equality")
        return fmt::format("{} is a new object in each call", owner);
    return fmt::format("{} is one of {} {}", owner, countInWords(count(column)),
                       count(column) == 1 ? "object" : "objects");
}

/// Titles of the causes that a component has.
std::string columnTitle(const Finding& finding, const Column& column, const History& history) {
    const std::string words = pathAtStart(finding.path);
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
        if (splitPath(finding.path).part == "type")
            return fmt::format("{} arrives as {}", owner, listed(column));
        break;
    default:
        break;
    }
    const bool plural = isPlural(finding.path);
    if (column.values.size() <= kListedValues)
        return fmt::format("{} {} between calls: {}", words, plural ? "differ" : "differs", listed(column));
    return fmt::format("{} {} {}", words, plural ? "have" : "has", valuesInWords(column));
}

std::string failureTitle(const Session& session, const Finding& finding, const std::string& name) {
    std::string_view message = firstLine(failureOf(session, finding));
    if (const std::string repeated = fmt::format("[{}] ", name); message.starts_with(repeated))
        message.remove_prefix(repeated.size());
    return fmt::format("{} failed while it was traced: {}", name, shortened(message, kMessageLength));
}

} // namespace

std::string titleOf(const Session& session, const Finding& finding, const std::string& name,
                    const History& history, std::size_t functionsOfLine) {
    if (!failureOf(session, finding).empty())
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
                             : fmt::format("{} {}", pathAtStart(finding.path),
                                           isPlural(finding.path) ? "differ" : "differs");
}

std::string detailOf(const Finding& finding, const std::string& name, const FamilySummary& counts) {
    const std::int64_t traces = finding.traces;
    const auto saved = static_cast<std::int64_t>(finding.avoidable.size());
    std::string text = name;
    if (counts.functions > 1)
        text += fmt::format(" ({} objects of one line)", formatCount(counts.functions));
    text +=
        fmt::format(": {}, {}, {}. {} {} this cause.", formatPlural(counts.calls, "call", "calls"),
                    formatPlural(counts.traces, "trace", "traces"), formatPlural(counts.hits, "hit", "hits"),
                    formatPlural(traces, "trace", "traces"), traces == 1 ? "has" : "have");
    if (saved > 0 && !finding.edit.exists())
        text += fmt::format(" {} of them {} once the other edits here are made.", formatCount(saved),
                            saved == 1 ? "hits" : "hit");
    return text;
}

} // namespace retracescope::diagnose
