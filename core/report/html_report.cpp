#include <retracescope/report/html_report.h>

#include <algorithm>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/report/explain_text.h>
#include <retracescope/report/html_style.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/report/title.h>

namespace retracescope::report {

using diagnose::Diagnosis;
using diagnose::Finding;
using namespace session;

namespace {

/// Most bars in a strip of calls; beyond it neighbours share one.
constexpr std::size_t kStripBars = 240;

/// Its class in the style sheet.
std::string_view classOf(diagnose::TimePart::Kind kind) {
    switch (kind) {
    case diagnose::TimePart::Avoidable:
        return "avoidable";
    case diagnose::TimePart::Needed:
        return "needed";
    case diagnose::TimePart::Execute:
        return "execute";
    case diagnose::TimePart::Failed:
        return "failed";
    case diagnose::TimePart::Outside:
        break;
    }
    return "outside";
}

std::string timeBar(const Diagnosis& diagnosis) {
    if (!dividesTime(diagnosis))
        return {};
    const diagnose::TimeSplit& time = diagnosis.time;
    const TimeUnit unit = timeUnitFor(time.totalNs);
    std::string bar;
    std::string legend;
    for (const diagnose::TimePart& part : diagnose::timeParts(time)) {
        bar += fmt::format("<span class=\"{}\" style=\"width:{:.3f}%\" title=\"{}: {}\"></span>",
                           classOf(part.kind),
                           100.0 * static_cast<double>(part.ns) / static_cast<double>(time.totalNs),
                           part.name, unit.text(part.ns));
        legend +=
            fmt::format("<li><i class=\"{}\"></i>{}<b>{}</b><small>{}</small></li>\n", classOf(part.kind),
                        part.name, unit.text(part.ns), formatShare(part.ns, time.totalNs));
    }
    legend += fmt::format("<li>Run<b>{}</b><small>{}</small></li>\n", unit.text(time.totalNs),
                          formatShare(time.totalNs, time.totalNs));
    return fmt::format("<div class=\"bar\" role=\"img\" aria-label=\"Where the run's time went\">{}</div>\n"
                       "<ul class=\"legend\">\n{}</ul>\n",
                       bar, legend);
}

/// What a bar of the strip stands for; the greater wins where calls share one.
enum class Bar { Hit, Other, Miss };

/// The function's calls in order: high where this finding traced, middle where another cause did, low for
/// hits.
std::string callStrip(const Diagnosis& diagnosis, const Finding& finding) {
    const auto& calls = diagnosis.index.callsOfFunction[finding.function.value];
    if (calls.size() < 2)
        return {};
    const std::size_t bars = std::min(calls.size(), kStripBars);
    std::vector<Bar> marks(bars, Bar::Hit);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const MissId miss = diagnosis.index.missOfCall[calls[i].value];
        if (!miss.isValid())
            continue;
        const diagnose::Explanation& why = diagnosis.explanations[miss.value];
        const bool own = why.cause == finding.cause && why.primary.path == finding.path;
        Bar& mark = marks[i * bars / calls.size()];
        mark = std::max(mark, own ? Bar::Miss : Bar::Other);
    }
    std::string text =
        fmt::format("<svg class=\"strip\" viewBox=\"0 0 {} 30\" preserveAspectRatio=\"none\" role=\"img\" "
                    "aria-label=\"Calls in order; traces of this finding are high\">",
                    bars * 4);
    for (std::size_t i = 0; i < bars; ++i) {
        const int height = marks[i] == Bar::Miss ? 28 : marks[i] == Bar::Other ? 16 : 6;
        const char kind = marks[i] == Bar::Miss ? 'm' : marks[i] == Bar::Other ? 'o' : 'h';
        text += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"3\" height=\"{}\"/>", kind, i * 4,
                            30 - height, height);
    }
    return text + "</svg>\n";
}

std::string editBlock(std::string_view word, const diagnose::Edit& edit) {
    std::string text = fmt::format("<p><b>{}:</b> {} <span class=\"chip\">{}</span></p>\n", word,
                                   escapeHtml(edit.sentence), escapeHtml(editHeading(edit)));
    if (edit.lines.empty())
        return text;
    text += "<pre>";
    for (const diagnose::EditLine& line : edit.lines) {
        const std::string_view kind = line.sign == '+' ? "add" : line.sign == '-' ? "remove" : "";
        text += fmt::format("<span class=\"{}\">{} {}</span>", kind, line.sign, escapeHtml(line.text));
    }
    return text + "</pre>\n";
}

std::string editBlocks(const Finding& finding) {
    if (!finding.edit.exists() && finding.avoidable.empty())
        return "<p class=\"muted\">No edit is known.</p>\n";
    std::string text = finding.edit.exists() ? editBlock("Edit", finding.edit) : std::string();
    for (const diagnose::Edit& edit : finding.also)
        text += editBlock("And", edit);
    return text;
}

std::string card(const Diagnosis& diagnosis, const Finding& finding, int rank) {
    const Session& session = *diagnosis.session;
    const std::string place = missPlace(session, session[finding.misses.front()]);
    return fmt::format(
        "<section class=\"card\"><div class=\"rank\">{}</div><h3>{}</h3>"
        "<div class=\"cost\">{}<small>of {} can be saved</small></div>\n<div class=\"body\">"
        "<p><span class=\"chip\">{}</span><span class=\"chip\">{}</span><span class=\"muted\">{}</span></p>\n"
        "<p>{}</p>\n{}{}</div></section>\n",
        rank, escapeHtml(finding.title), savedText(finding), formatDuration(finding.costNs),
        types::missKindName(finding.cause), escapeHtml(finding.name), escapeHtml(place),
        escapeHtml(finding.detail), callStrip(diagnosis, finding), editBlocks(finding));
}

std::string cards(const Diagnosis& diagnosis) {
    std::string text;
    int rank = 0;
    for (const Finding& finding : diagnosis.findings) {
        if (!finding.expected)
            text += card(diagnosis, finding, ++rank);
    }
    return text.empty() ? std::string() : "<h2>Findings</h2>\n" + text;
}

std::string section(std::string_view heading, const Table& table) {
    if (table.rowCount() == 0)
        return {};
    return fmt::format("<h2>{}</h2>\n<div class=\"scroll\">{}</div>\n", heading, table.html());
}

} // namespace

std::string htmlReport(const Diagnosis& diagnosis) {
    const Session& session = *diagnosis.session;
    const std::string title = escapeHtml(reportTitle(session));
    std::string text =
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>{} – Retracescope</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                    title, kHtmlStyle);
    text += fmt::format("<div class=\"name\">{}</div>\n<h1{}>{}</h1>\n<p class=\"sub\">{}</p>\n", title,
                        diagnosis.nothingToFix ? " class=\"good\"" : "", escapeHtml(diagnosis.headline),
                        escapeHtml(diagnosis.subline));
    for (const std::string& warning : warningsOf(session))
        text += fmt::format("<p class=\"warn\">{}</p>\n", escapeHtml(warning));
    text += timeBar(diagnosis);
    text += cards(diagnosis);
    text += section("Functions", functionTable(diagnosis));
    text += section("Signatures", entryTable(diagnosis));
    text += section("Expected, not ranked", findingTable(diagnosis, true));
    text += section("The recording", factTable(session));
    return text + "<footer>Written by Retracescope.</footer>\n</main>\n</body>\n</html>\n";
}

} // namespace retracescope::report
