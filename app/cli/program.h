#pragma once

#include <string>
#include <vector>

namespace retracescope::cli {

enum ExitCode : int { kDone = 0, kFailed = 1, kWrongUse = 2 };

/// What a run of the program prints, and how it ends.
struct Answer {
    std::string out;
    std::string error; ///< one line without "rscope: " and line break; empty if all went well
    int exitCode = kDone;
};

/// Runs the program with these arguments, the program's own name left out.
Answer runProgram(const std::vector<std::string>& arguments);

} // namespace retracescope::cli
