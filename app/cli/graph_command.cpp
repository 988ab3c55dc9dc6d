#include <algorithm>
#include <charconv>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <retracescope/report/graph_dot.h>
#include <retracescope/report/graph_json.h>
#include <retracescope/report/graph_svg.h>
#include <retracescope/report/graph_text.h>
#include <retracescope/report/title.h>

#include "app/cli/command.h"
#include "app/cli/nearest_word.h"
#include "app/cli/output_argument.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

using namespace session;

namespace {

struct Options {
    std::string file;
    std::string function;
    std::string format;
    std::string output;
    bool json = false;
};

struct Wanted {
    std::string name;
    std::uint32_t number = 0; ///< of the entry; 0 = the first that has a graph
};

/// "f#2" is entry 2 of f. A name that ends otherwise is taken whole.
Wanted parseWanted(const std::string& text) {
    const std::size_t hash = text.rfind('#');
    if (hash == std::string::npos)
        return {text, 0};
    std::uint32_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + hash + 1, last, number);
    if (error != std::errc() || end != last || number == 0)
        throw UsageError(
            fmt::format("{} is no entry; write FUNCTION#1 for the first concrete function", text));
    return {text.substr(0, hash), number};
}

/// Functions with graphs, then graphs that belong to no function.
std::vector<std::string> namesOf(const Session& session) {
    std::vector<std::string> names;
    std::set<GraphId> owned;
    std::set<FunctionId> owners;
    for (const Entry& entry : session.entries) {
        if (entry.graph.isValid() && owned.insert(entry.graph).second && owners.insert(entry.function).second)
            names.emplace_back(session.text(session[entry.function].name));
    }
    for (std::size_t row = 0; row < session.graphs.size(); ++row) {
        if (!owned.contains(GraphId(row)))
            names.emplace_back(session.text(session.graphs[row].name));
    }
    return names;
}

std::string knownNames(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNames = 5;
    const std::size_t told = std::min(names.size(), kMostNames);
    return fmt::format("; known are {}{}",
                       fmt::join(names.begin(), names.begin() + std::ptrdiff_t(told), ", "),
                       told < names.size() ? fmt::format(" and {} more", names.size() - told) : "");
}

GraphId graphOfEntry(const Session& session, const Wanted& wanted) {
    bool isFunction = false;
    std::vector<std::uint32_t> numbers;
    for (const Entry& entry : session.entries) {
        if (!isNamed(session, entry.function, wanted.name))
            continue;
        isFunction = true;
        numbers.push_back(entry.number);
        if (entry.graph.isValid() && (wanted.number == 0 || wanted.number == entry.number))
            return entry.graph;
        if (wanted.number == entry.number)
            throw UsageError(fmt::format("the graph of {}#{} was not recorded", wanted.name, entry.number));
    }
    if (isFunction && wanted.number == 0)
        throw UsageError(fmt::format("no graph of {} was recorded", wanted.name));
    if (isFunction)
        throw UsageError(fmt::format("no graph {}#{}; {} has entries {}", wanted.name, wanted.number,
                                     wanted.name, fmt::join(numbers, ", ")));
    return {};
}

GraphId chosenGraph(const Session& session, const std::string& text) {
    if (session.graphs.empty())
        throw UsageError("no graphs are in this file");
    if (text.empty()) {
        if (session.graphs.size() == 1)
            return GraphId(std::uint32_t{0});
        throw UsageError(
            fmt::format("which graph? name a function, for instance {}", namesOf(session).front()));
    }
    for (std::size_t row = 0; row < session.graphs.size(); ++row) {
        if (session.text(session.graphs[row].name) == text)
            return GraphId(row);
    }
    const Wanted wanted = parseWanted(text);
    const GraphId graph = graphOfEntry(session, wanted);
    if (graph.isValid())
        return graph;
    const std::vector<std::string> names = namesOf(session);
    const std::string near = didYouMean(wanted.name, names);
    throw UsageError(fmt::format("no graph {}{}", text, near.empty() ? knownNames(names) : near));
}

Result<std::string> drawn(const Session& session, GraphId id, const std::string& format) {
    const Graph& graph = session[id];
    if (format == "dot")
        return report::graphDot(session, graph);
    if (format == "svg")
        return report::graphSvg(session, graph);
    if (format == "json")
        return report::graphJson(session, graph);
    return report::graphText(session, graph);
}

const std::vector<OutputFormat>& formats() {
    static const std::vector<OutputFormat> all{
        {"text", {".txt"}}, {"dot", {".dot", ".gv"}}, {"svg", {".svg"}}, {"json", {".json"}}};
    return all;
}

Status writeGraph(const Options& options, std::string& out) {
    refuseToOverwrite({options.file}, options.output);
    const std::string format =
        chosenFormat("graph", formats(), options.json ? "json" : options.format, options.output);
    const auto session = openFile(options.file);
    if (!session)
        return session.error();
    const auto text = drawn(**session, chosenGraph(**session, options.function), format);
    if (!text)
        return text.error();
    if (format == "text" && isTerminal(options.output)) // the other formats are for programs
        out += report::warningLines(**session);
    return writeText(*text, options.output, out);
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_option("FUNCTION", options->function,
                    "FUNCTION, FUNCTION#2 for its second entry, or a graph's name");
    verb.add_option("--format", options->format, "text, dot, svg or json; else as the output's name ends");
    verb.add_option("-o,--output", options->output, "Where to write; else, or with -, to the terminal");
    verb.add_flag("--json", options->json, "The same as --format json");
    return [options](std::string& out) { return writeGraph(*options, out); };
}

} // namespace

Command graphCommand() {
    return {"graph", "The graph of a concrete function as text, DOT, SVG or JSON",
            "rscope graph run.retrace train_step#1 --format svg -o train_step.svg", declare};
}

} // namespace retracescope::cli
