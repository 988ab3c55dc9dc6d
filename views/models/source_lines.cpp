#include "views/models/source_lines.h"

#include <algorithm>
#include <set>

#include <QCoreApplication>

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

std::vector<SourcePlace> placesOf(const session::Session& session, session::FunctionId function,
                                  session::StackId stack) {
    std::vector<SourcePlace> places;
    if (stack.isValid()) {
        for (const session::Frame& frame : session[stack].frames)
            places.push_back(
                {fromUtf8(session.text(frame.function)), std::string(session.text(frame.file)), frame.line});
    }
    if (function.isValid() && !session.text(session[function].file).empty())
        places.push_back({QCoreApplication::translate("SourceLines", "%1 is defined here")
                              .arg(fromUtf8(session.text(session[function].name))),
                          std::string(session.text(session[function].file)), session[function].line});
    return places;
}

std::map<std::uint32_t, LineFacts> factsOfFile(const diagnose::Diagnosis& diagnosis, std::string_view file,
                                               session::FunctionId function, session::EntryId entry,
                                               const Job& job) {
    const session::Session& session = *diagnosis.session;
    std::map<std::uint32_t, LineFacts> facts;
    const session::StringId id = session.strings.find(file);
    if (!id.isValid() || file.empty())
        return facts;
    for (const session::Function& row : session.functions) {
        if (row.file == id && row.line > 0)
            facts[row.line].definesFunction = true;
    }
    for (const session::Miss& miss : session.misses) {
        if (job.cancel.requested())
            return {};
        if (!miss.stack.isValid() || (function.isValid() && miss.function != function))
            continue;
        std::set<std::uint32_t> lines; // a line that recurs in one stack counts once
        for (const session::Frame& frame : session[miss.stack].frames) {
            if (frame.file == id)
                lines.insert(frame.line);
        }
        for (const std::uint32_t line : lines) {
            facts[line].traces += !miss.withdrawn;
            facts[line].traceNs += std::max<std::int64_t>(0, miss.traceNs);
        }
    }
    if (entry.isValid() && session[entry].graph.isValid()) {
        for (const session::GraphNode& node : session[session[entry].graph].nodes) {
            if (node.file == id && node.line > 0)
                ++facts[node.line].nodes;
        }
    }
    return facts;
}

const session::Source* findSource(const session::Session& session, std::string_view file) {
    const auto it = std::ranges::find_if(session.sources, [&](const session::Source& source) {
        return session.text(source.path) == file && !file.empty();
    });
    return it == session.sources.end() ? nullptr : &*it;
}

} // namespace retracescope::views
