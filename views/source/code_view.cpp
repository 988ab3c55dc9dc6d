#include "views/source/code_view.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include "views/shared/glyphs.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kLineHeight = 19;
constexpr int kTracesRight = 64; ///< right edge of the trace counts
constexpr int kBarLeft = 72;
constexpr int kBarWidth = 60;
constexpr int kTimeRight = 204;
constexpr int kNodesRight = 268;
constexpr int kNumberRight = 312;
constexpr int kTextLeft = 328;

} // namespace

CodeView::CodeView(ViewState& state, QWidget* parent) : QAbstractScrollArea(parent), m_state(state) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    connect(&state, &ViewState::themeChanged, this, [this] { viewport()->update(); });
}

void CodeView::setText(const QString& text) {
    m_lines = text.split(QLatin1Char('\n'));
    for (QString& line : m_lines)
        line.replace(QLatin1Char('\t'), QStringLiteral("    "));
    setFacts({});
    updateBars();
}

void CodeView::setFacts(std::map<std::uint32_t, LineFacts> facts) {
    m_facts = std::move(facts);
    m_largestNs = 0;
    for (const auto& [line, fact] : m_facts)
        m_largestNs = std::max(m_largestNs, fact.traceNs);
    viewport()->update();
}

void CodeView::updateBars() {
    qsizetype longest = 0;
    for (const QString& line : m_lines)
        longest = std::max(longest, line.size());
    const int advance = QFontMetrics(codeFont(TextSize::Body)).horizontalAdvance(QLatin1Char('m'));
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(m_lines.size() + 1) * kLineHeight -
                                                     viewport()->height() + kLineHeight));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(kLineHeight);
    horizontalScrollBar()->setRange(
        0, std::max(0, kTextLeft + static_cast<int>(longest) * advance + 20 - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
}

void CodeView::resizeEvent(QResizeEvent*) {
    updateBars();
}

void CodeView::showLine(std::uint32_t line) {
    m_marked = line;
    const int top = static_cast<int>(line) * kLineHeight;
    const int scroll = verticalScrollBar()->value();
    if (line > 0 && (top < scroll + kLineHeight || top + kLineHeight > scroll + viewport()->height()))
        verticalScrollBar()->setValue(top - viewport()->height() / 3);
    viewport()->update();
}

QString CodeView::lineText(std::uint32_t line) const {
    return line >= 1 && static_cast<qsizetype>(line) <= m_lines.size() ? m_lines[line - 1] : QString();
}

void CodeView::paintGutter(QPainter& painter, int top, std::uint32_t line) const {
    const Theme& theme = m_state.theme();
    const auto right = [&](int edge, const QString& text) {
        painter.drawText(QRect(edge - 70, top, 70, kLineHeight), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setFont(codeFont(TextSize::Caption));
    painter.setPen(theme.muted);
    right(kNumberRight, QString::number(line));
    const auto it = m_facts.find(line);
    if (it == m_facts.end())
        return;
    painter.setFont(textFont(TextSize::Caption));
    if (it->second.traces > 0) {
        painter.setPen(theme.miss.text);
        right(kTracesRight, countText(it->second.traces));
        const int bar = m_largestNs > 0 ? static_cast<int>(kBarWidth * it->second.traceNs / m_largestNs) : 0;
        painter.fillRect(QRect(kBarLeft, top + 6, std::max(2, bar), 8), theme.miss.fill);
        right(kTimeRight, timeUnitFor(m_largestNs).text(it->second.traceNs));
    }
    if (it->second.nodes > 0) {
        painter.setPen(theme.muted);
        right(kNodesRight, countText(it->second.nodes));
    }
    if (it->second.definesFunction)
        paintGlyph(painter, Glyph::Trace, QPointF(kTextLeft - 8, top + kLineHeight / 2.0), 7, theme);
}

void CodeView::paintEvent(QPaintEvent*) {
    const Theme& theme = m_state.theme();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme.view);
    const int dx = -horizontalScrollBar()->value();
    const int scroll = verticalScrollBar()->value();
    const int first = std::max(1, scroll / kLineHeight);
    painter.fillRect(QRect(0, 0, kNumberRight + 8, viewport()->height()), theme.alt);
    for (int line = first; line <= m_lines.size(); ++line) {
        const int top = line * kLineHeight - scroll;
        if (top > viewport()->height())
            break;
        const bool marked = static_cast<std::uint32_t>(line) == m_marked;
        if (marked) {
            painter.fillRect(QRect(0, top, viewport()->width(), kLineHeight), theme.accentTint);
            painter.fillRect(QRect(0, top, 3, kLineHeight), theme.accent);
        }
        painter.save();
        painter.setClipRect(QRect(kTextLeft - 4, 0, viewport()->width(), viewport()->height()));
        painter.setFont(codeFont(TextSize::Body));
        painter.setPen(theme.text);
        painter.drawText(QRect(kTextLeft + dx, top, 100'000, kLineHeight),
                         Qt::AlignVCenter | Qt::TextSingleLine, m_lines[line - 1]);
        painter.restore();
        paintGutter(painter, top, static_cast<std::uint32_t>(line));
    }
    painter.fillRect(QRect(0, 0, viewport()->width(), kLineHeight), theme.header);
    painter.setFont(textFont(TextSize::Axis, true));
    painter.setPen(theme.muted);
    const auto title = [&](int edge, const QString& text) {
        painter.drawText(QRect(edge - 80, 0, 80, kLineHeight), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    title(kTracesRight, tr("Traces"));
    title(kTimeRight, tr("Trace time"));
    title(kNodesRight, tr("Nodes"));
    title(kNumberRight, tr("Line"));
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    const int line = (static_cast<int>(event->position().y()) + verticalScrollBar()->value()) / kLineHeight;
    if (line < 1 || line > m_lines.size())
        return;
    m_marked = static_cast<std::uint32_t>(line);
    viewport()->update();
    Q_EMIT lineClicked(m_marked);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        const int step = event->key() == Qt::Key_Down ? 1 : -1;
        showLine(static_cast<std::uint32_t>(
            std::clamp<qsizetype>(static_cast<qsizetype>(m_marked) + step, 1, m_lines.size())));
        return;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

} // namespace retracescope::views
