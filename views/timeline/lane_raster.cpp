#include "views/timeline/lane_raster.h"

#include <algorithm>
#include <cmath>

namespace retracescope::views {

using session::LaneRow;

namespace {

constexpr double kOwnBar = 3;   // pixels; narrower events become density
constexpr double kLeastInk = 2; // pixels; any event shows

std::int64_t rounded(double ns) {
    return std::llround(ns);
}

} // namespace

const QImage& LaneRaster::compose(const TimelineModel& model, const LaneColours& colours, const Theme& theme,
                                  const TimelineFrame& frame, const LaneStack& stack, double ratio) {
    const QSize pixels(static_cast<int>(frame.scale.width * ratio),
                       static_cast<int>(frame.lanesHeight() * ratio));
    if (m_image.size() != pixels)
        m_image = QImage(pixels, QImage::Format_RGB32);
    m_ratio = ratio;
    m_theme = &theme;
    m_colours = &colours;
    const auto originNs = static_cast<double>(model.session().originNs);
    background(frame, originNs, 0, m_image.height());
    for (const StackLine& line : stack.lines()) {
        if (!line.isPinned)
            this->line(model, frame, line);
    }
    if (frame.pinned > 0) {
        background(frame, originNs, 0, static_cast<int>(frame.pinned * ratio));
        for (const StackLine& line : stack.lines()) {
            if (line.isPinned)
                this->line(model, frame, line);
        }
    }
    m_image.setDevicePixelRatio(ratio);
    return m_image;
}

void LaneRaster::line(const TimelineModel& model, const TimelineFrame& frame, const StackLine& line) {
    if (!frame.shows(line))
        return;
    if (!line.isGroup)
        return lane(frame, model.lanes[line.index], line);
    for (const std::size_t inner : model.groups[line.index].lanes) { // all lanes on one strip
        for (const std::size_t outer : model.lanes[inner].outermost) {
            if (line.isFolded)
                row(frame, model.lanes[inner], outer, {frame.topOf(line) + 5.0, kGroupHeight - 10.0});
        }
    }
}

void LaneRaster::fillColumn(int x, int y0, int y1, QRgb colour) {
    if (x < 0 || x >= m_image.width())
        return;
    const auto stride = m_image.bytesPerLine() / 4;
    auto* pixels = reinterpret_cast<QRgb*>(m_image.bits());
    for (int y = std::max(y0, 0); y < std::min(y1, m_image.height()); ++y)
        pixels[y * stride + x] = colour;
}

/// The selected range and the grid.
void LaneRaster::background(const TimelineFrame& frame, double originNs, int top, int bottom) {
    for (int y = top; y < bottom; ++y) {
        auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
        std::fill(line, line + m_image.width(), m_theme->view.rgb());
    }
    if (frame.selection.range) {
        const auto toPixel = [&](std::int64_t ns) {
            const double x = frame.scale.toX(static_cast<double>(ns)) * m_ratio;
            return static_cast<int>(std::clamp(x, 0.0, double(m_image.width())));
        };
        const int x0 = toPixel(frame.selection.range->beginNs);
        const int x1 = toPixel(frame.selection.range->endNs);
        const QRgb tint = mixedColour(m_theme->view, m_theme->accentTint, 0.55).rgb();
        for (int y = top; y < bottom; ++y) {
            auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
            std::fill(line + x0, line + x1, tint);
        }
    }
    const QRgb grid = mixedColour(m_theme->view, m_theme->line, 0.6).rgb();
    for (const layout::Tick& tick : layout::ticks(frame.scale, originNs, kTickPixels)) {
        if (tick.isMajor)
            fillColumn(static_cast<int>(tick.x * m_ratio), top, bottom, grid);
    }
}

void LaneRaster::lane(const TimelineFrame& frame, const TimelineLane& lane, const StackLine& line) {
    const double y = frame.topOf(line);
    for (std::size_t depth = 0; depth < line.rows; ++depth)
        row(frame, lane, depth, {y + rowTop(lane, depth), double(rowHeight(lane))});
    for (std::size_t depth = line.rows; depth < lane.rows.size(); ++depth) // all on one strip
        row(frame, lane, depth, {y + rowTop(lane, line.rows) + 4, kStripHeight - 8.0});
    if (lane.kind == TimelineLaneKind::Function)
        hits(frame, lane, y + kLanePadding + kGlyphHeight);
    else if (lane.kind == TimelineLaneKind::Counter)
        counter(frame, lane, {y + kLanePadding, line.height - 2.0 * kLanePadding});
    else if (lane.points != nullptr)
        points(frame, lane, {y + line.height - 5, 4});
}

/// Wide events as bars of their own, narrow ones added up per pixel.
void LaneRaster::sliceExactly(const TimelineFrame& frame, const LaneRow& row, const EventWindow& window) {
    const int width = m_image.width();
    for (std::size_t i = window.first; i < window.last; ++i) {
        const double from = frame.scale.toX(static_cast<double>(row.startNs[i])) * m_ratio;
        const double to = frame.scale.toX(static_cast<double>(row.endNs[i])) * m_ratio;
        if (to - from >= kOwnBar * m_ratio) {
            // One pixel between neighbours, so that calls can be counted by eye.
            const bool gap = to - from >= 2 * kOwnBar * m_ratio;
            const int x0 = static_cast<int>(std::lround(std::max(0.0, from)));
            const int x1 = static_cast<int>(std::lround(std::min(to, width + 1.0))) - (gap ? 1 : 0);
            for (int x = x0; x < std::min(x1, width); ++x)
                m_slices[static_cast<std::size_t>(x)] = {1, 1, row.category[i], 2};
            continue;
        }
        const int first = static_cast<int>(std::floor(from));
        for (int x = std::max(0, first); x < width && x <= static_cast<int>(std::floor(to)); ++x) {
            const double share = std::max(0.0, std::min(to, x + 1.0) - std::max(from, double(x)));
            session::PixelSlice& slice = m_slices[static_cast<std::size_t>(x)];
            slice.busy = static_cast<float>(std::min(1.0, slice.busy + share));
            slice.count += x == first;
            if (share >= slice.categoryBusy) {
                slice.categoryBusy = static_cast<float>(share);
                slice.category = row.category[i];
            }
        }
    }
}

/// One row of bars: a column is as high as its pixel is busy (by square root, so that little is seen), in the
/// colour of what takes most of it.
void LaneRaster::row(const TimelineFrame& frame, const TimelineLane& lane, std::size_t depth,
                     const Band& band) {
    const int y0 = static_cast<int>(std::lround(band.top * m_ratio));
    const int y1 = static_cast<int>(std::lround((band.top + band.height) * m_ratio));
    if (y1 <= 0 || y0 >= m_image.height())
        return;
    const LaneRow& events = *lane.rows[depth];
    m_slices.assign(static_cast<std::size_t>(m_image.width()), {});
    const EventWindow window = eventsTouching(events, frame.scale.beginNs, frame.scale.endNs);
    if (window.size() <= kExactEvents)
        sliceExactly(frame, events, window);
    else
        session::sampleRow(events, *lane.pyramids[depth], rounded(frame.scale.beginNs),
                           rounded(frame.scale.endNs), m_slices);
    const double full = y1 - y0;
    m_tops.assign(m_slices.size(), y1);
    m_inks.resize(m_slices.size());
    for (std::size_t x = 0; x < m_slices.size(); ++x) {
        const session::PixelSlice& slice = m_slices[x];
        if (slice.busy <= 0 && slice.count == 0)
            continue;
        const double busy = slice.busy > 0.98f ? 1.0 : std::sqrt(static_cast<double>(slice.busy));
        m_tops[x] = y1 - static_cast<int>(std::lround(std::max(kLeastInk * m_ratio, full * busy)));
        m_inks[x] = slice.category.isValid() ? m_colours->of(lane.kind, slice.category)
                                             : m_theme->expected.fill.rgb();
    }
    // Line by line: column by column would touch a cache line per pixel.
    for (int y = std::max(y0, 0); y < std::min(y1, m_image.height()); ++y) {
        auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
        for (std::size_t x = 0; x < m_tops.size(); ++x) {
            if (y >= m_tops[x])
                line[x] = m_inks[x];
        }
    }
}

void LaneRaster::hits(const TimelineFrame& frame, const TimelineLane& lane, double top) {
    const GlyphSeries& series = lane.glyphs[static_cast<std::size_t>(Glyph::Hit)];
    const int wide = std::max(2, static_cast<int>(2 * m_ratio));
    std::size_t next = series.firstAt(frame.scale.toNs(-2));
    while (next < series.timeNs.size()) {
        const double x = frame.scale.toX(static_cast<double>(series.timeNs[next]));
        if (x > frame.scale.width)
            return;
        for (int k = 0; k < wide; ++k)
            fillColumn(static_cast<int>(x * m_ratio) + k, static_cast<int>(top * m_ratio),
                       static_cast<int>((top + kHitHeight) * m_ratio), m_theme->hit.fill.rgb());
        next = std::max(next + 1, series.firstAt(frame.scale.toNs(x + kHitPitch)));
    }
}

void LaneRaster::points(const TimelineFrame& frame, const TimelineLane& lane, const Band& band) {
    const std::vector<std::int64_t>& times = lane.points->pointNs;
    std::size_t next = firstAtOrAfter(times, frame.scale.beginNs);
    while (next < times.size()) {
        const double x = frame.scale.toX(static_cast<double>(times[next]));
        if (x >= frame.scale.width)
            return;
        fillColumn(static_cast<int>(x * m_ratio), static_cast<int>(band.top * m_ratio),
                   static_cast<int>((band.top + band.height) * m_ratio), m_theme->muted.rgb());
        next = std::max(next + 1, firstAtOrAfter(times, frame.scale.toNs(std::floor(x) + 1)));
    }
}

/// A curve that holds its value until the next sample; a pixel with several shows all from least to most.
void LaneRaster::counter(const TimelineFrame& frame, const TimelineLane& lane, const Band& band) {
    const auto values = lane.counter.values();
    if (values.empty())
        return;
    const layout::Extremes all = lane.counter.extremes(0, values.size());
    const double least = std::min(0.0, all.least);
    const double span = std::max(all.most - least, 1e-12);
    const auto toY = [&](double value) {
        return static_cast<int>((band.top + band.height * (1 - (value - least) / span)) * m_ratio);
    };
    const std::vector<std::int64_t>& times = lane.points->pointNs;
    const int zero = toY(0);
    const QRgb line = m_theme->execute.fill.rgb();
    const QRgb under = mixedColour(m_theme->view, m_theme->execute.fill, 0.25).rgb();
    std::size_t first = firstAtOrAfter(times, frame.scale.beginNs);
    for (int x = 0; x < m_image.width(); ++x) {
        const std::size_t last = firstAtOrAfter(times, frame.scale.toNs((x + 1) / m_ratio));
        const std::size_t from = first > 0 ? first - 1 : first; // the value that still holds
        if (last > from) {
            const layout::Extremes here = lane.counter.extremes(from, last);
            fillColumn(x, std::min(toY(here.least), zero), std::max(toY(here.least), zero), under);
            fillColumn(x, toY(here.most), std::max(toY(here.least), toY(here.most) + 1) + 1, line);
        }
        first = last;
    }
}

void LaneRaster::strip(const LaneRow& row, const session::RowPyramid& pyramid, double beginNs, double endNs,
                       const Band& band, QRgb colour) {
    m_slices.assign(static_cast<std::size_t>(m_image.width()), {});
    session::sampleRow(row, pyramid, rounded(beginNs), rounded(endNs), m_slices);
    const double bottom = band.top + band.height;
    for (int x = 0; x < m_image.width(); ++x) {
        const session::PixelSlice& slice = m_slices[static_cast<std::size_t>(x)];
        if (slice.busy <= 0 && slice.count == 0)
            continue;
        const double share = std::max(0.12, std::sqrt(static_cast<double>(slice.busy)));
        fillColumn(x, static_cast<int>((bottom - band.height * share) * m_ratio),
                   static_cast<int>(bottom * m_ratio), colour);
    }
}

/// Of a file without traced functions: a column is as high as what runs at its time, compared with the most
/// that ever does; a point is seen.
void LaneRaster::busyLanes(const TimelineModel& model, const Band& band, QRgb colour) {
    std::vector<float> busy(static_cast<std::size_t>(m_image.width()));
    std::vector<bool> any(busy.size());
    const double pixelNs = (model.lastNs() - model.firstNs()) / static_cast<double>(busy.size());
    for (const TimelineLane& lane : model.lanes) {
        for (const std::size_t row : lane.outermost) {
            m_slices.assign(busy.size(), {});
            session::sampleRow(*lane.rows[row], *lane.pyramids[row], rounded(model.firstNs()),
                               rounded(model.lastNs()), m_slices);
            for (std::size_t x = 0; x < busy.size(); ++x) {
                busy[x] += m_slices[x].busy;
                any[x] = any[x] || m_slices[x].count > 0 || m_slices[x].busy > 0;
            }
        }
        for (std::size_t i = 0; lane.points != nullptr && i < lane.points->pointNs.size();) {
            const auto x = static_cast<std::size_t>(
                (static_cast<double>(lane.points->pointNs[i]) - model.firstNs()) / pixelNs);
            any[std::min(x, any.size() - 1)] = true;
            i = std::max(i + 1, firstAtOrAfter(lane.points->pointNs,
                                               model.firstNs() + static_cast<double>(x + 1) * pixelNs));
        }
    }
    const float most = std::max(*std::ranges::max_element(busy), 1e-6f);
    const double bottom = band.top + band.height;
    for (std::size_t x = 0; x < busy.size(); ++x) {
        if (!any[x])
            continue;
        const double share = std::max(0.1, static_cast<double>(busy[x] / most));
        fillColumn(static_cast<int>(x), static_cast<int>((bottom - band.height * share) * m_ratio),
                   static_cast<int>(bottom * m_ratio), colour);
    }
}

QImage LaneRaster::minimap(const TimelineModel& model, const Theme& theme, double width, double ratio) {
    LaneRaster raster;
    raster.m_ratio = ratio;
    raster.m_image = QImage(static_cast<int>(width * ratio), static_cast<int>(kMinimapHeight * ratio),
                            QImage::Format_RGB32);
    raster.m_image.fill(theme.alt);
    const double first = model.firstNs();
    const double last = model.lastNs();
    if (model.hasTracedTime) {
        raster.strip(model.tracing, model.tracingPyramid, first, last, {5, 19}, theme.miss.fill.rgb());
        raster.strip(model.executing, model.executingPyramid, first, last, {27, 15},
                     theme.execute.fill.rgb());
        raster.strip(model.failed, model.failedPyramid, first, last, {27, 15}, theme.error.fill.rgb());
    } else {
        raster.busyLanes(model, {8, 32}, theme.execute.fill.rgb());
    }
    raster.m_image.setDevicePixelRatio(ratio);
    return raster.m_image;
}

} // namespace retracescope::views
