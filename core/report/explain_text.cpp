#include <retracescope/report/explain_text.h>

#include <algorithm>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/words.h>
#include <retracescope/report/session_tables.h>

namespace retracescope::report {

using diagnose::Diagnosis;
using diagnose::Explanation;
using namespace session;

namespace {

/// Compared entries that are listed unless all are asked for.
constexpr std::size_t kFewEntries = 3;

std::string comparedText(const Session& session, const Competing& competing, bool isNearest) {
    std::string text = fmt::format("  compared with {}", entryName(session, competing.entry));
    for (std::size_t i = 0; i < competing.differences.size(); ++i)
        text += (i == 0 ? ": " : ", ") + differenceText(competing.differences[i]);
    if (competing.differences.empty())
        text += ": no recorded component differs";
    if (isNearest)
        text += "  (nearest)";
    return text + "\n";
}

std::string comparedEntries(const Session& session, const Miss& miss, EntryId nearest, Entries wanted) {
    std::vector<const Competing*> order;
    for (const Competing& competing : miss.competing)
        order.push_back(&competing);
    std::ranges::stable_sort(order, {}, [&](const Competing* competing) {
        return std::pair(competing->entry != nearest, competing->differences.size());
    });
    const std::size_t listed = wanted == Entries::All ? order.size() : std::min(order.size(), kFewEntries);
    std::string text;
    for (std::size_t i = 0; i < listed; ++i)
        text += comparedText(session, *order[i], order[i]->entry == nearest && order.size() > 1);
    if (listed < order.size())
        text += fmt::format("  and with {} more; --all lists them\n",
                            formatCount(static_cast<std::int64_t>(order.size() - listed)));
    return text;
}

std::string editParagraph(std::string_view word, const diagnose::Edit& edit) {
    return fmt::format("  {} ({}): {}\n{}", word, editHeading(edit), printable(edit.sentence),
                       editText(edit, "    "));
}

} // namespace

std::string explainText(const Diagnosis& diagnosis, MissId row, Entries entries) {
    const Session& session = *diagnosis.session;
    const Miss& miss = session[row];
    const Explanation& explanation = diagnosis.explanations[row.value];
    const std::string call = miss.callNumber == 0 ? "asked for without a call"
                                                  : fmt::format("call {}", formatCount(miss.callNumber));
    const std::string name =
        miss.function.isValid() ? printable(session.text(session[miss.function].name)) : "";
    const std::string cost =
        miss.traceNs == kNotRecorded ? "trace time not recorded" : "trace " + formatDuration(miss.traceNs);
    std::string text =
        fmt::format("{}, {}: {}, {}{}\n", name, call, types::missKindName(explanation.cause), cost,
                    miss.withdrawn                         ? ", withdrawn: the call failed"
                    : session.text(miss.exception).empty() ? ""
                                                           : ", failed");
    if (const std::string place = missPlace(session, miss); !place.empty())
        text += fmt::format("  {}\n", place);
    for (const types::Difference& difference : explanation.differences)
        text += fmt::format("  {}\n", differenceText(difference));
    text += fmt::format("  {}\n", printable(explanation.sentence));
    text += comparedEntries(session, miss, explanation.nearest, entries);
    if (explanation.edit.exists())
        text += editParagraph("edit", explanation.edit);
    for (const auto& edit : explanation.also)
        text += editParagraph("and", *edit);
    return text;
}

std::string missPlace(const Session& session, const Miss& miss) {
    const diagnose::Place call = diagnose::callPlace(session, miss);
    if (const std::string place = diagnose::shortPlace(call.file, call.line); !place.empty())
        return "called at " + printable(place);
    if (!miss.function.isValid())
        return {};
    const diagnose::Place made = diagnose::definitionPlace(session, miss.function);
    const std::string place = diagnose::shortPlace(made.file, made.line);
    return place.empty() ? std::string() : "defined at " + printable(place);
}

std::string editHeading(const diagnose::Edit& edit) {
    const std::string place = printable(diagnose::shortPlace(edit.file, edit.line));
    return place.empty() ? edit.kind : fmt::format("{}, {}", edit.kind, place);
}

std::string editText(const diagnose::Edit& edit, const std::string& indent) {
    std::string text;
    for (const diagnose::EditLine& line : edit.lines)
        text += fmt::format("{}{}{}\n", indent, line.sign, printable(line.text));
    return text;
}

} // namespace retracescope::report
