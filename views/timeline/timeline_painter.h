#pragma once

#include <array>

#include <QImage>
#include <QPainter>

#include <retracescope/layout/time_scale.h>

#include "views/shared/selection.h"
#include "views/shared/theme.h"
#include "views/timeline/lane_stack.h"
#include "views/timeline/timeline_model.h"

namespace retracescope::views {

inline constexpr int kHeaderWidth = 214;
inline constexpr int kMinimapHeight = 46;
inline constexpr int kRulerHeight = 26;
inline constexpr int kMarksHeight = 22;
inline constexpr int kTopHeight = kMinimapHeight + kRulerHeight + kMarksHeight;

/// What of a model is on the screen.
struct TimelineFrame {
    layout::TimeScale scale; ///< of the lanes' area, which starts at kHeaderWidth
    int scroll = 0;          ///< pixels of lines above the lanes' area
    QSize size;
    Selection selection;
    std::optional<session::EventRef> event; ///< selected event that is no call
};

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

/// Paints the timeline: columns composed in an image at a cost that depends on pixels only, then text and
/// glyphs. Keeps its image and glyph pictures between frames; one painter per widget.
class TimelinePainter {
public:
    void setModel(TimelineModelPtr model);
    void setTheme(const Theme& theme);

    void paint(QPainter& painter, const TimelineFrame& frame, const LaneStack& stack,
               const std::vector<bool>& folded);

    /// Colour of a category on a thread's or stream's lane.
    QRgb colourOf(session::CategoryId category) const { return m_colours[category.value]; }

private:
    void makeColours();
    QImage glyphImage(Glyph glyph, double ratio);

    void composeLanes(const TimelineFrame& frame, const LaneStack& stack, const std::vector<bool>& folded);
    void composeRow(const TimelineFrame& frame, const session::LaneRow& row,
                    const session::RowPyramid& pyramid, bool isFunction, double top, double height);
    void composeHits(const TimelineFrame& frame, const TimelineLane& lane, double top);
    void composeCounter(const TimelineFrame& frame, const TimelineLane& lane, double top, double height);
    void composePoints(const TimelineFrame& frame, const TimelineLane& lane, double top, double height);
    void fillColumn(int x, int y0, int y1, QRgb colour);

    void paintMinimap(QPainter& painter, const TimelineFrame& frame);
    void paintRuler(QPainter& painter, const TimelineFrame& frame) const;
    void paintMarks(QPainter& painter, const TimelineFrame& frame) const;
    void paintLane(QPainter& painter, const TimelineFrame& frame, const StackLine& line, int y);
    void paintGroup(QPainter& painter, const StackLine& line, int y, const TimelineFrame& frame,
                    bool folded) const;
    void paintNames(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane, int y) const;
    void paintGlyphs(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane, int y);
    void paintHeader(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                     const QRect& area) const;
    void paintSelection(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane, int y) const;
    void paintCounterText(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                          const QRect& area) const;
    QString nameOf(const TimelineLane& lane, const session::LaneRow& row, std::size_t event) const;
    QRgb colourOf(bool isFunction, session::CategoryId category) const {
        return isFunction ? m_phaseColours[category.value] : m_colours[category.value];
    }

    TimelineModelPtr m_model;
    Theme m_theme;
    std::vector<QRgb> m_colours; ///< by CategoryId
    std::array<QRgb, kPhases> m_phaseColours{};
    QImage m_image; ///< lanes' area in device pixels
    double m_ratio = 1;
    std::array<QImage, kGlyphs> m_glyphs;
    double m_glyphRatio = 0;
    QImage m_minimap; ///< for one width and theme
    std::vector<session::PixelSlice> m_slices;
};

QColor colourOfPhase(Phase phase, const Theme& theme);

} // namespace retracescope::views
