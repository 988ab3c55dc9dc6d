#pragma once

#include <map>
#include <vector>

#include <QString>

#include <retracescope/diagnose/overview.h>

namespace retracescope::views {

/// A place in the user's program that has to do with the selection.
struct SourcePlace {
    QString role; ///< "defined here", the frame's function
    std::string file;
    std::uint32_t line = 0;
};

/// What is known of one line of a file.
struct LineFacts {
    std::int64_t traces = 0;  ///< misses whose stack passes here
    std::int64_t traceNs = 0; ///< what those cost
    std::int64_t nodes = 0;   ///< made here, in the graph of the shown entry
    bool definesFunction = false;
};

/// Where a function is defined and the stack of one miss or call, innermost frame first.
std::vector<SourcePlace> placesOf(const session::Session& session, session::FunctionId function,
                                  session::StackId stack);

/// Facts by line number (from 1) of one file.
std::map<std::uint32_t, LineFacts> factsOfFile(const diagnose::Diagnosis& diagnosis, std::string_view file,
                                               session::FunctionId function, session::EntryId entry,
                                               const Job& job = {});

/// The kept text of a file, or nullptr.
const session::Source* findSource(const session::Session& session, std::string_view file);

} // namespace retracescope::views
