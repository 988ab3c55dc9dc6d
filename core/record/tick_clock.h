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
        if (!m_points.empty() && scale.anchorTicks <= m_points.back().ticks)
            return;
        if (!m_points.empty()) {
            Point& before = m_points.back();
            before.nsPerTick = static_cast<double>(scale.anchorNs - before.ns) /
                               static_cast<double>(scale.anchorTicks - before.ticks);
        }
        m_points.push_back({scale.anchorTicks, scale.anchorNs});
    }

    std::int64_t toNs(std::uint64_t ticks) const {
        const Point& first = m_points.front();
        const Point& newest = m_points.back();
        if (ticks < first.ticks)
            return first.toNs(ticks, m_nsPerTick);
        if (ticks >= newest.ticks)
            return newest.toNs(ticks, m_nsPerTick);
        const Point* from = &newest - 1; // mostly it lies there: points are added before times are turned
        if (ticks < from->ticks)
            from = std::upper_bound(&first, from, ticks, isBefore) - 1;
        return from->toNs(ticks, from->nsPerTick);
    }

    /// A duration; good to the rate's error, which is below 1e-4.
    std::int64_t durationNs(std::uint64_t ticks) const {
        return static_cast<std::int64_t>(static_cast<double>(ticks) * m_nsPerTick);
    }

private:
    struct Point {
        std::uint64_t ticks;
        std::int64_t ns;
        double nsPerTick = 0; ///< up to the next point

        std::int64_t toNs(std::uint64_t at, double rate) const {
            return ns + static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(at - ticks)) *
                                                  rate);
        }
    };
    static bool isBefore(std::uint64_t ticks, const Point& point) { return ticks < point.ticks; }

    std::vector<Point> m_points;
    double m_nsPerTick = 1;
};

} // namespace retracescope::record
