#include "views/timeline/glyph_arrangement.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace retracescope::views {

namespace {

constexpr double kDigitWidth = 6.2;

/// Gravest first: which of several at one place is drawn.
constexpr Glyph kByGravity[] = {Glyph::Error,    Glyph::Trace, Glyph::Relaxed,
                                Glyph::Expected, Glyph::Eager, Glyph::Unknown};

} // namespace

std::vector<DrawnGlyph> arrangeGlyphs(const TimelineLane& lane, const layout::TimeScale& scale) {
    std::vector<DrawnGlyph> out;
    double from = scale.toNs(-kGlyphSize / 2);
    const double end = scale.toNs(scale.width + kGlyphSize / 2);
    for (;;) {
        double next = end;
        for (const Glyph glyph : kByGravity) {
            const GlyphSeries& series = lane.glyphs[static_cast<std::size_t>(glyph)];
            const std::size_t at = series.firstAt(from);
            if (at < series.timeNs.size())
                next = std::min(next, static_cast<double>(series.timeNs[at]));
        }
        if (next >= end)
            return out;
        DrawnGlyph drawn{Glyph::Unknown, scale.toX(next), next, 0, 0};
        const auto countTo = [&](double width) {
            drawn.endNs = std::min(std::max(scale.toNs(drawn.x + width), std::nextafter(next, end)), end);
            drawn.count = 0;
            for (const Glyph glyph : kByGravity) {
                const std::size_t here =
                    lane.glyphs[static_cast<std::size_t>(glyph)].count(drawn.beginNs, drawn.endNs);
                if (here > 0 && drawn.count == 0)
                    drawn.glyph = glyph;
                drawn.count += here;
            }
        };
        countTo(kGlyphSize);
        if (drawn.count > 1) // room for the number beside it
            countTo(kGlyphSize + 3 + kDigitWidth * static_cast<double>(std::to_string(drawn.count).size()));
        out.push_back(drawn);
        from = drawn.endNs;
    }
}

} // namespace retracescope::views
