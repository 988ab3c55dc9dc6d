#pragma once

#include <string>
#include <vector>

#include <retracescope/base/result.h>

namespace retracescope::cli {

/// Throws UsageError if `output` is one of the files that are read, by whatever name.
void refuseToOverwrite(const std::vector<std::string>& inputs, const std::string& output);

/// True if a session may be written there: nothing is there, or a session, or an empty file.
bool isFreeForSession(const std::string& output);

/// Whether a session can be made there, found out by making an empty file if there is none.
Status checkSessionPlace(const std::string& output);

/// A format that a verb writes.
struct OutputFormat {
    std::string name;
    std::vector<std::string> endings; ///< of files that hold it: ".html"
};

/// The name of the format to write: as `asked`, else as the output's name ends, else the first. Throws
/// UsageError if that is none of `formats`; `what` is written: "graph".
std::string chosenFormat(const std::string& what, const std::vector<OutputFormat>& formats,
                         const std::string& asked, const std::string& output);

/// True if `output` is empty or "-".
bool isTerminal(const std::string& output);

/// Writes `text` to `output` and says so in `out`; to `out` itself if that is the terminal.
Status writeText(const std::string& text, const std::string& output, std::string& out);

} // namespace retracescope::cli
