#include "views/shared/diff_view.h"

#include <algorithm>

#include <QPainter>

#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kLineHeight = 19;
constexpr int kPadding = 4;
constexpr int kSignWidth = 24;

} // namespace

QString editText(const diagnose::Edit& edit) {
    if (edit.lines.empty())
        return toQString(edit.sentence);
    QString text;
    for (const diagnose::EditLine& line : edit.lines)
        text += QStringLiteral("%1 %2\n").arg(QLatin1Char(line.sign)).arg(toQString(line.text));
    return text;
}

QString editText(const diagnose::Finding& finding) {
    QStringList texts{editText(finding.edit)};
    for (const diagnose::Edit& edit : finding.also)
        texts += editText(edit);
    for (QString& text : texts)
        text = text.trimmed();
    return texts.join(QLatin1Char('\n'));
}

DiffView::DiffView(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

void DiffView::setEdit(const diagnose::Edit& edit, const QString& place) {
    m_lines = edit.lines;
    m_place = place;
    setAccessibleName(tr("Edit: %1").arg(editText(edit)));
    setFixedHeight(heightFor(width()));
    update();
}

void DiffView::setMostRows(int rows) {
    m_mostRows = rows;
    setFixedHeight(heightFor(width()));
}

QString DiffView::plainText() const {
    diagnose::Edit edit;
    edit.lines = m_lines;
    return editText(edit);
}

std::vector<DiffView::Row> DiffView::wrapped(int width) const {
    const int columns = std::max(
        16, static_cast<int>((width - kSignWidth - 8) /
                             QFontMetricsF(codeFont(TextSize::Body)).horizontalAdvance(QLatin1Char('m'))));
    std::vector<Row> rows;
    if (!m_place.isEmpty())
        rows.push_back({' ', m_place, true});
    for (const diagnose::EditLine& line : m_lines) {
        QString rest = toQString(line.text);
        bool first = true;
        while (rest.size() > columns) {
            // Behind a comma or a space of the last half, else anywhere.
            qsizetype cut = std::max(rest.lastIndexOf(QLatin1Char(' '), columns - 1) + 1, qsizetype{0});
            if (cut < columns / 2)
                cut = columns;
            rows.push_back({line.sign, rest.left(cut), first});
            rest = QStringLiteral("    ") + rest.mid(cut);
            first = false;
        }
        rows.push_back({line.sign, rest, first});
    }
    if (const auto most = static_cast<std::size_t>(m_mostRows); most > 0 && rows.size() > most) {
        const qsizetype more = static_cast<qsizetype>(rows.size() - most + 1);
        rows.resize(most - 1);
        rows.push_back({' ', tr("… and %1 more").arg(more), true});
    }
    return rows;
}

int DiffView::heightFor(int width) const {
    return static_cast<int>(wrapped(width).size()) * kLineHeight + 2 * kPadding + 2;
}

QSize DiffView::sizeHint() const {
    return {280, heightFor(width())};
}

QSize DiffView::minimumSizeHint() const {
    return {120, kLineHeight + 2 * kPadding + 2};
}

void DiffView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setFixedHeight(heightFor(width()));
}

void DiffView::paintEvent(QPaintEvent*) {
    const Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.line);
    painter.setBrush(theme.alt);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setFont(codeFont(TextSize::Body));
    int top = kPadding + 1;
    for (const Row& row : wrapped(width())) {
        const bool added = row.sign == '+';
        const bool removed = row.sign == '-';
        if (added || removed)
            painter.fillRect(QRect(1, top, width() - 2, kLineHeight),
                             added ? theme.hit.tint : theme.error.tint);
        if ((added || removed) && row.isFirst) {
            painter.setPen(added ? theme.hit.text : theme.error.text);
            painter.drawText(QRect(8, top, kSignWidth - 8, kLineHeight), Qt::AlignVCenter,
                             added ? QStringLiteral("+") : QStringLiteral("−"));
        }
        painter.setPen(added || removed ? theme.text : theme.muted);
        painter.drawText(QRect(kSignWidth, top, width() - kSignWidth - 4, kLineHeight),
                         Qt::AlignVCenter | Qt::TextSingleLine, row.text);
        top += kLineHeight;
    }
}

} // namespace retracescope::views
