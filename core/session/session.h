#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <retracescope/base/ids.h>
#include <retracescope/session/strings.h>
#include <retracescope/types/component.h>

/// The model of one recorded or imported run. Plain tables; a row number is an id. Filled once by a reader,
/// the recorder's file or an importer, then shared as `std::shared_ptr<const Session>` and never changed.
/// Times are nanoseconds of the source's own clock (Session::originNs is the time that views show as 0).
/// What a source does not know stays at its "not recorded" value: kNotRecorded, an invalid id, an empty list.
namespace retracescope::session {

using FunctionId = Id<struct FunctionTag>;
using SignatureId = Id<struct SignatureTag>;
using EntryId = Id<struct EntryTag>;
using MissId = Id<struct MissTag>;
using GraphId = Id<struct GraphTag>;
using LaneId = Id<struct LaneTag>;
using StackId = Id<struct StackTag>;
using CallId = Id<struct CallTag>; ///< row of CallTable

inline constexpr std::int64_t kNotRecorded = -1;

/// A traced function: what tf.function, jax.jit, torch.compile or our Function made.
struct Function {
    StringId name;
    StringId qualifiedName;
    StringId engine; ///< "retracescope", "tensorflow", "jax", "torch"
    StringId file;   ///< where its body is defined; empty = not recorded
    std::uint32_t line = 0;
    StringId parameters;     ///< "x, use_extra_feature" as declared
    StringId options;        ///< "reduce_retracing=True"; empty if none
    StringId inputSignature; ///< empty if none is fixed
    FunctionId parent;       ///< the one it was cloned from or is an instance of
    std::int64_t madeNs = kNotRecorded;
    std::int64_t bodyRuns =
        kNotRecorded; ///< how often the body ran to trace, failures and second phases included
};

/// A cache key component by component. Requests and stored keys share this table; equal ones are one row.
struct Signature {
    std::vector<types::Component> components;
    StringId text; ///< one line in the engine's own notation
};

enum class EntryState : std::uint8_t { Alive, Dead, Cleared, Evicted };

/// A concrete function in one function's cache.
struct Entry {
    FunctionId function;
    std::uint32_t number = 0; ///< 1, 2, ... within its function, in order of creation
    SignatureId signature;    ///< the stored key
    bool relaxed = false;     ///< the stored key was widened from the request
    StringId name;            ///< the engine's own name
    StringId output;          ///< type of the result, one line
    StringId listing;         ///< the engine's multi-line signature text (features.md, row 46)
    GraphId graph;
    std::int64_t madeNs = kNotRecorded;
    std::int64_t traceNs = kNotRecorded; ///< trace and passes, inner traces left out
    std::int64_t nodeCount = kNotRecorded;
    std::int64_t captureCount = kNotRecorded;
    EntryState state = EntryState::Alive;
    std::int64_t droppedNs = kNotRecorded;
};

/// One cached entry that a miss was compared with, and what kept it from serving.
struct Competing {
    EntryId entry;
    std::vector<types::Difference>
        differences; ///< the blocking set; kind Dead, Cleared ... with an empty path if gone
    StringId reason; ///< the engine's own words, kept as evidence
};

/// A lookup without an entry.
struct Miss {
    FunctionId function;
    CallId call; ///< the call that asked; none when the program asked for a concrete function
    std::uint32_t callNumber = 0; ///< 1-based within the function; 0 = not a call
    std::int64_t timeNs = 0;
    SignatureId request;
    SignatureId widened;    ///< the relaxed key that was traced instead; none if not relaxed
    EntryId entry;          ///< what the trace made; none if it failed
    StringId exception;     ///< message if the trace failed
    bool withdrawn = false; ///< the trace succeeded, but the second one of its variable-creating call failed
    /// Reasons that are no difference to an entry: FirstCall, NewCallable, Phase, FailedBefore, NotExplained.
    std::vector<types::MissKind> otherKinds;
    /// How many entries of the function had been made. Of those numbered up to it, the ones that had not been
    /// dropped by timeNs were compared, unless `competing` says otherwise.
    std::uint32_t entriesBefore = 0;
    std::vector<Competing> competing; ///< where the keys do not tell: all entries compared, in engine order
    std::int64_t traceNs = kNotRecorded;
    StackId stack;
};

struct GraphAttribute {
    StringId name;
    StringId value;
};

struct GraphEdge {
    std::uint32_t from =
        Id<void>::kNone;      ///< node row in the same graph; kNone = leads outside (see `external`)
    std::uint32_t output = 0; ///< which output of `from`
    bool control = false;
    StringId external; ///< the name as written when `from` is none
    StringId type;     ///< dtype and shape of the value, e.g. "float32[2,3]"; empty if not known
};

struct GraphNode {
    StringId name; ///< with scopes, separated by '/'
    StringId op;
    StringId type; ///< of output 0, e.g. "float32[2,3]"
    StringId device;
    StringId file; ///< the source line that made it
    std::uint32_t line = 0;
    std::uint32_t firstInput = 0; ///< into Graph::inputs
    std::uint32_t inputCount = 0;
    std::uint32_t firstAttribute = 0; ///< into Graph::attributes
    std::uint32_t attributeCount = 0;
    std::uint32_t firstCallee = 0; ///< into Graph::callees: graphs this node runs (call, branches, loop body)
    std::uint32_t calleeCount = 0;
};

struct GraphCallee {
    StringId role; ///< "call", "then", "else", "cond", "body", or the attribute's name
    StringId name; ///< the callee's name as written
    GraphId graph; ///< none if it is not in the session
};

/// A neutral graph: any op name, any attribute. Nodes are in the source's order (topological for our engine).
struct Graph {
    StringId name;
    bool isLibraryFunction = false; ///< a function of a GraphDef's library or a branch body
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> inputs; ///< edges, grouped by consumer
    std::vector<GraphAttribute> attributes;
    std::vector<GraphCallee> callees;
    std::vector<GraphEdge> outputs; ///< what the graph returns
};

enum class Outcome : std::uint8_t {
    Hit,
    Traced,
    Eager,   ///< ran without the cache
    Error,   ///< raised; may have traced before
    Unknown, ///< the source does not say
};

/// One row per call of a traced function.
struct CallTable {
    std::vector<std::int64_t> startNs;
    std::vector<std::int64_t> durationNs;
    std::vector<LaneId> lane; ///< the thread
    std::vector<FunctionId> function;
    std::vector<EntryId> entry; ///< what served it
    std::vector<Outcome> outcome;
    std::vector<std::uint32_t> number; ///< 1, 2, ... within its function
    std::vector<std::int64_t>
        traceNs; ///< time spent tracing inside this call, inner traces included; 0 on hits
    std::vector<StackId> stack;

    std::size_t size() const { return startNs.size(); }
};

/// Nested intervals on a lane: traces, phases, executions, spans of an imported file.
struct SpanTable {
    std::vector<std::int64_t> startNs;
    std::vector<std::int64_t> durationNs;
    std::vector<LaneId> lane;
    std::vector<StringId> name;
    std::vector<StringId> category; ///< "trace", "optimise", "execute", ...; or the file's own
    std::vector<FunctionId> function;
    std::vector<EntryId> entry;
    std::vector<StringId> args; ///< JSON text; empty if none
    std::vector<std::uint8_t>
        row; ///< 0, or the overflow row of a span that overlaps its neighbour only in part

    std::size_t size() const { return startNs.size(); }
};

/// Device or node work.
struct KernelTable {
    std::vector<std::int64_t> startNs;
    std::vector<std::int64_t> durationNs;
    std::vector<LaneId> lane;
    std::vector<StringId> name;
    std::vector<EntryId> entry;
    std::vector<std::uint32_t> node; ///< row in the entry's graph, or Id<void>::kNone

    std::size_t size() const { return startNs.size(); }
};

/// Samples of a counter; a series is a lane.
struct CounterTable {
    std::vector<std::int64_t> timeNs;
    std::vector<LaneId> lane;
    std::vector<double> value;

    std::size_t size() const { return timeNs.size(); }
};

/// Points in time.
struct InstantTable {
    std::vector<std::int64_t> timeNs;
    std::vector<LaneId> lane;
    std::vector<StringId> name;
    std::vector<StringId> args;

    std::size_t size() const { return timeNs.size(); }
};

enum class LaneKind : std::uint8_t { Thread, Stream, Counter, Async };

struct Lane {
    LaneKind kind = LaneKind::Thread;
    StringId name;      ///< thread, stream or series name; may be empty: then show "thread 7"
    StringId process;   ///< process name; may be empty
    StringId processId; ///< as written in the source
    StringId threadId;
};

struct Frame {
    StringId function;
    StringId file;
    std::uint32_t line = 0;
};

/// Innermost frame first.
struct Stack {
    std::vector<Frame> frames;
};

struct Source {
    StringId path;
    StringId text;
};

/// Something that happened at a time and is no event: a user mark, a fallback, a clear, a warning of the
/// engine.
struct Mark {
    std::int64_t timeNs = 0;
    StringId kind; ///< "user", "warning", "clear", "fallback", ...
    StringId text;
    FunctionId function;
    EntryId entry;
};

/// Text of the program, the engine or ourselves.
struct LogLine {
    std::int64_t timeNs = 0;
    StringId channel; ///< "program", "engine", "recorder"
    StringId text;
};

/// Facts about the run: area "machine" (cpu, engine, version, command), "recording" (events, dropped,
/// overhead_ns, closed), "not_recorded" (what this source cannot know -> why).
struct Fact {
    std::string area;
    std::string key;
    std::string value;
};

/// What an importer found in the file, in the words of the expected files' README; empty for recorded
/// sessions.
struct ImportFacts {
    std::string format; ///< "chrome", "kineto", "graphdef", ...; empty = recorded by Retracescope
    std::string source; ///< file name
    std::int64_t events = 0;
    std::int64_t beginEndPairs = 0;
    std::map<std::string, std::int64_t> byPhase;
    std::map<std::string, std::int64_t> skipped; ///< reason -> count
    std::int64_t processes = 0;
    std::int64_t lanesWithEvents = 0;
    std::int64_t firstNs = 0; ///< smallest and largest time of any event, metadata left out
    std::int64_t lastNs = 0;
    std::vector<std::string> warnings; ///< what the user has to be told although the file opens
};

/// What is known of the program that writes a file which it has not closed.
enum class WriterState : std::uint8_t {
    Unknown,
    Running,
    Gone, ///< it ended early: killed, or crashed
};

struct Session {
    StringPool strings;

    std::vector<Function> functions;
    std::vector<Signature> signatures;
    std::vector<Entry> entries;
    std::vector<Miss> misses;
    std::vector<Graph> graphs;
    std::vector<Lane> lanes;
    std::vector<Stack> stacks;
    std::vector<Source> sources;
    std::vector<Mark> marks;
    std::vector<LogLine> logs;
    std::vector<Fact> facts;

    CallTable calls;
    SpanTable spans;
    KernelTable kernels;
    CounterTable counters;
    InstantTable instants;

    ImportFacts imported;
    std::vector<std::string> warnings; ///< what reading the file had to leave out or mend; never written

    std::string recorderNote;   ///< where its recorder stood at the last flush; empty once closed
    std::int64_t originNs = 0;  ///< time of the first event
    std::int64_t endNs = 0;     ///< end of the last event
    bool closedProperly = true; ///< false: everything up to the last flush is here, and `writer` says why
    WriterState writer = WriterState::Unknown; ///< when the file was read

    std::string_view text(StringId id) const { return strings[id]; }
    const Function& operator[](FunctionId id) const { return functions[id.value]; }
    const Signature& operator[](SignatureId id) const { return signatures[id.value]; }
    const Entry& operator[](EntryId id) const { return entries[id.value]; }
    const Miss& operator[](MissId id) const { return misses[id.value]; }
    const Graph& operator[](GraphId id) const { return graphs[id.value]; }
    const Lane& operator[](LaneId id) const { return lanes[id.value]; }
    const Stack& operator[](StackId id) const { return stacks[id.value]; }

    /// The value of a fact, or an empty text.
    std::string_view fact(std::string_view area, std::string_view key) const;

    std::size_t eventCount() const {
        return calls.size() + spans.size() + kernels.size() + counters.size() + instants.size();
    }
};

using SessionPtr = std::shared_ptr<const Session>;

/// Finds the calls of misses by function and number, where whoever made the rows did not know the call yet.
void tieMissesToCalls(Session& session);

/// Sets originNs and endNs from the events and marks.
void updateExtent(Session& session);

} // namespace retracescope::session
