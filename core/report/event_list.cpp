#include <retracescope/report/event_list.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/function_names.h>
#include <retracescope/report/session_tables.h>
#include <retracescope/session/lane_names.h>

namespace retracescope::report {

using namespace session;

namespace {

constexpr std::array<std::string_view, 8> kKindNames{"call",    "miss",    "span", "kernel",
                                                     "counter", "instant", "mark", "log"};

bool isWanted(const EventFilter& filter, EventKind kind) {
    return filter.kinds.empty() || std::ranges::find(filter.kinds, kind) != filter.kinds.end();
}

/// Collects what passes the filter.
class Collector {
public:
    Collector(const Session& session, const EventFilter& filter) : m_session(session), m_filter(filter) {}

    void addTable(EventKind kind, std::size_t rows, const auto& timeOf) {
        if (!isWanted(m_filter, kind))
            return;
        for (std::size_t row = 0; row < rows; ++row) {
            const Event event{timeOf(row), kind, static_cast<std::uint32_t>(row)};
            if (passes(event))
                m_events.push_back(event);
        }
    }

    EventList finish() {
        EventList list;
        list.matching = m_events.size();
        const auto order = [](const Event& event) { return std::tuple(event.timeNs, event.kind, event.row); };
        const bool isCut = m_filter.limit > 0 && m_filter.limit < m_events.size();
        const auto end =
            isCut ? m_events.begin() + static_cast<std::ptrdiff_t>(m_filter.limit) : m_events.end();
        std::ranges::partial_sort(m_events, end, {}, order);
        list.events.assign(m_events.begin(), end);
        return list;
    }

private:
    bool passes(const Event& event) const {
        const std::int64_t time = event.timeNs - m_session.originNs;
        if (time < m_filter.fromNs || time > m_filter.toNs)
            return false;
        if (!m_filter.function.isValid() && m_filter.outcome.empty() && m_filter.text.empty())
            return true;
        const EventText text = describeEvent(m_session, event);
        if (m_filter.function.isValid() && text.function != m_filter.function)
            return false;
        if (!m_filter.outcome.empty() && text.outcome != m_filter.outcome)
            return false;
        return m_filter.text.empty() || text.name.find(m_filter.text) != std::string_view::npos ||
               text.text.find(m_filter.text) != std::string_view::npos;
    }

    const Session& m_session;
    const EventFilter& m_filter;
    std::vector<Event> m_events;
};

EventText describeCall(const Session& session, std::uint32_t row) {
    const CallTable& calls = session.calls;
    EventText text;
    text.function = calls.function[row];
    if (text.function.isValid())
        text.name = session.text(session[text.function].name);
    text.lane = calls.lane[row];
    text.entry = calls.entry[row];
    text.call = calls.number[row];
    text.outcome = outcomeName(calls.outcome[row]);
    text.durationNs = calls.durationNs[row];
    return text;
}

EventText describeMiss(const Session& session, std::uint32_t row) {
    const Miss& miss = session.misses[row];
    EventText text;
    text.function = miss.function;
    if (text.function.isValid())
        text.name = session.text(session[text.function].name);
    if (miss.call.isValid())
        text.lane = session.calls.lane[miss.call.value];
    text.entry = miss.entry;
    text.call = miss.callNumber;
    text.durationNs = miss.traceNs;
    if (miss.withdrawn)
        text.outcome = "withdrawn";
    else if (!session.text(miss.exception).empty())
        text.outcome = "failed";
    text.text =
        miss.request.isValid() ? session.text(session[miss.request].text) : session.text(miss.exception);
    return text;
}

} // namespace

std::string_view eventKindName(EventKind kind) {
    return kKindNames[static_cast<std::size_t>(kind)];
}

const std::vector<std::string>& eventKindNames() {
    static const std::vector<std::string> names(kKindNames.begin(), kKindNames.end());
    return names;
}

EventList listEvents(const Session& session, const EventFilter& filter) {
    Collector collector(session, filter);
    const auto times = [](const std::vector<std::int64_t>& column) {
        return [&column](std::size_t row) { return column[row]; };
    };
    collector.addTable(EventKind::Call, session.calls.size(), times(session.calls.startNs));
    collector.addTable(EventKind::Miss, session.misses.size(),
                       [&](std::size_t row) { return session.misses[row].timeNs; });
    collector.addTable(EventKind::Span, session.spans.size(), times(session.spans.startNs));
    collector.addTable(EventKind::Kernel, session.kernels.size(), times(session.kernels.startNs));
    collector.addTable(EventKind::Counter, session.counters.size(), times(session.counters.timeNs));
    collector.addTable(EventKind::Instant, session.instants.size(), times(session.instants.timeNs));
    collector.addTable(EventKind::Mark, session.marks.size(),
                       [&](std::size_t row) { return session.marks[row].timeNs; });
    collector.addTable(EventKind::Log, session.logs.size(),
                       [&](std::size_t row) { return session.logs[row].timeNs; });
    return collector.finish();
}

EventText describeEvent(const Session& session, const Event& event) {
    const std::uint32_t row = event.row;
    EventText text;
    switch (event.kind) {
    case EventKind::Call:
        return describeCall(session, row);
    case EventKind::Miss:
        return describeMiss(session, row);
    case EventKind::Span:
        text.name = session.text(session.spans.name[row]);
        text.lane = session.spans.lane[row];
        text.function = session.spans.function[row];
        text.entry = session.spans.entry[row];
        text.durationNs = session.spans.durationNs[row];
        text.text = session.text(session.spans.args[row]);
        break;
    case EventKind::Kernel:
        text.name = session.text(session.kernels.name[row]);
        text.lane = session.kernels.lane[row];
        text.entry = session.kernels.entry[row];
        text.durationNs = session.kernels.durationNs[row];
        break;
    case EventKind::Counter:
        text.lane = session.counters.lane[row];
        text.value = session.counters.value[row];
        break;
    case EventKind::Instant:
        text.name = session.text(session.instants.name[row]);
        text.lane = session.instants.lane[row];
        text.text = session.text(session.instants.args[row]);
        break;
    case EventKind::Mark:
        text.name = session.text(session.marks[row].kind);
        text.function = session.marks[row].function;
        text.entry = session.marks[row].entry;
        text.text = session.text(session.marks[row].text);
        break;
    case EventKind::Log:
        text.name = session.text(session.logs[row].channel);
        text.text = session.text(session.logs[row].text);
        break;
    }
    return text;
}

Table eventTable(const Session& session, const EventList& events) {
    Table table({{"Time", Align::Right, 3},
                 {"Kind"},
                 {"Lane"},
                 {"Name"},
                 {"Call", Align::Right},
                 {"Outcome"},
                 {"Entry"},
                 {"Duration", Align::Right},
                 {"Text"}});
    const std::vector<session::LaneName> lanes = session::laneNames(session);
    const std::vector<std::string> names = diagnose::functionNames(session);
    for (const Event& event : events.events) {
        const EventText text = describeEvent(session, event);
        const bool isCall = event.kind == EventKind::Call || event.kind == EventKind::Miss;
        table.addRow(
            {TimeCell{event.timeNs - session.originNs}, std::string(eventKindName(event.kind)),
             text.lane.isValid() ? printable(lanes[text.lane.value].name) : std::string(),
             printable(isCall && text.function.isValid() ? std::string_view(names[text.function.value])
                                                         : text.name),
             text.call == 0 ? "" : formatCount(text.call), std::string(text.outcome),
             text.entry.isValid() ? entryName(session, names, text.entry) : std::string(),
             text.durationNs < 0 ? std::string() : formatDuration(text.durationNs),
             event.kind == EventKind::Counter ? fmt::format("{}", text.value) : printable(text.text)});
    }
    return table;
}

} // namespace retracescope::report
