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

DiffView::DiffView(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

void DiffView::setEdit(const diagnose::Edit& edit, const QString& place) {
    m_lines = edit.lines;
    m_place = place;
    setAccessibleName(tr("Edit: %1").arg(editText(edit)));
    updateGeometry();
    update();
}

QString DiffView::plainText() const {
    diagnose::Edit edit;
    edit.lines = m_lines;
    return editText(edit);
}

QSize DiffView::sizeHint() const {
    const int rows = static_cast<int>(m_lines.size()) + (m_place.isEmpty() ? 0 : 1);
    return {280, rows * kLineHeight + 2 * kPadding + 2};
}

QSize DiffView::minimumSizeHint() const {
    return {120, sizeHint().height()};
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
    const auto drawText = [&](const QString& text, const QColor& color) {
        const QRect line(kSignWidth, top, width() - kSignWidth - 8, kLineHeight);
        painter.setPen(color);
        painter.drawText(line, Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, line.width()));
    };
    if (!m_place.isEmpty()) {
        drawText(m_place, theme.muted);
        top += kLineHeight;
    }
    for (const diagnose::EditLine& line : m_lines) {
        const bool added = line.sign == '+';
        const bool removed = line.sign == '-';
        if (added || removed) {
            painter.fillRect(QRect(1, top, width() - 2, kLineHeight),
                             added ? theme.hit.tint : theme.error.tint);
            painter.setPen(added ? theme.hit.text : theme.error.text);
            painter.drawText(QRect(8, top, kSignWidth - 8, kLineHeight), Qt::AlignVCenter,
                             added ? QStringLiteral("+") : QStringLiteral("−"));
        }
        drawText(toQString(line.text), added || removed ? theme.text : theme.muted);
        top += kLineHeight;
    }
}

} // namespace retracescope::views
