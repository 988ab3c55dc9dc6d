#include <retracescope/report/markdown_report.h>

#include <algorithm>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/report/explain_text.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/report/title.h>

namespace retracescope::report {

using diagnose::Diagnosis;
using diagnose::Finding;
using namespace session;

namespace {

std::string editParagraph(std::string_view word, const diagnose::Edit& edit) {
    std::string text = fmt::format("**{}** ({}): {}\n\n", word, escapeMarkdown(editHeading(edit)),
                                   escapeMarkdown(edit.sentence));
    if (!edit.lines.empty())
        text += "```diff\n" + editText(edit, "") + "```\n\n";
    return text;
}

std::string findingSection(const Session& session, const Finding& finding, int rank) {
    const std::string path =
        finding.path.empty() ? std::string() : fmt::format(" at `{}`", printable(finding.path));
    const std::string place = escapeMarkdown(missPlace(session, session[finding.misses.front()]));
    std::string text = fmt::format("### {}. {}\n\n", rank, escapeMarkdown(finding.title));
    text += fmt::format("{} Cause: `{}`{}{}{}. Cost {}, of which {} can be saved.\n\n",
                        escapeMarkdown(finding.detail), types::missKindName(finding.cause), path,
                        place.empty() ? "" : ", ", place, formatDuration(finding.costNs), savedText(finding));
    if (finding.edit.exists())
        text += editParagraph("Edit", finding.edit);
    for (const diagnose::Edit& edit : finding.also)
        text += editParagraph("And", edit);
    return text;
}

std::string findings(const Diagnosis& diagnosis) {
    std::string text;
    int rank = 0;
    for (const Finding& finding : diagnosis.findings) {
        if (!finding.expected)
            text += findingSection(*diagnosis.session, finding, ++rank);
    }
    return text.empty() ? std::string() : "## Findings\n\n" + text;
}

/// A heading and a table; nothing if the table is empty.
std::string section(const std::string& heading, const Table& table) {
    return table.rowCount() == 0 ? std::string() : fmt::format("## {}\n\n{}\n", heading, table.markdown());
}

} // namespace

std::string markdownReport(const Diagnosis& diagnosis) {
    const Session& session = *diagnosis.session;
    std::string text = fmt::format("# {}\n\n**{}** {}\n\n", escapeMarkdown(reportTitle(session)),
                                   escapeMarkdown(diagnosis.headline), escapeMarkdown(diagnosis.subline));
    for (const std::string& warning : warningsOf(session))
        text += fmt::format("> {}\n\n", escapeMarkdown(warning));
    if (dividesTime(diagnosis))
        text += section("Time", timeTable(diagnosis.time));
    text += findings(diagnosis);
    text += section("Functions", functionTable(diagnosis));
    text += section("Signatures", entryTable(diagnosis));
    text += section("Expected, not ranked", findingTable(diagnosis, true));
    text += section("The recording", factTable(session));
    return text;
}

} // namespace retracescope::report
