#include <retracescope/report/explain_text.h>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/words.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/session/compared.h>

namespace retracescope::report {

using diagnose::Diagnosis;
using diagnose::Explanation;
using namespace session;

namespace {

/// Compared entries that are listed unless all are asked for.
constexpr std::size_t kFewEntries = 3;

std::string comparedText(const Diagnosis& diagnosis, const Miss& miss, EntryId entry, bool isNearest) {
    const Session& session = *diagnosis.session;
    const std::vector<types::Difference> differences = differencesTo(session, miss, entry);
    std::string text = fmt::format("  compared with {}", entryName(session, diagnosis.names, entry));
    for (std::size_t i = 0; i < differences.size(); ++i)
        text += (i == 0 ? ": " : ", ") + differenceText(differences[i]);
    if (differences.empty())
        text += ": no recorded component differs";
    if (isNearest)
        text += "  (nearest)";
    return text + "\n";
}

std::string comparedEntries(const Diagnosis& diagnosis, const Explanation& explanation, Entries wanted) {
    const Session& session = *diagnosis.session;
    const Miss& miss = session[explanation.miss];
    std::vector<EntryId> listed = explanation.compared; // the nearest, which are not all if there are many
    const std::size_t total = explanation.comparedTotal;
    if (wanted == Entries::All && listed.size() < total) {
        std::ranges::copy_if(
            comparedWith(session, diagnosis.index, miss), std::back_inserter(listed), [&](EntryId entry) {
                return std::ranges::find(explanation.compared, entry) == explanation.compared.end();
            });
    } else if (wanted != Entries::All) {
        listed.resize(std::min(listed.size(), kFewEntries));
    }
    std::string text;
    for (const EntryId entry : listed)
        text += comparedText(diagnosis, miss, entry, entry == explanation.nearest && total > 1);
    if (listed.size() < total)
        text += fmt::format("  and with {} more; --all lists them\n",
                            formatCount(static_cast<std::int64_t>(total - listed.size())));
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
    const std::string name = miss.function.isValid() ? printable(diagnosis.names[miss.function.value]) : "";
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
    text += comparedEntries(diagnosis, explanation, entries);
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
