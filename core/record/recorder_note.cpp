#include <retracescope/record/recorder_note.h>

#include <sstream>

#include <fmt/format.h>

namespace retracescope::record {

std::string RecorderNote::text() const {
    std::string text = fmt::format("{} {}", recording, journal);
    for (const Ring& ring : rings)
        text += fmt::format(" ring {} {}", ring.thread, ring.position);
    for (const OpenTrace& trace : open)
        text += fmt::format(" open {} {} {} {} {} {}", trace.thread, trace.function, trace.miss, trace.entry,
                            trace.begin, trace.innerTicks);
    return text;
}

std::optional<RecorderNote> RecorderNote::from(std::string_view text) {
    std::istringstream in{std::string(text)};
    RecorderNote note;
    if (!(in >> note.recording >> note.journal))
        return std::nullopt;
    for (std::string what; in >> what;) {
        if (what == "ring") {
            Ring& ring = note.rings.emplace_back();
            in >> ring.thread >> ring.position;
        } else if (what == "open") {
            OpenTrace& trace = note.open.emplace_back();
            in >> trace.thread >> trace.function >> trace.miss >> trace.entry >> trace.begin >>
                trace.innerTicks;
        } else {
            return std::nullopt;
        }
        if (!in)
            return std::nullopt;
    }
    return note;
}

} // namespace retracescope::record
