#include "views/timeline/timeline_model.h"

#include <algorithm>

#include <retracescope/layout/call_rows.h>
#include <retracescope/session/lane_names.h>

#include "views/shared/numbers.h"

namespace retracescope::views {

using session::CallId;
using session::FunctionId;
using session::Interval;
using session::LaneRow;

namespace {

session::CategoryId categoryOf(Phase phase) {
    return session::CategoryId(static_cast<std::uint32_t>(phase));
}

/// A stretch of one call.
struct Piece {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    Phase phase = Phase::Execute;
};

/// Paints `span` over the pieces of a call, which stay in order and without gaps.
void paintOver(std::vector<Piece>& pieces, const Piece& span) {
    std::vector<Piece> out;
    for (const Piece& p : pieces) {
        const std::int64_t from = std::max(p.startNs, span.startNs);
        const std::int64_t to = std::min(p.endNs, span.endNs);
        if (from >= to) {
            out.push_back(p);
            continue;
        }
        if (p.startNs < from)
            out.push_back({p.startNs, from, p.phase});
        out.push_back({from, to, span.phase});
        if (to < p.endNs)
            out.push_back({to, p.endNs, p.phase});
    }
    pieces = std::move(out);
}

void append(LaneRow& row, const Interval& interval) {
    row.startNs.push_back(interval.startNs);
    row.endNs.push_back(interval.endNs);
    row.event.push_back(interval.event);
    row.category.push_back(interval.category);
}

/// What any of the intervals covers, without overlaps.
LaneRow unionOf(std::vector<Interval> intervals) {
    std::ranges::sort(intervals, {}, &Interval::startNs);
    LaneRow row;
    for (const Interval& interval : intervals) {
        if (row.size() > 0 && interval.startNs <= row.endNs.back())
            row.endNs.back() = std::max(row.endNs.back(), interval.endNs);
        else
            append(row, interval);
    }
    return row;
}

class TimelineBuilder {
public:
    TimelineBuilder(const diagnose::DiagnosisPtr& diagnosis, const Job& job)
        : m_out(std::make_shared<TimelineModel>()), m_job(job) {
        m_out->diagnosis = diagnosis;
    }

    TimelineModelPtr run() {
        m_out->pyramid = session::buildPyramid(m_out->session(), m_job);
        collectPhaseSpans();
        addFunctionLanes();
        addRecordedLanes();
        addOverview();
        return m_job.cancel.requested() ? nullptr : m_out;
    }

private:
    const session::Session& session() const { return m_out->session(); }
    void collectPhaseSpans();
    std::vector<Piece> piecesOf(CallId call) const;
    void addFunctionLanes();
    void addFunctionLane(FunctionId function, std::size_t group);
    void addGlyphs(TimelineLane& lane) const;
    void addCallRows(TimelineLane& lane);
    void addRecordedLanes();
    void addOverview();
    std::size_t groupNamed(const QString& title);

    std::shared_ptr<TimelineModel> m_out;
    const Job& m_job;
    /// Trace, optimise and plan spans by function, in time order.
    std::vector<std::vector<std::pair<Piece, session::LaneId>>> m_phases;
    std::vector<Interval> m_tracing, m_executing, m_failed;
};

void TimelineBuilder::collectPhaseSpans() {
    m_phases.resize(session().functions.size());
    const session::SpanTable& spans = session().spans;
    const session::StringId trace = session().strings.find("trace");
    for (std::size_t row = 0; row < spans.size(); ++row) {
        const bool isTraceSpan = trace.isValid() && spans.category[row] == trace;
        if (!spans.function[row].isValid() ||
            !(isTraceSpan || isOptimising(session().text(spans.category[row]))))
            continue;
        m_phases[spans.function[row].value].push_back(
            {{spans.startNs[row], spans.startNs[row] + spans.durationNs[row],
              isTraceSpan ? Phase::Trace : Phase::Optimise},
             spans.lane[row]});
    }
    for (auto& phases : m_phases) // outer before inner, so that inner ones are painted over them
        std::ranges::stable_sort(phases, [](const auto& a, const auto& b) {
            return a.first.startNs != b.first.startNs ? a.first.startNs < b.first.startNs
                                                      : a.first.endNs > b.first.endNs;
        });
}

/// From the recorded phases inside the call; a source without phases tells how long tracing took, which comes
/// first.
std::vector<Piece> TimelineBuilder::piecesOf(CallId call) const {
    const session::CallTable& calls = session().calls;
    const std::int64_t start = calls.startNs[call.value];
    const std::int64_t end = start + calls.durationNs[call.value];
    const bool isUntold = calls.traceNs[call.value] == session::kNotRecorded &&
                          session::tracedWithoutMiss(session(), m_out->diagnosis->index, call);
    const Phase rest = calls.outcome[call.value] == session::Outcome::Error ? Phase::Failed
                       : isUntold                                           ? Phase::Untold
                                                                            : Phase::Execute;
    std::vector<Piece> pieces{{start, end, rest}};
    if (calls.traceNs[call.value] <= 0)
        return pieces;
    const auto& phases = m_phases[calls.function[call.value].value];
    auto it = std::ranges::lower_bound(phases, start, {}, [](const auto& p) { return p.first.startNs; });
    bool any = false;
    for (; it != phases.end() && it->first.startNs < end; ++it) {
        if (it->second != calls.lane[call.value])
            continue;
        paintOver(pieces, it->first);
        any = true;
    }
    if (!any)
        paintOver(pieces, {start, start + calls.traceNs[call.value], Phase::Trace});
    return pieces;
}

std::size_t TimelineBuilder::groupNamed(const QString& title) {
    auto& groups = m_out->groups;
    const auto it = std::ranges::find(groups, title, &TimelineGroup::title);
    if (it != groups.end())
        return static_cast<std::size_t>(it - groups.begin());
    groups.push_back({title, {}});
    return groups.size() - 1;
}

/// Functions by time in their calls, the dearest first; those never called and never traced are left out.
void TimelineBuilder::addFunctionLanes() {
    std::vector<session::FunctionSummary> order;
    for (const session::FunctionSummary& summary : m_out->diagnosis->functions) {
        if (summary.calls > 0 || summary.traces > 0)
            order.push_back(summary);
    }
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
        return a.tracingNs != b.tracingNs ? a.tracingNs > b.tracingNs : a.totalNs > b.totalNs;
    });
    if (order.empty())
        return;
    const std::size_t group = groupNamed(QStringLiteral("Traced functions"));
    for (const session::FunctionSummary& summary : order) {
        if (m_job.cancel.requested())
            return;
        addFunctionLane(summary.function, group);
    }
}

void TimelineBuilder::addFunctionLane(FunctionId function, std::size_t group) {
    TimelineLane lane;
    lane.kind = TimelineLaneKind::Function;
    lane.group = group;
    lane.function = function;
    lane.name = toQString(m_out->diagnosis->names[function.value]);
    addGlyphs(lane);
    addCallRows(lane);
    for (const CallId call : m_out->diagnosis->index.callsOfFunction[function.value]) {
        lane.callNs.push_back(session().calls.startNs[call.value]);
        if (session::tracedWithoutMiss(session(), m_out->diagnosis->index, call))
            lane.traceNs.push_back(session().calls.startNs[call.value]);
    }
    for (const session::MissId miss : m_out->diagnosis->index.missesOfFunction[function.value]) {
        if (!session()[miss].withdrawn)
            lane.traceNs.push_back(session()[miss].timeNs);
    }
    std::ranges::sort(lane.callNs);
    std::ranges::sort(lane.traceNs);
    m_out->groups[group].lanes.push_back(m_out->lanes.size());
    m_out->lanes.push_back(std::move(lane));
}

/// The bars of a function: each call whole in one row.
void TimelineBuilder::addCallRows(TimelineLane& lane) {
    std::vector<CallId> order = m_out->diagnosis->index.callsOfFunction[lane.function.value];
    const session::CallTable& calls = session().calls;
    std::ranges::stable_sort(order, [&](CallId a, CallId b) {
        return std::pair(calls.startNs[a.value], -calls.durationNs[a.value]) <
               std::pair(calls.startNs[b.value], -calls.durationNs[b.value]);
    });
    std::vector<layout::CallSpan> spans;
    for (const CallId call : order)
        spans.push_back({calls.startNs[call.value], calls.startNs[call.value] + calls.durationNs[call.value],
                         calls.lane[call.value]});
    const std::vector<std::size_t> rowOf = layout::callRows(spans);
    std::vector<LaneRow> rows;
    for (std::size_t i = 0; i < order.size(); ++i) {
        rows.resize(std::max(rows.size(), rowOf[i] + 1));
        for (const Piece& piece : piecesOf(order[i])) {
            const Interval interval{piece.startNs,
                                    piece.endNs,
                                    {order[i].value, session::EventKind::Call},
                                    categoryOf(piece.phase)};
            append(rows[rowOf[i]], interval);
            const bool isTracing = piece.phase == Phase::Trace || piece.phase == Phase::Optimise;
            (isTracing                      ? m_tracing
             : piece.phase == Phase::Failed ? m_failed
                                            : m_executing)
                .push_back(interval);
        }
    }
    for (LaneRow& row : rows) {
        m_out->ownPyramids.push_back(session::buildRowPyramid(row));
        m_out->ownRows.push_back(std::move(row));
        lane.rows.push_back(&m_out->ownRows.back());
        lane.pyramids.push_back(&m_out->ownPyramids.back());
        lane.outermost.push_back(lane.outermost.size());
    }
}

void TimelineBuilder::addGlyphs(TimelineLane& lane) const {
    const session::Index& index = m_out->diagnosis->index;
    for (const CallId call : index.callsOfFunction[lane.function.value]) {
        const session::MissId miss = index.missOfCall[call.value];
        GlyphSeries& series = lane.glyphs[static_cast<std::size_t>(glyphOfCall(session(), call, miss))];
        series.timeNs.push_back(session().calls.startNs[call.value]);
        series.call.push_back(call);
        series.miss.push_back(miss);
    }
    // Concrete functions that were asked for without a call.
    for (const session::MissId miss : index.missesOfFunction[lane.function.value]) {
        if (session()[miss].call.isValid())
            continue;
        GlyphSeries& series = lane.glyphs[static_cast<std::size_t>(glyphOfMiss(session()[miss]))];
        series.timeNs.push_back(session()[miss].timeNs);
        series.call.emplace_back();
        series.miss.push_back(miss);
    }
    // Calls of several threads have numbers in another order than times.
    for (GlyphSeries& series : lane.glyphs) {
        if (std::ranges::is_sorted(series.timeNs))
            continue;
        std::vector<std::size_t> order(series.timeNs.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return series.timeNs[i]; });
        GlyphSeries sorted;
        for (const std::size_t i : order) {
            sorted.timeNs.push_back(series.timeNs[i]);
            sorted.call.push_back(series.call[i]);
            sorted.miss.push_back(series.miss[i]);
        }
        series = std::move(sorted);
    }
}

/// Threads, streams and counters as the session has them, by process.
void TimelineBuilder::addRecordedLanes() {
    const std::vector<session::LaneName> names = session::laneNames(session());
    for (std::uint32_t id = 0; id < session().lanes.size(); ++id) {
        const session::Lane& source = session().lanes[id];
        const session::LaneEvents& events = m_out->pyramid.index.lanes[id];
        if (events.rows.empty() && events.points.empty()) {
            ++m_out->emptyLanes;
            continue;
        }
        TimelineLane lane;
        lane.lane = session::LaneId(id);
        lane.points = events.points.empty() ? nullptr : &events;
        lane.name = toQString(names[id].name);
        QString kind = QStringLiteral("Threads");
        lane.kind = TimelineLaneKind::Thread;
        if (source.kind == session::LaneKind::Counter) {
            lane.kind = TimelineLaneKind::Counter;
            kind = QStringLiteral("Counters");
            std::vector<double> values;
            for (const session::EventRef& point : events.points) {
                if (point.kind == session::EventKind::Counter)
                    values.push_back(session().counters.value[point.row]);
            }
            if (values.size() == events.points.size())
                lane.counter = layout::CounterLevels(std::move(values));
        } else if (source.kind == session::LaneKind::Stream) {
            lane.kind = TimelineLaneKind::Stream;
            kind = QStringLiteral("Device streams");
        } else if (source.kind == session::LaneKind::Async) {
            kind = QStringLiteral("Asynchronous");
        }
        lane.group = groupNamed(names[id].process.empty()
                                    ? kind
                                    : QStringLiteral("%1 · %2").arg(kind, toQString(names[id].process)));
        lane.outermost = events.layers;
        for (std::size_t depth = 0; depth < events.rows.size() && depth < m_out->pyramid.rows[id].size();
             ++depth) {
            lane.rows.push_back(&events.rows[depth]);
            lane.pyramids.push_back(&m_out->pyramid.rows[id][depth]);
        }
        m_out->groups[lane.group].lanes.push_back(m_out->lanes.size());
        m_out->lanes.push_back(std::move(lane));
    }
}

void TimelineBuilder::addOverview() {
    m_out->hasTracedTime = !m_tracing.empty() || !m_executing.empty() || !m_failed.empty();
    m_out->tracing = unionOf(std::move(m_tracing));
    m_out->executing = unionOf(std::move(m_executing));
    m_out->failed = unionOf(std::move(m_failed));
    m_out->tracingPyramid = session::buildRowPyramid(m_out->tracing);
    m_out->executingPyramid = session::buildRowPyramid(m_out->executing);
    m_out->failedPyramid = session::buildRowPyramid(m_out->failed);
}

} // namespace

std::size_t countBetween(const std::vector<std::int64_t>& times, double beginNs, double endNs) {
    const auto at = [&](double ns) {
        return std::ranges::lower_bound(times, ns, {}, [](std::int64_t t) { return static_cast<double>(t); });
    };
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at(endNs) - at(beginNs)));
}

bool isTrace(Glyph glyph) {
    return glyph == Glyph::Trace || glyph == Glyph::Relaxed || glyph == Glyph::Expected;
}

std::size_t GlyphSeries::firstAt(double ns) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(timeNs, ns, {}, [](std::int64_t t) { return static_cast<double>(t); }) -
        timeNs.begin());
}

std::size_t GlyphSeries::count(double beginNs, double endNs) const {
    return firstAt(endNs) - std::min(firstAt(beginNs), firstAt(endNs));
}

double TimelineModel::marginNs() const {
    return std::max(static_cast<double>(session().endNs - session().originNs) * 0.008, 50.0);
}

TimelineModel::Counts TimelineModel::countIn(const TimelineLane& lane, double beginNs, double endNs) {
    return {countBetween(lane.callNs, beginNs, endNs), countBetween(lane.traceNs, beginNs, endNs)};
}

TimelineModel::Counts TimelineModel::countIn(double beginNs, double endNs) const {
    Counts counts;
    for (const TimelineLane& lane : lanes) {
        const Counts part = countIn(lane, beginNs, endNs);
        counts.calls += part.calls;
        counts.traces += part.traces;
    }
    return counts;
}

std::size_t TimelineModel::eventsIn(const TimelineLane& lane, double beginNs, double endNs) const {
    std::size_t count = lane.points != nullptr ? countBetween(lane.points->pointNs, beginNs, endNs) : 0;
    for (const LaneRow* row : lane.rows)
        count += countBetween(row->startNs, beginNs, endNs);
    return count;
}

namespace {

/// Start and lane of an event that is no point; none for points.
std::optional<std::pair<std::int64_t, session::LaneId>> startOf(const session::Session& session,
                                                                const session::EventRef& event) {
    const auto in = [&](const auto& table) -> std::optional<std::pair<std::int64_t, session::LaneId>> {
        if (event.row >= table.size())
            return std::nullopt;
        return std::pair(table.startNs[event.row], table.lane[event.row]);
    };
    switch (event.kind) {
    case session::EventKind::Call:
        return in(session.calls);
    case session::EventKind::Span:
        return in(session.spans);
    case session::EventKind::Kernel:
        return in(session.kernels);
    case session::EventKind::Counter:
    case session::EventKind::Instant:
        break;
    }
    return std::nullopt;
}

/// Index of the first part of an event that starts at `startNs` in a row; the row's size if it is not there.
std::size_t indexIn(const LaneRow& row, const session::EventRef& event, std::int64_t startNs) {
    auto i = static_cast<std::size_t>(std::ranges::lower_bound(row.startNs, startNs) - row.startNs.begin());
    while (i < row.size() && row.startNs[i] == startNs && row.event[i] != event)
        ++i;
    return i < row.size() && row.event[i] == event ? i : row.size();
}

} // namespace

std::optional<TimelineModel::EventPlace> TimelineModel::placeOf(const session::EventRef& event) const {
    const auto start = startOf(session(), event);
    const auto lane = start ? laneOf(start->second) : std::nullopt;
    for (std::size_t row = 0; lane && row < lanes[*lane].rows.size(); ++row) {
        const std::size_t index = indexIn(*lanes[*lane].rows[row], event, start->first);
        if (index < lanes[*lane].rows[row]->size())
            return EventPlace{*lane, row, index};
    }
    return std::nullopt;
}

std::optional<TimeRange> TimelineModel::extentOf(const session::EventRef& event, const LaneRow& row) const {
    const auto start = startOf(session(), event);
    std::size_t i = start ? indexIn(row, event, start->first) : row.size();
    if (i == row.size())
        return std::nullopt;
    TimeRange extent{start->first, row.endNs[i]};
    for (; i < row.size() && row.event[i] == event; ++i)
        extent.endNs = row.endNs[i];
    return extent;
}

std::optional<std::size_t> TimelineModel::laneOf(FunctionId function) const {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (lanes[i].kind == TimelineLaneKind::Function && lanes[i].function == function)
            return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> TimelineModel::laneOf(session::LaneId lane) const {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (lanes[i].lane == lane && lane.isValid())
            return i;
    }
    return std::nullopt;
}

bool isOptimising(std::string_view kind) {
    return kind == "optimise" || kind == "plan";
}

QString phaseName(Phase phase) {
    constexpr std::array<const char*, kPhases> kNames{"tracing",          "graph optimisation and plan",
                                                      "slower first run", "call without tracing",
                                                      "failed call",      "call, tracing included"};
    return QString::fromLatin1(kNames[static_cast<std::size_t>(phase)]);
}

TimelineModelPtr buildTimeline(const diagnose::DiagnosisPtr& diagnosis, const Job& job) {
    return TimelineBuilder(diagnosis, job).run();
}

} // namespace retracescope::views
