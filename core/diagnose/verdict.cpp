#include <retracescope/diagnose/verdict.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/advise.h>
#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;

namespace {

bool isImported(const Session& session) {
    return !session.imported.format.empty();
}

std::string contentInWords(const Session& session) {
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, const char* one, const char* many) {
        if (count > 0)
            parts.push_back(formatPlural(static_cast<std::int64_t>(count), one, many));
    };
    add(session.graphs.size(), "graph", "graphs");
    add(session.spans.size(), "span", "spans");
    add(session.kernels.size(), "kernel", "kernels");
    add(session.counters.size(), "counter sample", "counter samples");
    return parts.empty() ? "no events" : fmt::format("{}", fmt::join(parts, ", "));
}

void sayNoCalls(Diagnosis& diagnosis) {
    const Session& session = *diagnosis.session;
    diagnosis.nothingToFix = true;
    if (isImported(session)) {
        diagnosis.headline = "No calls of traced functions are known from this file.";
        diagnosis.subline =
            fmt::format("It holds {}. Calls and causes are known from sessions of Retracescope's own engine.",
                        contentInWords(session));
        return;
    }
    diagnosis.headline = "No traced function was called.";
    diagnosis.subline =
        fmt::format("The recording is {} long and holds {}.",
                    formatDuration(session.endNs - session.originNs), contentInWords(session));
}

void sayWhenButNotWhy(Diagnosis& diagnosis, std::int64_t traced) {
    diagnosis.headline =
        traced > 0 ? fmt::format("{} of {} traced.", formatCount(traced),
                                 formatPlural(diagnosis.calls, "call", "calls"))
                   : fmt::format("{}, none of them traced.", formatPlural(diagnosis.calls, "call", "calls"));
    diagnosis.subline = "This file tells when tracing happened, not why.";
    if (traced == 0 && diagnosis.traces > 0)
        diagnosis.subline = fmt::format("{} had been made before. {}",
                                        formatPlural(diagnosis.traces, "trace", "traces"), diagnosis.subline);
    diagnosis.whyTold = false;
}

void sayNothingToFix(Diagnosis& diagnosis) {
    const TimeSplit& time = diagnosis.time;
    diagnosis.nothingToFix = true;
    if (diagnosis.traces == 0) {
        diagnosis.headline = fmt::format("{}, no traces.", formatPlural(diagnosis.calls, "call", "calls"));
        if (diagnosis.hits == diagnosis.calls)
            diagnosis.subline = "Every call was served from a cache that was filled before the recording.";
        else
            diagnosis.subline = fmt::format("{} of {} hit the cache.", formatCount(diagnosis.hits),
                                            formatPlural(diagnosis.calls, "call", "calls"));
        return;
    }
    diagnosis.headline =
        fmt::format("{}, {} needed. {} of {}.", formatPlural(diagnosis.traces, "trace", "traces"),
                    diagnosis.traces == 1 ? "and it is" : "all", formatDuration(time.neededNs),
                    formatDuration(time.totalNs));
    diagnosis.subline = fmt::format("{} of {} hit the cache.", formatCount(diagnosis.hits),
                                    formatPlural(diagnosis.calls, "call", "calls"));
}

/// Findings that no edit of ours mends: failed traces and misses without explanation.
void sayNoEditHelps(Diagnosis& diagnosis) {
    const Session& session = *diagnosis.session;
    const auto failed = std::ranges::count_if(
        session.misses, [&](const Miss& miss) { return !session.text(miss.exception).empty(); });
    if (failed > 0)
        diagnosis.headline = fmt::format("{} of {} failed.", formatCount(failed),
                                         formatPlural(diagnosis.traces, "trace", "traces"));
    else
        diagnosis.headline =
            fmt::format("Tracing takes {} of {}; no edit is known that saves any of it.",
                        formatDuration(diagnosis.time.neededNs), formatDuration(diagnosis.time.totalNs));
    const auto told = std::ranges::find_if(
        diagnosis.findings, [&](const Finding& finding) { return !failureOf(session, finding).empty(); });
    diagnosis.subline = (told != diagnosis.findings.end() ? *told : diagnosis.findings.front()).title + ".";
}

/// Different edits of the findings that save something. One that covers every axis is one for its function.
std::int64_t countEdits(const std::vector<Finding>& findings) {
    std::set<std::tuple<FunctionId, std::string, std::string>> edits;
    for (const Finding& finding : findings) {
        const auto add = [&](const Edit& edit) {
            const bool isWhole = coversToo(edit, types::MissKind::Shape);
            if (edit.exists() && edit.kind != "accept")
                edits.emplace(finding.function, edit.kind, isWhole ? std::string() : edit.sentence);
        };
        if (finding.avoidable.empty())
            continue;
        add(finding.edit);
        std::ranges::for_each(finding.also, add);
    }
    return static_cast<std::int64_t>(edits.size());
}

void sayWhatItCosts(Diagnosis& diagnosis) {
    const TimeSplit& time = diagnosis.time;
    const std::int64_t edits = countEdits(diagnosis.findings);
    std::int64_t removed = 0;
    for (const Finding& finding : diagnosis.findings)
        removed += static_cast<std::int64_t>(finding.avoidable.size());
    diagnosis.headline =
        fmt::format("Retracing costs {} of {} ({}).", formatDuration(time.avoidableNs),
                    formatDuration(time.totalNs), formatShare(time.avoidableNs, time.totalNs));
    diagnosis.subline = fmt::format("{} {} {} of {} and {} {}.", capitalized(countInWords(edits)),
                                    edits == 1 ? "edit removes" : "edits remove", formatCount(removed),
                                    formatPlural(diagnosis.traces, "trace", "traces"),
                                    edits == 1 ? "saves" : "save", formatDuration(time.avoidableNs));
}

/// "2 of 5 calls of f failed."; empty if none did.
std::string failuresInWords(const Diagnosis& diagnosis) {
    std::int64_t functions = 0;
    std::int64_t failed = 0;
    std::int64_t calls = 0;
    FunctionId last;
    for (const FunctionSummary& function : diagnosis.functions) {
        if (function.errors <= 0) // kNotRecorded too
            continue;
        ++functions;
        failed += function.errors;
        calls += function.calls;
        last = function.function;
    }
    if (functions == 0)
        return {};
    return fmt::format("{} of {} of {} failed.", formatCount(failed), formatPlural(calls, "call", "calls"),
                       functions == 1 ? nameOf(*diagnosis.session, last)
                                      : countInWords(functions) + " functions");
}

} // namespace

void giveVerdict(Diagnosis& diagnosis) {
    const bool isFinding = !diagnosis.findings.empty() && !diagnosis.findings.front().expected;
    const bool saves =
        std::ranges::any_of(diagnosis.findings, [](const Finding& f) { return !f.avoidable.empty(); });
    const auto unexplained = static_cast<std::int64_t>(unexplainedCalls(diagnosis).size());
    if (diagnosis.calls == 0 && diagnosis.session->misses.empty())
        sayNoCalls(diagnosis);
    else if (diagnosis.session->misses.empty() && (unexplained > 0 || isImported(*diagnosis.session)))
        sayWhenButNotWhy(diagnosis, unexplained);
    else if (saves)
        sayWhatItCosts(diagnosis);
    else if (isFinding)
        sayNoEditHelps(diagnosis);
    else
        sayNothingToFix(diagnosis);
    if (const std::string failures = failuresInWords(diagnosis); !failures.empty()) {
        diagnosis.subline += " " + failures;
        diagnosis.nothingToFix = false;
    }
}

} // namespace retracescope::diagnose
