#include "views/timeline/range_sums.h"

#include <algorithm>
#include <map>

#include <retracescope/session/nesting.h>

#include "views/timeline/timeline_frame.h"

namespace retracescope::views {

namespace {

std::int64_t overlap(std::int64_t startNs, std::int64_t endNs, const TimeRange& range) {
    return std::max<std::int64_t>(0, std::min(endNs, range.endNs) - std::max(startNs, range.beginNs));
}

/// A call that touches the range, with the parts that the timeline draws of it.
struct Touching {
    std::uint32_t call = 0;
    std::size_t row = 0; ///< of the sums
    const session::LaneRow* parts = nullptr;
    std::size_t firstPart = 0;
    std::size_t lastPart = 0;
};

class RangeAdder {
public:
    RangeAdder(const TimelineModel& model, const TimeRange& range, const Job& job)
        : m_model(model), m_range(range), m_job(job) {}

    RangeSums run() {
        m_sums.range = m_range;
        for (const TimelineLane& lane : m_model.lanes) {
            if (lane.kind == TimelineLaneKind::Function && !m_job.cancel.requested())
                addFunction(lane);
        }
        for (auto& [thread, calls] : m_threads)
            takeInnerCallsOut(calls);
        addOutside();
        std::erase_if(m_sums.rows, [](const RangeRow& row) {
            return row.calls == 0 && row.traces == 0 && row.totalNs() == 0;
        });
        std::ranges::stable_sort(m_sums.rows, std::greater{}, &RangeRow::totalNs);
        return std::move(m_sums);
    }

private:
    const session::CallTable& calls() const { return m_model.session().calls; }
    std::int64_t endOf(std::uint32_t call) const { return calls().startNs[call] + calls().durationNs[call]; }

    void addFunction(const TimelineLane& lane) {
        const auto begin = static_cast<double>(m_range.beginNs);
        const auto end = static_cast<double>(m_range.endNs);
        RangeRow sums;
        sums.function = lane.function;
        const TimelineModel::Counts counts = TimelineModel::countIn(lane, begin, end);
        sums.calls = static_cast<std::int64_t>(counts.calls);
        sums.traces = static_cast<std::int64_t>(counts.traces);
        sums.hits =
            static_cast<std::int64_t>(lane.glyphs[static_cast<std::size_t>(Glyph::Hit)].count(begin, end));
        for (const session::LaneRow* row : lane.rows) {
            const EventWindow window = eventsTouching(*row, begin, end);
            for (std::size_t i = window.first; i < window.last;) {
                Touching touching{row->event[i].row, m_sums.rows.size(), row, i, i};
                for (; i < window.last && row->event[i].row == touching.call; ++i)
                    add(sums, *row, i, 1, m_range);
                touching.lastPart = i;
                if (calls().startNs[touching.call] >= m_range.beginNs)
                    sums.longestNs = std::max(sums.longestNs, calls().durationNs[touching.call]);
                m_threads[calls().lane[touching.call]].push_back(touching);
            }
        }
        m_sums.rows.push_back(sums);
    }

    static void add(RangeRow& sums, const session::LaneRow& parts, std::size_t part, int sign,
                    const TimeRange& within) {
        const std::int64_t ns = sign * overlap(parts.startNs[part], parts.endNs[part], within);
        const auto phase = static_cast<Phase>(parts.category[part].value);
        (phase == Phase::Trace || phase == Phase::Optimise ? sums.tracingNs
         : phase == Phase::Failed                          ? sums.failedNs
         : phase == Phase::Untold                          ? sums.untoldNs
                                                           : sums.executeNs) += ns;
    }

    /// A call inside another one is not the other's time.
    void takeInnerCallsOut(std::vector<Touching>& thread) {
        std::ranges::sort(thread, [&](const Touching& a, const Touching& b) {
            const std::int64_t startA = calls().startNs[a.call];
            const std::int64_t startB = calls().startNs[b.call];
            return startA != startB ? startA < startB : endOf(a.call) > endOf(b.call);
        });
        session::Nesting nesting;
        std::map<std::size_t, std::vector<const Touching*>> open; // by layer, outermost first
        for (const Touching& touching : thread) {
            const auto [layer, depth] = nesting.place(calls().startNs[touching.call], endOf(touching.call));
            std::vector<const Touching*>& around = open[layer];
            around.resize(depth);
            if (depth > 0 && around.back() != nullptr) {
                const Touching& outer = *around.back();
                const TimeRange inner{std::max(m_range.beginNs, calls().startNs[touching.call]),
                                      std::min(m_range.endNs, endOf(touching.call))};
                for (std::size_t part = outer.firstPart; part < outer.lastPart; ++part)
                    add(m_sums.rows[outer.row], *outer.parts, part, -1, inner);
            }
            around.push_back(&touching);
        }
    }

    void addOutside() {
        std::vector<std::pair<std::int64_t, std::int64_t>> busy;
        for (const session::LaneRow* row : {&m_model.tracing, &m_model.executing, &m_model.failed}) {
            const EventWindow window = eventsTouching(*row, static_cast<double>(m_range.beginNs),
                                                      static_cast<double>(m_range.endNs));
            for (std::size_t i = window.first; i < window.last; ++i)
                busy.emplace_back(std::max(row->startNs[i], m_range.beginNs),
                                  std::min(row->endNs[i], m_range.endNs));
        }
        std::ranges::sort(busy);
        std::int64_t covered = 0;
        std::int64_t until = m_range.beginNs;
        for (const auto& [start, end] : busy) {
            covered += std::max<std::int64_t>(0, end - std::max(start, until));
            until = std::max(until, end);
        }
        m_sums.outsideNs = m_range.endNs - m_range.beginNs - covered;
        m_sums.overlapNs = -covered;
        for (const RangeRow& row : m_sums.rows)
            m_sums.overlapNs += row.totalNs();
    }

    const TimelineModel& m_model;
    TimeRange m_range;
    const Job& m_job;
    RangeSums m_sums;
    std::map<session::LaneId, std::vector<Touching>> m_threads;
};

/// Adds up the lanes row by row; what lies inside an event is in the row below it.
class NameAdder {
public:
    NameAdder(const TimelineModel& model, const TimeRange& range) : m_model(model), m_range(range) {}

    void add(const TimelineLane& lane) {
        for (std::size_t r = 0; r < lane.rows.size(); ++r) {
            const bool isNested =
                r + 1 < lane.rows.size() && std::ranges::find(lane.outermost, r + 1) == lane.outermost.end();
            addRow(*lane.rows[r], isNested ? lane.rows[r + 1] : nullptr);
        }
    }

    std::vector<NameRow> take() {
        std::vector<NameRow> rows;
        for (const auto& [key, row] : m_rows)
            rows.push_back(row);
        std::ranges::stable_sort(rows, std::greater{}, &NameRow::selfNs);
        return rows;
    }

private:
    void addRow(const session::LaneRow& row, const session::LaneRow* inner) {
        const EventWindow window =
            eventsTouching(row, static_cast<double>(m_range.beginNs), static_cast<double>(m_range.endNs));
        std::size_t child =
            inner != nullptr && window.size() > 0
                ? firstAtOrAfter(inner->startNs, static_cast<double>(row.startNs[window.first]))
                : 0;
        for (std::size_t i = window.first; i < window.last; ++i) {
            const session::EventCategory& category = m_model.pyramid.index.categories[row.category[i].value];
            NameRow& sum = m_rows[{category.kind, category.name}];
            const std::int64_t ns = overlap(row.startNs[i], row.endNs[i], m_range);
            std::int64_t insideNs = 0;
            for (; inner != nullptr && child < inner->size() && inner->startNs[child] < row.endNs[i]; ++child)
                insideNs += overlap(inner->startNs[child], inner->endNs[child], m_range);
            sum.kind = category.kind;
            sum.name = category.name;
            sum.totalNs += ns;
            sum.selfNs += ns - insideNs;
            const std::int64_t length = row.endNs[i] - row.startNs[i];
            const bool begins = row.startNs[i] >= m_range.beginNs;
            if (begins ? length >= sum.longestNs : sum.events == 0)
                sum.longest = row.event[i];
            if (begins)
                sum.longestNs = std::max(sum.longestNs, length);
            sum.events += begins;
        }
    }

    const TimelineModel& m_model;
    TimeRange m_range;
    std::map<std::pair<session::EventKind, session::StringId>, NameRow> m_rows;
};

} // namespace

std::vector<NameRow> sumNames(const TimelineModel& model, const TimeRange& range, const Job& job) {
    NameAdder adder(model, range);
    for (const TimelineLane& lane : model.lanes) {
        if (job.cancel.requested())
            break;
        if (lane.kind != TimelineLaneKind::Function)
            adder.add(lane);
    }
    return adder.take();
}

RangeSums sumRange(const TimelineModel& model, const TimeRange& range, const Job& job) {
    return RangeAdder(model, range, job).run();
}

} // namespace retracescope::views
