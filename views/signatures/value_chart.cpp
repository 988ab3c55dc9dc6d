#include "views/signatures/value_chart.h"

#include <algorithm>
#include <numeric>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr std::size_t kMostRows = 10;
constexpr int kRow = 20;
constexpr int kBarsHeight = 110;
constexpr int kAxis = 16;  // labels below the bars
constexpr int kAbove = 14; // counts above them
constexpr int kBarStep = 12;

} // namespace

ValueChart::ValueChart(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&state, &ViewState::themeChanged, this, qOverload<>(&QWidget::update));
}

void ValueChart::setComponent(const KeyComponent& component) {
    m_values = component.values;
    m_asBars = component.isNumeric && m_values.size() > kMostRows;
    if (!component.isNumeric)
        std::ranges::stable_sort(m_values, std::greater{}, &std::pair<QString, std::int64_t>::second);
    setAccessibleName(tr("Calls per value of %1").arg(component.label));
    QStringList words;
    for (std::size_t i = 0; i < m_values.size() && i < kMostRows; ++i)
        words += tr("%1: %2").arg(m_values[i].first, countText(m_values[i].second));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QSize ValueChart::sizeHint() const {
    const std::size_t rows = std::min(m_values.size(), kMostRows) + (m_values.size() > kMostRows ? 1 : 0);
    return {260, m_asBars ? kBarsHeight : static_cast<int>(rows) * kRow};
}

std::vector<ValueChart::Bar> ValueChart::bars() const {
    const auto room = static_cast<std::size_t>(std::max(1, width() / kBarStep));
    const std::size_t count = std::min(m_values.size(), room);
    std::vector<Bar> result(count);
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        Bar& bar = result[i * count / m_values.size()];
        if (bar.first.isEmpty())
            bar.first = m_values[i].first;
        bar.last = m_values[i].first;
        bar.calls += m_values[i].second;
    }
    return result;
}

QRect ValueChart::barArea(std::size_t bar, std::size_t count) const {
    const int left = static_cast<int>(bar * static_cast<std::size_t>(width()) / count);
    const int right = static_cast<int>((bar + 1) * static_cast<std::size_t>(width()) / count);
    return {left, kAbove, std::max(1, right - left - 2), height() - kAbove - kAxis};
}

void ValueChart::paintBars(QPainter& painter) const {
    const Theme& theme = m_state.theme();
    const std::vector<Bar> all = bars();
    const std::int64_t most = std::max<std::int64_t>(1, std::ranges::max(all, {}, &Bar::calls).calls);
    painter.setFont(textFont(TextSize::Axis));
    const QFontMetrics metrics(painter.font());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRect area = barArea(i, all.size());
        const int high =
            std::max(all[i].calls > 0 ? 2 : 0, static_cast<int>(area.height() * all[i].calls / most));
        painter.fillRect(QRect(area.left(), area.bottom() - high + 1, area.width(), high),
                         theme.execute.fill);
        const QString count = countText(all[i].calls);
        painter.setPen(theme.muted);
        if (metrics.horizontalAdvance(count) <= area.width() + 2)
            painter.drawText(QRect(area.left() - 4, area.bottom() - high - 13, area.width() + 8, 13),
                             Qt::AlignCenter, count);
    }
    painter.fillRect(QRect(0, height() - kAxis, width(), 1), theme.line2);
    const QRect axis(0, height() - kAxis + 2, width(), kAxis - 2);
    painter.setPen(theme.muted);
    const QString first = m_values.front().first;
    const QString last = m_values.back().first;
    const QString middle = m_values[m_values.size() / 2].first;
    painter.drawText(axis, Qt::AlignLeft, first);
    painter.drawText(axis, Qt::AlignRight, last);
    if (metrics.horizontalAdvance(first + middle + last) + 40 < width())
        painter.drawText(axis, Qt::AlignHCenter, middle);
}

void ValueChart::paintRows(QPainter& painter) const {
    const Theme& theme = m_state.theme();
    const std::int64_t most = std::max<std::int64_t>(
        1, std::ranges::max(m_values, {}, &std::pair<QString, std::int64_t>::second).second);
    const QFont code = codeFont(TextSize::Body);
    const QFont text = textFont(TextSize::Caption);
    const QFontMetrics codeMetrics(code);
    const QFontMetrics textMetrics(text);
    int names = 0;
    int counts = 0;
    const std::size_t rows = std::min(m_values.size(), kMostRows);
    for (std::size_t i = 0; i < rows; ++i) {
        names = std::max(names, codeMetrics.horizontalAdvance(m_values[i].first));
        counts = std::max(counts, textMetrics.horizontalAdvance(countText(m_values[i].second)));
    }
    names = std::min(names, width() / 2);
    const int room = width() - names - counts - 20;
    for (std::size_t i = 0; i < rows; ++i) {
        const int top = static_cast<int>(i) * kRow;
        painter.setFont(code);
        painter.setPen(theme.text);
        painter.drawText(QRect(0, top, names + 2, kRow), Qt::AlignVCenter,
                         codeMetrics.elidedText(m_values[i].first, Qt::ElideMiddle, names));
        painter.fillRect(
            QRect(names + 10, top + 6, std::max(2, static_cast<int>(room * m_values[i].second / most)), 9),
            theme.execute.fill);
        painter.setFont(text);
        painter.setPen(theme.muted);
        painter.drawText(QRect(0, top, width(), kRow), Qt::AlignVCenter | Qt::AlignRight,
                         countText(m_values[i].second));
    }
    if (m_values.size() <= kMostRows)
        return;
    const std::int64_t rest =
        std::accumulate(m_values.begin() + kMostRows, m_values.end(), std::int64_t{0},
                        [](std::int64_t sum, const auto& value) { return sum + value.second; });
    painter.setFont(text);
    painter.setPen(theme.muted);
    painter.drawText(QRect(0, static_cast<int>(rows) * kRow, width(), kRow), Qt::AlignVCenter,
                     tr("and %1 more values, %2")
                         .arg(countText(static_cast<std::int64_t>(m_values.size() - kMostRows)),
                              pluralText(rest, tr("call"), tr("calls"))));
}

void ValueChart::paintEvent(QPaintEvent*) {
    if (m_values.empty())
        return;
    QPainter painter(this);
    if (m_asBars)
        paintBars(painter);
    else
        paintRows(painter);
}

QString ValueChart::describe(const Bar& bar) const {
    const QString calls = pluralText(bar.calls, tr("call"), tr("calls"));
    return bar.first == bar.last ? tr("%1: %2").arg(bar.first, calls)
                                 : tr("%1 to %2: %3").arg(bar.first, bar.last, calls);
}

bool ValueChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || m_values.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    if (m_asBars) {
        const std::vector<Bar> all = bars();
        const auto bar = static_cast<std::size_t>(std::clamp(help->x(), 0, width() - 1)) * all.size() /
                         static_cast<std::size_t>(width());
        text = describe(all[bar]);
    } else if (const auto row = static_cast<std::size_t>(std::max(0, help->y()) / kRow);
               row < std::min(m_values.size(), kMostRows)) {
        text = describe({m_values[row].first, m_values[row].first, m_values[row].second});
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace retracescope::views
