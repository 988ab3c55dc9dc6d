#include "views/timeline/timeline_painter.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "views/shared/numbers.h"

namespace retracescope::views {

using layout::TimeScale;
using session::EventKind;
using session::LaneRow;

namespace {

constexpr double kGlyphSize = 11;
constexpr double kDigitWidth = 6.2;
constexpr double kHitPitch = 4; // pixels; closer hits share a tick
constexpr double kOwnBar = 3;   // pixels; narrower events become density (gui.md 3.4)
constexpr std::size_t kExactEvents =
    1024;                        // of a row in the window: drawn one by one, to the fraction of a ns
constexpr double kNameFrom = 30; // pixels; a bar's name needs as much
constexpr double kTickPixels = 84;

QRgb mixed(const QColor& under, const QColor& over, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return qRgb(mix(under.red(), over.red()), mix(under.green(), over.green()),
                mix(under.blue(), over.blue()));
}

/// Gravest first: which of several at one place is drawn.
constexpr Glyph kByGravity[] = {Glyph::Error,    Glyph::Trace, Glyph::Relaxed,
                                Glyph::Expected, Glyph::Eager, Glyph::Unknown};

struct Window {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// Events of a row that touch [beginNs, endNs).
Window eventsIn(const LaneRow& row, double beginNs, double endNs) {
    const auto asDouble = [](std::int64_t ns) { return static_cast<double>(ns); };
    const auto first = std::ranges::lower_bound(row.endNs, beginNs, {}, asDouble) - row.endNs.begin();
    const auto last = std::ranges::lower_bound(row.startNs, endNs, {}, asDouble) - row.startNs.begin();
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

QRectF lanesArea(const TimelineFrame& frame) {
    return {kHeaderWidth, kTopHeight, std::max(1.0, frame.scale.width),
            std::max(1.0, frame.size.height() - double(kTopHeight))};
}

} // namespace

QColor colourOfPhase(Phase phase, const Theme& theme) {
    switch (phase) {
    case Phase::Trace:
        return theme.miss.fill;
    case Phase::Optimise:
        return theme.optimise;
    case Phase::FirstRun:
        return theme.firstRun;
    case Phase::Execute:
        break;
    }
    return theme.execute.fill;
}

std::vector<DrawnGlyph> arrangeGlyphs(const TimelineLane& lane, const TimeScale& scale) {
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

void TimelinePainter::setModel(TimelineModelPtr model) {
    m_model = std::move(model);
    m_minimap = {};
    makeColours();
}

void TimelinePainter::setTheme(const Theme& theme) {
    m_theme = theme;
    m_glyphRatio = 0;
    m_minimap = {};
    makeColours();
}

/// Phases have their own colours wherever they come from; functions and other names take turns.
void TimelinePainter::makeColours() {
    for (std::size_t p = 0; p < kPhases; ++p)
        m_phaseColours[p] = colourOfPhase(static_cast<Phase>(p), m_theme).rgb();
    m_colours.clear();
    if (!m_model)
        return;
    const session::Session& session = m_model->session();
    constexpr std::size_t kTurns = 7; // the eighth category is grey: for what has no name
    for (const session::EventCategory& category : m_model->pyramid.index.categories) {
        const std::string_view kind = session.text(category.category);
        const std::string_view name = session.text(category.name);
        QColor colour =
            m_theme.categories[name.empty() ? kTurns : std::hash<std::string_view>()(name) % kTurns];
        if (category.kind == EventKind::Kernel)
            colour =
                name.find("emcpy") != std::string_view::npos || name.find("emset") != std::string_view::npos
                    ? m_theme.warning.fill
                    : m_theme.kernel.fill;
        else if (kind == "trace" || kind == "tracing")
            colour = m_theme.miss.fill;
        else if (kind == "optimise")
            colour = m_theme.optimise;
        else if (kind == "execute")
            colour = m_theme.execute.fill;
        else if (category.kind == EventKind::Call)
            colour = m_theme.categories[(category.function.value + 4) % kTurns];
        m_colours.push_back(colour.rgb());
    }
}

QImage TimelinePainter::glyphImage(Glyph glyph, double ratio) {
    if (m_glyphRatio != ratio) {
        m_glyphs.fill(QImage());
        m_glyphRatio = ratio;
    }
    QImage& image = m_glyphs[static_cast<std::size_t>(glyph)];
    if (image.isNull()) {
        constexpr int kSide = static_cast<int>(kGlyphSize) + 4;
        image = QImage(QSize(kSide, kSide) * ratio, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(ratio);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paintGlyph(painter, glyph, QPointF(kSide / 2.0, kSide / 2.0), kGlyphSize, m_theme);
    }
    return image;
}

void TimelinePainter::paint(QPainter& painter, const TimelineFrame& frame, const LaneStack& stack,
                            const std::vector<bool>& folded) {
    painter.fillRect(QRect(QPoint(), frame.size), m_theme.view);
    if (!m_model)
        return;
    const double ratio = painter.device()->devicePixelRatioF();
    const QRectF area = lanesArea(frame);
    const QSize pixels(static_cast<int>(area.width() * ratio), static_cast<int>(area.height() * ratio));
    if (m_image.size() != pixels)
        m_image = QImage(pixels, QImage::Format_RGB32);
    m_ratio = ratio;
    composeLanes(frame, stack, folded);
    m_image.setDevicePixelRatio(ratio);
    painter.drawImage(area.topLeft(), m_image);

    painter.save();
    painter.setClipRect(QRectF(0, kTopHeight, frame.size.width(), area.height()));
    std::size_t inView = 0;
    std::size_t lanes = 0;
    for (const StackLine& line : stack.lines()) {
        const int y = kTopHeight + line.y - frame.scroll;
        if (y >= frame.size.height() || y + line.height <= kTopHeight)
            continue;
        if (line.isGroup)
            paintGroup(painter, line, y, frame, folded[line.index]);
        else
            paintLane(painter, frame, line, y);
        if (!line.isGroup) {
            const TimelineLane& lane = m_model->lanes[line.index];
            const auto covers = [&](const LaneRow* row) {
                const Window w = eventsIn(*row, frame.scale.beginNs, frame.scale.endNs);
                return w.last > w.first;
            };
            inView += m_model->eventsIn(lane, frame.scale.beginNs, frame.scale.endNs) +
                      static_cast<std::size_t>(std::ranges::count_if(lane.rows, covers));
            ++lanes;
        }
    }
    if (inView == 0 && lanes > 0) {
        const auto since = [&](double ns) { return static_cast<std::int64_t>(ns - m_model->firstNs()); };
        painter.setPen(m_theme.muted);
        painter.setFont(textFont(TextSize::Strong));
        painter.drawText(
            area, Qt::AlignCenter,
            QStringLiteral("Nothing happened between %1 and %2 on %3 lanes.")
                .arg(durationText(since(frame.scale.beginNs)), durationText(since(frame.scale.endNs)))
                .arg(lanes));
    }
    painter.restore();
    painter.setPen(m_theme.line);
    painter.drawLine(QPointF(kHeaderWidth - 0.5, 0), QPointF(kHeaderWidth - 0.5, frame.size.height()));
    paintMinimap(painter, frame);
    paintRuler(painter, frame);
    paintMarks(painter, frame);
}

void TimelinePainter::fillColumn(int x, int y0, int y1, QRgb colour) {
    if (x < 0 || x >= m_image.width())
        return;
    const auto stride = m_image.bytesPerLine() / 4;
    auto* pixels = reinterpret_cast<QRgb*>(m_image.bits());
    for (int y = std::max(y0, 0); y < std::min(y1, m_image.height()); ++y)
        pixels[y * stride + x] = colour;
}

/// Background with range and grid, then every visible row.
void TimelinePainter::composeLanes(const TimelineFrame& frame, const LaneStack& stack,
                                   const std::vector<bool>& folded) {
    m_image.fill(m_theme.view);
    const int height = m_image.height();
    if (frame.selection.range) {
        const double from = frame.scale.toX(static_cast<double>(frame.selection.range->beginNs)) * m_ratio;
        const double to = frame.scale.toX(static_cast<double>(frame.selection.range->endNs)) * m_ratio;
        const int x0 = static_cast<int>(std::clamp(from, 0.0, double(m_image.width())));
        const int x1 = static_cast<int>(std::clamp(to, 0.0, double(m_image.width())));
        const QRgb tint = mixed(m_theme.view, m_theme.accentTint, 0.55);
        for (int y = 0; y < height; ++y) {
            auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
            std::fill(line + x0, line + x1, tint);
        }
    }
    const QRgb grid = mixed(m_theme.view, m_theme.line, 0.6);
    for (const layout::Tick& tick : layout::ticks(frame.scale, m_model->firstNs(), kTickPixels)) {
        if (tick.isMajor)
            fillColumn(static_cast<int>(tick.x * m_ratio), 0, height, grid);
    }
    for (const StackLine& line : stack.lines()) {
        const int y = line.y - frame.scroll;
        if (y >= frame.size.height() - kTopHeight || y + line.height <= 0)
            continue;
        if (line.isGroup) {
            if (!folded[line.index])
                continue;
            for (const std::size_t lane : m_model->groups[line.index].lanes) { // all lanes on one strip
                if (!m_model->lanes[lane].rows.empty())
                    composeRow(frame, *m_model->lanes[lane].rows[0], *m_model->lanes[lane].pyramids[0],
                               m_model->lanes[lane].kind == TimelineLaneKind::Function, y + 5,
                               kGroupHeight - 10);
            }
            continue;
        }
        const TimelineLane& lane = m_model->lanes[line.index];
        for (std::size_t depth = 0; depth < lane.rows.size() && depth < kMostRows; ++depth)
            composeRow(frame, *lane.rows[depth], *lane.pyramids[depth],
                       lane.kind == TimelineLaneKind::Function, y + rowTop(lane, depth), rowHeight(lane));
        if (lane.kind == TimelineLaneKind::Function)
            composeHits(frame, lane, y + kLanePadding + 3);
        else if (lane.kind == TimelineLaneKind::Counter)
            composeCounter(frame, lane, y + kLanePadding, line.height - 2.0 * kLanePadding);
        else if (lane.points != nullptr)
            composePoints(frame, lane, y + line.height - 5, 4);
    }
}

/// One row of bars: wide events as they are, narrow ones as columns whose height is the busy share.
void TimelinePainter::composeRow(const TimelineFrame& frame, const LaneRow& row,
                                 const session::RowPyramid& pyramid, bool isFunction, double top,
                                 double height) {
    const int y0 = static_cast<int>(std::lround(top * m_ratio));
    const int y1 = static_cast<int>(std::lround((top + height) * m_ratio));
    if (y1 <= 0 || y0 >= m_image.height())
        return;
    const int width = m_image.width();
    m_slices.assign(static_cast<std::size_t>(width), {});
    const Window window = eventsIn(row, frame.scale.beginNs, frame.scale.endNs);
    const bool exact = window.last - window.first <= kExactEvents;
    if (!exact) {
        session::sampleRow(row, pyramid, static_cast<std::int64_t>(std::llround(frame.scale.beginNs)),
                           static_cast<std::int64_t>(std::llround(frame.scale.endNs)), m_slices);
    }
    for (std::size_t i = window.first; exact && i < window.last; ++i) {
        const double from = frame.scale.toX(static_cast<double>(row.startNs[i])) * m_ratio;
        const double to = frame.scale.toX(static_cast<double>(row.endNs[i])) * m_ratio;
        if (to - from >= kOwnBar * m_ratio) {
            // One pixel between neighbours, so that calls can be counted by eye.
            const bool gap = to - from >= 2 * kOwnBar * m_ratio;
            const int x0 = std::max(0, static_cast<int>(std::lround(from)));
            const int x1 = std::min(width, static_cast<int>(std::lround(to)) - (gap ? 1 : 0));
            for (int x = x0; x < x1; ++x)
                m_slices[static_cast<std::size_t>(x)] = {1, 1, row.category[i], 2};
            continue;
        }
        for (int x = std::max(0, static_cast<int>(from)); x < width && x <= static_cast<int>(to); ++x) {
            const double share = std::max(0.0, std::min(to, x + 1.0) - std::max(from, double(x)));
            session::PixelSlice& slice = m_slices[static_cast<std::size_t>(x)];
            slice.busy = static_cast<float>(std::min(1.0, slice.busy + share));
            slice.count += x == static_cast<int>(from);
            if (share >= slice.categoryBusy) {
                slice.categoryBusy = static_cast<float>(share);
                slice.category = row.category[i];
            }
        }
    }
    const double full = y1 - y0;
    const double least = 2 * m_ratio; // any event shows
    const QRgb unknown = m_theme.expected.fill.rgb();
    for (int x = 0; x < width; ++x) {
        const session::PixelSlice& slice = m_slices[static_cast<std::size_t>(x)];
        if (slice.busy <= 0 && slice.count == 0)
            continue;
        const double share =
            slice.busy > 0.98f ? full : std::max(least, full * std::sqrt(static_cast<double>(slice.busy)));
        fillColumn(x, y1 - static_cast<int>(std::lround(share)), y1,
                   slice.category.isValid() ? colourOf(isFunction, slice.category) : unknown);
    }
}

void TimelinePainter::composeHits(const TimelineFrame& frame, const TimelineLane& lane, double top) {
    const GlyphSeries& hits = lane.glyphs[static_cast<std::size_t>(Glyph::Hit)];
    const int y0 = static_cast<int>((top + 1) * m_ratio);
    const int y1 = static_cast<int>((top + 9) * m_ratio);
    const int wide = std::max(2, static_cast<int>(2 * m_ratio));
    const QRgb colour = m_theme.hit.fill.rgb();
    std::size_t next = hits.firstAt(frame.scale.beginNs);
    while (next < hits.timeNs.size()) {
        const double x = frame.scale.toX(static_cast<double>(hits.timeNs[next]));
        if (x > frame.scale.width)
            return;
        for (int k = 0; k < wide; ++k)
            fillColumn(static_cast<int>(x * m_ratio) + k, y0, y1, colour);
        const double until = frame.scale.toNs(x + kHitPitch);
        next = std::max(next + 1, hits.firstAt(until));
    }
}

void TimelinePainter::composePoints(const TimelineFrame& frame, const TimelineLane& lane, double top,
                                    double height) {
    const std::vector<std::int64_t>& times = lane.points->pointNs;
    const auto at = [&](double ns) {
        return std::ranges::lower_bound(times, ns, {}, [](std::int64_t t) { return static_cast<double>(t); });
    };
    auto it = at(frame.scale.beginNs);
    while (it != times.end()) {
        const double x = frame.scale.toX(static_cast<double>(*it));
        if (x >= frame.scale.width)
            return;
        fillColumn(static_cast<int>(x * m_ratio), static_cast<int>(top * m_ratio),
                   static_cast<int>((top + height) * m_ratio), m_theme.muted.rgb());
        it = std::max(it + 1, at(frame.scale.toNs(std::floor(x) + 1)));
    }
}

/// A curve that holds its value until the next sample; a pixel with several shows all from least to most.
void TimelinePainter::composeCounter(const TimelineFrame& frame, const TimelineLane& lane, double top,
                                     double height) {
    const auto values = lane.counter.values();
    if (values.empty())
        return;
    const layout::Extremes all = lane.counter.extremes(0, values.size());
    const double least = std::min(0.0, all.least);
    const double span = std::max(all.most - least, 1e-12);
    const auto toY = [&](double value) {
        return static_cast<int>((top + height * (1 - (value - least) / span)) * m_ratio);
    };
    const std::vector<std::int64_t>& times = lane.points->pointNs;
    const int zero = toY(0);
    const QRgb line = m_theme.execute.fill.rgb();
    const QRgb under = mixed(m_theme.view, m_theme.execute.fill, 0.25);
    const auto indexAt = [&](double ns) {
        return static_cast<std::size_t>(
            std::ranges::lower_bound(times, ns, {}, [](std::int64_t t) { return static_cast<double>(t); }) -
            times.begin());
    };
    std::size_t first = indexAt(frame.scale.toNs(0));
    for (int x = 0; x < m_image.width(); ++x) {
        const std::size_t last = indexAt(frame.scale.toNs((x + 1) / m_ratio));
        const std::size_t from = first > 0 ? first - 1 : first; // the value that still holds
        if (last > from) {
            const layout::Extremes here = lane.counter.extremes(from, last);
            fillColumn(x, std::min(toY(here.least), zero), std::max(toY(here.least), zero), under);
            fillColumn(x, toY(here.most), std::max(toY(here.least), toY(here.most) + 1) + 1, line);
        }
        first = last;
    }
}

void TimelinePainter::paintGroup(QPainter& painter, const StackLine& line, int y, const TimelineFrame& frame,
                                 bool folded) const {
    const TimelineGroup& group = m_model->groups[line.index];
    painter.fillRect(QRectF(0, y, kHeaderWidth - 1, kGroupHeight), m_theme.header);
    if (!folded)
        painter.fillRect(QRectF(kHeaderWidth, y, frame.size.width() - kHeaderWidth, kGroupHeight),
                         QColor::fromRgb(mixed(m_theme.view, m_theme.header, 0.55)));
    painter.setPen(QPen(m_theme.muted, 1.5));
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF c(15, y + kGroupHeight / 2.0);
    const QPointF down[3] = {c + QPointF(-3.5, -2), c + QPointF(0, 2), c + QPointF(3.5, -2)};
    const QPointF right[3] = {c + QPointF(-2, -3.5), c + QPointF(2, 0), c + QPointF(-2, 3.5)};
    painter.drawPolyline(folded ? right : down, 3);
    painter.setFont(textFont(TextSize::Body, true));
    painter.setPen(m_theme.text);
    const QFontMetricsF metrics(painter.font());
    const QString title = metrics.elidedText(group.title, Qt::ElideMiddle, kHeaderWidth - 95);
    painter.drawText(QRectF(28, y, kHeaderWidth - 32, kGroupHeight), Qt::AlignVCenter, title);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.muted);
    const double after = 28 + metrics.horizontalAdvance(title) + 10;
    painter.drawText(QRectF(after, y, kHeaderWidth - after - 4, kGroupHeight), Qt::AlignVCenter,
                     pluralText(static_cast<std::int64_t>(group.lanes.size()), QStringLiteral("lane"),
                                QStringLiteral("lanes")));
}

void TimelinePainter::paintLane(QPainter& painter, const TimelineFrame& frame, const StackLine& line, int y) {
    const TimelineLane& lane = m_model->lanes[line.index];
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(m_theme.line);
    painter.drawLine(0, y + line.height - 1, frame.size.width(), y + line.height - 1);
    painter.save();
    painter.setClipRect(QRectF(kHeaderWidth, y, frame.scale.width, line.height), Qt::IntersectClip);
    paintNames(painter, frame, lane, y);
    paintSelection(painter, frame, lane, y);
    if (lane.kind == TimelineLaneKind::Function)
        paintGlyphs(painter, frame, lane, y);
    painter.restore();
    paintHeader(painter, frame, lane, QRect(0, y, kHeaderWidth - 1, line.height - 1));
    if (lane.kind == TimelineLaneKind::Counter)
        paintCounterText(painter, frame, lane,
                         QRect(kHeaderWidth, y, static_cast<int>(frame.scale.width), line.height));
}

QString TimelinePainter::nameOf(const TimelineLane& lane, const LaneRow& row, std::size_t event) const {
    if (lane.kind == TimelineLaneKind::Function)
        return durationText(row.endNs[event] - row.startNs[event]);
    const session::EventCategory& category = m_model->pyramid.index.categories[row.category[event].value];
    return toQString(m_model->session().text(category.name));
}

void TimelinePainter::paintNames(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                 int y) const {
    const bool isFunction = lane.kind == TimelineLaneKind::Function;
    painter.setFont(isFunction ? textFont(TextSize::Axis) : codeFont(TextSize::Axis));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t depth = 0; depth < lane.rows.size() && depth < kMostRows; ++depth) {
        const LaneRow& row = *lane.rows[depth];
        const Window window = eventsIn(row, frame.scale.beginNs, frame.scale.endNs);
        if (window.last - window.first > kExactEvents)
            continue;
        for (std::size_t i = window.first; i < window.last; ++i) {
            const double from = std::max(0.0, frame.scale.toX(static_cast<double>(row.startNs[i])));
            const double to = std::min(frame.scale.width, frame.scale.toX(static_cast<double>(row.endNs[i])));
            if (to - from < kNameFrom)
                continue;
            const QString name = nameOf(lane, row, i);
            const double room = to - from - 8;
            // A number is never cut: it is there or not.
            if (isFunction && metrics.horizontalAdvance(name) > room)
                continue;
            painter.setPen(m_theme.textOn(QColor::fromRgb(colourOf(isFunction, row.category[i]))));
            painter.drawText(QRectF(kHeaderWidth + from + 5, y + rowTop(lane, depth), room, rowHeight(lane)),
                             Qt::AlignVCenter,
                             isFunction ? name : metrics.elidedText(name, Qt::ElideMiddle, room));
        }
    }
}

void TimelinePainter::paintGlyphs(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                  int y) {
    painter.setFont(textFont(TextSize::Axis, true));
    for (const DrawnGlyph& drawn : arrangeGlyphs(lane, frame.scale)) {
        const QImage image = glyphImage(drawn.glyph, m_ratio);
        const double side = image.width() / m_ratio;
        const QPointF centre(kHeaderWidth + drawn.x, y + kLanePadding + 8);
        painter.drawImage(centre - QPointF(side / 2, side / 2), image);
        if (drawn.count < 2)
            continue;
        painter.setPen(glyphTextColor(drawn.glyph, m_theme));
        painter.drawText(QRectF(centre.x() + kGlyphSize / 2 + 1, y + kLanePadding, 60, 16), Qt::AlignVCenter,
                         QString::number(drawn.count));
    }
}

/// A frame round the selected call or event.
void TimelinePainter::paintSelection(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                     int y) const {
    const session::CallTable& calls = m_model->session().calls;
    const auto frameAround = [&](std::int64_t startNs, std::int64_t endNs, std::size_t depth) {
        const double from = frame.scale.toX(static_cast<double>(startNs));
        const double to = std::max(from + 3, frame.scale.toX(static_cast<double>(endNs)));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(
            QRectF(kHeaderWidth + std::max(from, -10.0) - 2, y + rowTop(lane, depth) - 1.5,
                   std::min(to, frame.scale.width + 10) - std::max(from, -10.0) + 3, rowHeight(lane) + 3),
            3, 3);
    };
    const session::CallId call = frame.selection.call;
    if (call.isValid() && lane.kind == TimelineLaneKind::Function &&
        calls.function[call.value] == lane.function) {
        frameAround(calls.startNs[call.value], calls.startNs[call.value] + calls.durationNs[call.value], 0);
        return;
    }
    const auto wanted =
        call.isValid() ? std::optional(session::EventRef{call.value, EventKind::Call}) : frame.event;
    if (!wanted || lane.kind == TimelineLaneKind::Function)
        return;
    for (std::size_t depth = 0; depth < lane.rows.size() && depth < kMostRows; ++depth) {
        const LaneRow& row = *lane.rows[depth];
        const Window window = eventsIn(row, frame.scale.beginNs, frame.scale.endNs);
        if (window.last - window.first > kExactEvents)
            continue;
        for (std::size_t i = window.first; i < window.last; ++i) {
            if (row.event[i] == *wanted)
                frameAround(row.startNs[i], row.endNs[i], depth);
        }
    }
}

void TimelinePainter::paintHeader(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                  const QRect& area) const {
    const bool isFunction = lane.kind == TimelineLaneKind::Function;
    const bool selected = isFunction && lane.function == frame.selection.function;
    painter.fillRect(area, selected ? m_theme.accentTint : m_theme.raised);
    if (selected)
        painter.fillRect(QRect(area.x(), area.y(), 3, area.height()), m_theme.accent);
    painter.setFont(isFunction ? codeFont(TextSize::Body) : textFont(TextSize::Body));
    painter.setPen(m_theme.text);
    const QFontMetricsF metrics(painter.font());
    const bool twoLines = area.height() >= 36;
    const QRectF name(28, area.y() + (twoLines ? 4 : 0), kHeaderWidth - 36, twoLines ? 18 : area.height());
    painter.drawText(name, Qt::AlignVCenter, metrics.elidedText(lane.name, Qt::ElideMiddle, name.width()));
    QString counts;
    if (isFunction) {
        const TimelineModel::Counts in = m_model->countIn(lane, frame.scale.beginNs, frame.scale.endNs);
        counts = QStringLiteral("%1, %2 in view")
                     .arg(pluralText(static_cast<std::int64_t>(in.calls), QStringLiteral("call"),
                                     QStringLiteral("calls")),
                          pluralText(static_cast<std::int64_t>(in.traces), QStringLiteral("trace"),
                                     QStringLiteral("traces")));
    } else {
        const std::size_t events = m_model->eventsIn(lane, frame.scale.beginNs, frame.scale.endNs);
        const bool counter = lane.kind == TimelineLaneKind::Counter;
        counts = QStringLiteral("%1 in view")
                     .arg(pluralText(static_cast<std::int64_t>(events),
                                     counter ? QStringLiteral("sample") : QStringLiteral("event"),
                                     counter ? QStringLiteral("samples") : QStringLiteral("events")));
    }
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.muted);
    if (twoLines)
        painter.drawText(QRectF(28, area.y() + 21, kHeaderWidth - 36, 16), Qt::AlignVCenter, counts);
    else if (const double free = kHeaderWidth - 44 - metrics.horizontalAdvance(lane.name);
             QFontMetricsF(painter.font()).horizontalAdvance(counts) < free)
        painter.drawText(QRectF(28, area.y(), kHeaderWidth - 36, area.height()),
                         Qt::AlignVCenter | Qt::AlignRight, counts);
}

void TimelinePainter::paintCounterText(QPainter& painter, const TimelineFrame& frame,
                                       const TimelineLane& lane, const QRect& area) const {
    const auto values = lane.counter.values();
    if (values.empty())
        return;
    const auto& times = lane.points->pointNs;
    const auto indexAt = [&](double ns) {
        return static_cast<std::size_t>(
            std::ranges::lower_bound(times, ns, {}, [](std::int64_t t) { return static_cast<double>(t); }) -
            times.begin());
    };
    const std::size_t last = indexAt(frame.scale.endNs);
    const std::size_t first = std::min(indexAt(frame.scale.beginNs), last);
    if (first == last)
        return;
    const layout::Extremes in = lane.counter.extremes(first, last);
    const QString text = QStringLiteral("%1 to %2").arg(in.least, 0, 'g', 5).arg(in.most, 0, 'g', 5);
    painter.setFont(textFont(TextSize::Axis));
    const QRectF place(area.x() + 4, area.y() + 4, QFontMetricsF(painter.font()).horizontalAdvance(text) + 6,
                       14);
    painter.fillRect(place, m_theme.view);
    painter.setPen(m_theme.muted);
    painter.drawText(place, Qt::AlignCenter, text);
}

/// Traced above, executing below, for the whole session; what is not in view is paler.
void TimelinePainter::paintMinimap(QPainter& painter, const TimelineFrame& frame) {
    const int width = static_cast<int>(frame.scale.width * m_ratio);
    const int height = static_cast<int>(kMinimapHeight * m_ratio);
    const double first = m_model->firstNs();
    const double whole = m_model->lastNs() - first;
    if (m_minimap.size() != QSize(width, height)) {
        m_minimap = QImage(width, height, QImage::Format_RGB32);
        m_minimap.fill(m_theme.alt);
        std::swap(m_image, m_minimap); // fillColumn writes into m_image
        const auto strip = [&](const LaneRow& row, const session::RowPyramid& pyramid, double top,
                               double bottom, QRgb colour) {
            m_slices.assign(static_cast<std::size_t>(width), {});
            session::sampleRow(row, pyramid, static_cast<std::int64_t>(first),
                               static_cast<std::int64_t>(first + whole), m_slices);
            for (int x = 0; x < width; ++x) {
                const session::PixelSlice& slice = m_slices[static_cast<std::size_t>(x)];
                if (slice.busy <= 0 && slice.count == 0)
                    continue;
                const double share = std::max(0.12, std::sqrt(static_cast<double>(slice.busy)));
                fillColumn(x, static_cast<int>((bottom - (bottom - top) * share) * m_ratio),
                           static_cast<int>(bottom * m_ratio), colour);
            }
        };
        strip(m_model->tracing, m_model->tracingPyramid, 5, 24, m_theme.miss.fill.rgb());
        strip(m_model->executing, m_model->executingPyramid, 27, 42, m_theme.execute.fill.rgb());
        std::swap(m_image, m_minimap);
    }
    m_minimap.setDevicePixelRatio(m_ratio);
    painter.drawImage(QPointF(kHeaderWidth, 0), m_minimap);
    const double x0 = (frame.scale.beginNs - first) / whole * frame.scale.width;
    const double x1 = (frame.scale.endNs - first) / whole * frame.scale.width;
    QColor veil = m_theme.alt;
    veil.setAlphaF(0.6f);
    painter.fillRect(QRectF(kHeaderWidth, 0, x0, kMinimapHeight), veil);
    painter.fillRect(QRectF(kHeaderWidth + x1, 0, frame.scale.width - x1, kMinimapHeight), veil);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    const double wide = std::max(x1 - x0, 6.0);
    painter.drawRoundedRect(
        QRectF(kHeaderWidth + std::min(x0, frame.scale.width - wide) + 1, 2, wide - 2, kMinimapHeight - 4), 3,
        3);
    painter.fillRect(QRectF(0, 0, kHeaderWidth - 1, kMinimapHeight), m_theme.raised);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.muted);
    painter.drawText(QRectF(10, 5, kHeaderWidth - 14, 18), Qt::AlignVCenter, QStringLiteral("Whole session"));
    painter.drawText(QRectF(10, 23, kHeaderWidth - 14, 18), Qt::AlignVCenter,
                     QStringLiteral("traced / executing"));
}

void TimelinePainter::paintRuler(QPainter& painter, const TimelineFrame& frame) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(0, kMinimapHeight, frame.size.width(), kRulerHeight), m_theme.header);
    painter.setPen(m_theme.line);
    painter.drawLine(0, kMinimapHeight, frame.size.width(), kMinimapHeight);
    painter.drawLine(0, kMinimapHeight + kRulerHeight - 1, frame.size.width(),
                     kMinimapHeight + kRulerHeight - 1);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.text);
    painter.drawText(QRectF(10, kMinimapHeight, 80, kRulerHeight), Qt::AlignVCenter, QStringLiteral("Lane"));
    painter.setPen(m_theme.muted);
    painter.drawText(QRectF(10, kMinimapHeight, kHeaderWidth - 22, kRulerHeight),
                     Qt::AlignVCenter | Qt::AlignRight, QStringLiteral("since start"));
    painter.setFont(textFont(TextSize::Axis));
    painter.setClipRect(QRectF(kHeaderWidth, kMinimapHeight, frame.scale.width, kRulerHeight));
    for (const layout::Tick& tick : layout::ticks(frame.scale, m_model->firstNs(), kTickPixels)) {
        const int x = kHeaderWidth + static_cast<int>(tick.x);
        painter.setPen(tick.isMajor ? m_theme.muted : m_theme.line2);
        painter.drawLine(x, kMinimapHeight + kRulerHeight - (tick.isMajor ? 8 : 5), x,
                         kMinimapHeight + kRulerHeight - 2);
        if (!tick.isMajor)
            continue;
        const QString label = toQString(tick.label);
        const double wide = QFontMetricsF(painter.font()).horizontalAdvance(label);
        if (tick.x > wide / 2 || tick.x < 1) // the first label is not cut at the edge
            painter.drawText(QPointF(tick.x < 1 ? x + 3 : x - wide / 2, kMinimapHeight + 14), label);
    }
    painter.setClipping(false);
}

/// The selected range with its sums, and marks as flags with as much of their text as there is room.
void TimelinePainter::paintMarks(QPainter& painter, const TimelineFrame& frame) const {
    const int top = kMinimapHeight + kRulerHeight;
    painter.fillRect(QRectF(0, top, frame.size.width(), kMarksHeight), m_theme.view);
    painter.fillRect(QRectF(0, top, kHeaderWidth - 1, kMarksHeight), m_theme.raised);
    painter.setPen(m_theme.line);
    painter.drawLine(0, top + kMarksHeight - 1, frame.size.width(), top + kMarksHeight - 1);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.muted);
    painter.drawText(QRectF(10, top, kHeaderWidth - 14, kMarksHeight), Qt::AlignVCenter,
                     QStringLiteral("Marks and range"));
    painter.setClipRect(QRectF(kHeaderWidth, top, frame.scale.width, frame.size.height() - top));
    double free = -1e9;
    for (const session::Mark& mark : m_model->session().marks) {
        const double x = frame.scale.toX(static_cast<double>(mark.timeNs));
        if (x < -4 || x > frame.scale.width || x < free)
            continue;
        painter.setPen(Qt::NoPen);
        painter.setBrush(mark.kind == m_model->session().strings.find("user") ? m_theme.warning.fill
                                                                              : m_theme.muted);
        const double left = kHeaderWidth + x;
        const QPointF flag[5] = {{left, top + 4.0},
                                 {left + 9, top + 4.0},
                                 {left + 6.5, top + 7.5},
                                 {left + 9, top + 11.0},
                                 {left, top + 11.0}};
        painter.drawPolygon(flag, 5);
        painter.drawRect(QRectF(left, top + 4, 1, kMarksHeight - 5));
        painter.setPen(m_theme.text);
        const QString text = toQString(m_model->session().text(mark.text));
        painter.drawText(QPointF(left + 13, top + 15), text);
        free = x + 20 + QFontMetricsF(painter.font()).horizontalAdvance(text);
    }
    if (frame.selection.range) {
        const double x0 = frame.scale.toX(static_cast<double>(frame.selection.range->beginNs));
        const double x1 = frame.scale.toX(static_cast<double>(frame.selection.range->endNs));
        const auto begin = static_cast<double>(frame.selection.range->beginNs);
        const auto end = static_cast<double>(frame.selection.range->endNs);
        const TimelineModel::Counts in = m_model->countIn(begin, end);
        painter.fillRect(QRectF(kHeaderWidth + x0, top, x1 - x0, kMarksHeight - 1), m_theme.accentTint);
        painter.setPen(QPen(m_theme.accent, 1.5));
        for (const double x : {x0, x1})
            painter.drawLine(QPointF(kHeaderWidth + x, top), QPointF(kHeaderWidth + x, frame.size.height()));
        const QString text = QStringLiteral("%1 · %2 · %3")
                                 .arg(durationText(static_cast<std::int64_t>(end - begin)),
                                      pluralText(static_cast<std::int64_t>(in.calls), QStringLiteral("call"),
                                                 QStringLiteral("calls")),
                                      pluralText(static_cast<std::int64_t>(in.traces),
                                                 QStringLiteral("trace"), QStringLiteral("traces")));
        painter.setFont(textFont(TextSize::Caption, true));
        painter.setPen(m_theme.text);
        const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 8;
        const double middle =
            (std::clamp(x0, 0.0, frame.scale.width) + std::clamp(x1, 0.0, frame.scale.width)) / 2;
        const double left = std::clamp(middle - wide / 2, 0.0, std::max(0.0, frame.scale.width - wide));
        const QRectF place(kHeaderWidth + left, top + 2, wide, kMarksHeight - 5);
        if (wide > x1 - x0)
            painter.fillRect(place, m_theme.accentTint);
        painter.drawText(place, Qt::AlignCenter, text);
    }
    painter.setClipping(false);
}

} // namespace retracescope::views
