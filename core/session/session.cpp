#include <retracescope/session/session.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace retracescope::session {

std::string_view Session::fact(std::string_view area, std::string_view key) const {
    const auto it =
        std::ranges::find_if(facts, [&](const Fact& f) { return f.area == area && f.key == key; });
    return it == facts.end() ? std::string_view() : std::string_view(it->value);
}

namespace {

struct Extent {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();

    void add(std::int64_t start, std::int64_t end) {
        first = std::min(first, start);
        last = std::max(last, end);
    }
    void add(const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& durations) {
        for (std::size_t i = 0; i < starts.size(); ++i)
            add(starts[i], starts[i] + durations[i]);
    }
    void add(const std::vector<std::int64_t>& times) {
        for (const std::int64_t t : times)
            add(t, t);
    }
};

} // namespace

void tieMissesToCalls(Session& session) {
    const auto key = [](FunctionId function, std::uint32_t number) {
        return std::uint64_t{function.value} << 32 | number;
    };
    std::unordered_multimap<std::uint64_t, MissId> open;
    for (std::size_t row = 0; row < session.misses.size(); ++row) {
        const Miss& miss = session.misses[row];
        if (!miss.call.isValid() && miss.callNumber > 0)
            open.emplace(key(miss.function, miss.callNumber), MissId(row));
    }
    if (open.empty())
        return;
    const CallTable& calls = session.calls;
    for (std::size_t row = 0; row < calls.size(); ++row) {
        const auto [first, last] = open.equal_range(key(calls.function[row], calls.number[row]));
        for (auto it = first; it != last; ++it)
            session.misses[it->second.value].call = CallId(row);
    }
}

void updateExtent(Session& session) {
    Extent extent;
    extent.add(session.calls.startNs, session.calls.durationNs);
    extent.add(session.spans.startNs, session.spans.durationNs);
    extent.add(session.kernels.startNs, session.kernels.durationNs);
    extent.add(session.counters.timeNs);
    extent.add(session.instants.timeNs);
    for (const Mark& mark : session.marks)
        extent.add(mark.timeNs, mark.timeNs);
    const bool any = extent.first <= extent.last;
    session.originNs = any ? extent.first : 0;
    session.endNs = any ? extent.last : 0;
}

} // namespace retracescope::session
