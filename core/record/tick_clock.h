#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <retracescope/base/clock.h>
#include <retracescope/record/ring_file.h>

namespace retracescope::record {

/// Turns ticks into nanoseconds by interpolating between points known on both clocks. A time before the
/// newest point is always turned into the same nanosecond, so that events drained at different times stay
/// nested.
class TickClock {
public:
    TickClock() { addPoint(); }
    /// Of another process, from what it noted last.
    explicit TickClock(const ClockPoint& point)
        : m_points{{point.ticks, point.ns}}, m_nsPerTick(point.nsPerTick) {}

    ClockPoint newest() const { return {m_points.back().ticks, m_points.back().ns, m_nsPerTick}; }

    /// Reads both clocks. Call before turning times that may lie behind the newest point.
    void addPoint() {
        const TickScale scale = calibrateTicks();
        m_nsPerTick = scale.nsPerTick;
        if (m_points.empty() || scale.anchorTicks > m_points.back().ticks)
            m_points.push_back({scale.anchorTicks, scale.anchorNs});
    }

    std::int64_t toNs(std::uint64_t ticks) const {
        const auto behind = std::ranges::upper_bound(m_points, ticks, {}, &Point::ticks);
        if (behind == m_points.begin() || behind == m_points.end())
            return between(behind == m_points.begin() ? m_points.front() : m_points.back(), m_nsPerTick,
                           ticks);
        const Point& before = *std::prev(behind);
        return between(before,
                       static_cast<double>(behind->ns - before.ns) /
                           static_cast<double>(behind->ticks - before.ticks),
                       ticks);
    }

    /// A duration; good to the rate's error, which is below 1e-4.
    std::int64_t durationNs(std::uint64_t ticks) const {
        return static_cast<std::int64_t>(static_cast<double>(ticks) * m_nsPerTick);
    }

private:
    struct Point {
        std::uint64_t ticks;
        std::int64_t ns;
    };

    static std::int64_t between(const Point& from, double nsPerTick, std::uint64_t ticks) {
        return from.ns + static_cast<std::int64_t>(
                             static_cast<double>(static_cast<std::int64_t>(ticks - from.ticks)) * nsPerTick);
    }

    std::vector<Point> m_points;
    double m_nsPerTick = 1;
};

} // namespace retracescope::record
