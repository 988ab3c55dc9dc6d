#include "views/overview/time_bar.h"

#include <QPainter>

#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kBarHeight = 25;
constexpr int kThinnest = 3;
constexpr std::size_t kOutside = 3;

} // namespace

TimeBar::TimeBar(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setFixedHeight(sizeHint().height());
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

void TimeBar::setTime(const diagnose::TimeSplit& time) {
    m_totalNs = time.totalNs;
    m_parts = {Part{tr("Retracing that can be avoided"), time.avoidableNs},
               Part{tr("Tracing that is needed"), time.neededNs},
               Part{tr("Executing traced functions"), time.executeNs},
               Part{tr("Outside traced functions"), time.outsideNs}};
    const std::array<std::int64_t, 4> parts{time.avoidableNs, time.neededNs, time.executeNs, time.outsideNs};
    m_texts = partsThatAddUp(parts, timeUnitFor(m_totalNs));
    QStringList words;
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        words += QStringLiteral("%1 %2").arg(m_parts[i].name, m_texts[i]);
    setAccessibleName(words.join(QStringLiteral(", ")));
    update();
}

QString TimeBar::totalText() const {
    return timeUnitFor(m_totalNs).text(m_totalNs);
}

QColor TimeBar::fill(std::size_t part) const {
    const Theme& theme = m_state.theme();
    const std::array<QColor, 4> fills{theme.miss.fill, theme.expected.fill, theme.execute.fill, theme.header};
    return fills[part];
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
        painter.setPen(i == kOutside ? QPen(theme.line2, 1) : QPen(Qt::NoPen));
        painter.setBrush(fill(i));
        painter.drawRoundedRect(area, 2, 2);
        painter.setFont(textFont(TextSize::Strong, true));
        if (painter.fontMetrics().horizontalAdvance(m_texts[i]) + 18 > area.width())
            continue;
        painter.setPen(i == kOutside ? theme.text : theme.textOn(fill(i)));
        painter.drawText(area.adjusted(9, 0, -4, 0), Qt::AlignVCenter, m_texts[i]);
    }
    paintLegend(painter);
}

void TimeBar::paintLegend(QPainter& painter) const {
    const Theme& theme = m_state.theme();
    int left = 0;
    const auto word = [&](const QString& text, bool bold, const QColor& color, int gap) {
        painter.setFont(textFont(TextSize::Body, bold));
        painter.setPen(color);
        painter.drawText(QRect(left, kBarHeight + 7, 600, 18), Qt::AlignVCenter, text);
        left += painter.fontMetrics().horizontalAdvance(text) + gap;
    };
    const bool narrow = width() < 900;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        painter.setPen(i == kOutside ? QPen(theme.line2, 1) : QPen(Qt::NoPen));
        painter.setBrush(fill(i));
        painter.drawRoundedRect(QRectF(left + 0.5, kBarHeight + 11.5, 10, 10), 2, 2);
        left += 18;
        word(narrow ? m_parts[i].name.section(QLatin1Char(' '), 0, 0) : m_parts[i].name, false, theme.text,
             8);
        word(m_texts[i], true, theme.text, 6);
        word(shareText(m_parts[i].ns, m_totalNs), false, theme.muted, narrow ? 18 : 32);
    }
}

} // namespace retracescope::views
