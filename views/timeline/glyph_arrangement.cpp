#include "views/timeline/glyph_arrangement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace retracescope::views {

namespace {

constexpr double kDigitWidth = 6.6; // of the axis font in bold
constexpr double kBeforeCount = 1;  // pixels between a glyph and its count
constexpr double kBetween = 3;      // pixels between the parts of a cluster, and between clusters

/// Gravest first.
constexpr Glyph kByGravity[] = {Glyph::Error,    Glyph::Trace, Glyph::Relaxed,
                                Glyph::Expected, Glyph::Eager, Glyph::Unknown};

const GlyphSeries& seriesOf(const TimelineLane& lane, Glyph glyph) {
    return lane.glyphs[static_cast<std::size_t>(glyph)];
}

double countWidth(std::size_t count) {
    return count > 1 ? kBeforeCount + kDigitWidth * static_cast<double>(std::to_string(count).size()) : 0;
}

/// What lies in [beginNs, endNs), drawn from `x` on.
GlyphCluster clusterOf(const TimelineLane& lane, double beginNs, double endNs, double x) {
    GlyphCluster cluster{beginNs, endNs, {}};
    for (const Glyph glyph : kByGravity) {
        const std::size_t count = seriesOf(lane, glyph).count(beginNs, endNs);
        if (count == 0)
            continue;
        cluster.parts.push_back({glyph, x, count});
        x += kGlyphSize + countWidth(count) + kBetween;
    }
    return cluster;
}

/// Time of the first point at or after `ns`, or `end`.
double nextPoint(const TimelineLane& lane, double ns, double end) {
    for (const Glyph glyph : kByGravity) {
        const GlyphSeries& series = seriesOf(lane, glyph);
        const std::size_t at = series.firstAt(ns);
        if (at < series.timeNs.size())
            end = std::min(end, static_cast<double>(series.timeNs[at]));
    }
    return end;
}

} // namespace

double GlyphCluster::right() const {
    return parts.back().x + kGlyphSize / 2 + countWidth(parts.back().count);
}

std::size_t GlyphCluster::count() const {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t sum, const Part& part) { return sum + part.count; });
}

std::vector<GlyphCluster> arrangeGlyphs(const TimelineLane& lane, const layout::TimeScale& scale) {
    std::vector<GlyphCluster> out;
    const double end = scale.toNs(scale.width + kGlyphSize / 2);
    double from = scale.toNs(-kGlyphSize / 2);
    for (;;) {
        const double begin = nextPoint(lane, from, end);
        if (begin >= end)
            return out;
        const double x = scale.toX(begin);
        // What would be hidden joins, which may take more room.
        GlyphCluster cluster = clusterOf(lane, begin, std::min(std::nextafter(begin, end), end), x);
        for (std::size_t count = 0; count != cluster.count();) {
            count = cluster.count();
            const double next = cluster.right() + kBetween + kGlyphSize / 2;
            cluster = clusterOf(lane, begin, std::clamp(scale.toNs(next), cluster.endNs, end), x);
        }
        from = cluster.endNs;
        out.push_back(std::move(cluster));
    }
}

} // namespace retracescope::views
