#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <retracescope/report/json_answers.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/report/title.h>

#include "app/cli/command.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

using namespace session;

namespace {

struct Options {
    std::string file;
    std::string function;
    bool listing = false;
    bool json = false;
};

/// The engine's own text of every concrete function, blocks separated by a blank line
/// (resources/manual/features.md, row 46).
std::string listings(const diagnose::Diagnosis& diagnosis, FunctionId function) {
    const Session& session = *diagnosis.session;
    std::string text;
    for (std::size_t row = 0; row < session.entries.size(); ++row) {
        const Entry& entry = session.entries[row];
        if (function.isValid() && entry.function != function)
            continue;
        std::string_view listing = session.text(entry.listing);
        while (listing.ends_with('\n'))
            listing.remove_suffix(1);
        text += fmt::format("{}{}\n{}\n", text.empty() ? "" : "\n",
                            report::entryName(session, diagnosis.names, EntryId(row)),
                            listing.empty() ? "listing not recorded" : report::cleanText(listing));
    }
    return text;
}

Status printSignatures(const Options& options, std::string& out) {
    const auto diagnosis = diagnoseFile(options.file);
    if (!diagnosis)
        return diagnosis.error();
    const Session& session = *(*diagnosis)->session;
    const FunctionId function = functionNamed(session, options.function);
    if (options.json) {
        out += report::signaturesJson(**diagnosis, function);
        return Done{};
    }
    out += report::warningLines(session);
    if (session.entries.empty())
        out += "No concrete functions are in this file.\n";
    else if (options.listing)
        out += listings(**diagnosis, function);
    else
        out += report::entryTable(**diagnosis, function).text();
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_option("-f,--function", options->function, "Only of this function");
    verb.add_flag("--listing", options->listing, "The engine's own listing of each signature");
    verb.add_flag("--json", options->json, "Print JSON");
    return [options](std::string& out) { return printSignatures(*options, out); };
}

} // namespace

Command signaturesCommand() {
    return {"signatures", "The concrete functions in each cache, and how often each served",
            "rscope signatures run.retrace --function train_step", declare};
}

} // namespace retracescope::cli
