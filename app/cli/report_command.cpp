#include <CLI/CLI.hpp>

#include <retracescope/report/html_report.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/report/markdown_report.h>

#include "app/cli/command.h"
#include "app/cli/output_argument.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

namespace {

struct Options {
    std::string file;
    std::string format;
    std::string output;
    bool json = false;
};

const std::vector<OutputFormat>& formats() {
    static const std::vector<OutputFormat> all{
        {"md", {".md", ".markdown"}}, {"html", {".html", ".htm"}}, {"json", {".json"}}};
    return all;
}

std::string written(const diagnose::Diagnosis& diagnosis, const std::string& format) {
    if (format == "html")
        return report::htmlReport(diagnosis);
    if (format == "json")
        return report::reportJson(diagnosis);
    return report::markdownReport(diagnosis);
}

Status writeReport(const Options& options, std::string& out) {
    refuseToOverwrite({options.file}, options.output);
    const std::string format =
        chosenFormat("report", formats(), options.json ? "json" : options.format, options.output);
    const auto diagnosis = diagnoseFile(options.file);
    if (!diagnosis)
        return diagnosis.error();
    return writeText(written(**diagnosis, format), options.output, out);
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_option("--format", options->format, "md, html or json; else as the output's name ends");
    verb.add_option("-o,--output", options->output, "Where to write; else, or with -, to the terminal");
    verb.add_flag("--json", options->json, "The same as --format json");
    return [options](std::string& out) { return writeReport(*options, out); };
}

} // namespace

Command reportCommand() {
    return {"report", "The whole diagnosis as Markdown, HTML or JSON",
            "rscope report run.retrace --format html -o run.html", declare};
}

} // namespace retracescope::cli
