#include <retracescope/engine/trace/retracing_detector.h>

#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <retracescope/engine/trace/warning_handler.h>

namespace retracescope::trace {

std::string toText(const RetracingWarning& warning) {
    const std::string reason =
        warning.reason.empty() ? std::string() : ", the last one for " + warning.reason;
    return fmt::format("{} out of the last {} calls to '{}' had to trace{}", warning.traces, warning.calls,
                       warning.function, reason);
}

RetracingHandler setRetracingHandler(RetracingHandler handler) {
    return WarningHandler<RetracingWarning>::set(std::move(handler));
}

void tell(const RetracingWarning& warning) {
    WarningHandler<RetracingWarning>::tell(warning);
}

RetracingDetector& RetracingDetector::of(const std::string& name, std::source_location definedAt) {
    using Site = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>;
    static std::mutex mutex;
    static auto* all = new std::map<Site, RetracingDetector>;
    const std::lock_guard lock(mutex);
    return (*all)[{name, definedAt.file_name(), definedAt.line(), definedAt.column()}];
}

void RetracingDetector::join(const CallCounts& counts) {
    const std::lock_guard lock(m_mutex);
    m_members.push_back(&counts);
}

void RetracingDetector::leave(const CallCounts& counts) {
    const std::lock_guard lock(m_mutex);
    std::erase(m_members, &counts);
    m_hitsOfGone += counts.hits();
}

std::optional<RetracingWarning> RetracingDetector::addTracedCall(const std::string& function,
                                                                 bool countsLeadingHitsAsTrace) {
    const std::lock_guard lock(m_mutex);
    if (m_warnings >= kMostWarnings)
        return std::nullopt;
    const std::uint64_t hits =
        std::accumulate(m_members.begin(), m_members.end(), m_hitsOfGone,
                        [](std::uint64_t sum, const CallCounts* counts) { return sum + counts->hits(); });
    // A call under way when last asked may have failed since.
    const std::uint64_t seen = std::exchange(m_hitsSeen, hits);
    const std::uint64_t newHits = hits > seen ? hits - seen : 0;
    if (newHits > 0 && (!m_buckets.empty() || countsLeadingHitsAsTrace)) {
        if (m_buckets.empty())
            m_buckets.push_back(0);
        m_buckets.back() += newHits;
        m_calls += newHits;
    }
    m_buckets.push_back(1);
    ++m_calls;
    while (m_calls - m_buckets.front() > kHistory) {
        m_calls -= m_buckets.front();
        m_buckets.erase(m_buckets.begin());
    }
    if (m_buckets.size() < kThreshold)
        return std::nullopt;
    ++m_warnings;
    return RetracingWarning{function, m_buckets.size(), m_calls, {}};
}

} // namespace retracescope::trace
