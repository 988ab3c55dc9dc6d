/// oracle_replay FILE... [--policy tensorflow|own] [--deviations FILE]
/// Replays recorded scenarios of tf.function on the engine and prints a line for each; exit 1 if one failed.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "tests/oracle/suite.h"

int main(int argc, char** argv) {
    std::string policy = "tensorflow";
    std::string deviations = RETRACESCOPE_DEVIATIONS;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if ((argument == "--policy" || argument == "--deviations") && i + 1 < argc)
            (argument == "--policy" ? policy : deviations) = argv[++i];
        else
            files.push_back(argument);
    }
    if (files.empty() || files[0].starts_with("--")) {
        std::fprintf(stderr, "usage: oracle_replay FILE... [--policy tensorflow|own] [--deviations FILE]\n");
        return 2;
    }
    try {
        std::vector<retracescope::oracle::Json> scenarios;
        for (const std::string& file : files)
            for (retracescope::oracle::Json& scenario : retracescope::oracle::readScenarios(file))
                scenarios.push_back(std::move(scenario));
        const auto tally = retracescope::oracle::run(scenarios, policy, deviations);
        for (const std::string& line : tally.lines)
            std::printf("%s\n", line.c_str());
        std::printf("%d passed, %d failed, %d deviations, %d skipped\n", tally.passed, tally.failed,
                    tally.deviations, tally.skipped);
        return tally.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "oracle_replay: %s\n", error.what());
        return 2;
    }
}
