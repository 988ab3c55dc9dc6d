#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <retracescope/engine/runtime/observer.h>

/// What the observer hears seldom, with texts of its own. Times are ticks.
namespace retracescope::record {

/// A thread that something was heard on.
struct ThreadIdentity {
    std::uint32_t number = 0; ///< 0, 1, ... in order of first event
    std::int64_t systemId = 0;
    std::string name; ///< as the system knows it; "main" for the first thread
};

struct FunctionEvent {
    runtime::FunctionFacts facts; ///< its views point into the two texts below
    std::string name;
    std::string file;
};

struct MissEvent {
    runtime::MissFacts facts; ///< calledAt: see below
    std::string file;
    std::string function;
};

struct TraceBeginEvent {
    runtime::FunctionKey function = 0;
    std::uint64_t at = 0;
};

struct EntryEvent {
    runtime::EntryFacts facts;
    std::uint64_t at = 0;
};

struct TraceEndEvent {
    runtime::TraceFacts facts;
    std::string exception;
};

struct PhaseEvent {
    runtime::PhaseFacts facts;
    std::string kind;
    std::string name;
};

struct DropEvent {
    runtime::EntryKey entry = 0;
    runtime::DropReason reason{};
    std::uint64_t at = 0;
};

struct WarningEvent {
    runtime::FunctionKey function = 0;
    std::string text;
    std::uint64_t at = 0;
};

struct MarkEvent {
    std::string text;
    std::uint64_t at = 0;
};

using RareFacts = std::variant<FunctionEvent, MissEvent, TraceBeginEvent, EntryEvent, TraceEndEvent,
                               PhaseEvent, DropEvent, WarningEvent, MarkEvent>;

struct RareEvent {
    ThreadIdentity thread; ///< that it happened on
    RareFacts facts;
};

} // namespace retracescope::record
