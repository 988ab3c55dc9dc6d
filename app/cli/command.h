#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/base/result.h>

namespace CLI {
class App;
}

/// rscope: one file per verb, listed in commands.cpp.
namespace retracescope::cli {

/// Does the work once the arguments are parsed. Appends what is to be printed to `out`. An Error ends with
/// exit code 1, a thrown UsageError with 2.
using Run = std::function<Status(std::string& out)>;

/// A verb.
struct Command {
    std::string_view name;
    std::string_view summary;       ///< one line for the list of verbs
    std::string_view example;       ///< a full command line, shown in the help and after a missing argument
    Run (*declare)(CLI::App& verb); ///< adds the options, which the returned function reads
};

/// All verbs, in the order of the help.
const std::vector<Command>& commands();

Command exampleCommand();
Command infoCommand();
Command functionsCommand();
Command signaturesCommand();
Command eventsCommand();
Command explainCommand();
Command graphCommand();
Command reportCommand();
Command importCommand();

} // namespace retracescope::cli
