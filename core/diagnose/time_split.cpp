#include <retracescope/diagnose/time_split.h>

#include <algorithm>
#include <array>
#include <limits>

namespace retracescope::diagnose {

using namespace session;

namespace {

/// What a moment is spent on; the smaller wins where threads differ.
enum Use : std::uint8_t { Avoidable, Needed, Execute, Failed, UseCount };

struct Interval {
    std::int64_t start = 0;
    std::int64_t end = 0;
    Use use = Execute;
    bool isCall = false; ///< else a trace, or a piece of either
};

/// Cuts what happens on one thread into pieces that do not overlap; the innermost use of a moment stays.
class ThreadFlattener {
public:
    explicit ThreadFlattener(std::vector<Interval>& pieces) : m_pieces(pieces) {}

    /// In order of start, the outer before the inner. A call inside a trace is a part of that trace.
    void add(const Interval& interval) {
        closeUntil(interval.start);
        if (interval.isCall && !m_open.empty()) {
            if (m_open.size() == 1 && m_open.front().isCall) // it may outlast a call that it overlaps in part
                m_open.front().end = std::max(m_open.front().end, interval.end);
            return;
        }
        if (!m_open.empty()) {
            emit(m_position, interval.start, m_open.back().use);
            m_position = std::max(m_position, interval.start);
        } else {
            m_position = interval.start;
        }
        Interval inner = interval;
        if (!m_open.empty())
            inner.end = std::min(inner.end, m_open.back().end); // nothing outlives what it lies in
        if (inner.end > inner.start)
            m_open.push_back(inner);
    }

    void finish() { closeUntil(std::numeric_limits<std::int64_t>::max()); }

private:
    void closeUntil(std::int64_t time) {
        while (!m_open.empty() && m_open.back().end <= time) {
            emit(m_position, m_open.back().end, m_open.back().use);
            m_position = std::max(m_position, m_open.back().end);
            m_open.pop_back();
        }
    }

    void emit(std::int64_t start, std::int64_t end, Use use) {
        if (end <= start)
            return;
        if (!m_pieces.empty() && m_pieces.back().end == start && m_pieces.back().use == use)
            m_pieces.back().end = end;
        else
            m_pieces.push_back({start, end, use});
    }

    std::vector<Interval>& m_pieces;
    std::vector<Interval> m_open; ///< innermost last
    std::int64_t m_position = 0;
};

/// A trace lasts from its miss for its own time and that of the traces inside it, which Miss::traceNs leaves
/// out. `misses` are those of one thread in time order.
std::vector<Interval> traceIntervals(const Session& session, const std::vector<MissId>& misses,
                                     const std::vector<bool>& avoidable) {
    std::vector<Interval> intervals;
    std::vector<std::size_t> open;
    const auto closeUntil = [&](std::int64_t time) {
        while (!open.empty() && intervals[open.back()].end <= time) {
            const std::int64_t inner = intervals[open.back()].end - intervals[open.back()].start;
            open.pop_back();
            if (!open.empty())
                intervals[open.back()].end += inner;
        }
    };
    for (const MissId row : misses) {
        const Miss& miss = session[row];
        closeUntil(miss.timeNs);
        open.push_back(intervals.size());
        const Use use = avoidable[row.value] ? Avoidable : leftNothing(session, miss) ? Failed : Needed;
        intervals.push_back({miss.timeNs, miss.timeNs + std::max<std::int64_t>(miss.traceNs, 0), use});
    }
    closeUntil(std::numeric_limits<std::int64_t>::max());
    return intervals;
}

/// Rows of one thread.
struct ThreadRows {
    std::vector<CallId> calls;
    std::vector<MissId> misses;
};

std::vector<ThreadRows> rowsByThread(const Session& session) {
    const std::size_t unknown =
        session.lanes.size(); // a trace that no call asked for: its thread is not recorded
    std::vector<ThreadRows> threads(unknown + 1);
    const auto threadOf = [&](CallId call) {
        const LaneId lane = call.isValid() ? session.calls.lane[call.value] : LaneId();
        return lane.isValid() ? lane.value : unknown;
    };
    for (std::size_t row = 0; row < session.calls.size(); ++row)
        threads[threadOf(CallId(row))].calls.push_back(CallId(row));
    for (std::size_t row = 0; row < session.misses.size(); ++row)
        threads[threadOf(session.misses[row].call)].misses.push_back(MissId(row));
    for (ThreadRows& thread : threads) {
        const auto start = [&](CallId call) { return session.calls.startNs[call.value]; };
        if (!std::ranges::is_sorted(thread.calls, {}, start))
            std::ranges::stable_sort(thread.calls, {}, start);
        std::ranges::stable_sort(thread.misses, {}, [&](MissId miss) { return session[miss].timeNs; });
    }
    return threads;
}

/// What one thread did, in pieces that do not overlap.
std::vector<Interval> piecesOf(const Session& session, const Index& index, const ThreadRows& thread,
                               const std::vector<bool>& avoidable) {
    const std::vector<Interval> traces = traceIntervals(session, thread.misses, avoidable);
    std::vector<Interval> pieces;
    ThreadFlattener flattener(pieces);
    std::size_t nextTrace = 0;
    const auto addTracesBefore = [&](std::int64_t time) {
        for (; nextTrace < traces.size() && traces[nextTrace].start < time; ++nextTrace)
            flattener.add(traces[nextTrace]);
    };
    const CallTable& calls = session.calls;
    for (const CallId call : thread.calls) {
        const std::int64_t start = calls.startNs[call.value];
        addTracesBefore(start);
        flattener.add({start, start + calls.durationNs[call.value],
                       calls.outcome[call.value] == Outcome::Error ? Failed : Execute, true});
        // A source that tells that a call traced, but not why, has no miss for it.
        if (tracedWithoutMiss(session, index, call) && calls.traceNs[call.value] > 0)
            flattener.add({start, start + calls.traceNs[call.value], Needed});
    }
    addTracesBefore(std::numeric_limits<std::int64_t>::max());
    flattener.finish();
    return pieces;
}

struct Edge {
    std::int64_t time = 0;
    std::int64_t step = 0; ///< +1 begins, -1 ends
    Use use = Execute;
};

/// Length of each use over all threads, each moment counted once.
std::array<std::int64_t, UseCount> sumUses(const std::vector<Interval>& pieces, std::int64_t first,
                                           std::int64_t last) {
    std::vector<Edge> edges;
    edges.reserve(pieces.size() * 2);
    for (const Interval& piece : pieces) {
        const std::int64_t start = std::clamp(piece.start, first, last);
        const std::int64_t end = std::clamp(piece.end, first, last);
        edges.push_back({start, 1, piece.use});
        edges.push_back({end, -1, piece.use});
    }
    std::ranges::sort(edges, {}, &Edge::time);
    std::array<std::int64_t, UseCount> active{};
    std::array<std::int64_t, UseCount> sums{};
    std::int64_t position = first;
    for (const Edge& edge : edges) {
        const auto now = std::ranges::find_if(active, [](std::int64_t threads) { return threads > 0; });
        if (now != active.end())
            sums[static_cast<std::size_t>(now - active.begin())] += edge.time - position;
        position = edge.time;
        active[edge.use] += edge.step;
    }
    return sums;
}

} // namespace

TimeSplit splitTime(const Session& session, const Index& index, const std::vector<bool>& avoidable,
                    const Job& job) {
    std::vector<Interval> pieces;
    for (const ThreadRows& thread : rowsByThread(session)) {
        if (job.cancel.requested())
            break;
        const std::vector<Interval> own = piecesOf(session, index, thread, avoidable);
        pieces.insert(pieces.end(), own.begin(), own.end());
    }
    const auto sums = sumUses(pieces, session.originNs, session.endNs);
    TimeSplit split;
    split.totalNs = session.endNs - session.originNs;
    split.avoidableNs = sums[Avoidable];
    split.neededNs = sums[Needed];
    split.executeNs = sums[Execute];
    split.failedNs = sums[Failed];
    split.outsideNs = split.totalNs - split.avoidableNs - split.neededNs - split.executeNs - split.failedNs;
    for (std::size_t row = 0; row < session.calls.size() && split.tracingTold; ++row)
        split.tracingTold =
            session.calls.traceNs[row] != kNotRecorded || !tracedWithoutMiss(session, index, CallId(row));
    return split;
}

} // namespace retracescope::diagnose
