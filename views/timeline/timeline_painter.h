#pragma once

#include <array>

#include <QImage>
#include <QPainter>

#include "views/shared/theme.h"
#include "views/timeline/glyph_arrangement.h"
#include "views/timeline/lane_raster.h"

namespace retracescope::views {

/// Paints the timeline: the raster of the lanes, then text and glyphs. Keeps images between frames; one
/// painter per widget.
class TimelinePainter {
public:
    void setModel(TimelineModelPtr model);
    void setTheme(const Theme& theme);

    void paint(QPainter& painter, const TimelineFrame& frame, const LaneStack& stack);

private:
    void recolour();
    QImage glyphImage(Glyph glyph);

    bool paintLines(QPainter& painter, const TimelineFrame& frame, const LaneStack& stack);
    bool paintLine(QPainter& painter, const TimelineFrame& frame, const StackLine& line);
    void paintNothing(QPainter& painter, const TimelineFrame& frame) const;
    void paintMinimap(QPainter& painter, const TimelineFrame& frame);
    void paintRuler(QPainter& painter, const TimelineFrame& frame) const;
    void paintMarksRow(QPainter& painter, const TimelineFrame& frame) const;
    void paintMarks(QPainter& painter, const TimelineFrame& frame) const;
    void paintRange(QPainter& painter, const TimelineFrame& frame, const TimeRange& range) const;
    void paintGroup(QPainter& painter, const TimelineFrame& frame, const StackLine& line, int y) const;
    void paintLane(QPainter& painter, const TimelineFrame& frame, const StackLine& line, int y);
    void paintNames(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                    const StackLine& line, int y) const;
    void paintStrip(QPainter& painter, const TimelineLane& lane, const StackLine& line, int y) const;
    void paintGlyphs(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane, int y);
    void paintSelection(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                        const StackLine& line, int y) const;
    void paintHeader(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                     const QRect& area) const;
    QString countsOf(const TimelineFrame& frame, const TimelineLane& lane) const;
    QString nameOf(const TimelineLane& lane, const session::LaneRow& row, std::size_t event) const;

    TimelineModelPtr m_model;
    Theme m_theme;
    LaneColours m_colours;
    LaneRaster m_raster;
    double m_ratio = 1;
    std::array<QImage, kGlyphs> m_glyphs;
    QPixmap m_pin;
    QImage m_minimap; ///< for one width, theme and ratio
};

} // namespace retracescope::views
