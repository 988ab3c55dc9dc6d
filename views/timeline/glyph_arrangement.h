#pragma once

#include <vector>

#include <retracescope/layout/time_scale.h>

#include "views/timeline/timeline_model.h"

namespace retracescope::views {

inline constexpr double kGlyphSize = 11; ///< pixels

/// A glyph as it is drawn, with all the points that it stands for: those of the lane in [beginNs, endNs).
struct DrawnGlyph {
    Glyph glyph = Glyph::Trace; ///< the gravest of them
    double x = 0;
    double beginNs = 0;
    double endNs = 0;
    std::size_t count = 0;
};

/// Glyphs of a function's lane at one zoom, hits left out: neighbours closer than a glyph share one, which
/// then has a count. Every point that shows in the window is in exactly one.
std::vector<DrawnGlyph> arrangeGlyphs(const TimelineLane& lane, const layout::TimeScale& scale);

} // namespace retracescope::views
