#include "views/overview/time_bar.h"

#include <QPainter>

#include "views/shared/numbers.h"
#include "views/shared/time_uses.h"

namespace retracescope::views {

namespace {

constexpr int kBarHeight = 25;
constexpr int kThinnest = 3;
constexpr int kLegendLine = 20;
constexpr int kSwatch = 18; // with its gap

} // namespace

TimeBar::TimeBar(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    fitHeight();
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

void TimeBar::setTime(const diagnose::TimeSplit& time) {
    m_totalNs = time.totalNs;
    m_parts = diagnose::timeParts(time);
    std::vector<std::int64_t> times;
    for (const diagnose::TimePart& part : m_parts)
        times.push_back(part.ns);
    m_texts = partsThatAddUp(times, unit());
    QStringList words;
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        words += QStringLiteral("%1 %2").arg(toQString(m_parts[i].name), m_texts[i]);
    setAccessibleName(words.join(QStringLiteral(", ")));
    fitHeight();
    update();
}

QString TimeBar::totalText() const {
    return unit().text(m_totalNs);
}

TimeUnit TimeBar::unit() const {
    return timeUnitOfParts(m_totalNs);
}

bool TimeBar::isOutside(std::size_t part) const {
    return m_parts[part].kind == diagnose::TimePart::Outside;
}

QColor TimeBar::fill(std::size_t part) const {
    const Theme& theme = m_state.theme();
    switch (m_parts[part].kind) {
    case diagnose::TimePart::Avoidable:
        return colourOf(TimeUse::Avoidable, theme);
    case diagnose::TimePart::Needed:
        return colourOf(TimeUse::Needed, theme);
    case diagnose::TimePart::Execute:
        return colourOf(TimeUse::Execute, theme);
    case diagnose::TimePart::Failed:
        return colourOf(TimeUse::Failed, theme);
    case diagnose::TimePart::Outside:
        break;
    }
    return theme.header;
}

void TimeBar::paintEvent(QPaintEvent*) {
    if (m_totalNs <= 0)
        return;
    const Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double done = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const double from = done * width() / static_cast<double>(m_totalNs);
        done += static_cast<double>(m_parts[i].ns);
        const double to = done * width() / static_cast<double>(m_totalNs);
        if (m_parts[i].ns == 0)
            continue;
        const QRectF area(from + 0.5, 0.5, std::max<double>(kThinnest, to - from - 2), kBarHeight - 1);
        painter.setPen(isOutside(i) ? QPen(theme.line2, 1) : QPen(Qt::NoPen));
        painter.setBrush(fill(i));
        painter.drawRoundedRect(area, 2, 2);
        painter.setFont(textFont(TextSize::Strong, true));
        if (painter.fontMetrics().horizontalAdvance(m_texts[i]) + 18 > area.width())
            continue;
        painter.setPen(isOutside(i) ? theme.text : theme.textOn(fill(i)));
        painter.drawText(area.adjusted(9, 0, -4, 0), Qt::AlignVCenter, m_texts[i]);
    }
    paintLegend(painter);
}

/// Where each part's words begin; a part that does not fit goes to the next line whole.
std::vector<TimeBar::LegendItem> TimeBar::legend() const {
    const QFontMetrics body(textFont(TextSize::Body));
    const QFontMetrics bold(textFont(TextSize::Body, true));
    std::vector<LegendItem> items;
    int left = 0;
    int line = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        LegendItem item;
        item.nameWidth = body.horizontalAdvance(toQString(m_parts[i].name));
        item.timeWidth = bold.horizontalAdvance(m_texts[i]);
        const int width = kSwatch + item.nameWidth + 8 + item.timeWidth + 6 +
                          body.horizontalAdvance(shareText(m_parts[i].ns, m_totalNs));
        if (left > 0 && left + width > this->width()) {
            left = 0;
            ++line;
        }
        item.at = QPoint(left, kBarHeight + 7 + line * kLegendLine);
        left += width + 32;
        items.push_back(item);
    }
    return items;
}

void TimeBar::paintLegend(QPainter& painter) const {
    const Theme& theme = m_state.theme();
    const std::vector<LegendItem> items = legend();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const QPoint at = items[i].at;
        painter.setPen(isOutside(i) ? QPen(theme.line2, 1) : QPen(Qt::NoPen));
        painter.setBrush(fill(i));
        painter.drawRoundedRect(QRectF(at.x() + 0.5, at.y() + 4.5, 10, 10), 2, 2);
        int left = at.x() + kSwatch;
        const auto word = [&](const QString& text, bool isBold, const QColor& color, int advance) {
            painter.setFont(textFont(TextSize::Body, isBold));
            painter.setPen(color);
            painter.drawText(QRect(left, at.y(), 600, 18), Qt::AlignVCenter, text);
            left += advance;
        };
        word(toQString(m_parts[i].name), false, theme.text, items[i].nameWidth + 8);
        word(m_texts[i], true, theme.text, items[i].timeWidth + 6);
        word(shareText(m_parts[i].ns, m_totalNs), false, theme.muted, 0);
    }
}

void TimeBar::fitHeight() {
    const std::vector<LegendItem> items = m_totalNs > 0 ? legend() : std::vector<LegendItem>();
    setFixedHeight(items.empty() ? kBarHeight + 7 + kLegendLine : items.back().at.y() + kLegendLine);
}

void TimeBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitHeight();
}

} // namespace retracescope::views
