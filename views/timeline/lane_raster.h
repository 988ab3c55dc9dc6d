#pragma once

#include <QImage>

#include "views/timeline/lane_colours.h"
#include "views/timeline/lane_stack.h"
#include "views/timeline/timeline_frame.h"

namespace retracescope::views {

/// Composes the lanes' bars, ticks and curves column by column in an image: the cost depends on pixels, not
/// on events. Keeps its image between frames.
class LaneRaster {
public:
    /// The lanes' area of one frame at `ratio` device pixels per pixel.
    const QImage& compose(const TimelineModel& model, const LaneColours& colours, const Theme& theme,
                          const TimelineFrame& frame, const LaneStack& stack, double ratio);

    /// All tracing above all executing, for the whole session over `width` pixels.
    static QImage minimap(const TimelineModel& model, const Theme& theme, double width, double ratio);

private:
    /// Where a row lies, in pixels of the lanes' area.
    struct Band {
        double top = 0;
        double height = 0;
    };

    void fillColumn(int x, int y0, int y1, QRgb colour);
    void background(const TimelineFrame& frame, double originNs, int top, int bottom);
    void line(const TimelineModel& model, const TimelineFrame& frame, const StackLine& line);
    void lane(const TimelineFrame& frame, const TimelineLane& lane, const StackLine& line);
    void row(const TimelineFrame& frame, const TimelineLane& lane, std::size_t depth, const Band& band);
    void sliceExactly(const TimelineFrame& frame, const session::LaneRow& row, const EventWindow& window);
    void hits(const TimelineFrame& frame, const TimelineLane& lane, double top);
    void points(const TimelineFrame& frame, const TimelineLane& lane, const Band& band);
    void counter(const TimelineFrame& frame, const TimelineLane& lane, const Band& band);
    void busyLanes(const TimelineModel& model, const Band& band, QRgb colour);
    void strip(const session::LaneRow& row, const session::RowPyramid& pyramid, double beginNs, double endNs,
               const Band& band, QRgb colour);

    QImage m_image;
    double m_ratio = 1;
    const Theme* m_theme = nullptr;         ///< of the caller, during compose()
    const LaneColours* m_colours = nullptr; ///< likewise
    std::vector<session::PixelSlice> m_slices;
    std::vector<int> m_tops; ///< per column of a row: where its ink begins
    std::vector<QRgb> m_inks;
};

} // namespace retracescope::views
