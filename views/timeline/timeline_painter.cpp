#include "views/timeline/timeline_painter.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QTextOption>

#include "views/shared/icons.h"
#include "views/shared/numbers.h"
#include "views/timeline/fitting_text.h"

namespace retracescope::views {

using session::EventKind;
using session::LaneRow;

namespace {

constexpr double kNameFrom = 30; // pixels; a bar's name needs as much

QString counterText(double value) {
    return std::abs(value) >= 10'000 ? countText(std::llround(value)) : QString::number(value, 'g', 4);
}

} // namespace

void TimelinePainter::setModel(TimelineModelPtr model) {
    m_model = std::move(model);
    recolour();
}

void TimelinePainter::setTheme(const Theme& theme) {
    m_theme = theme;
    recolour();
}

void TimelinePainter::recolour() {
    m_minimap = {};
    m_glyphs.fill(QImage());
    m_pin = iconPixmap(QStringLiteral("pin"), m_theme.accent, 14, m_ratio);
    m_colours = m_model ? LaneColours(*m_model, m_theme) : LaneColours();
}

QImage TimelinePainter::glyphImage(Glyph glyph) {
    QImage& image = m_glyphs[static_cast<std::size_t>(glyph)];
    if (image.isNull()) {
        constexpr int kSide = static_cast<int>(kGlyphSize) + 4;
        image = QImage(QSize(kSide, kSide) * m_ratio, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(m_ratio);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paintGlyph(painter, glyph, QPointF(kSide / 2.0, kSide / 2.0), kGlyphSize, m_theme);
    }
    return image;
}

void TimelinePainter::paint(QPainter& painter, const TimelineFrame& frame, const LaneStack& stack) {
    painter.fillRect(QRect(QPoint(), frame.size), m_theme.view);
    if (!m_model)
        return;
    if (const double ratio = painter.device()->devicePixelRatioF(); ratio != m_ratio) {
        m_ratio = ratio;
        recolour();
    }
    painter.drawImage(QPointF(kHeaderWidth, kTopHeight),
                      m_raster.compose(*m_model, m_colours, m_theme, frame, stack, m_ratio));
    painter.setPen(m_theme.line);
    painter.drawLine(QPointF(kHeaderWidth - 0.5, 0), QPointF(kHeaderWidth - 0.5, frame.size.height()));
    if (!paintLines(painter, frame, stack))
        paintNothing(painter, frame);
    paintMinimap(painter, frame);
    paintRuler(painter, frame);
    paintMarksRow(painter, frame);
}

/// False if nothing happens on the visible lanes in the visible time.
bool TimelinePainter::paintLines(QPainter& painter, const TimelineFrame& frame, const LaneStack& stack) {
    bool any = false;
    painter.save();
    for (const bool pinned : {false, true}) {
        const int top = kTopHeight + (pinned ? 0 : frame.pinned);
        const int bottom = pinned ? kTopHeight + frame.pinned : frame.size.height();
        painter.setClipRect(QRectF(0, top, frame.size.width(), bottom - top));
        for (const StackLine& line : stack.lines()) {
            if (line.isPinned == pinned && frame.shows(line))
                any |= paintLine(painter, frame, line);
        }
    }
    painter.restore();
    if (frame.pinned > 0) {
        painter.setPen(QPen(m_theme.line2, 2));
        painter.drawLine(0, kTopHeight + frame.pinned, frame.size.width(), kTopHeight + frame.pinned);
    }
    return any;
}

/// True if something happens on it.
bool TimelinePainter::paintLine(QPainter& painter, const TimelineFrame& frame, const StackLine& line) {
    const int y = kTopHeight + frame.topOf(line);
    if (line.isGroup) {
        paintGroup(painter, frame, line, y);
        return line.isFolded;
    }
    paintLane(painter, frame, line, y);
    const TimelineLane& lane = m_model->lanes[line.index];
    return m_model->eventsIn(lane, frame.scale.beginNs, frame.scale.endNs) > 0 ||
           std::ranges::any_of(lane.rows, [&](const LaneRow* row) {
               return eventsTouching(*row, frame.scale.beginNs, frame.scale.endNs).size() > 0;
           });
}

void TimelinePainter::paintNothing(QPainter& painter, const TimelineFrame& frame) const {
    const auto since = [&](double ns) {
        return durationText(static_cast<std::int64_t>(ns) - m_model->session().originNs);
    };
    painter.setPen(m_theme.muted);
    painter.setFont(textFont(TextSize::Strong));
    painter.drawText(QRectF(kHeaderWidth, kTopHeight, frame.scale.width, frame.lanesHeight()),
                     Qt::AlignCenter,
                     QStringLiteral("Nothing happened between %1 and %2 on %3.")
                         .arg(since(frame.scale.beginNs), since(frame.scale.endNs),
                              pluralText(static_cast<std::int64_t>(m_model->lanes.size()),
                                         QStringLiteral("lane"), QStringLiteral("lanes"))));
}

void TimelinePainter::paintGroup(QPainter& painter, const TimelineFrame& frame, const StackLine& line,
                                 int y) const {
    const TimelineGroup& group = m_model->groups[line.index];
    // The lanes of a folded group are on its line.
    painter.fillRect(QRectF(0, y, line.isFolded ? kHeaderWidth - 1 : frame.size.width(), kGroupHeight),
                     m_theme.header);
    painter.setPen(QPen(m_theme.muted, 1.5));
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF c(15, y + kGroupHeight / 2.0);
    const QPointF down[3] = {c + QPointF(-3.5, -2), c + QPointF(0, 2), c + QPointF(3.5, -2)};
    const QPointF right[3] = {c + QPointF(-2, -3.5), c + QPointF(2, 0), c + QPointF(-2, 3.5)};
    painter.drawPolyline(line.isFolded ? right : down, 3);
    painter.setFont(textFont(TextSize::Body, true));
    painter.setPen(m_theme.text);
    const QFontMetricsF metrics(painter.font());
    // On an open group nothing is drawn beside the title, so it may be as long as it is.
    const double room = line.isFolded ? kHeaderWidth - 95.0 : frame.size.width() / 2.0;
    const QString title = metrics.elidedText(group.title, Qt::ElideMiddle, room);
    painter.drawText(QRectF(28, y, room, kGroupHeight), Qt::AlignVCenter, title);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.muted);
    const double after = 28 + metrics.horizontalAdvance(title) + 10;
    painter.drawText(QRectF(after, y, 120, kGroupHeight), Qt::AlignVCenter,
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
    paintNames(painter, frame, lane, line, y);
    paintSelection(painter, frame, lane, line, y);
    if (lane.kind == TimelineLaneKind::Function)
        paintGlyphs(painter, frame, lane, y);
    painter.restore();
    paintHeader(painter, frame, lane, QRect(0, y, kHeaderWidth - 1, line.height - 1));
    if (line.isPinned)
        painter.drawPixmap(QPointF(8, y + 7), m_pin);
    if (line.hasStrip)
        paintStrip(painter, lane, line, y);
}

/// What the strip of a deep lane holds, beside it.
void TimelinePainter::paintStrip(QPainter& painter, const TimelineLane& lane, const StackLine& line,
                                 int y) const {
    const double top = y + rowTop(lane, line.rows);
    const QString text = line.moreRows > 0
                             ? QStringLiteral("%1 below on one line: open")
                                   .arg(pluralText(static_cast<std::int64_t>(line.moreRows),
                                                   QStringLiteral("row"), QStringLiteral("rows")))
                             : QStringLiteral("Show the first %1 rows").arg(kMostRows);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.accent);
    painter.drawText(QRectF(28, top, kHeaderWidth - 36, kStripHeight), Qt::AlignVCenter, text);
}

QString TimelinePainter::nameOf(const TimelineLane& lane, const LaneRow& row, std::size_t event) const {
    if (lane.kind == TimelineLaneKind::Function)
        return durationText(row.endNs[event] - row.startNs[event]);
    const session::EventCategory& category = m_model->pyramid.index.categories[row.category[event].value];
    return toQString(m_model->session().text(category.name));
}

void TimelinePainter::paintNames(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                 const StackLine& line, int y) const {
    const bool isFunction = lane.kind == TimelineLaneKind::Function;
    painter.setFont(isFunction ? textFont(TextSize::Axis) : codeFont(TextSize::Axis));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t depth = 0; depth < line.rows; ++depth) {
        const LaneRow& row = *lane.rows[depth];
        const EventWindow window = eventsTouching(row, frame.scale.beginNs, frame.scale.endNs);
        if (window.size() > kExactEvents)
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
            painter.setPen(m_theme.textOn(QColor::fromRgb(m_colours.of(lane.kind, row.category[i]))));
            painter.drawText(QRectF(kHeaderWidth + from + 5, y + rowTop(lane, depth), room, rowHeight(lane)),
                             Qt::AlignVCenter, isFunction ? name : nameThatFits(metrics, name, room));
        }
    }
}

void TimelinePainter::paintGlyphs(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                  int y) {
    painter.setFont(textFont(TextSize::Axis, true));
    for (const GlyphCluster& cluster : arrangeGlyphs(lane, frame.scale)) {
        for (const GlyphCluster::Part& part : cluster.parts) {
            const QImage image = glyphImage(part.glyph);
            const double side = image.width() / m_ratio;
            const QPointF centre(kHeaderWidth + part.x, y + kLanePadding + kGlyphHeight / 2.0 - 1);
            painter.drawImage(centre - QPointF(side / 2, side / 2), image);
            if (part.count < 2)
                continue;
            painter.setPen(glyphTextColor(part.glyph, m_theme));
            painter.drawText(QRectF(centre.x() + kGlyphSize / 2 + 1, centre.y() - 8, 60, 16),
                             Qt::AlignVCenter, QString::number(part.count));
        }
    }
}

/// A frame round the selected call or event.
void TimelinePainter::paintSelection(QPainter& painter, const TimelineFrame& frame, const TimelineLane& lane,
                                     const StackLine& line, int y) const {
    const session::CallId call = frame.selection.call;
    const auto wanted = call.isValid() ? std::optional(session::EventRef{call.value, EventKind::Call})
                                       : frame.selection.event;
    if (!wanted)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t depth = 0; depth < line.rows; ++depth) {
        const auto found = m_model->extentOf(*wanted, *lane.rows[depth]);
        if (!found)
            continue;
        const auto pixel = [&](std::int64_t ns) {
            return std::round(
                std::clamp(frame.scale.toX(static_cast<double>(ns)), -10.0, frame.scale.width + 10));
        };
        const double from = pixel(found->beginNs);
        const double to = std::max(from + 3, pixel(found->endNs));
        painter.drawRoundedRect(
            QRectF(kHeaderWidth + from - 2, y + rowTop(lane, depth) - 2, to - from + 3, rowHeight(lane) + 4),
            3, 3);
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
    QRectF name(28, area.y() + (twoLines ? 4 : 0), kHeaderWidth - 36, twoLines ? 18 : area.height());
    const double wide = metrics.horizontalAdvance(lane.name);
    const bool wraps = area.height() >= 54 && wide > name.width() && wide < 1.8 * name.width();
    if (wraps) { // room for all of it
        name.setHeight(34);
        QTextOption option(Qt::AlignVCenter);
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        painter.drawText(name, lane.name, option);
    } else {
        painter.drawText(name, Qt::AlignVCenter,
                         metrics.elidedText(lane.name, Qt::ElideMiddle, name.width()));
    }
    const QString counts = countsOf(frame, lane);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(m_theme.muted);
    if (twoLines)
        painter.drawText(QRectF(28, name.bottom() - 1, kHeaderWidth - 36, 16), Qt::AlignVCenter, counts);
    else if (const double free = kHeaderWidth - 44 - metrics.horizontalAdvance(lane.name);
             QFontMetricsF(painter.font()).horizontalAdvance(counts) < free)
        painter.drawText(QRectF(28, area.y(), kHeaderWidth - 36, area.height()),
                         Qt::AlignVCenter | Qt::AlignRight, counts);
}

/// "21 calls, 1 trace in view", "120 events", "1.60 G to 2.40 G".
QString TimelinePainter::countsOf(const TimelineFrame& frame, const TimelineLane& lane) const {
    const double begin = frame.scale.beginNs;
    const double end = frame.scale.endNs;
    if (lane.kind == TimelineLaneKind::Function) {
        const TimelineModel::Counts in = m_model->countIn(lane, begin, end);
        return QStringLiteral("%1, %2 in view")
            .arg(pluralText(static_cast<std::int64_t>(in.calls), QStringLiteral("call"),
                            QStringLiteral("calls")),
                 pluralText(static_cast<std::int64_t>(in.traces), QStringLiteral("trace"),
                            QStringLiteral("traces")));
    }
    const std::size_t first = lane.counter.values().empty() ? 0 : firstAtOrAfter(lane.points->pointNs, begin);
    const std::size_t last = lane.counter.values().empty() ? 0 : firstAtOrAfter(lane.points->pointNs, end);
    if (first < last) {
        const layout::Extremes in = lane.counter.extremes(first, last);
        return QStringLiteral("%1 to %2 in view").arg(counterText(in.least), counterText(in.most));
    }
    return pluralText(static_cast<std::int64_t>(m_model->eventsIn(lane, begin, end)), QStringLiteral("event"),
                      QStringLiteral("events"));
}

/// Tracing above, calls without it below, for the whole session; what is not in view is paler.
void TimelinePainter::paintMinimap(QPainter& painter, const TimelineFrame& frame) {
    const double first = m_model->firstNs();
    const double whole = m_model->lastNs() - first;
    if (m_minimap.width() != static_cast<int>(frame.scale.width * m_ratio))
        m_minimap = LaneRaster::minimap(*m_model, m_theme, frame.scale.width, m_ratio);
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
                     m_model->hasTracedTime ? QStringLiteral("tracing / calls without it")
                                            : QStringLiteral("how many lanes are busy"));
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
    const std::vector<layout::Tick> ticks =
        layout::ticks(frame.scale, static_cast<double>(m_model->session().originNs), kTickPixels);
    for (const layout::Tick& tick : ticks) {
        const int x = kHeaderWidth + static_cast<int>(tick.x);
        painter.setPen(tick.isMajor ? m_theme.muted : m_theme.line2);
        painter.drawLine(x, kMinimapHeight + kRulerHeight - (tick.isMajor ? 8 : 5), x,
                         kMinimapHeight + kRulerHeight - 2);
    }
    painter.setPen(m_theme.muted);
    for (const RulerLabel& label : rulerLabels(ticks, frame.scale.width, QFontMetricsF(painter.font())))
        painter.drawText(QPointF(kHeaderWidth + label.left, kMinimapHeight + 14), label.text);
    painter.setClipping(false);
}

void TimelinePainter::paintMarksRow(QPainter& painter, const TimelineFrame& frame) const {
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
    paintMarks(painter, frame);
    if (frame.selection.range)
        paintRange(painter, frame, *frame.selection.range);
    painter.setClipping(false);
}

/// Flags, with as much of their text as there is room for.
void TimelinePainter::paintMarks(QPainter& painter, const TimelineFrame& frame) const {
    const double top = kMinimapHeight + kRulerHeight;
    const session::Session& session = m_model->session();
    const session::StringId user = session.strings.find("user");
    painter.setFont(textFont(TextSize::Caption));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < session.marks.size(); ++i) {
        const double x = frame.scale.toX(static_cast<double>(session.marks[i].timeNs));
        if (x < -4 || x > frame.scale.width)
            continue;
        const auto next = i + 1 < session.marks.size()
                              ? frame.scale.toX(static_cast<double>(session.marks[i + 1].timeNs))
                              : frame.scale.width;
        const double left = kHeaderWidth + x;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(session.marks[i].kind == user ? m_theme.warning.fill : m_theme.muted);
        const QPointF flag[5] = {{left, top + 4},
                                 {left + 9, top + 4},
                                 {left + 6.5, top + 7.5},
                                 {left + 9, top + 11},
                                 {left, top + 11}};
        painter.drawPolygon(flag, 5);
        painter.drawRect(QRectF(left, top + 4, 1, kMarksHeight - 5));
        const double room = std::min(next, frame.scale.width) - x - 18;
        painter.setPen(m_theme.text);
        painter.drawText(QPointF(left + 13, top + 15),
                         nameThatFits(metrics, toQString(session.text(session.marks[i].text)), room));
    }
}

/// The selected range with its sums; its lines go through all lanes.
void TimelinePainter::paintRange(QPainter& painter, const TimelineFrame& frame,
                                 const TimeRange& range) const {
    const int top = kMinimapHeight + kRulerHeight;
    const auto begin = static_cast<double>(range.beginNs);
    const auto end = static_cast<double>(range.endNs);
    const double x0 = frame.scale.toX(begin);
    const double x1 = frame.scale.toX(end);
    if (x1 < 0 || x0 > frame.scale.width)
        return;
    const double seenFrom = std::clamp(x0, -2.0, frame.scale.width);
    const double seenTo = std::clamp(x1, 0.0, frame.scale.width + 2);
    painter.fillRect(QRectF(kHeaderWidth + seenFrom, top, seenTo - seenFrom, kMarksHeight - 1),
                     m_theme.accentTint);
    painter.setPen(QPen(m_theme.accent, 1.5));
    for (const double x : {x0, x1}) {
        if (x >= 0 && x <= frame.scale.width)
            painter.drawLine(QPointF(kHeaderWidth + x, top), QPointF(kHeaderWidth + x, frame.size.height()));
    }
    const TimelineModel::Counts in = m_model->countIn(begin, end);
    const QString text = QStringLiteral("%1 · %2 · %3")
                             .arg(durationText(range.endNs - range.beginNs),
                                  pluralText(static_cast<std::int64_t>(in.calls), QStringLiteral("call"),
                                             QStringLiteral("calls")),
                                  pluralText(static_cast<std::int64_t>(in.traces), QStringLiteral("trace"),
                                             QStringLiteral("traces")));
    painter.setFont(textFont(TextSize::Caption, true));
    painter.setPen(m_theme.text);
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 8;
    const double left =
        std::clamp((seenFrom + seenTo - wide) / 2, 0.0, std::max(0.0, frame.scale.width - wide));
    const QRectF place(kHeaderWidth + left, top + 2, wide, kMarksHeight - 5);
    painter.fillRect(place, m_theme.accentTint);
    painter.drawText(place, Qt::AlignCenter, text);
}

} // namespace retracescope::views
