#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/report/explain_text.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/report/title.h>

#include "app/cli/command.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

using namespace session;

namespace {

struct Options {
    std::string file;
    std::string function;
    std::string typedCall;
    std::uint64_t call = 0; ///< 0 = all
    std::int64_t limit = 0;
    bool all = false;
    bool json = false;
};

/// What --call names, 0 if it is not given.
std::uint64_t callNumberOf(const std::string& typed) {
    if (typed.empty())
        return 0;
    std::uint64_t number = 0;
    const char* const last = typed.data() + typed.size();
    const auto [end, error] = std::from_chars(typed.data(), last, number);
    if (error != std::errc() || end != last || number == 0)
        throw UsageError(fmt::format("no call {}: calls are numbered from 1", typed));
    return number;
}

std::vector<MissId> chosenMisses(const Session& session, const Options& options) {
    functionNamed(session, options.function); // says so if there is none
    std::vector<MissId> misses;
    for (std::size_t row = 0; row < session.misses.size(); ++row) {
        const Miss& miss = session.misses[row];
        if (!options.function.empty() && !isNamed(session, miss.function, options.function))
            continue;
        if (options.call == 0 || miss.callNumber == options.call)
            misses.push_back(MissId(row));
    }
    return misses;
}

std::vector<CallId> chosenUnexplained(const diagnose::Diagnosis& diagnosis, const Options& options) {
    const Session& session = *diagnosis.session;
    std::vector<CallId> calls = diagnose::unexplainedCalls(diagnosis);
    std::erase_if(calls, [&](CallId call) {
        const bool isOther = !options.function.empty() &&
                             !isNamed(session, session.calls.function[call.value], options.function);
        return isOther || (options.call > 0 && session.calls.number[call.value] != options.call);
    });
    return calls;
}

/// Says so if no function that is asked for was called that often; a file may hold misses without calls.
void checkCall(const Session& session, const Options& options) {
    std::uint32_t last = 0;
    for (std::size_t row = 0; row < session.calls.size(); ++row) {
        if (options.function.empty() || isNamed(session, session.calls.function[row], options.function))
            last = std::max(last, session.calls.number[row]);
    }
    if (last == 0 || options.call <= last)
        return;
    const std::string calls = formatPlural(last, "call", "calls");
    throw UsageError(options.function.empty()
                         ? fmt::format("no call {}: no function has more than {}", options.call, calls)
                         : fmt::format("no call {}: {} has {}", options.call, options.function, calls));
}

Status printMisses(const Options& options, std::string& out) {
    const std::size_t limit = limitOf(options.limit);
    const auto diagnosis = diagnoseFile(options.file);
    if (!diagnosis)
        return diagnosis.error();
    const Session& session = *(*diagnosis)->session;
    std::vector<MissId> misses = chosenMisses(session, options);
    const std::size_t all = misses.size();
    if (misses.empty())
        checkCall(session, options);
    if (limit > 0 && misses.size() > limit)
        misses.resize(limit);
    if (options.json) {
        out += report::explainJson(**diagnosis, misses, chosenUnexplained(**diagnosis, options));
        return Done{};
    }
    out += fmt::format("{}\n{}\n", (*diagnosis)->headline, (*diagnosis)->subline);
    out += report::warningLines(session);
    if (misses.empty() && !session.misses.empty())
        out +=
            options.call > 0 ? fmt::format("\nCall {} did not miss.\n", options.call) : "\nNo call missed.\n";
    for (const MissId miss : misses)
        out += "\n" + report::explainText(**diagnosis, miss,
                                          options.all ? report::Entries::All : report::Entries::Few);
    if (misses.size() < all)
        out += fmt::format("\n{} more; leave out --limit to list all\n",
                           formatCount(static_cast<std::int64_t>(all - misses.size())));
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_option("-f,--function", options->function, "Only misses of this function");
    verb.add_option("-c,--call", options->typedCall, "Only the miss of this call number")->type_name("UINT");
    verb.add_option("-n,--limit", options->limit, "At most so many");
    verb.add_flag("-a,--all", options->all, "List every entry that was compared, not the nearest three");
    verb.add_flag("--json", options->json, "Print JSON");
    return [options](std::string& out) {
        options->call = callNumberOf(options->typedCall);
        return printMisses(*options, out);
    };
}

} // namespace

Command explainCommand() {
    return {"explain", "Why each call missed, what the trace cost, and the edit that follows",
            "rscope explain run.retrace --function train_step", declare};
}

} // namespace retracescope::cli
