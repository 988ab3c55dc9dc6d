#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <retracescope/base/counting.h>

namespace retracescope::trace {

/// Of the calls to a function made while nothing was being traced, many of the last ones had to trace.
struct RetracingWarning {
    std::string function;
    std::uint64_t traces = 0; ///< so many of them,
    std::uint64_t calls = 0;  ///< out of the last so many
    std::string reason;       ///< of the last one: "step.value: 4 -> 5"; empty if nothing is known
};

/// "5 out of the last 5 calls to 'f' had to trace, the last one for step.value: 4 -> 5".
std::string toText(const RetracingWarning& warning);

/// Who is told of frequent retracing, on the thread that called; without one, a line goes to stderr. Returns
/// the one before.
using RetracingHandler = std::function<void(const RetracingWarning&)>;
RetracingHandler setRetracingHandler(RetracingHandler handler);
void tell(const RetracingWarning& warning);

/// How often a function was called, and how many of these calls were no hits made outside of any trace.
struct CallCounts {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> others{0};

    std::uint64_t hits() const { return calls - others; }
    /// Its number, from 1.
    std::uint64_t addCall() noexcept { return addTo(calls, std::uint64_t{1}, std::memory_order_relaxed); }
};

/// Looks for frequent retracing. A traced call opens a bucket, which also counts the hits that follow it; the
/// oldest bucket goes while the others hold more than 10 calls. With 5 buckets there is a warning, at most
/// twice. Failed calls and calls made while a function is traced do not count.
/// (tensorflow/python/eager/polymorphic_function/polymorphic_function.py, _FrequentTracingDetector.)
class RetracingDetector {
public:
    /// That of all functions of one name and source line, so that a function made anew in a loop is one
    /// function here. Lives as long as the process.
    static RetracingDetector& of(const std::string& name, std::source_location definedAt);

    /// A function whose hits count; `counts` must leave before it dies.
    void join(const CallCounts& counts);
    void leave(const CallCounts& counts);

    /// A call that traced has ended; it is among the `others` of its function. The warning has no reason yet.
    std::optional<RetracingWarning> addTracedCall(const std::string& function, bool countsLeadingHitsAsTrace);

private:
    static constexpr std::uint64_t kHistory = 10;
    static constexpr std::size_t kThreshold = 5;
    static constexpr int kMostWarnings = 2;

    std::mutex m_mutex;
    std::vector<const CallCounts*> m_members;
    std::uint64_t m_hitsOfGone = 0;
    std::uint64_t m_hitsSeen = 0;
    std::vector<std::uint64_t> m_buckets; ///< calls, oldest first
    std::uint64_t m_calls = 0;            ///< their sum
    int m_warnings = 0;
};

} // namespace retracescope::trace
