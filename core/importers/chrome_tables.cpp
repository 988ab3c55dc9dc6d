#include <retracescope/importers/chrome_tables.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>

#include <retracescope/base/units.h>
#include <retracescope/importers/begin_end.h>
#include <retracescope/importers/span_rows.h>
#include <retracescope/importers/tf_calls.h>

namespace retracescope::importers {

using session::LaneId;
using session::LaneKind;
using session::StringId;

namespace {

/// A trace has a few names of its kinds and millions of events: answers the last question again without
/// hashing.
class Interner {
public:
    explicit Interner(session::StringPool& strings) : m_strings(strings) {}

    StringId operator()(std::string_view text) {
        if (text != m_lastText) {
            m_last = m_strings.intern(text);
            m_lastText = m_strings[m_last];
        }
        return m_last;
    }

private:
    session::StringPool& m_strings;
    StringId m_last{0u};
    std::string_view m_lastText;
};

struct LaneFacts {
    bool hasEvents = false; ///< events with a time, metadata left out
    bool isThread = false;  ///< (process, thread), not a counter series
};

std::string seriesName(const ChromeEvent& event, std::string_view series) {
    std::string name(event.name);
    if (!event.id.empty())
        name += fmt::format("[{}]", event.id);
    return fmt::format("{}: {}", name, series);
}

} // namespace

struct ChromeTables::State {
    session::Session session;
    Interner name{session.strings};
    Interner category{session.strings};
    Interner args{session.strings};

    std::array<std::int64_t, 256> byLetter{}; ///< phases of one letter
    std::int64_t elements = 0;
    std::int64_t events = 0;
    std::int64_t completeSpans = 0;
    std::int64_t timesTooLarge = 0;
    std::int64_t clippedEnds = 0;

    std::vector<ImportedSpan> spans;
    std::vector<BeginEnd> beginEnds;
    std::vector<TfCall> tfCalls;
    std::vector<LaneFacts> laneFacts;
    std::unordered_map<std::string, LaneId> lanes;
    LaneId lastLane;
    std::unordered_map<std::string, StringId> processNames;
    std::unordered_map<std::string, StringId> processLabels;
    std::unordered_map<std::string, StringId> threadNames;
    std::unordered_map<StringId, bool> categoriesSeen;
    StringId lastCategory;
    std::optional<Picotime> first;
    Picotime last;

    void skip(const char* reason) { ++session.imported.skipped[reason]; }

    void add(const ChromeEvent& event) {
        ++elements;
        switch (event.kind) {
        case ChromeEvent::Kind::NotAnObject:
            return skip("not_an_object");
        case ChromeEvent::Kind::EmptyObject:
            return skip("empty_object");
        case ChromeEvent::Kind::NoPhase:
            return skip("no_phase");
        case ChromeEvent::Kind::Event:
            break;
        }
        ++events;
        if (event.phase.size() == 1)
            ++byLetter[static_cast<unsigned char>(event.phase[0])];
        else
            ++session.imported.byPhase[std::string(event.phase)];
        if (event.phase == "M")
            addMetadata(event);
        else
            addTimed(event);
    }

    void addMetadata(const ChromeEvent& event) {
        const auto value = [&](std::string_view key) -> const ChromeArgument* {
            const auto found = std::ranges::find(event.arguments, key, &ChromeArgument::key);
            return found == event.arguments.end() || found->kind == ChromeArgument::Kind::Null ? nullptr
                                                                                               : &*found;
        };
        const std::string process(event.processId);
        if (event.name == "process_name") {
            if (const auto* given = value("name"))
                processNames[process] = session.strings.intern(given->value);
        } else if (event.name == "thread_name") {
            if (const auto* given = value("name"))
                threadNames[laneKey(event)] = session.strings.intern(given->value);
        } else if (event.name == "process_labels") {
            if (const auto* given = value("labels"))
                processLabels[process] = session.strings.intern(given->value);
        }
    }

    void addTimed(const ChromeEvent& event) {
        const StringId categoryId = category(event.category);
        if (categoryId != lastCategory) {
            categoriesSeen[categoryId] = true;
            lastCategory = categoryId;
        }
        if (event.start.state != ChromeTime::State::Given) {
            timesTooLarge += event.start.state == ChromeTime::State::TooLarge;
            return skip("no_usable_timestamp");
        }
        const LaneId lane = laneOf(event);
        laneFacts[lane.value].hasEvents = true;
        const Picotime start = event.start.value;
        Picotime end = start;
        switch (event.phase.size() == 1 ? event.phase[0] : '\0') {
        case 'X':
            end = addClippedEnd(start, lengthOf(event));
            addComplete(event, lane, categoryId, end);
            break;
        case 'B':
        case 'E':
            beginEnds.push_back({start, static_cast<std::uint32_t>(elements), lane, name(event.name),
                                 categoryId, args(event.args), event.phase[0] == 'E'});
            break;
        case 'i':
        case 'I':
        case 'R':
            session.instants.timeNs.push_back(start.rounded());
            session.instants.lane.push_back(lane);
            session.instants.name.push_back(name(event.name));
            session.instants.args.push_back(args(event.args));
            break;
        case 'C':
            addCounter(event, start.rounded());
            break;
        default:
            break; // counted in by_phase
        }
        last = first ? std::max(last, end) : end;
        first = first ? std::min(*first, start) : start;
    }

    Picotime addClippedEnd(Picotime start, Picotime length) {
        bool clipped = false;
        const Picotime end = addClipped(start, length, clipped);
        clippedEnds += clipped;
        return end;
    }

    /// Missing: the thread's own duration, else 0; unusable or negative: 0; too large: as large as can be.
    Picotime lengthOf(const ChromeEvent& event) {
        const ChromeTime* given = &event.duration;
        if (given->state == ChromeTime::State::Missing) {
            skip("complete_without_duration");
            given = &event.threadDuration;
        } else if (given->state == ChromeTime::State::Unusable) {
            skip("unusable_duration");
        }
        if (given->negative && (given->state == ChromeTime::State::TooLarge || given->value.ns < 0)) {
            skip("negative_duration");
            return {};
        }
        if (given->state == ChromeTime::State::TooLarge)
            return {kLatestNs, 0};
        return given->state == ChromeTime::State::Given ? given->value : Picotime{};
    }

    void addComplete(const ChromeEvent& event, LaneId lane, StringId categoryId, Picotime end) {
        ++completeSpans;
        if (!event.arguments.empty()) {
            if (auto call = readTfCall(event, session.strings)) {
                call->lane = lane;
                call->startNs = event.start.value.rounded();
                call->durationNs = end.rounded() - call->startNs;
                tfCalls.push_back(*call);
                return;
            }
        }
        spans.push_back({.startNs = event.start.value.rounded(),
                         .endNs = end.rounded(),
                         .order = static_cast<std::uint32_t>(elements),
                         .lane = lane,
                         .name = name(event.name),
                         .category = categoryId,
                         .args = args(event.args),
                         .function = {},
                         .neverEnded = false});
    }

    void addCounter(const ChromeEvent& event, std::int64_t timeNs) {
        if (event.arguments.empty())
            return skip("counter_without_values");
        for (const ChromeArgument& argument : event.arguments) {
            using Kind = ChromeArgument::Kind;
            std::optional<double> value;
            if (argument.kind == Kind::Number || argument.kind == Kind::Text)
                value = parseNumber(argument.value);
            else if (argument.kind == Kind::Bool)
                value = argument.value == "true" ? 1.0 : 0.0;
            if (!value) {
                skip("counter_value_not_a_number");
                continue;
            }
            session.counters.timeNs.push_back(timeNs);
            session.counters.lane.push_back(seriesLane(event, argument.key));
            session.counters.value.push_back(*value);
        }
    }

    static std::string laneKey(std::string_view processId, std::string_view threadId) {
        std::string key(processId);
        key += '\x1f'; // no identifier holds it
        key += threadId;
        return key;
    }

    static std::string laneKey(const ChromeEvent& event) { return laneKey(event.processId, event.threadId); }

    LaneId laneOf(const ChromeEvent& event) {
        if (lastLane.isValid()) {
            const session::Lane& lane = session[lastLane];
            if (session.text(lane.threadId) == event.threadId &&
                session.text(lane.processId) == event.processId)
                return lastLane;
        }
        const auto [found, isNew] = lanes.try_emplace(laneKey(event), LaneId(session.lanes.size()));
        if (isNew)
            addLane(LaneKind::Thread, {}, event);
        lastLane = found->second;
        return lastLane;
    }

    LaneId seriesLane(const ChromeEvent& event, std::string_view series) {
        const std::string key =
            fmt::format("{}\x1f{}\x1f{}\x1f{}", event.processId, event.name, event.id, series);
        const auto [found, isNew] = lanes.try_emplace(key, LaneId(session.lanes.size()));
        if (isNew)
            addLane(LaneKind::Counter, session.strings.intern(seriesName(event, series)), event);
        return found->second;
    }

    void addLane(LaneKind kind, StringId laneName, const ChromeEvent& event) {
        session.lanes.push_back(
            {.kind = kind,
             .name = laneName,
             .process = {},
             .processId = session.strings.intern(event.processId),
             .threadId = kind == LaneKind::Thread ? session.strings.intern(event.threadId) : StringId()});
        laneFacts.push_back({.hasEvents = false, .isThread = kind == LaneKind::Thread});
    }

    /// The last name given counts, and metadata may come after the events: hence at the end.
    void nameLanes() {
        for (session::Lane& lane : session.lanes) {
            const std::string process(session.text(lane.processId));
            const auto named = processNames.find(process);
            const auto labelled = processLabels.find(process);
            const std::string_view processName =
                named == processNames.end() ? "" : session.text(named->second);
            const std::string_view label =
                labelled == processLabels.end() ? "" : session.text(labelled->second);
            lane.process = processName.empty() || label.empty()
                               ? session.strings.intern(processName.empty() ? label : processName)
                               : session.strings.intern(fmt::format("{} ({})", processName, label));
            if (lane.kind != LaneKind::Thread)
                continue;
            const auto thread = threadNames.find(laneKey(process, session.text(lane.threadId)));
            if (thread != threadNames.end())
                lane.name = thread->second;
        }
    }

    void fillFacts() {
        session::ImportFacts& facts = session.imported;
        facts.events = elements;
        for (std::size_t letter = 0; letter < byLetter.size(); ++letter) {
            if (byLetter[letter] > 0)
                facts.byPhase[std::string(1, static_cast<char>(letter))] += byLetter[letter];
        }
        std::unordered_map<StringId, bool> processes;
        for (std::size_t row = 0; row < laneFacts.size(); ++row) {
            if (!laneFacts[row].isThread || !laneFacts[row].hasEvents)
                continue;
            ++facts.lanesWithEvents;
            processes[session.lanes[row].processId] = true;
        }
        facts.processes = static_cast<std::int64_t>(processes.size());
        facts.firstNs = first ? first->rounded() : 0;
        facts.lastNs = first ? last.rounded() : 0;
    }

    void warnAboutSkipped() {
        const auto count = [&](const char* reason) {
            const auto found = session.imported.skipped.find(reason);
            return found == session.imported.skipped.end() ? 0 : found->second;
        };
        // Empty objects alone are no loss: TensorFlow's profiler ends its list with one.
        if (const auto lost = count("not_an_object") + count("no_phase"); lost > 0) {
            const std::int64_t noEvents = lost + count("empty_object");
            session.imported.warnings.push_back(
                fmt::format("{} of {} {} skipped", noEvents, formatPlural(elements, "element", "elements"),
                            noEvents == 1 ? "is no event and is" : "are no events and are"));
        }
        warn(count("no_usable_timestamp"), "event has no usable time and is skipped",
             "events have no usable time and are skipped");
        warn(timesTooLarge, "of these times does not fit 64-bit nanoseconds",
             "of these times do not fit 64-bit nanoseconds");
        warn(clippedEnds, "span ends later than 64-bit nanoseconds reach; it is cut there",
             "spans end later than 64-bit nanoseconds reach; they are cut there");
        warn(count("unusable_duration"), "duration is no number and reads as 0",
             "durations are no numbers and read as 0");
        warn(count("negative_duration"), "duration is negative and reads as 0",
             "durations are negative and read as 0");
        warn(count("complete_without_duration"), "complete event has no duration",
             "complete events have no duration");
    }

    void warnAboutPairing(const PairingCounts& counts) {
        warn(counts.beginWithoutEnd, "span is never ended; it lasts to the end of the trace",
             "spans are never ended; they last to the end of the trace");
        warn(counts.endWithoutBegin, "end has no begin and is ignored", "ends have no begin and are ignored");
        warn(counts.closedByAnOuterEnd, "span was ended by the end of an outer span",
             "spans were ended by the end of an outer span");
        if (counts.gaveUp)
            session.imported.warnings.emplace_back(
                "so many begins and ends cross that some ends were not paired");
    }

    void warn(std::int64_t count, const char* one, const char* many) {
        if (count > 0)
            session.imported.warnings.push_back(formatPlural(count, one, many));
    }

    void markNeverEnded() {
        constexpr std::size_t kMostMarks = 100;
        const StringId kind = session.strings.intern("never_ended");
        for (const ImportedSpan& span : spans) {
            if (!span.neverEnded)
                continue;
            if (session.marks.size() == kMostMarks)
                return;
            const std::string_view spanName = session.text(span.name);
            const std::string text = fmt::format("\"{}\" begins here and is never ended", spanName);
            session.marks.push_back({.timeNs = span.startNs,
                                     .kind = kind,
                                     .text = session.strings.intern(text),
                                     .function = {},
                                     .entry = {}});
        }
    }
};

ChromeTables::ChromeTables() : m_state(std::make_unique<State>()) {}

ChromeTables::~ChromeTables() = default;

void ChromeTables::add(const ChromeEvent& event) {
    m_state->add(event);
}

std::int64_t ChromeTables::elements() const {
    return m_state->elements;
}

std::int64_t ChromeTables::events() const {
    return m_state->events;
}

bool ChromeTables::looksLikeKineto() const {
    const auto seen = [&](std::initializer_list<std::string_view> wanted) {
        return std::ranges::any_of(m_state->categoriesSeen, [&](const auto& known) {
            std::string lower(m_state->session.text(known.first));
            for (char& c : lower)
                c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
            return std::ranges::find(wanted, lower) != wanted.end();
        });
    };
    return seen({"cpu_op", "operator", "kernel"}) &&
           seen({"cuda_runtime", "runtime", "ac2g", "async", "cpu_op", "user_annotation"});
}

std::optional<session::Session> ChromeTables::finish(const Job& job) {
    State& state = *m_state;
    state.fillFacts();
    const PairingCounts counts = pairBeginsAndEnds(std::move(state.beginEnds), state.session.imported.lastNs,
                                                   state.session.strings, state.spans, job);
    state.session.imported.beginEndPairs = counts.pairs;
    state.markNeverEnded();
    state.warnAboutSkipped();
    state.warnAboutPairing(counts);
    addTfCalls(std::move(state.tfCalls), state.session);
    if (!addSpans(std::move(state.spans), state.session, job))
        return std::nullopt;
    state.nameLanes();
    session::updateExtent(state.session);
    return std::move(state.session);
}

} // namespace retracescope::importers
