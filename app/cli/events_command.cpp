#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/report/event_list.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/report/title.h>

#include "app/cli/command.h"
#include "app/cli/nearest_word.h"
#include "app/cli/session_argument.h"

namespace retracescope::cli {

using report::EventFilter;
using report::EventKind;

namespace {

constexpr double kNsPerSecond = 1e9;

struct Options {
    std::string file;
    std::vector<std::string> kinds;
    std::string function;
    std::string outcome;
    std::string text;
    double from = 0;
    double to = 0;
    bool hasFrom = false;
    bool hasTo = false;
    std::int64_t limit = 100;
    bool json = false;
};

EventKind kindNamed(const std::string& name) {
    const auto& names = report::eventKindNames();
    const auto it = std::ranges::find(names, name);
    if (it == names.end())
        throw UsageError(fmt::format("no event kind {}; known are {}", name, fmt::join(names, ", ")));
    return static_cast<EventKind>(it - names.begin());
}

void checkOutcome(const std::string& outcome) {
    static const std::vector<std::string> names{"hit", "traced", "eager", "error", "unknown"};
    if (!outcome.empty() && std::ranges::find(names, outcome) == names.end())
        throw UsageError(fmt::format("no outcome {}; known are {}", outcome, fmt::join(names, ", ")));
}

EventFilter filterOf(const Options& options, const session::Session& session) {
    EventFilter filter;
    for (const std::string& kind : options.kinds)
        filter.kinds.push_back(kindNamed(kind));
    filter.function = functionNamed(session, options.function);
    filter.outcome = options.outcome;
    filter.text = options.text;
    filter.limit = limitOf(options.limit);
    if (options.hasFrom)
        filter.fromNs = static_cast<std::int64_t>(options.from * kNsPerSecond);
    if (options.hasTo)
        filter.toNs = static_cast<std::int64_t>(options.to * kNsPerSecond);
    return filter;
}

void checkRange(const Options& options) {
    if (options.hasFrom && options.hasTo && options.from > options.to)
        throw UsageError(
            fmt::format("--from {} is later than --to {}; exchange them", options.from, options.to));
}

Status printEvents(const Options& options, std::string& out) {
    checkOutcome(options.outcome);
    checkRange(options);
    const auto session = openFile(options.file);
    if (!session)
        return session.error();
    const report::EventList events = report::listEvents(**session, filterOf(options, **session));
    if (options.json) {
        out += report::eventsJson(**session, events);
        return Done{};
    }
    out += report::warningLines(**session);
    if (events.matching == 0) {
        out += "No event matches.\n";
        return Done{};
    }
    out += report::eventTable(**session, events).text();
    if (events.events.size() < events.matching)
        out += fmt::format("{} more; --limit 0 lists all {}\n",
                           formatCount(static_cast<std::int64_t>(events.matching - events.events.size())),
                           formatCount(static_cast<std::int64_t>(events.matching)));
    return Done{};
}

Run declare(CLI::App& verb) {
    auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "A session or a file of another tool")->required();
    verb.add_option("-k,--kind", options->kinds,
                    fmt::format("Only these kinds: {}", fmt::join(report::eventKindNames(), ", ")))
        ->delimiter(',');
    verb.add_option("-f,--function", options->function, "Only of this function");
    verb.add_option("--outcome", options->outcome, "Only calls with it: hit, traced, eager, error, unknown");
    verb.add_option("--text", options->text, "Only events whose name or text holds this");
    const CLI::Option* from = verb.add_option("--from", options->from, "Seconds after the first event");
    const CLI::Option* to = verb.add_option("--to", options->to, "Seconds after the first event");
    verb.add_option("-n,--limit", options->limit, "At most so many, 0 for all")->capture_default_str();
    verb.add_flag("--json", options->json, "Print JSON");
    return [options, from, to](std::string& out) {
        options->hasFrom = from->count() > 0;
        options->hasTo = to->count() > 0;
        return printEvents(*options, out);
    };
}

} // namespace

Command eventsCommand() {
    return {"events", "Calls, misses, spans, kernels, marks and the log in time order",
            "rscope events run.retrace --kind call,miss --outcome traced --limit 20", declare};
}

} // namespace retracescope::cli
