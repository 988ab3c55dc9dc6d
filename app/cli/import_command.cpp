#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <retracescope/base/units.h>
#include <retracescope/report/title.h>
#include <retracescope/session/file.h>
#include <retracescope/session/merge.h>

#include "app/cli/command.h"
#include "app/cli/output_argument.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

using namespace session;

namespace {

struct Options {
    std::vector<std::string> files;
    std::string output;
    bool json = false;
};

Result<SessionPtr> openAll(const std::vector<std::string>& files) {
    if (files.size() == 1)
        return openFile(files.front());
    std::vector<SessionPtr> sessions;
    for (const std::string& file : files) {
        auto session = openFile(file);
        if (!session)
            return session.error();
        sessions.push_back(*session);
    }
    return SessionPtr(std::make_shared<const Session>(mergeSessions(sessions)));
}

Status importFiles(const Options& options, std::string& out) {
    refuseToOverwrite(options.files, options.output);
    if (!isFreeForSession(options.output))
        throw UsageError(fmt::format("{} exists and is no session; choose another place", options.output));
    const auto session = openAll(options.files);
    if (!session)
        return session.error();
    const Status status = writeSession(**session, options.output);
    if (!status)
        return status;
    const auto events = static_cast<std::int64_t>((*session)->eventCount());
    const auto graphs = static_cast<std::int64_t>((*session)->graphs.size());
    if (options.json) {
        const nlohmann::ordered_json answer{{"output", options.output},
                                            {"files", options.files},
                                            {"events", events},
                                            {"graphs", graphs},
                                            {"warnings", report::warningsOf(**session)}};
        out += answer.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
        return Done{};
    }
    out += report::warningLines(**session);
    out += fmt::format("wrote {}: {}, {}\n", options.output, formatPlural(events, "event", "events"),
                       formatPlural(graphs, "graph", "graphs"));
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->files, "Files of other tools; several become one session")->required();
    verb.add_option("-o,--output", options->output, "The session to write")->required();
    verb.add_flag("--json", options->json, "Print JSON");
    return [options](std::string& out) { return importFiles(*options, out); };
}

} // namespace

Command importCommand() {
    return {"import", "Turn files of other tools into a session",
            "rscope import trace.json.gz -o trace.retrace", declare};
}

} // namespace retracescope::cli
