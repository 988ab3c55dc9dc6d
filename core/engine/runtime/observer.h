#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/types/component.h>

namespace retracescope::ir {
class Graph;
}

/// What the engine tells whoever listens in its own terms. Nothing in the engine
/// knows who that is. With no observer set, a call pays one relaxed load. All times are base/clock.h ticks.
namespace retracescope::runtime {

/// Ids are process-wide, given once, never reused; 0 = none.
using FunctionKey = std::uint32_t;
using EntryKey = std::uint32_t;

enum class CallOutcome : std::uint8_t { Hit, Traced, Eager, Error };

struct SourcePlace {
    std::string_view file;
    std::string_view function;
    std::uint32_t line = 0;
    std::uint32_t column = 0; ///< from 1 on, in bytes; 0 = not known
};

/// A function, told before its first event to a new observer.
struct FunctionFacts {
    FunctionKey function = 0;
    FunctionKey parent = 0;
    std::string_view name;
    std::string parameters;     ///< "x, use_extra_feature"
    std::string options;        ///< "reduce_retracing=True"; empty if none
    std::string inputSignature; ///< empty if none
    SourcePlace definedAt;
    std::uint64_t since = 0; ///< when the engine began to put this together for the observer; 0 = not told
};

/// A lookup that found nothing, told before the trace starts. It was compared with all entries of the
/// function that were told and not dropped, in that order. What the first phase of a creating call made is
/// none yet.
struct MissFacts {
    FunctionKey function = 0;
    std::uint32_t callNumber = 0; ///< 1-based; 0 = asked for without a call
    std::uint64_t at = 0;
    std::vector<types::Component> request;
    std::string requestText;
    std::vector<types::Component> widened; ///< empty if the request itself is traced
    std::string widenedText;
    std::vector<types::MissKind>
        otherKinds; ///< FirstCall, Phase, FailedBefore, Cleared: no difference to an entry
    SourcePlace calledAt;
    std::uint64_t since = 0; ///< as FunctionFacts::since
};

/// End of the trace that began at `begin` on this thread. The first trace of a call that creates variables is
/// told to have ended when the second shows what became of it: before the second's entry, or after its
/// failure.
struct TraceFacts {
    FunctionKey function = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;      ///< passes and plan included
    std::string_view exception; ///< empty if it succeeded
    std::uint32_t bodyRuns = 0; ///< of the function so far, failures included
    bool withdrawn = false;     ///< it succeeded, but the second trace of its call failed: no entry
};

/// A concrete function that was added to its function's cache, told before the trace's end.
struct EntryFacts {
    EntryKey entry = 0;
    FunctionKey function = 0;
    std::uint64_t traceBegin = 0; ///< of the trace that made it; 0 = made before this observer listened
    std::string name;
    std::vector<types::Component> stored;
    std::string storedText;
    std::string listing; ///< multi-line signature text
    std::string output;
    std::uint32_t captures = 0;
    bool relaxed = false;
    std::shared_ptr<const ir::Graph> graph; ///< never changes; an observer may keep it
    std::uint64_t since = 0;                ///< as FunctionFacts::since
};

/// One finished call: the only event on the path of a hit. Told by tellCall() (call_slots.h).
struct CallFacts {
    FunctionKey function = 0;
    EntryKey entry = 0; ///< 0 if none served it
    std::uint32_t number = 0;
    CallOutcome outcome = CallOutcome::Hit;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t traceTicks = 0; ///< spent tracing inside, 0 on hits
};

/// A named piece of work inside a trace or a call: "trace", a pass's name, "plan", "execute".
struct PhaseFacts {
    std::string_view kind; ///< "trace", "optimise", "plan", "execute"
    std::string_view name; ///< static text
    FunctionKey function = 0;
    EntryKey entry = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

enum class DropReason : std::uint8_t { Cleared, Evicted, Dead };

class Observer {
public:
    virtual ~Observer() = default;

    // Rare events; may allocate and lock. Called on the thread they happen on.
    virtual void onFunction(const FunctionFacts& facts) = 0;
    virtual void onMiss(const MissFacts& facts) = 0;
    virtual void onTraceBegin(FunctionKey function, std::uint64_t at) = 0;
    virtual void onEntry(const EntryFacts& facts) = 0;
    virtual void onTraceEnd(const TraceFacts& facts) = 0;
    virtual void onPhase(const PhaseFacts& facts) = 0;
    virtual void onDrop(EntryKey entry, DropReason reason, std::uint64_t at) = 0;
    virtual void onWarning(FunctionKey function, std::string_view text, std::uint64_t at) = 0;

    /// Every call that found no room in slots which the observer has lent (call_slots.h); must neither lock
    /// nor allocate in steady state.
    virtual void onCall(const CallFacts& facts) noexcept = 0;

    /// Asked once per installation: whether node times are wanted.
    virtual bool wantsNodes() const { return false; }

    /// The n nodes of EntryFacts::graph in one run, by id: `boundaries` holds n + 1 stamps, node i lasts from
    /// i to i + 1. Nodes that cost nothing at run time (arguments, constants) last zero ticks.
    virtual void onNodes(EntryKey /*entry*/, std::span<const std::uint64_t> /*boundaries*/) noexcept {}
};

/// Installs `observer` for the whole process, or none; returns the one before. The caller owns both and must
/// keep an observer alive until calls that may have seen it have ended (Recorder's lives for ever).
Observer* setObserver(Observer* observer);

/// Who listens since one setObserver(). Each has a number of its own, growing from 1, so that functions
/// announce themselves again. Never freed: a call may look at it at any later time.
struct Installation {
    Observer* observer;
    std::uint32_t generation;
    bool wantsNodes;
};

namespace detail {
extern std::atomic<const Installation*> currentInstallation;
} // namespace detail

/// Null if nobody listens. One pointer, so that an observer is never taken for that of another generation.
inline const Installation* installation() noexcept {
    return detail::currentInstallation.load(std::memory_order_acquire);
}

inline Observer* observerOf(const Installation* listening) noexcept {
    return listening == nullptr ? nullptr : listening->observer;
}
inline Observer* observer() noexcept {
    return observerOf(installation());
}

/// The observer if it wants node times.
inline Observer* nodeObserver() noexcept {
    const Installation* now = installation();
    return now != nullptr && now->wantsNodes ? now->observer : nullptr;
}

} // namespace retracescope::runtime
