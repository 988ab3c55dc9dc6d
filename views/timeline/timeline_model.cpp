#include "views/timeline/timeline_model.h"

#include <algorithm>
#include <map>

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

class TimelineBuilder {
public:
    TimelineBuilder(const diagnose::DiagnosisPtr& diagnosis, const Job& job)
        : m_out(std::make_shared<TimelineModel>()), m_job(job) {
        m_out->diagnosis = diagnosis;
    }

    TimelineModelPtr run() {
        m_out->pyramid = session::pyramidOf(m_out->session(), m_job);
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
    void ownRows(TimelineLane& lane, std::vector<Interval> intervals);
    void addRecordedLanes();
    void addOverview();
    std::size_t groupNamed(const QString& title);

    std::shared_ptr<TimelineModel> m_out;
    const Job& m_job;
    /// Trace and optimise spans by function, in time order.
    std::vector<std::vector<std::pair<Piece, session::LaneId>>> m_phases;
    std::vector<Interval> m_tracing, m_executing;
};

void TimelineBuilder::collectPhaseSpans() {
    m_phases.resize(session().functions.size());
    const session::SpanTable& spans = session().spans;
    const session::StringId trace = session().strings.find("trace");
    const session::StringId optimise = session().strings.find("optimise");
    for (std::size_t row = 0; row < spans.size(); ++row) {
        const bool isTraceSpan = trace.isValid() && spans.category[row] == trace;
        const bool isOptimise = optimise.isValid() && spans.category[row] == optimise;
        if (!spans.function[row].isValid() || !(isTraceSpan || isOptimise))
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
    std::vector<Piece> pieces{{start, end, Phase::Execute}};
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
    lane.name = toQString(session().text(session()[function].name));
    addGlyphs(lane);
    std::vector<Interval> intervals;
    for (const CallId call : m_out->diagnosis->index.callsOfFunction[function.value]) {
        for (const Piece& piece : piecesOf(call)) {
            const Interval interval{
                piece.startNs, piece.endNs, {call.value, session::EventKind::Call}, categoryOf(piece.phase)};
            intervals.push_back(interval);
            (piece.phase == Phase::Execute ? m_executing : m_tracing).push_back(interval);
        }
    }
    ownRows(lane, std::move(intervals));
    m_out->groups[group].lanes.push_back(m_out->lanes.size());
    m_out->lanes.push_back(std::move(lane));
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
    bool unordered = false;
    for (const session::MissId miss : index.missesOfFunction[lane.function.value]) {
        if (session()[miss].call.isValid())
            continue;
        GlyphSeries& series = lane.glyphs[static_cast<std::size_t>(glyphOfMiss(session()[miss]))];
        series.timeNs.push_back(session()[miss].timeNs);
        series.call.emplace_back();
        series.miss.push_back(miss);
        unordered = true;
    }
    for (GlyphSeries& series : lane.glyphs) {
        if (!unordered || std::ranges::is_sorted(series.timeNs))
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

void TimelineBuilder::ownRows(TimelineLane& lane, std::vector<Interval> intervals) {
    for (LaneRow& row : session::nestIntervals(std::move(intervals))) {
        m_out->ownPyramids.push_back(session::buildRowPyramid(row));
        m_out->ownRows.push_back(std::move(row));
        lane.rows.push_back(&m_out->ownRows.back());
        lane.pyramids.push_back(&m_out->ownPyramids.back());
    }
}

/// Threads, streams and counters as the session has them, by process.
void TimelineBuilder::addRecordedLanes() {
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
        lane.name = toQString(session().text(source.name));
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
        if (lane.name.isEmpty()) {
            const QString thread = toQString(session().text(source.threadId));
            lane.name =
                thread.isEmpty() ? QStringLiteral("unnamed") : QStringLiteral("thread %1").arg(thread);
        }
        const QString process = toQString(session().text(source.process));
        lane.group = groupNamed(process.isEmpty() ? kind : QStringLiteral("%1 · %2").arg(kind, process));
        for (std::size_t depth = 0; depth < events.rows.size() && depth < m_out->pyramid.rows[id].size();
             ++depth) {
            lane.rows.push_back(&events.rows[depth]);
            lane.pyramids.push_back(&m_out->pyramid.rows[id][depth]);
        }
        m_out->groups[lane.group].lanes.push_back(m_out->lanes.size());
        m_out->lanes.push_back(std::move(lane));
    }
}

/// A file without traced functions has its threads and streams in the minimap.
void TimelineBuilder::addOverview() {
    m_out->hasTracedTime = !m_tracing.empty() || !m_executing.empty();
    for (std::size_t lane = 0; !m_out->hasTracedTime && lane < m_out->lanes.size(); ++lane) {
        if (m_out->lanes[lane].rows.empty())
            continue;
        const LaneRow& row = *m_out->lanes[lane].rows.front();
        for (std::size_t i = 0; i < row.size(); ++i)
            m_executing.push_back({row.startNs[i], row.endNs[i], row.event[i], categoryOf(Phase::Execute)});
    }
    const auto outermost = [](std::vector<Interval>& intervals, LaneRow& row, session::RowPyramid& pyramid) {
        std::vector<LaneRow> rows = session::nestIntervals(std::move(intervals));
        if (rows.empty())
            return;
        row = std::move(rows.front());
        pyramid = session::buildRowPyramid(row);
    };
    outermost(m_tracing, m_out->tracing, m_out->tracingPyramid);
    outermost(m_executing, m_out->executing, m_out->executingPyramid);
}

} // namespace

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

TimelineModel::Counts TimelineModel::countIn(const TimelineLane& lane, double beginNs, double endNs) const {
    Counts counts;
    for (std::size_t g = 0; g < kGlyphs; ++g) {
        const GlyphSeries& series = lane.glyphs[g];
        const std::size_t first = series.firstAt(beginNs);
        const std::size_t last = std::max(first, series.firstAt(endNs));
        counts.calls += last - first;
        if (isTrace(static_cast<Glyph>(g))) {
            counts.traces += last - first;
        } else if (static_cast<Glyph>(g) == Glyph::Error) {
            // A call that failed may have traced before.
            counts.traces += static_cast<std::size_t>(
                std::count_if(series.miss.begin() + static_cast<std::ptrdiff_t>(first),
                              series.miss.begin() + static_cast<std::ptrdiff_t>(last),
                              [](session::MissId miss) { return miss.isValid(); }));
        }
    }
    return counts;
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
    const auto between = [&](const std::vector<std::int64_t>& times) {
        const auto at = [&](double ns) {
            return std::ranges::lower_bound(times, ns, {},
                                            [](std::int64_t t) { return static_cast<double>(t); });
        };
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at(endNs) - at(beginNs)));
    };
    std::size_t count = lane.points != nullptr ? between(lane.points->pointNs) : 0;
    for (const LaneRow* row : lane.rows)
        count += between(row->startNs);
    return count;
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

TimelineModelPtr buildTimeline(const diagnose::DiagnosisPtr& diagnosis, const Job& job) {
    return TimelineBuilder(diagnosis, job).run();
}

} // namespace retracescope::views
