#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/importers/import_answer.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/report/title.h>

#include "app/cli/command.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

using diagnose::Diagnosis;

namespace {

struct Options {
    std::string file;
    bool json = false;
};

report::Table contentTable(const Diagnosis& diagnosis) {
    const session::Session& session = *diagnosis.session;
    report::Table table({{"What"}, {"Count", report::Align::Right}});
    const auto add = [&](const char* what, std::size_t count) {
        if (count > 0)
            table.addRow({what, formatCount(static_cast<std::int64_t>(count))});
    };
    add("functions", session.functions.size());
    add("calls", session.calls.size());
    add("hits", static_cast<std::size_t>(diagnosis.hits));
    add("traces", static_cast<std::size_t>(std::max<std::int64_t>(diagnosis.traces, 0)));
    add("misses", session.misses.size());
    add("entries", session.entries.size());
    add("graphs", session.graphs.size());
    add("spans", session.spans.size());
    add("kernels", session.kernels.size());
    add("counter samples", session.counters.size());
    add("instants", session.instants.size());
    add("marks", session.marks.size());
    add("log lines", session.logs.size());
    add("lanes", session.lanes.size());
    return table;
}

Status printInfo(const Options& options, std::string& out) {
    const auto diagnosis = diagnoseFile(options.file);
    if (!diagnosis) {
        if (options.json)
            out += report::refusedJson(diagnosis.error().message);
        return diagnosis.error();
    }
    const Diagnosis& d = **diagnosis;
    const session::Session& session = *d.session;
    const bool imported = !session.imported.format.empty();
    if (options.json) {
        out += imported ? importers::importAnswer(session) + "\n" : report::infoJson(d);
        return Done{};
    }
    out +=
        fmt::format("{}: {}, {}\n", options.file, imported ? session.imported.format : "Retracescope session",
                    formatDuration(session.endNs - session.originNs));
    out += fmt::format("{}\n{}\n", d.headline, d.subline);
    out += report::warningLines(session);
    out += "\n" + contentTable(d).text();
    if (report::dividesTime(d))
        out += "\n" + report::timeTable(d.time).text();
    if (!session.facts.empty())
        out += "\n" + report::factTable(session).text();
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_flag("--json", options->json, "Print JSON");
    return [options](std::string& out) { return printInfo(*options, out); };
}

} // namespace

Command infoCommand() {
    return {"info", "What a file is and holds, and the verdict in two lines", "rscope info run.retrace",
            declare};
}

} // namespace retracescope::cli
