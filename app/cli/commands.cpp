#include "app/cli/command.h"

namespace retracescope::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> all{
        exampleCommand(), infoCommand(),  functionsCommand(), signaturesCommand(), eventsCommand(),
        explainCommand(), graphCommand(), reportCommand(),    importCommand(),
    };
    return all;
}

} // namespace retracescope::cli
