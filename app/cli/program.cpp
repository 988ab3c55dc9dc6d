#include "app/cli/program.h"

#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <retracescope/session/file.h>

#include "app/cli/command.h"
#include "app/cli/nearest_word.h"

namespace retracescope::cli {

namespace {

std::vector<std::string> verbNames() {
    std::vector<std::string> names;
    for (const Command& command : commands())
        names.emplace_back(command.name);
    return names;
}

std::string versionText() {
    return fmt::format("rscope {}, session files {}.{}", RETRACESCOPE_VERSION, session::kMajorVersion,
                       session::kMinorVersion);
}

/// A first argument that is neither a verb nor an option.
std::string unknownVerb(const std::string& typed) {
    std::error_code error;
    if (std::filesystem::exists(typed, error))
        return fmt::format("{} is a file, not a verb; try 'rscope info {}'", typed, typed);
    const std::string guess = didYouMean(typed, verbNames());
    return fmt::format("no verb {}{}", typed, guess.empty() ? "; 'rscope --help' lists them" : guess);
}

std::vector<std::string> optionNames(const CLI::App& verb) {
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

/// What was wrong with the arguments of a verb, and what to type.
std::string wrongArguments(const CLI::App& verb, const Command& command, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::string extra = verb.remaining().empty() ? "argument" : verb.remaining().front();
        if (!extra.starts_with("-"))
            return fmt::format("{}: {} is one argument too many; for instance '{}'", command.name, extra,
                               command.example);
        const std::string guess = didYouMean(extra.substr(0, extra.find('=')), optionNames(verb));
        return fmt::format("{}: no option {}{}", command.name, extra,
                           guess.empty() ? fmt::format("; 'rscope {} --help' lists them", command.name)
                                         : guess);
    }
    std::string what = error.what();
    // Every option whose text is converted takes a number; CLI11 says "Could not convert: --limit = x".
    if (static const std::string start = "Could not convert: "; what.starts_with(start)) {
        const std::size_t equals = what.find(" = ", start.size());
        if (equals != std::string::npos)
            what = fmt::format("{} should be a number, not {}",
                               what.substr(start.size(), equals - start.size()), what.substr(equals + 3));
    }
    std::ranges::replace(what, '\n', ' ');
    return fmt::format("{}: {}; for instance '{}'", command.name, what, command.example);
}

Answer wrongUse(std::string message) {
    return {{}, std::move(message), kWrongUse};
}

/// Declares all verbs; `runs` is by row of commands().
void declareVerbs(CLI::App& app, std::vector<CLI::App*>& verbs, std::vector<Run>& runs) {
    for (const Command& command : commands()) {
        CLI::App* verb = app.add_subcommand(std::string(command.name), std::string(command.summary));
        verb->footer(fmt::format("Example:\n  {}", command.example));
        runs.push_back(command.declare(*verb));
        verbs.push_back(verb);
    }
}

Answer runVerb(const Command& command, const Run& run) {
    Answer answer;
    try {
        const Status status = run(answer.out);
        if (!status) {
            answer.error = status.error().message;
            answer.exitCode = kFailed;
        }
    } catch (const UsageError& error) {
        answer = wrongUse(fmt::format("{}: {}", command.name, error.what()));
    }
    return answer;
}

} // namespace

Answer runProgram(const std::vector<std::string>& arguments) {
    if (arguments.empty())
        return wrongUse(
            fmt::format("which verb? {}; 'rscope --help' explains them", fmt::join(verbNames(), ", ")));
    CLI::App app{"Shows why traced functions retrace, what that costs, and the edit that stops it", "rscope"};
    app.set_version_flag("--version", versionText());
    app.require_subcommand(1);
    app.footer(
        "'rscope VERB --help' explains a verb. Exit codes: 0 done, 1 could not read or do it, 2 wrong use.");
    std::vector<CLI::App*> verbs;
    std::vector<Run> runs;
    declareVerbs(app, verbs, runs);
    const std::string& first = arguments.front();
    const auto names = verbNames();
    if (!first.starts_with("-") && std::ranges::find(names, first) == names.end())
        return wrongUse(unknownVerb(first));
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        const std::string help = app.help();
        return {help.substr(help.find_first_not_of('\n')), {}, kDone};
    } catch (const CLI::CallForVersion&) {
        return {versionText() + "\n", {}, kDone};
    } catch (const CLI::ParseError& error) {
        for (std::size_t row = 0; row < verbs.size(); ++row) {
            if (first == commands()[row].name)
                return wrongUse(wrongArguments(*verbs[row], commands()[row], error));
        }
        return wrongUse(fmt::format("no option {}; 'rscope --help' lists what there is", first));
    }
    const auto row =
        static_cast<std::size_t>(std::ranges::find(verbs, app.get_subcommands().front()) - verbs.begin());
    return runVerb(commands()[row], runs[row]);
}

} // namespace retracescope::cli
