#include <retracescope/importers/begin_end.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace retracescope::importers {

using session::StringId;

namespace {

/// Steps that looking down the stacks may take in all, so that a crafted file cannot make pairing quadratic.
constexpr std::int64_t kStepBudget = 50'000'000;

constexpr StringId kNoName(0u); // id 0 of the pool is the empty text

/// {"a":1} and {"b":2} as {"a":1,"b":2}: the end's arguments merge with the begin's.
StringId mergedArgs(StringId begin, StringId end, session::StringPool& strings) {
    const std::string_view left = strings[begin];
    const std::string_view right = strings[end];
    if (left.empty() || right.empty())
        return left.empty() ? end : begin;
    std::string text(left.substr(0, left.rfind('}')));
    text += ',';
    text += right.substr(right.find('{') + 1);
    return strings.intern(text);
}

/// The open begins of one lane and what happened at the present instant.
class LaneStack {
public:
    LaneStack(session::StringPool& strings, std::vector<ImportedSpan>& spans, PairingCounts& counts,
              std::int64_t& stepsLeft)
        : m_strings(strings), m_spans(spans), m_counts(counts), m_stepsLeft(stepsLeft) {}

    void begin(const BeginEnd& event) {
        advance(event.time);
        const auto waiting = m_waitingEnds.find(event.name);
        if (waiting == m_waitingEnds.end() || waiting->second == 0) {
            m_open.push_back(event);
            ++m_openByName[event.name];
            return;
        }
        --waiting->second;
        --m_counts.endWithoutBegin;
        addSpan(event, event.time.rounded());
        ++m_counts.pairs;
    }

    void end(const BeginEnd& event) {
        advance(event.time);
        if (event.name != kNoName && endsAForcedSpan(event.name))
            return;
        const std::size_t at = findOpen(event.name);
        if (at == m_open.size()) {
            ++m_counts.endWithoutBegin;
            if (event.name != kNoName)
                ++m_waitingEnds[event.name];
            return;
        }
        closeAbove(at, event);
        BeginEnd span = m_open[at];
        span.args = mergedArgs(span.args, event.args, m_strings);
        addSpan(span, event.time.rounded());
        ++m_counts.pairs;
        forget(span.name);
        m_open.erase(m_open.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void finish(std::int64_t lastNs) {
        for (const BeginEnd& event : m_open) {
            addSpan(event, std::max(lastNs, event.time.rounded()));
            m_spans.back().neverEnded = true;
            ++m_counts.beginWithoutEnd;
        }
        m_open.clear();
    }

private:
    void advance(Picotime time) {
        if (time == m_now)
            return;
        m_now = time;
        m_waitingEnds.clear();
        m_forced.clear();
    }

    /// An outer end at this very time closed a span of this name; this is the end that was meant.
    bool endsAForcedSpan(StringId name) {
        const auto forced = m_forced.find(name);
        if (forced == m_forced.end() || forced->second == 0)
            return false;
        --forced->second;
        --m_counts.closedByAnOuterEnd;
        ++m_counts.pairs;
        return true;
    }

    std::size_t findOpen(StringId name) {
        if (m_open.empty())
            return m_open.size();
        if (name == kNoName)
            return m_open.size() - 1;
        const auto known = m_openByName.find(name);
        if (known == m_openByName.end() || known->second == 0)
            return m_open.size();
        for (std::size_t i = m_open.size(); i-- > 0;) {
            if (m_open[i].name == name)
                return i;
            if (--m_stepsLeft < 0) {
                m_counts.gaveUp = true;
                return m_open.size();
            }
        }
        return m_open.size();
    }

    /// Spans above `at` that began earlier than now end now; those that began at this very time stay open.
    void closeAbove(std::size_t at, const BeginEnd& event) {
        std::size_t kept = at + 1;
        for (std::size_t i = at + 1; i < m_open.size(); ++i) {
            if (m_open[i].time == event.time) {
                m_open[kept++] = m_open[i];
                continue;
            }
            addSpan(m_open[i], event.time.rounded());
            forget(m_open[i].name);
            ++m_forced[m_open[i].name];
            ++m_counts.closedByAnOuterEnd;
        }
        m_stepsLeft -= static_cast<std::int64_t>(m_open.size() - at);
        m_open.resize(kept);
    }

    void forget(StringId name) { --m_openByName[name]; }

    void addSpan(const BeginEnd& event, std::int64_t endNs) {
        m_spans.push_back({.startNs = event.time.rounded(),
                           .endNs = endNs,
                           .order = event.order,
                           .lane = event.lane,
                           .name = event.name,
                           .category = event.category,
                           .args = event.args,
                           .function = {},
                           .neverEnded = false});
    }

    session::StringPool& m_strings;
    std::vector<ImportedSpan>& m_spans;
    PairingCounts& m_counts;
    std::int64_t& m_stepsLeft;
    std::vector<BeginEnd> m_open;
    std::unordered_map<StringId, std::int64_t> m_openByName;
    Picotime m_now;
    std::unordered_map<StringId, std::int64_t> m_waitingEnds; ///< ends without a begin at m_now
    std::unordered_map<StringId, std::int64_t> m_forced;      ///< spans that an outer end closed at m_now
};

} // namespace

PairingCounts pairBeginsAndEnds(std::vector<BeginEnd> events, std::int64_t lastNs,
                                session::StringPool& strings, std::vector<ImportedSpan>& spans,
                                const Job& job) {
    const auto earlier = [](const BeginEnd& a, const BeginEnd& b) { return a.time < b.time; };
    if (!std::ranges::is_sorted(events, earlier))
        std::ranges::stable_sort(events, earlier);
    PairingCounts counts;
    std::int64_t stepsLeft = kStepBudget;
    std::vector<std::unique_ptr<LaneStack>> lanes;
    constexpr std::size_t kPollEvery = 4096;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i % kPollEvery == 0 && job.cancel.requested())
            return counts;
        const BeginEnd& event = events[i];
        if (event.lane.value >= lanes.size())
            lanes.resize(event.lane.value + 1);
        auto& lane = lanes[event.lane.value];
        if (!lane)
            lane = std::make_unique<LaneStack>(strings, spans, counts, stepsLeft);
        event.isEnd ? lane->end(event) : lane->begin(event);
    }
    for (const auto& lane : lanes) {
        if (lane)
            lane->finish(lastNs);
    }
    return counts;
}

} // namespace retracescope::importers
