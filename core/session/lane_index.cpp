#include <retracescope/session/lane_index.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <unordered_map>

#include <retracescope/session/nesting.h>

namespace retracescope::session {

namespace {

/// Outer before inner: earlier start, then later end, then the kind that contains the other.
bool isBefore(const Interval& a, const Interval& b) {
    if (a.startNs != b.startNs)
        return a.startNs < b.startNs;
    if (a.endNs != b.endNs)
        return a.endNs > b.endNs;
    return a.event.kind < b.event.kind;
}

/// Gives equal categories one id. Events come in runs of the same name, hence the quick way by name.
class Categories {
public:
    explicit Categories(const Session& session) : m_session(session) {
        m_ofCall.resize(session.functions.size() * kOutcomes);
        m_ofName.resize(session.strings.size() * 2);
    }

    CategoryId ofCall(std::size_t row) {
        const FunctionId function = m_session.calls.function[row];
        const Outcome outcome = m_session.calls.outcome[row];
        CategoryId& id = m_ofCall[function.value * kOutcomes + static_cast<std::size_t>(outcome)];
        if (!id.isValid())
            id = add({EventKind::Call, outcome, m_session[function].name, StringId(), function});
        return id;
    }

    CategoryId ofSpan(std::size_t row) {
        return ofNamed({EventKind::Span, Outcome::Unknown, m_session.spans.name[row],
                        m_session.spans.category[row], FunctionId()});
    }

    CategoryId ofKernel(std::size_t row) {
        return ofNamed(
            {EventKind::Kernel, Outcome::Unknown, m_session.kernels.name[row], StringId(), FunctionId()});
    }

    std::vector<EventCategory> take() { return std::move(m_categories); }

private:
    static constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::Unknown) + 1;

    CategoryId ofNamed(const EventCategory& wanted) {
        const std::size_t name =
            wanted.name.isValid() ? wanted.name.value : 0; // none reads as the empty text
        CategoryId& recent = m_ofName[name * 2 + (wanted.kind == EventKind::Kernel)];
        if (recent.isValid() && m_categories[recent.value] == wanted)
            return recent;
        const std::uint64_t key = (std::uint64_t{wanted.name.value} << 32 | wanted.category.value) * 2 +
                                  (wanted.kind == EventKind::Kernel);
        auto& known = m_known[key];
        const auto it =
            std::ranges::find_if(known, [&](CategoryId id) { return m_categories[id.value] == wanted; });
        recent = it != known.end() ? *it : known.emplace_back(add(wanted));
        return recent;
    }

    CategoryId add(const EventCategory& category) {
        m_categories.push_back(category);
        return CategoryId(m_categories.size() - 1);
    }

    const Session& m_session;
    std::vector<EventCategory> m_categories;
    std::vector<CategoryId> m_ofCall; ///< by function and outcome
    std::vector<CategoryId> m_ofName; ///< the last one met of that name, spans and kernels apart
    std::unordered_map<std::uint64_t, std::vector<CategoryId>> m_known;
};

/// The intervals of one lane by the table that they come from, each part in order.
struct LaneParts {
    std::array<std::vector<Interval>, 3> tables;
};

/// Puts one table's intervals into the part `kind` of their lanes.
template <class Table, class Categorise>
void gather(const Table& table, EventKind kind, std::vector<LaneParts>& lanes, Categorise&& categorise) {
    const auto part = static_cast<std::size_t>(kind);
    std::vector<std::size_t> sizes(lanes.size());
    for (const LaneId lane : table.lane)
        ++sizes[lane.value];
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        lanes[lane].tables[part].reserve(sizes[lane]);
    for (std::size_t row = 0; row < table.size(); ++row)
        lanes[table.lane[row].value].tables[part].push_back({table.startNs[row],
                                                             table.startNs[row] + table.durationNs[row],
                                                             {static_cast<std::uint32_t>(row), kind},
                                                             categorise(row)});
    for (LaneParts& lane : lanes) {
        if (!std::ranges::is_sorted(lane.tables[part], isBefore))
            std::ranges::stable_sort(lane.tables[part], isBefore);
    }
}

/// Collects intervals that come in order.
class RowBuilder {
public:
    void add(const Interval& interval) {
        const auto [layer, depth] = m_nesting.place(interval.startNs, interval.endNs);
        if (layer == m_layers.size())
            m_layers.emplace_back();
        if (depth == m_layers[layer].size())
            m_layers[layer].emplace_back();
        LaneRow& row = m_layers[layer][depth];
        row.startNs.push_back(interval.startNs);
        row.endNs.push_back(interval.endNs);
        row.event.push_back(interval.event);
        row.category.push_back(interval.category);
    }

    NestedRows take() {
        NestedRows out;
        for (std::vector<LaneRow>& layer : m_layers) {
            out.layers.push_back(out.rows.size());
            std::ranges::move(layer, std::back_inserter(out.rows));
        }
        return out;
    }

private:
    Nesting m_nesting;
    std::vector<std::vector<LaneRow>> m_layers;
};

NestedRows nestParts(const LaneParts& lane) {
    RowBuilder builder;
    std::array<std::span<const Interval>, 3> left;
    std::ranges::copy(lane.tables, left.begin());
    for (;;) {
        std::span<const Interval>* next = nullptr;
        for (auto& part : left) {
            if (!part.empty() && (next == nullptr || isBefore(part.front(), next->front())))
                next = &part;
        }
        if (next == nullptr)
            return builder.take();
        builder.add(next->front());
        *next = next->subspan(1);
    }
}

template <class Table>
void addPoints(const Table& table, EventKind kind, LaneIndex& index) {
    for (std::size_t row = 0; row < table.size(); ++row) {
        LaneEvents& lane = index.lanes[table.lane[row].value];
        lane.pointNs.push_back(table.timeNs[row]);
        lane.points.push_back({static_cast<std::uint32_t>(row), kind});
    }
}

void sortPoints(LaneEvents& lane) {
    if (std::ranges::is_sorted(lane.pointNs))
        return;
    std::vector<std::size_t> order(lane.points.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return lane.pointNs[i]; });
    LaneEvents sorted;
    for (const std::size_t i : order) {
        sorted.pointNs.push_back(lane.pointNs[i]);
        sorted.points.push_back(lane.points[i]);
    }
    lane.pointNs = std::move(sorted.pointNs);
    lane.points = std::move(sorted.points);
}

} // namespace

NestedRows nestIntervals(std::vector<Interval> intervals) {
    std::ranges::stable_sort(intervals, isBefore);
    RowBuilder builder;
    for (const Interval& interval : intervals)
        builder.add(interval);
    return builder.take();
}

LaneIndex buildLaneIndex(const Session& session, const Job& job) {
    LaneIndex index;
    index.lanes.resize(session.lanes.size());
    Categories categories(session);
    std::vector<LaneParts> lanes(session.lanes.size());
    gather(session.calls, EventKind::Call, lanes, [&](std::size_t row) { return categories.ofCall(row); });
    gather(session.spans, EventKind::Span, lanes, [&](std::size_t row) { return categories.ofSpan(row); });
    gather(session.kernels, EventKind::Kernel, lanes,
           [&](std::size_t row) { return categories.ofKernel(row); });
    index.categories = categories.take();
    addPoints(session.counters, EventKind::Counter, index);
    addPoints(session.instants, EventKind::Instant, index);
    for (std::size_t lane = 0; lane < lanes.size() && !job.cancel.requested(); ++lane) {
        static_cast<NestedRows&>(index.lanes[lane]) = nestParts(lanes[lane]);
        sortPoints(index.lanes[lane]);
        lanes[lane] = {};
        job.report(static_cast<double>(lane + 1) / static_cast<double>(lanes.size()), "ordering events");
    }
    return index;
}

} // namespace retracescope::session
