#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <retracescope/base/example_programs.h>
#include <retracescope/report/tables.h>

#include "app/cli/command.h"
#include "app/cli/nearest_word.h"
#include "app/cli/output_argument.h"

extern char** environ;

namespace retracescope::cli {

namespace {

struct Options {
    std::string name;
    std::string output;
    bool list = false;
    bool json = false;
};

void printList(const std::vector<ExampleProgram>& examples, bool json, std::string& out) {
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const ExampleProgram& example : examples)
            list.push_back({{"name", example.name}, {"description", example.description}});
        out += nlohmann::ordered_json{{"examples", list}}.dump(1) + "\n";
        return;
    }
    report::Table table({{"Example"}, {"Shows"}});
    for (const ExampleProgram& example : examples)
        table.addRow({example.name, example.description});
    out += table.text();
}

/// Runs `folder/name output` with our standard streams and waits. Error: it could not be started, or how it
/// ended.
Status runExample(const std::filesystem::path& folder, const std::string& name, const std::string& output,
                  bool quiet) {
    std::string program = (folder / name).string();
    std::string target = output;
    char* const arguments[] = {program.data(), target.data(), nullptr};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults; // we ignore SIGPIPE, the program shall not
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (quiet)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failure = posix_spawn(&child, program.c_str(), &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0)
        return Error{fmt::format("cannot start the example {}: {}", program, std::strerror(failure))};
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        return Error{fmt::format("the example {} ended with signal {}", name, WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0)
        return Error{fmt::format("the example {} ended with exit code {}", name, WEXITSTATUS(status))};
    return Done{};
}

Status recordExample(const Options& options, std::string& out) {
    const auto folder = examplesFolder();
    const auto examples = readExamples(folder);
    if (!examples)
        return examples.error();
    if (options.list || options.name.empty()) {
        printList(*examples, options.json, out);
        return Done{};
    }
    std::vector<std::string> names;
    for (const ExampleProgram& example : *examples)
        names.push_back(example.name);
    if (std::ranges::find(names, options.name) == names.end())
        throw UsageError(fmt::format("no example {}{}", options.name,
                                     nearestWord(options.name, names).empty()
                                         ? "; 'rscope example --list' lists them"
                                         : didYouMean(options.name, names)));
    const std::string output = options.output.empty() ? options.name + ".retrace" : options.output;
    if (const Status place = checkSessionPlace(output); !place)
        return place;
    const Status status = runExample(folder, options.name, output, options.json);
    if (!status)
        return status;
    if (options.json)
        out += nlohmann::ordered_json{{"example", options.name}, {"output", output}}.dump(1) + "\n";
    else
        out += fmt::format("wrote {}; look at it with 'rscope explain {}'\n", output, output);
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("NAME", options->name, "Which example to run; without it they are listed");
    verb.add_option("-o,--output", options->output, "The session to write; else NAME.retrace");
    verb.add_flag("--list", options->list, "List the examples");
    verb.add_flag("--json", options->json, "Print JSON");
    return [options](std::string& out) { return recordExample(*options, out); };
}

} // namespace

Command exampleCommand() {
    return {"example", "Run an example program under the recorder",
            "rscope example process_data -o process_data.retrace", declare};
}

} // namespace retracescope::cli
