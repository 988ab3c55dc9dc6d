#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <retracescope/report/tables.h>

#include "app/cli/command.h"
#include "app/cli/example_list.h"
#include "app/cli/nearest_word.h"
#include "app/cli/output_argument.h"

namespace retracescope::cli {

namespace {

struct Options {
    std::string name;
    std::string output;
    bool list = false;
    bool json = false;
};

void printList(const std::vector<Example>& examples, bool json, std::string& out) {
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Example& example : examples)
            list.push_back({{"name", example.name}, {"description", example.description}});
        out += nlohmann::ordered_json{{"examples", list}}.dump(1) + "\n";
        return;
    }
    report::Table table({{"Example"}, {"Shows"}});
    for (const Example& example : examples)
        table.addRow({example.name, example.description});
    out += table.text();
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
    for (const Example& example : *examples)
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
