#include "views/shared/fact_table.h"

#include <algorithm>
#include <numeric>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace retracescope::views {

namespace {

constexpr int kPadding = 8;
constexpr int kFactRow = 25;
constexpr int kLeastColumn = 30;

QFont fontOf(const FactCell& cell) {
    return cell.code ? codeFont(TextSize::Body, cell.differs || cell.strong)
                     : textFont(TextSize::Body, cell.differs || cell.strong);
}

/// Narrow columns keep their width, the wide ones share what is left.
int widestThatFits(std::vector<int> widths, int room) {
    std::ranges::sort(widths);
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const int share = room / static_cast<int>(widths.size() - i);
        if (widths[i] > share)
            return std::max(share, kLeastColumn);
        room -= widths[i];
    }
    return widths.empty() ? 0 : widths.back();
}

} // namespace

FactTable::FactTable(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

void FactTable::setContent(std::vector<QString> titles, std::vector<std::vector<FactCell>> rows,
                           std::vector<int> stretch, bool firstRowApart) {
    m_titles = std::move(titles);
    m_rows = std::move(rows);
    m_stretch = std::move(stretch);
    m_firstRowApart = firstRowApart;
    setAccessibleDescription(tabSeparated());
    updateGeometry();
    update();
}

QString FactTable::tabSeparated() const {
    QString text;
    const auto append = [&text](auto begin, auto end, auto textOf) {
        for (auto it = begin; it != end; ++it)
            text += (it == begin ? QString() : QStringLiteral("\t")) + textOf(*it);
        text += QLatin1Char('\n');
    };
    append(m_titles.begin(), m_titles.end(), [](const QString& title) { return title; });
    for (const auto& row : m_rows)
        append(row.begin(), row.end(), [](const FactCell& cell) { return cell.text; });
    return text;
}

QSize FactTable::sizeHint() const {
    return {320, kRowHeight + static_cast<int>(m_rows.size()) * kFactRow + 2};
}

std::vector<int> FactTable::columnWidths() const {
    std::vector<int> widths;
    for (std::size_t column = 0; column < m_titles.size(); ++column) {
        int width = QFontMetrics(textFont(TextSize::Caption, true)).horizontalAdvance(m_titles[column]);
        for (const auto& row : m_rows) {
            if (column < row.size())
                width =
                    std::max(width, QFontMetrics(fontOf(row[column])).horizontalAdvance(row[column].text));
        }
        widths.push_back(width + 2 * kPadding + 4);
    }
    const int wanted = std::accumulate(widths.begin(), widths.end(), 0);
    const int spare = width() - 2 - wanted;
    const int parts = std::max(1, std::accumulate(m_stretch.begin(), m_stretch.end(), 0));
    if (spare < 0) {
        const int widest = widestThatFits(widths, width() - 2);
        for (int& own : widths)
            own = std::min(own, widest);
        return widths;
    }
    for (std::size_t column = 0; column < widths.size(); ++column)
        widths[column] += spare * (column < m_stretch.size() ? m_stretch[column] : 0) / parts;
    return widths;
}

/// What is cut off is told by the tooltip.
bool FactTable::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::vector<int> widths = columnWidths();
    std::size_t column = 0;
    for (int left = 1; column + 1 < widths.size() && help->pos().x() >= left + widths[column]; ++column)
        left += widths[column];
    const int row = (help->pos().y() - kRowHeight) / kFactRow;
    QString text;
    if (help->pos().y() < kRowHeight)
        text = column < m_titles.size() ? m_titles[column] : QString();
    else if (row < static_cast<int>(m_rows.size()) && column < m_rows[static_cast<std::size_t>(row)].size())
        text = m_rows[static_cast<std::size_t>(row)][column].text;
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void FactTable::paintCell(QPainter& painter, QRect area, const FactCell& cell) const {
    const Theme& theme = m_state.theme();
    if (cell.differs) {
        const QRect tint = area.adjusted(2, 2, -3, -2);
        painter.fillRect(tint, theme.miss.tint);
        painter.fillRect(QRect(tint.left(), tint.top(), 3, tint.height()), theme.miss.fill);
    }
    painter.setFont(fontOf(cell));
    painter.setPen(cell.differs ? theme.miss.text : cell.muted ? theme.muted : theme.text);
    const QRect text = area.adjusted(kPadding + (cell.differs ? 2 : 0), 0, -4, 0);
    painter.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(cell.text, Qt::ElideMiddle, text.width()));
}

void FactTable::paintEvent(QPaintEvent*) {
    const Theme& theme = m_state.theme();
    QPainter painter(this);
    const std::vector<int> widths = columnWidths();
    painter.fillRect(rect(), theme.view);
    painter.fillRect(QRect(0, 0, width(), kRowHeight), theme.header);
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const int top = kRowHeight + static_cast<int>(row) * kFactRow;
        if (row % 2 == 1)
            painter.fillRect(QRect(1, top, width() - 2, kFactRow), theme.alt);
    }
    int left = 1;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        painter.setFont(textFont(TextSize::Caption, true));
        painter.setPen(theme.muted);
        const QRect title(left + kPadding, 0, widths[column] - kPadding - 4, kRowHeight);
        painter.drawText(title, Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_titles[column], Qt::ElideMiddle, title.width()));
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const QRect area(left, kRowHeight + static_cast<int>(row) * kFactRow, widths[column], kFactRow);
            if (column < m_rows[row].size())
                paintCell(painter, area, m_rows[row][column]);
        }
        left += widths[column];
    }
    if (m_firstRowApart && m_rows.size() > 1)
        painter.fillRect(QRect(0, kRowHeight + kFactRow - 1, width(), 1), theme.line2);
    painter.setPen(theme.line);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void FactTable::mousePressEvent(QMouseEvent* event) {
    const int row = (static_cast<int>(event->position().y()) - kRowHeight) / kFactRow;
    if (event->position().y() >= kRowHeight && row < static_cast<int>(m_rows.size()))
        Q_EMIT rowClicked(row);
}

} // namespace retracescope::views
