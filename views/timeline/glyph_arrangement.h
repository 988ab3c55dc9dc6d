#pragma once

#include <array>
#include <vector>

#include <retracescope/layout/time_scale.h>

#include "views/timeline/timeline_model.h"

namespace retracescope::views {

inline constexpr double kGlyphSize = 11; ///< pixels

/// Glyphs that are drawn at one place, with all the points that they stand for: those of the lane in
/// [beginNs, endNs). One glyph per kind, gravest first, each with its own count if it stands for several.
struct GlyphCluster {
    struct Part {
        Glyph glyph = Glyph::Trace;
        double x = 0; ///< of its middle, pixels of the scale
        std::size_t count = 0;
    };
    double beginNs = 0;
    double endNs = 0;
    std::vector<Part> parts;

    double left() const { return parts.front().x - kGlyphSize / 2; }
    double right() const; ///< of the last glyph or count, pixels of the scale
    std::size_t count() const;
};

/// Glyphs of a function's lane at one zoom, hits left out: neighbours that would hide each other are one
/// cluster. Every point that shows in the window is in exactly one.
std::vector<GlyphCluster> arrangeGlyphs(const TimelineLane& lane, const layout::TimeScale& scale);

} // namespace retracescope::views
