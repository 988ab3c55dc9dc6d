#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <retracescope/importers/decimal.h>

namespace retracescope::importers {

/// One argument of an event: key, and the value as text (a string unescaped, anything else as written).
struct ChromeArgument {
    enum class Kind : std::uint8_t { Text, Number, Bool, Null, Nested };

    std::string_view key;
    std::string_view value;
    Kind kind = Kind::Null;
};

/// A time field of an event as the file gives it.
struct ChromeTime {
    enum class State : std::uint8_t { Missing, Unusable, TooLarge, Given };

    State state = State::Missing;
    Picotime value;
    bool negative = false;
};

/// One element of a Chrome trace's array of events, decoded. Views last until the next one is decoded.
/// Missing process and thread ids read "0"; an event without a phase is none.
struct ChromeEvent {
    enum class Kind : std::uint8_t { Event, NotAnObject, EmptyObject, NoPhase };

    Kind kind = Kind::Event;
    std::string_view phase;
    std::string_view name;
    std::string_view category;
    std::string_view processId = "0";
    std::string_view threadId = "0";
    std::string_view id;
    ChromeTime start;          ///< "ts"
    ChromeTime duration;       ///< "dur"
    ChromeTime threadDuration; ///< "tdur"
    std::string_view args;     ///< the object as written; empty if there is none or it is no object
    /// Only of metadata, counters and TensorFlow function calls; a doubled key counts once, with its last
    /// value.
    std::vector<ChromeArgument> arguments;
};

} // namespace retracescope::importers
