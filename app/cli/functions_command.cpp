#include <CLI/CLI.hpp>

#include <retracescope/report/json_answers.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/report/title.h>

#include "app/cli/command.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

namespace {

struct Options {
    std::string file;
    bool json = false;
};

Status printFunctions(const Options& options, std::string& out) {
    const auto diagnosis = diagnoseFile(options.file);
    if (!diagnosis)
        return diagnosis.error();
    if (options.json) {
        out += report::functionsJson(**diagnosis);
        return Done{};
    }
    out += report::warningLines(*(*diagnosis)->session);
    if ((*diagnosis)->functions.empty())
        out += (*diagnosis)->headline + "\n" + (*diagnosis)->subline + "\n";
    else
        out += report::functionTable(**diagnosis).text();
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_flag("--json", options->json, "Print JSON");
    return [options](std::string& out) { return printFunctions(*options, out); };
}

} // namespace

Command functionsCommand() {
    return {"functions", "Calls, hits, traces, causes and cost of every traced function",
            "rscope functions run.retrace", declare};
}

} // namespace retracescope::cli
